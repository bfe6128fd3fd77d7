"""Read a tree of files into plain records: what an import writes, before there is a database."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from curation.format.entries import DeclarationRef, module_of
from curation.format.findings import Finding
from curation.format.instance import Instance
from curation.instances.models import Definition
from curation.sources.definitions import DefinitionRef, Linking, manifest_entries
from curation.sources.items import Inventory
from curation.sources.linking import link_definitions
from curation.sources.registry import extract_tree, language
from workbench.lean.declarations import Declaration, name_parts
from workbench.lean.surroundings import surroundings
from workbench.lean.unsaid import unsaid
from workbench.lean.uses import Ref

_TYPE_KEYWORDS = frozenset(("structure", "class", "inductive", "coinductive"))
#: Above so many bytes of source code, reading all of a repository for a few of its files takes too long.
WHOLE_TREE_BYTES = 4_000_000
_SPEC_SIDE = frozenset((Definition.SPEC, Definition.SPEC_HELPER))
_REF_KINDS = {
    Definition.API: "api",
    Definition.TYPE: "type",
    Definition.HELPER: "helper",
    Definition.SPEC_HELPER: "helper",
    Definition.SPEC: "spec",
}


@dataclass(frozen=True)
class DefinitionRecord:
    """One definition as a revision holds it. `name` is fully qualified; `key` is its identity in the instance."""

    ref: DeclarationRef
    kind: str
    name: str
    ordinal: int
    module: str
    path: str
    keyword: str
    line_start: int
    line_end: int
    text: str
    doc: str
    signature: str
    about: str = field(default="", repr=False)
    around: str = field(default="", repr=False)
    entry: Mapping[str, Any] = field(default_factory=dict, repr=False)
    module_entry: Mapping[str, Any] = field(default_factory=dict, repr=False)
    manifest_name: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        return self.path, self.name, self.ordinal

    @property
    def text_hash(self) -> str:
        """The SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class UseRecord:
    """Definition number `user` mentions definition number `used` (positions in the list of records).

    `indirect`: a spec does so only through its helpers.
    """

    user: int
    used: int
    through_impl: bool
    indirect: bool = False


@dataclass(frozen=True)
class Reading:
    """An instance as rows want it. `unsaid` are pairs of which the first may rely on the second without naming it."""

    instance: Instance
    definitions: tuple[DefinitionRecord, ...]
    uses: tuple[UseRecord, ...]
    findings: tuple[Finding, ...]
    unsaid: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class SourceReading:
    """The items of a source tree, and what links them to the definitions of a reading.

    `partly`: the tree is so large that only the files that the manifest names were read.
    """

    inventory: Inventory
    linking: Linking
    partly: bool
    refs: Mapping[int, DefinitionRecord]


def read_instance(instance: Instance) -> Reading:
    """Return the records of `instance`. Raises FormatError for what cannot be read."""
    records = tuple(_records(instance))
    return Reading(
        instance,
        records,
        tuple(_uses(instance, records)),
        instance.findings,
        _unsaid(instance, records),
    )


def find_declaration(
    instance: Instance, path: str, name: str, ordinal: int
) -> Declaration | None:
    """Return the declaration with this identity (see `DefinitionRecord.key`), None where the file has none."""
    named = (
        declaration
        for declaration in instance.scan(path).declarations
        if declaration.kind != "example" and _name(declaration) == name
    )
    return next(islice(named, ordinal, None), None)


def declared_names(instance: Instance, path: str) -> list[str]:
    """Return the names of the declarations of a file, as definitions are called, in order."""
    return [
        "example" if declaration.kind == "example" else _name(declaration)
        for declaration in instance.scan(path).declarations
    ]


def _ordered_paths(instance: Instance) -> list[tuple[str, str, bool]]:
    """Return (path, module, is it spec side) of the visible Lean files, modules as in the manifest, harness last."""
    manifest = instance.manifest
    several = len(manifest.packages) > 1
    named: dict[str, tuple[str, bool]] = {}
    for package, module in manifest.modules:
        name = f"{package.name}/{module.name}" if several else module.name
        for path, is_spec in ((module.impl, False), (module.spec, True)):
            if path:
                named.setdefault(path, (name, is_spec))
    files = manifest.files
    # Packages may share a bundle: each file is read once.
    last = list(
        dict.fromkeys(
            [*(package.bundle for package in manifest.packages), files.harness]
        )
    )
    left_out = {files.root_hub, files.test, *last}
    rest = sorted(instance.visible_paths - named.keys() - left_out)
    ordered = [
        path
        for path in named
        if path in instance.visible_paths and path not in left_out
    ]
    found = [(path, *named[path]) for path in ordered]
    found += [(path, module_of(path), "/Spec/" in path) for path in rest]
    return found + [
        (path, module_of(path), False)
        for path in last
        if path in instance.visible_paths
    ]


def _records(instance: Instance) -> Iterator[DefinitionRecord]:
    manifest = instance.manifest
    harness = {
        manifest.files.harness,
        *(package.bundle for package in manifest.packages),
    }
    apis = {(api.path, api.full_name): api for api in instance.apis if api.full_name}
    specs = {
        (spec.path, spec.full_name): spec for spec in instance.specs if spec.full_name
    }
    signatures = {api.sig_name for api in instance.apis}
    entries = {
        (entry.module, entry.name): entry
        for entry in manifest_entries(manifest.document)
    }
    names = {
        path: module.name
        for _, module in manifest.modules
        for path in (module.impl, module.spec)
        if path
    }
    around = _around(instance)
    for path, module, is_spec in _ordered_paths(instance):
        seen: Counter[str] = Counter()
        for position, declaration in enumerate(instance.scan(path).declarations):
            name = _name(declaration)
            if declaration.kind == "example":
                continue
            place = (path, declaration.name)
            kind = _kind(
                declaration,
                path in harness,
                place in apis,
                place in specs,
                signatures,
                is_spec,
            )
            in_manifest = names.get(path, module)
            if place in apis or place in specs:
                manifest_name = (apis.get(place) or specs[place]).name
            else:
                manifest_name = _listed_name(declaration, in_manifest, entries)
            entry = entries.get((in_manifest, manifest_name))
            yield DefinitionRecord(
                ref=DeclarationRef(path, position),
                kind=kind,
                name=name,
                ordinal=seen[name],
                module=module,
                path=path,
                keyword=declaration.kind,
                line_start=declaration.start_line,
                line_end=declaration.end_line,
                text=declaration.text,
                doc=declaration.doc,
                signature=declaration.signature,
                about=_signature_doc(instance, apis[place].sig_name)
                if place in apis
                else "",
                around=around[Ref(module_of(path), position)],
                entry=entry.entry if entry else {},
                module_entry=entry.module_entry if entry else {},
                manifest_name=manifest_name,
            )
            seen[name] += 1


def _around(instance: Instance) -> dict[Ref, str]:
    paths = {module_of(path): path for path in sorted(instance.visible_paths)}
    scans = {module: instance.scan(path) for module, path in paths.items()}
    texts = {module: instance.texts[path] for module, path in paths.items()}
    return surroundings(scans, texts)


def _unsaid(
    instance: Instance, records: Sequence[DefinitionRecord]
) -> tuple[tuple[int, int], ...]:
    paths = {module_of(path): path for path in sorted(instance.visible_paths)}
    places = {
        Ref(module_of(record.ref.path), record.ref.position): number
        for number, record in enumerate(records)
    }
    named = {
        Ref(module_of(user.path), user.position): [
            Ref(module_of(used.path), used.position) for used in several
        ]
        for user, several in instance.dependencies.items()
    }
    found = unsaid(
        {module: instance.scan(path) for module, path in paths.items()}, named
    )
    return tuple(
        (places[user], places[used])
        for user, several in found.items()
        for used in several
        if user in places and used in places
    )


def _uses(
    instance: Instance, records: Sequence[DefinitionRecord]
) -> Iterator[UseRecord]:
    """Yield which record mentions which; for a spec also the APIs that its helpers mention."""
    places = {record.ref: number for number, record in enumerate(records)}
    edges: dict[int, list[int]] = {
        places[user]: [places[used] for used in several if used in places]
        for user, several in instance.dependencies.items()
        if user in places
    }
    for user, several in sorted(edges.items()):
        on_spec_side = records[user].kind in _SPEC_SIDE
        for used in several:
            is_api = records[used].kind == Definition.API
            yield UseRecord(user, used, through_impl=on_spec_side and is_api)
        if records[user].kind == Definition.SPEC:
            for used in _apis_of_helpers(user, edges, records):
                yield UseRecord(user, used, through_impl=True, indirect=True)


def _apis_of_helpers(
    spec: int, edges: Mapping[int, list[int]], records: Sequence[DefinitionRecord]
) -> list[int]:
    """Return the APIs that `spec` reaches through helpers of the spec side but does not mention itself."""
    seen = {spec}
    todo = [spec]
    found: set[int] = set()
    while todo:
        for used in edges.get(todo.pop(), ()):
            if records[used].kind == Definition.API:
                found.add(used)
            elif records[used].kind == Definition.SPEC_HELPER and used not in seen:
                seen.add(used)
                todo.append(used)
    return sorted(found - set(edges.get(spec, ())))


def _listed_name(
    declaration: Declaration, module: str, entries: Container[tuple[str, str]]
) -> str:
    """Return the longest ending of the full name that the manifest lists (`Interval.touches`), else the last part."""
    parts = name_parts(declaration.name) or (declaration.short_name,)
    endings = (".".join(parts[start:]) for start in range(len(parts)))
    return next(
        (name for name in endings if (module, name) in entries), declaration.short_name
    )


def _name(declaration: Declaration) -> str:
    """Return the full name; anonymous instances are called by what they are instances of."""
    if declaration.name:
        return declaration.name
    words = " ".join(declaration.signature.split())
    return f"({declaration.kind} {words})"[:400]


def _kind(
    declaration: Declaration,
    in_harness: bool,
    is_api: bool,
    is_spec: bool,
    signatures: set[str],
    spec_side: bool,
) -> str:
    if in_harness:
        return Definition.HARNESS
    if is_spec:
        return Definition.SPEC
    if is_api:
        return Definition.API
    if declaration.name in signatures:
        return Definition.SIGNATURE
    names_a_type = declaration.kind == "abbrev" and declaration.short_name[:1].isupper()
    if declaration.kind in _TYPE_KEYWORDS or names_a_type:
        return Definition.TYPE
    return Definition.SPEC_HELPER if spec_side else Definition.HELPER


def _signature_doc(instance: Instance, name: str) -> str:
    for path in sorted(instance.visible_paths):
        for declaration in instance.find(path, name):
            return declaration.doc
    return ""


def read_source(reading: Reading, files: Mapping[str, bytes]) -> SourceReading:
    """Return the items of the source tree `files` and how they are linked to the definitions of `reading`."""
    source = reading.instance.manifest.source
    known = language(source.language)
    size = sum(
        len(data) for path, data in files.items() if known is None or known.owns(path)
    )
    partly = bool(source.paths) and size > WHOLE_TREE_BYTES
    inventory = extract_tree(
        files,
        source.language or None,
        source_path=source.paths or None,
        only_source_path=partly,
    )
    module_docs = {
        record.path: _module_doc(reading.instance.texts[record.path])
        for record in reading.definitions
    }
    used: dict[int, list[str]] = {}
    for use in reading.uses:
        name = reading.definitions[use.used].manifest_name
        used.setdefault(use.user, []).append(name)
    refs: dict[int, DefinitionRecord] = {}
    wanted = []
    for number, record in enumerate(reading.definitions):
        if record.kind not in _REF_KINDS:
            continue
        ref = DefinitionRef(
            kind=_REF_KINDS[record.kind],
            lean_name=record.name,
            short_name=record.manifest_name,
            module=record.module,
            doc="\n".join(part for part in (record.doc, record.about) if part),
            module_doc=module_docs[record.path],
            manifest=record.entry,
            module_manifest=record.module_entry,
            uses=tuple(used.get(number, ())),
        )
        refs[id(ref)] = record
        wanted.append(ref)
    return SourceReading(inventory, link_definitions(wanted, inventory), partly, refs)


def _module_doc(text: str) -> str:
    start = text.find("/-!")
    end = text.find("-/", start)
    return text[start + 3 : end].strip() if 0 <= start < end else ""
