"""What manifest and comments say about a definition's origin, checked against the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from curation.sources.citations import Citation, citations, parse_source_id
from curation.sources.definitions import (
    CERTAIN,
    LIKELY,
    DefinitionRef,
    Link,
    Unlinked,
)
from curation.sources.item_index import ItemIndex, at_line, at_number, named
from curation.sources.items import SourceItem, unique
from curation.sources.matching import NameMatcher, narrowed

#: More citations in one comment than this, and it is a list of references.
_MOST_CITED = 4
#: `clone_l151`: the curator told equal names apart by the line upstream.
_NAME_AND_LINE = re.compile(r"^(?P<name>.+?)_l(?P<line>\d+)$")


@dataclass(frozen=True)
class Hit:
    """One ground's answer: links, or candidates nobody could choose from, or why nothing."""

    links: tuple[Link, ...] = ()
    open: Unlinked | None = None

    @property
    def ends_the_search(self) -> bool:
        """Return whether weaker grounds must not be asked."""
        return bool(self.links) or (
            self.open is not None and self.open.code in ("ambiguous", "made-here")
        )


@dataclass(frozen=True)
class _Said:
    names: tuple[str, ...]
    file: str
    line: int = 0
    number: int | None = None
    part: bool = False


class Provenance:
    """The grounds that rest on what somebody wrote, strongest first."""

    def __init__(self, index: ItemIndex, matcher: NameMatcher) -> None:
        self.index = index
        self.matcher = matcher

    def by_manifest(self, definition: DefinitionRef) -> Hit:
        """Return what the definition's manifest entry leads to."""
        missed: Unlinked | None = None
        for basis, said in self._said(definition):
            hit = self._place(definition, basis, said)
            if hit.ends_the_search:
                return hit
            missed = missed or hit.open
        source_id = definition.manifest.get("source_id")
        if isinstance(source_id, str) and parse_source_id(source_id).made:
            reason = f"the manifest says it was made here (source_id {source_id!r})"
            return Hit(open=Unlinked(definition, "made-here", reason))
        return Hit(open=missed)

    def _said(self, definition: DefinitionRef) -> Iterator[tuple[str, _Said]]:
        """Yield what the entry says about its origin, best first."""
        entry = definition.manifest
        file = _string(entry.get("source_file"))
        number = entry.get("source_line")
        line = number if isinstance(number, int) and not isinstance(number, bool) else 0
        source_id = _string(entry.get("source_id"))
        if source_id:
            parsed = parse_source_id(source_id)
            if parsed.name and not parsed.made:
                yield (
                    "source_id",
                    _Said(
                        (parsed.name,),
                        parsed.file or file,
                        line,
                        parsed.number,
                        parsed.part,
                    ),
                )
        for key in ("qualified_name", "upstream_name", "source_name", "source_theorem"):
            names = _strings(entry.get(key))
            parts = [parse_source_id(name) for name in names]
            known = [part for part in parts if part.name and not part.made]
            if known:
                yield (
                    "upstream_name",
                    _Said(
                        tuple(part.name for part in known),
                        known[0].file or file,
                        line,
                        known[0].number,
                        any(part.part for part in known),
                    ),
                )
        if file and line:
            yield "file_line", _Said((), file, line)

    def _place(self, definition: DefinitionRef, basis: str, said: _Said) -> Hit:
        """Return the items that `said` means; several names give several links."""
        files = (
            self.index.files(said.file) if said.file else self._module_files(definition)
        )
        file_missing = bool(said.file) and not files
        note = (
            f"the manifest names {said.file}, which is not in the source tree"
            if file_missing
            else ""
        )
        if not said.names:
            item = at_line(self.index.in_files(files), said.line)
            if item is None:
                return Hit(
                    open=Unlinked(
                        definition,
                        "no-such-name",
                        f"no item at {said.file}:{said.line}",
                    )
                )
            return Hit(
                (Link(definition, item, basis, LIKELY, note="by file and line alone"),)
            )
        links: list[Link] = []
        for name in said.names:
            confidence = CERTAIN if said.file and not file_missing else LIKELY
            found = self._items_called(name, files, said)
            if not found and not said.file:
                found = named(
                    self.index.preferred or self.index.everything, name, loosely=True
                )
            if not found and (file_missing or not said.file):
                found, confidence = (
                    named(self.index.everything, name, loosely=True),
                    LIKELY,
                )
            if not found:
                return Hit(open=_missing(definition, name, said.file, files))
            if len(found) > 1:
                reason = f"{len(found)} items are called {name!r}" + (
                    f" in {said.file}" if said.file else ""
                )
                return Hit(open=Unlinked(definition, "ambiguous", reason, tuple(found)))
            relation = "split" if said.part else "counterpart"
            links.append(Link(definition, found[0], basis, confidence, relation, note))
        return Hit(tuple(links))

    def _items_called(
        self, name: str, files: Sequence[str], said: _Said
    ) -> list[SourceItem]:
        """Return the items in `files` called `name`; offset or line decides between several."""
        found = named(
            [item for path in files for item in self.index.by_path[path]],
            name,
            loosely=True,
        )
        if len(found) < 2:
            return found
        chosen: SourceItem | None = None
        if said.number is not None:
            chosen = at_number(found, said.number)
        if chosen is None and said.line:
            chosen = at_line(found, said.line)
        return [chosen] if chosen is not None else narrowed(found)

    def _module_files(self, definition: DefinitionRef) -> list[str]:
        listed = _strings(definition.module_manifest.get("upstream_files"))
        return [path for entry in listed for path in self.index.files(entry)]

    def by_line_in_name(self, definition: DefinitionRef) -> Hit:
        """Return what a line upstream in the Lean name leads to."""
        match = _NAME_AND_LINE.match(definition.short_name)
        if match is None:
            return Hit()
        for scope in self.matcher.scopes(definition):
            item = at_line(named(scope.items, match["name"]), int(match["line"]))
            if item is not None:
                return Hit(
                    (
                        Link(
                            definition,
                            item,
                            "file_line",
                            LIKELY,
                            note="name and line in the Lean name",
                        ),
                    )
                )
        return Hit()

    def by_citation(self, definition: DefinitionRef) -> Hit:
        """Return what the definition's comment and description cite."""
        text = "\n".join(
            [definition.doc, _string(definition.manifest.get("nl_description"))]
        )
        links: dict[str, Link] = {}
        for cited in _without_repetitions(citations(text)):
            link = self._cited(definition, cited)
            if link is not None:
                known = links.get(link.item.key)
                if known is None or (link.certain and not known.certain):
                    links[link.item.key] = link
        best = [link for link in links.values() if link.certain] or list(links.values())
        if len(best) > _MOST_CITED:
            reason = f"its comment cites {len(best)} items"
            return Hit(
                open=Unlinked(
                    definition, "ambiguous", reason, tuple(link.item for link in best)
                )
            )
        return Hit(tuple(best))

    def _cited(self, definition: DefinitionRef, cited: Citation) -> Link | None:
        files = self.index.files(cited.file) if cited.file else []
        if cited.name and files:
            found = named(self.index.in_files(files), cited.name, loosely=True)
            at = at_line(found, cited.line_start) if cited.line_start else None
            item = at or (found[0] if len(found) == 1 else None)
            if item is not None:
                off = bool(cited.line_start) and at is None
                note = f"the comment says line {cited.line_start}" if off else ""
                return Link(definition, item, "doc_citation", CERTAIN, note=note)
        if cited.name and not files:
            for scope in self.matcher.scopes(definition):
                found = narrowed(named(scope.items, cited.name))
                if found:
                    return (
                        Link(definition, found[0], "doc_citation", LIKELY)
                        if len(found) == 1
                        else None
                    )
        if files and cited.line_start:
            item = at_line(self.index.in_files(files), cited.line_start)
            if item is not None:
                note = (
                    f"by file and line; the comment calls it {cited.name}"
                    if cited.name
                    else "by file and line"
                )
                return Link(definition, item, "doc_citation", LIKELY, note=note)
        return None


def _without_repetitions(found: Iterable[Citation]) -> list[Citation]:
    """Return the citations without repetitions, in order."""
    return list(dict.fromkeys(found))


def _missing(
    definition: DefinitionRef, name: str, file: str, files: Sequence[str]
) -> Unlinked:
    if file and not files:
        reason = f"the manifest names {file}, which is not in the source tree, and no other file has {name!r}"
        return Unlinked(definition, "no-such-file", reason)
    where = file or "the source tree"
    return Unlinked(definition, "no-such-name", f"{where} has nothing called {name!r}")


def _string(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value.strip(),) if value.strip() else ()
    if isinstance(value, list):
        return unique(
            one.strip() for one in value if isinstance(one, str) and one.strip()
        )
    return ()
