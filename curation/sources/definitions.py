"""The definitions to be linked, as linking wants to be told about them, and its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from curation.sources.items import SourceItem

#: How sure a link is. Certain: the manifest or a comment names file and name, and both are there.
#: Likely: the name is the same and nothing else is called so. Guess: the names are only alike.
CERTAIN, LIKELY, GUESS = "certain", "likely", "guess"

#: What a link rests on, strongest first.
BASES = (
    "source_id",
    "upstream_name",
    "file_line",
    "doc_citation",
    "same_name",
    "qualified_name",
    "name_affix",
    "similar_name",
    "through_api",
)


@dataclass(frozen=True)
class DefinitionRef:
    """A Lean definition, with all that may say where it comes from.

    `kind` is api, type, helper or spec. `short_name` is the manifest's name, else the last part
    of `lean_name`. `doc` holds its comment (for an API that of its signature too), `module_doc`
    that of its file. `manifest` and `module_manifest` are the raw entries, empty if there are
    none. `uses` are the short names of the APIs and helpers that a
    spec mentions.
    """

    kind: str
    lean_name: str
    short_name: str
    module: str
    doc: str = ""
    module_doc: str = ""
    manifest: Mapping[str, Any] = field(default_factory=dict)
    module_manifest: Mapping[str, Any] = field(default_factory=dict)
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A definition and an item it comes from.

    `relation`: counterpart (one to one), split (the item became several definitions, or the
    definition is a part of it), merged (the definition gathers several items), about (a spec
    without a text of its own upstream, on what it uses). `note` says in words what
    agreed and what did not.
    """

    definition: DefinitionRef
    item: SourceItem
    basis: str
    confidence: str
    relation: str = "counterpart"
    note: str = ""

    @property
    def certain(self) -> bool:
        """Return whether file and name were given and found."""
        return self.confidence == CERTAIN


@dataclass(frozen=True, slots=True)
class Unlinked:
    """A definition without a link. `candidates` may be empty; the best stands first.

    `code`: ambiguous, made-here (the manifest says it has no upstream text), no-such-file,
    no-such-name, no-provenance (nothing says where it comes from, and no name fits).
    """

    definition: DefinitionRef
    code: str
    reason: str
    candidates: tuple[SourceItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Linking:
    """The answer: every definition is in exactly one of the three, an `about` link included.

    `ambiguous` and `unlinked` are for people to settle.
    """

    links: tuple[Link, ...]
    about: tuple[Link, ...]
    ambiguous: tuple[Unlinked, ...]
    unlinked: tuple[Unlinked, ...]


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One definition that a manifest names. `entry` is empty where it is only a name."""

    kind: str
    name: str
    module: str
    entry: Mapping[str, Any]
    module_entry: Mapping[str, Any]


_LISTS = (
    ("apis", "api"),
    ("types", "type"),
    ("api_helpers", "helper"),
    ("spec_helpers", "helper"),
    ("specs", "spec"),
)


def manifest_entries(document: Mapping[str, Any]) -> Iterator[ManifestEntry]:
    """Yield the definitions of a manifest's raw document, module by module.

    Reads `apis`, `types`, `api_helpers`, `spec_helpers` and `specs`, each a list of names or of
    objects with a `name`; `spec_metadata` adds to the spec of the same name. What has another
    shape is passed over: checking the manifest is not this module's matter.
    """
    for package in _objects(document.get("packages")):
        for module in _objects(package.get("modules")):
            extra = {
                one["name"]: one
                for one in _objects(module.get("spec_metadata"))
                if "name" in one
            }
            for key, kind in _LISTS:
                listed = module.get(key)
                for one in listed if isinstance(listed, list) else []:
                    name = one.get("name") if isinstance(one, dict) else one
                    if not isinstance(name, str):
                        continue
                    entry = {
                        **extra.get(name, {}),
                        **(one if isinstance(one, dict) else {}),
                    }
                    yield ManifestEntry(
                        kind, name, str(module.get("name", "")), entry, module
                    )


def _objects(value: object) -> list[dict[str, Any]]:
    return (
        [one for one in value if isinstance(one, dict)]
        if isinstance(value, list)
        else []
    )
