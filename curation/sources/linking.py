"""Which item of the source a Lean definition comes from, and on what grounds we say so.

The grounds are tried from the strongest to the weakest; the first that names exactly one item
wins, and one that names several ends the search: the choice is then a person's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from curation.sources.definitions import (
    CERTAIN,
    LIKELY,
    DefinitionRef,
    Link,
    Linking,
    Unlinked,
)
from curation.sources.item_index import ItemIndex
from curation.sources.items import Inventory, SourceItem
from curation.sources.matching import NameMatcher
from curation.sources.provenance import Hit, Provenance


def link_definitions(
    definitions: Sequence[DefinitionRef], inventory: Inventory
) -> Linking:
    """Return for every definition its link, its candidates, or the reason why it has none.

    Deterministic; the order is that of `definitions`. A spec that nothing ties to an item of
    its own is put `about` the items of the APIs it uses.
    """
    linker = _Linker(inventory, definitions)
    links: list[Link] = []
    open_specs: list[tuple[DefinitionRef, Unlinked]] = []
    ambiguous: list[Unlinked] = []
    unlinked: list[Unlinked] = []
    for definition in definitions:
        hit = linker.find(definition)
        if hit.links:
            links += hit.links
        elif definition.kind == "spec" and hit.open is not None:
            open_specs.append((definition, hit.open))
        elif hit.open is not None:
            (ambiguous if hit.open.code == "ambiguous" else unlinked).append(hit.open)
    about: list[Link] = []
    for definition, reason in open_specs:
        found = _about(definition, links, reason)
        if found:
            about += found
        else:
            (ambiguous if reason.code == "ambiguous" else unlinked).append(reason)
    order = {id(definition): number for number, definition in enumerate(definitions)}
    for part in (ambiguous, unlinked):
        part.sort(key=lambda one: order[id(one.definition)])
    return Linking(
        tuple(_related(links)), tuple(about), tuple(ambiguous), tuple(unlinked)
    )


class _Linker:
    def __init__(
        self, inventory: Inventory, definitions: Sequence[DefinitionRef]
    ) -> None:
        self.index = ItemIndex(inventory)
        self.matcher = NameMatcher(self.index, definitions)
        self.provenance = Provenance(self.index, self.matcher)

    def find(self, definition: DefinitionRef) -> Hit:
        """Return the answer of the first ground that has one."""
        missed: list[Unlinked] = []
        for ground in (
            self.provenance.by_manifest,
            self.provenance.by_line_in_name,
            self.provenance.by_citation,
            self._by_name,
        ):
            hit = ground(definition)
            if hit.ends_the_search:
                return hit
            if hit.open is not None:
                missed.append(hit.open)
        if not missed:
            reason = "nothing says where it comes from, and no name in the source is like its own"
            return Hit(open=Unlinked(definition, "no-provenance", reason))
        candidates = unique_items(item for one in missed for item in one.candidates)
        return Hit(open=replace(missed[0], candidates=candidates))

    def _by_name(self, definition: DefinitionRef) -> Hit:
        match = self.matcher.match(definition)
        if match.item is not None:
            return Hit(
                (
                    Link(
                        definition,
                        match.item,
                        match.basis,
                        match.confidence,
                        note=match.note,
                    ),
                )
            )
        if match.ambiguous:
            return Hit(
                open=Unlinked(definition, "ambiguous", match.note, match.candidates)
            )
        if match.candidates:
            return Hit(
                open=Unlinked(definition, "no-provenance", match.note, match.candidates)
            )
        return Hit()


def unique_items(items: Iterable[SourceItem]) -> tuple[SourceItem, ...]:
    """Return `items` without repetitions, in order."""
    return tuple({item.key: item for item in items}.values())


def _about(
    definition: DefinitionRef, links: Sequence[Link], reason: Unlinked
) -> list[Link]:
    """Return links `about` the items of the APIs a spec uses, else of the helpers it uses.

    Why it is not linked to a text of its own stays in the note, if anybody said it had one.
    """
    claimed = "" if reason.code == "no-provenance" else f"; {reason.reason}"
    for kinds in (("api",), ("helper", "type")):
        found: dict[str, Link] = {}
        for link in links:
            name = link.definition.short_name
            if link.definition.kind in kinds and name in definition.uses:
                confidence = LIKELY if link.confidence == CERTAIN else link.confidence
                about = Link(
                    definition,
                    link.item,
                    "through_api",
                    confidence,
                    "about",
                    f"it is about {name}{claimed}",
                )
                found.setdefault(link.item.key, about)
        if found:
            return list(found.values())
    return []


def _related(links: Sequence[Link]) -> Iterator[Link]:
    """Yield the links with the relation that all of them together show."""
    items_of: Counter[int] = Counter(id(link.definition) for link in links)
    code: dict[str, int] = defaultdict(int)
    specs: dict[str, int] = defaultdict(int)
    for link in links:
        (specs if link.definition.kind == "spec" else code)[link.item.key] += 1
    for link in links:
        if items_of[id(link.definition)] > 1:
            yield replace(link, relation="merged")
        elif link.definition.kind == "spec":
            own_text = link.item.category in ("proof", "axiom")
            whole = own_text and specs[link.item.key] == 1 and link.relation != "split"
            yield replace(link, relation="counterpart" if whole else "split")
        else:
            yield replace(
                link, relation="split" if code[link.item.key] > 1 else "counterpart"
            )
