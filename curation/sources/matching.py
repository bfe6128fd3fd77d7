"""Links by name, where neither the manifest nor a comment says anything.

From the narrowest scope to the widest; within one, from the same name to a similar one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from curation.sources.citations import citations
from curation.sources.definitions import GUESS, LIKELY, DefinitionRef
from curation.sources.item_index import ItemIndex, Scope
from curation.sources.items import SourceItem, unique
from curation.sources.names import (
    bare_spec_name,
    likeness,
    shared_prefixes,
    squash,
    standard,
    stem,
    without_statement_words,
    words,
)

#: Which categories a definition of a kind may come from, the most natural first.
_FITTING = {
    "api": ("fn", "spec", "const", "type", "proof"),
    "helper": ("fn", "spec", "const", "proof", "axiom", "type", "notation"),
    "type": ("type", "opaque", "const"),
    "spec": ("proof", "axiom", "spec", "fn"),
}
#: The same where names are only alike: a spec's says what it states, so a statement must match.
_SIMILAR = {
    "api": ("fn", "spec"),
    "helper": ("fn", "spec", "const", "proof", "axiom"),
    "type": ("type", "opaque"),
    "spec": ("proof", "axiom"),
}
#: Two names this much alike are linked as a guess if no other is; candidates are shown from _SHOW.
_LINK = {"api": 0.6, "helper": 0.75, "type": 0.75, "spec": 0.8}
_SHOW, _AT_MOST = 0.34, 5


@dataclass(frozen=True, slots=True)
class Match:
    """What the names say: an item, or candidates nobody could choose from, or suggestions."""

    item: SourceItem | None = None
    basis: str = ""
    confidence: str = GUESS
    note: str = ""
    candidates: tuple[SourceItem, ...] = ()
    ambiguous: bool = False


class NameMatcher:
    """Compares the names of definitions with those of an inventory."""

    def __init__(self, index: ItemIndex, definitions: Sequence[DefinitionRef]) -> None:
        self.index = index
        self._prefixes = _module_prefixes(definitions)
        self._scopes: dict[tuple[str, str], list[Scope]] = {}
        self._of_files: dict[tuple[str, ...], Scope] = {}
        self._preferred = (
            Scope(index.preferred) if index.preferred else Scope(index.everything)
        )

    def scopes(self, definition: DefinitionRef) -> list[Scope]:
        """Return the definition's own files, then what `source.path` names, the tree without one.

        A name elsewhere in a large repository says nothing: `length` is everywhere.
        """
        key = (definition.module, definition.module_doc)
        if key not in self._scopes:
            own = tuple(self._own_files(definition))
            if own and own not in self._of_files:
                self._of_files[own] = Scope(self.index.in_files(own), own=True)
            scopes = [self._of_files[own]] if own else []
            self._scopes[key] = [*scopes, self._preferred]
        return self._scopes[key]

    def match(self, definition: DefinitionRef) -> Match:
        """Return the match of a definition by its name alone."""
        kind = _kind(definition)
        for scope in self.scopes(definition):
            several: list[SourceItem] = []
            for basis, found in self._levels(definition, scope):
                chosen = narrowed(_fitting(kind, found))
                if (
                    several
                ):  # a later comparison may tell them apart, not bring in others
                    chosen = [item for item in chosen if item in several]
                if len(chosen) == 1:
                    sure = basis != "name_affix" or scope.own
                    return Match(chosen[0], basis, LIKELY if sure else GUESS)
                several = several or chosen
            if several:
                return _undecided(definition, several)
        return self._similar(definition, kind)

    def _own_files(self, definition: DefinitionRef) -> list[str]:
        listed = definition.module_manifest.get("upstream_files")
        named = (
            [one for one in listed if isinstance(one, str)]
            if isinstance(listed, list)
            else []
        )
        named += [
            cited.file for cited in citations(definition.module_doc) if cited.file
        ]
        found = [path for file in named for path in self.index.files(file)]
        return list(unique(found)) or self.index.files_like(definition.module)

    def _levels(
        self, definition: DefinitionRef, scope: Scope
    ) -> Iterator[tuple[str, list[SourceItem]]]:
        """Yield (basis, items) from the surest comparison of names to the least sure."""
        name = bare_spec_name(definition.short_name)
        found = scope.by_name.get(squash(name), [])
        yield "same_name", [item for item in found if item.name == name]
        yield "same_name", found
        *namespaces, last = definition.lean_name.split(".")
        last = bare_spec_name(last)
        yield "qualified_name", scope.by_member.get(squash(name), [])
        module = definition.module.rpartition("/")[2].rpartition(".")[2]
        yield "qualified_name", scope.by_member.get(squash(module) + squash(name), [])
        if len(namespaces) > 1:  # the outermost is the package's
            yield (
                "qualified_name",
                scope.by_member.get(squash(namespaces[-1]) + squash(last), []),
            )
        yield "qualified_name", scope.by_file.get(squash(name), [])
        yield "same_name", scope.by_name.get(squash(last), [])
        names = (name, last)
        bare = self._bare(definition)
        tables = [(key, scope.by_name) for key in bare]
        tables += [(squash(name), scope.by_bare_name) for name in names]
        tables += [(key, scope.by_bare_name) for key in bare]
        for key, table in tables:
            found = table.get(key, [])
            # `cloneU8` without `clone` is the name of a type, and no API comes from one.
            if definition.kind == "api":
                found = [item for item in found if item.category != "type"]
            yield "name_affix", found

    def _bare(self, definition: DefinitionRef) -> tuple[str, ...]:
        """Return the squashed name without `lemma` and without what the whole module shares."""
        parts = words(bare_spec_name(definition.short_name))
        own = self._own_words(definition)
        return ("".join(own),) if own != parts else ()

    def _own_words(self, definition: DefinitionRef) -> tuple[str, ...]:
        """Return the words that are the definition's own, without what says only where it stands."""
        plain = without_statement_words(words(bare_spec_name(definition.short_name)))
        if _kind(definition) == "spec":
            return plain
        tail = _set_off(definition.short_name)
        if tail:
            return words(tail)
        return (
            plain[1:]
            if len(plain) > 1 and plain[0] in self._prefixes.get(definition.module, ())
            else plain
        )

    def _similar(self, definition: DefinitionRef, kind: str) -> Match:
        """Return the one item whose name is most like the definition's, or suggestions."""
        words_of = standard(self._own_words(definition))
        spelled = [words_of, words_of[1:]] if words_of[:1] == ("is",) else [words_of]
        ranked: list[tuple[float, SourceItem]] = []
        for scope in self.scopes(definition):
            ranked = _ranked(spelled, scope, _SIMILAR[kind])
            if ranked:
                break
        if not ranked:
            return Match()
        shown = tuple(item for _, item in ranked[:_AT_MOST])
        top = ranked[0][0]
        best = narrowed([item for score, item in ranked if score == top])
        if top >= _LINK[kind] and len(best) == 1:
            note = f"the names are {top:.0%} alike; no other is nearer"
            return Match(best[0], "similar_name", GUESS, note, shown)
        note = "no item has this name; some have one a little like it"
        return Match(note=note, candidates=shown)


def _ranked(
    spelled: Sequence[Sequence[str]], scope: Scope, categories: Sequence[str]
) -> list[tuple[float, SourceItem]]:
    """Return the items with a name somewhat like one of `spelled`, the most like first."""
    scores: dict[str, tuple[float, SourceItem]] = {}
    for own in spelled:
        for key in unique(stem(word) for word in own):
            for spelling in scope.by_word.get(key, ()):
                item = spelling.item
                if item.category not in categories:
                    continue
                score = likeness(own, spelling.own)
                # What encloses an item adds to its name; it cannot stand for it.
                if spelling.around and score:
                    score = max(score, likeness(own, (*spelling.around, *spelling.own)))
                if score > scores.get(item.key, (0.0, item))[0]:
                    scores[item.key] = (score, item)
    shown = [one for one in scores.values() if one[0] >= _SHOW]
    return sorted(shown, key=lambda one: (-one[0], one[1].path, one[1].char_start))


def narrowed(found: Sequence[SourceItem]) -> list[SourceItem]:
    """Return `found` reduced to one where nobody would hesitate.

    One file, one qualified name: the same entity once more (overloads, a property and its
    setter, a definition under a condition), or once more within a macro. Else a public name goes before `_name` and `__name__`.
    """
    if len({(item.path, item.qualified_name) for item in found}) == 1:
        return list(found[:1])
    shortest = min(found, key=lambda item: len(item.qualified_name), default=None)
    if shortest is not None and all(_repeats(item, shortest) for item in found):
        return [shortest]
    least = min((_underscores(item) for item in found), default=0)
    public = [item for item in found if _underscores(item) == least]
    return public if len(public) == len(found) else narrowed(public)


def _repeats(item: SourceItem, other: SourceItem) -> bool:
    """Return whether `item` is `other`, or has its qualified name within a macro of its file."""
    if item.path != other.path:
        return False
    name = other.qualified_name
    return item.qualified_name == name or item.qualified_name.endswith("::" + name)


def _underscores(item: SourceItem) -> int:
    return len(item.name) - len(item.name.lstrip("_"))


def _module_prefixes(definitions: Sequence[DefinitionRef]) -> dict[str, frozenset[str]]:
    """Return the first words that the APIs of a module share, by module."""
    names: dict[str, list[str]] = defaultdict(list)
    for definition in definitions:
        if definition.kind == "api":
            names[definition.module].append(definition.short_name)
    prefixes: dict[str, frozenset[str]] = {}
    for module, called in names.items():
        # Two names are few, but what `_` sets off in all of them is a prefix all the same.
        set_off = {name.partition("_")[0] for name in called if "_" in name}
        same = set_off if len(set_off) == 1 and len(called) > 1 else set()
        prefixes[module] = shared_prefixes(called) | {squash(word) for word in same}
    return prefixes


def _undecided(definition: DefinitionRef, several: Sequence[SourceItem]) -> Match:
    """Return the one that is no member of anything as a guess, else the candidates."""
    outermost = [item for item in several if not item.parent]
    if len(outermost) == 1:
        others = ", ".join(item.qualified_name for item in several if item.parent)
        return Match(
            outermost[0], "same_name", GUESS, f"there is also {others}", tuple(several)
        )
    reason = (
        f"{len(several)} items could be meant by the name {definition.short_name!r}"
    )
    return Match(note=reason, candidates=tuple(several), ambiguous=True)


def _set_off(name: str) -> str:
    """Return the name behind a namespace: `makeLinkedList` of `fromSeq_makeLinkedList`, else ""."""
    head, _, tail = name.partition("_")
    return tail if head and "_" not in tail and tail != tail.lower() else ""


def _kind(definition: DefinitionRef) -> str:
    """Return the kind that decides what it may come from: helpers called `spec_…` are specs."""
    if definition.kind == "helper" and definition.short_name.startswith("spec_"):
        return "spec"
    return definition.kind if definition.kind in _FITTING else "helper"


def _fitting(kind: str, found: Iterable[SourceItem]) -> list[SourceItem]:
    """Return those of `found` that suit the kind best; none if no category suits it."""
    ranked = [
        (_rank(kind, item), item) for item in found if item.category in _FITTING[kind]
    ]
    best = min((rank for rank, _ in ranked), default=0)
    return [item for rank, item in ranked if rank == best]


def _rank(kind: str, item: SourceItem) -> int:
    rank = _FITTING[kind].index(item.category)
    # Ghost and compiled functions are equally natural for code.
    return max(0, rank - 1) if kind in ("api", "helper") else rank
