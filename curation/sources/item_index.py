"""Look-ups in an inventory: by file, by name, by names put together, by place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from posixpath import splitext
from typing import NamedTuple

from curation.sources.items import Inventory, SourceItem, unique
from curation.sources.names import (
    shared_prefixes,
    squash,
    standard,
    stem,
    without_statement_words,
    words,
)
from curation.sources.scope import files_called

#: A declaration may begin this many characters behind the offset that a manifest gives: the
#: public pipeline counts from the blank lines and comments in front of it.
_SLACK = 400
#: The same for lines.
_LINES_ABOVE = 3
_TRAIT_ARGUMENT = re.compile(r"impl [^<]*<(.*)> for ")


class ItemIndex:
    """An inventory prepared for linking. Answers keep the order of the inventory."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self.paths = inventory.paths
        self.by_path: dict[str, list[SourceItem]] = {path: [] for path in self.paths}
        for item in inventory.items:
            self.by_path.setdefault(item.path, []).append(item)

    @cached_property
    def everything(self) -> list[SourceItem]:
        """Return all items that are not tests, those in preferred files first."""
        return [item for item in self.inventory.items if not item.is_test]

    @cached_property
    def preferred(self) -> list[SourceItem]:
        """Return the items of the files that `source.path` names, tests left out."""
        return self.in_files(self.inventory.preferred)

    def in_files(self, paths: Iterable[str]) -> list[SourceItem]:
        """Return the items of `paths` that are not tests."""
        return [
            item
            for path in paths
            for item in self.by_path.get(path, [])
            if not item.is_test
        ]

    def files(self, cited: str) -> list[str]:
        """Return the files that a citation may mean, preferred ones alone if there are any."""
        found = files_called(self.paths, cited)
        preferred = [path for path in found if path in self.inventory.preferred]
        return preferred or found

    def files_like(self, module: str) -> list[str]:
        """Return the files whose name, or whose last folders and name, are those of a module.

        `PolicyChrome` means `policy/chrome.rs`, `KeysT` means `keys_t.rs`.
        """
        wanted = {
            squash(module),
            squash(module.rpartition("/")[2].rpartition(".")[2]),
        } - {""}
        within = self.inventory.preferred or self.paths
        return [path for path in within if not wanted.isdisjoint(_file_keys(path))]


def named(
    items: Iterable[SourceItem], name: str, *, loosely: bool = False
) -> list[SourceItem]:
    """Return the items a manifest or comment means by `name`: as written, else normalised.

    `name` may be qualified by dots or double colons; as many parts as it has must agree, or
    `loosely` as many of its last parts as the source can match: tools write module and class
    in different ways.
    """
    candidates = list(items)
    parts = [part for part in name.replace("::", ".").split(".") if part]
    if not parts:
        return []
    exact = [item for item in candidates if _parts(item)[-len(parts) :] == parts]
    if exact:
        return exact
    wanted = [squash(part) for part in parts]
    candidates = [item for item in candidates if squash(item.name) == wanted[-1]]
    folded = [
        item
        for item in candidates
        if [squash(part) for part in _parts(item)[-len(parts) :]] == wanted
    ]
    if folded or len(parts) == 1 or not loosely:
        return folded
    return named(candidates, ".".join(parts[1:]), loosely=True)


def at_offset(items: Iterable[SourceItem], offset: int) -> SourceItem | None:
    """Return the innermost item at a character offset, else the first that begins soon behind."""
    candidates = list(items)
    inside = [item for item in candidates if item.char_start <= offset < item.char_end]
    if inside:
        return max(inside, key=lambda item: item.char_start)
    behind = [
        item for item in candidates if offset < item.char_start <= offset + _SLACK
    ]
    return min(behind, key=lambda item: item.char_start, default=None)


def at_line(items: Iterable[SourceItem], line: int) -> SourceItem | None:
    """Return the innermost item that holds a line, else the first that begins just below it.

    Citations often point at the comment or the blank line above a declaration.
    """
    candidates = list(items)
    inside = [item for item in candidates if item.line_start <= line <= item.line_end]
    if inside:
        return min(
            inside, key=lambda item: (item.line_end - item.line_start, -item.char_start)
        )
    below = [
        item for item in candidates if line < item.line_start <= line + _LINES_ABOVE
    ]
    return min(below, key=lambda item: item.char_start, default=None)


def at_number(items: Sequence[SourceItem], number: int) -> SourceItem | None:
    """Return the item that a number means which is an offset or a line, nobody says which.

    An item that holds the offset is meant; else one at the line or just behind the offset, if
    those two do not point at different items.
    """
    holding = [item for item in items if item.char_start <= number < item.char_end]
    if holding:
        return max(holding, key=lambda item: item.char_start)
    readings = [at_line(items, number), at_offset(items, number)]
    meant = {item.key: item for item in readings if item is not None}
    return next(iter(meant.values())) if len(meant) == 1 else None


class Scope:
    """A part of an inventory that names are compared with, and its look-up tables."""

    def __init__(self, items: Sequence[SourceItem], *, own: bool = False) -> None:
        self.items = items
        self.own = own

    @cached_property
    def by_name(self) -> dict[str, list[SourceItem]]:
        """Return the items by the words of their name."""
        return _table((squash(item.name), item) for item in self.items)

    @cached_property
    def by_member(self) -> dict[str, list[SourceItem]]:
        """Return the items by their name and what encloses it: `Set.add` as setadd and addset."""
        return _table((key, item) for item in self.items for key in _member_keys(item))

    @cached_property
    def by_file(self) -> dict[str, list[SourceItem]]:
        """Return the items by the name of their file and their own: `fsm.py`, `union` as fsmunion."""
        return _table((key, item) for item in self.items for key in _in_file_keys(item))

    @cached_property
    def by_bare_name(self) -> dict[str, list[SourceItem]]:
        """Return the items by their name without what a whole file shares, and without `lemma`."""
        prefixes = _prefixes_of(self.items)
        return _table(
            (key, item) for item in self.items for key in _bare_keys(item, prefixes)
        )

    @cached_property
    def by_word(self) -> dict[str, list[Spelling]]:
        """Return the spellings of the items by the beginnings of their own words."""
        table: dict[str, list[Spelling]] = defaultdict(list)
        for item in self.items:
            own = standard(without_statement_words(words(item.name)))
            parts = _parts(item)
            around = standard(words(parts[-2])) if len(parts) > 1 else ()
            for key in unique(stem(word) for word in own):
                table[key].append(Spelling(own, around, item))
        return table


class Spelling(NamedTuple):
    """An item's words, and those of what encloses it."""

    own: tuple[str, ...]
    around: tuple[str, ...]
    item: SourceItem


def _table(pairs: Iterable[tuple[str, SourceItem]]) -> dict[str, list[SourceItem]]:
    table: dict[str, dict[str, SourceItem]] = defaultdict(dict)
    for key, item in pairs:
        if key:
            table[key][item.key] = item
    return {key: list(items.values()) for key, items in table.items()}


def _member_keys(item: SourceItem) -> Iterator[str]:
    parts = [squash(part) for part in _parts(item)]
    for depth in range(1, len(parts)):
        yield "".join(parts[-1 - depth :])
    if len(parts) > 1:
        yield parts[-1] + parts[-2]
    for modifier in item.modifiers:
        # `impl From<ParseError> for Error` with its `from`: fromParseError.
        if modifier.startswith("impl ") and (
            argument := _TRAIT_ARGUMENT.match(modifier)
        ):
            yield parts[-1] + squash(argument[1])


def _in_file_keys(item: SourceItem) -> Iterator[str]:
    parts = [squash(part) for part in _parts(item)]
    for key in _file_keys(item.path):
        yield key + parts[-1]
        if len(parts) > 1:
            yield key + parts[-2] + parts[-1]


def _bare_keys(item: SourceItem, prefixes: frozenset[str]) -> Iterator[str]:
    parts = words(item.name)
    plain = without_statement_words(parts)
    if plain != parts:
        yield "".join(plain)
    if len(plain) > 1 and plain[0] in prefixes:
        yield "".join(plain[1:])


def _prefixes_of(items: Sequence[SourceItem]) -> frozenset[str]:
    """Return the first words that at least three names of one file share."""
    by_path: dict[str, list[str]] = defaultdict(list)
    for item in items:
        by_path[item.path].append(item.name)
    return frozenset(
        word for names in by_path.values() for word in shared_prefixes(names)
    )


def _parts(item: SourceItem) -> list[str]:
    return [
        part for part in item.qualified_name.replace("::", ".").split(".") if part
    ] or [item.name]


@lru_cache(maxsize=20_000)
def _file_keys(path: str) -> tuple[str, ...]:
    """Return the squashed stem of a file, alone and with one and two folders before it."""
    pieces = splitext(path)[0].split("/")
    found: list[str] = []
    if pieces[-1] in ("__init__", "mod", "lib") and len(pieces) > 1:
        found.append(squash("_".join(pieces[-2:])))
        pieces.pop()
    # `MachineWords.i.dfy`: what follows the first dot is a convention, not a name.
    stem = pieces[-1].partition(".")[0] or pieces[-1]
    for depth in range(min(3, len(pieces))):
        found.append(squash("_".join([*pieces[len(pieces) - 1 - depth : -1], stem])))
    return tuple(found)
