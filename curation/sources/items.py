"""What extraction returns: items, problems, and the inventory that holds both.

Lines are counted from 1, both ends inclusive; a line ends at LF, CR LF or a lone CR.
Characters are Unicode code points of the decoded text, counted from 0, end exclusive.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: What an item is, whatever its language calls it; `SourceItem.kind` keeps the language's own word.
CATEGORIES = (
    "fn",
    "type",
    "spec",
    "proof",
    "axiom",
    "const",
    "opaque",
    "module",
    "notation",
)


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One entity of the source.

    `line_start` is the line of the first decorator, attribute or modifier; a documentation
    comment in front of it is in `doc` and not in the range. `signature` has its white space
    folded and carries no contract; `clauses` has one entry a contract clause, each beginning
    with its keyword. `parent` is the qualified name of the enclosing entity, "" at top level.
    `mentions` are dotted names as written, in order of appearance, whose last part names
    another item of the same inventory.
    """

    kind: str
    category: str
    name: str
    qualified_name: str
    path: str
    line_start: int
    line_end: int
    signature: str = ""
    doc: str = ""
    parent: str = ""
    mentions: tuple[str, ...] = ()
    is_test: bool = False
    char_start: int = 0
    char_end: int = 0
    modifiers: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return an identifier that is unique in an inventory and stable while the file is."""
        return f"{self.path}:{self.qualified_name}:{self.char_start}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the source that extraction could not take as it stands.

    `line` is 0 where the whole file is meant, `path` is "" where the whole tree is.
    `code` is stable: empty-tree, too-large, binary, not-utf-8, utf-16, syntax, old-syntax,
    unterminated, unbalanced, too-deep, extractor, source-path, unknown-language.
    """

    code: str
    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one file yields, items from top to bottom, the enclosing one first."""

    items: tuple[SourceItem, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything found in a tree, files of the manifest's `source.path` first.

    `languages` maps each file that was read to its language; `preferred` are the files that
    `source.path` names, in its order.
    """

    items: tuple[SourceItem, ...]
    problems: tuple[Problem, ...]
    languages: tuple[tuple[str, str], ...] = ()
    preferred: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that were read, in the order of the items."""
        return tuple(path for path, _ in self.languages)


_LINE_END = re.compile(r"\r\n|\n|\r")


class LineIndex:
    """Line numbers of character offsets in one text."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self.last = len(self.starts)
        if self.last > 1 and self.starts[-1] == len(text):
            self.last -= 1

    def line(self, offset: int) -> int:
        """Return the line that holds `offset`, at most the last line of the text."""
        return min(bisect.bisect_right(self.starts, offset), self.last)

    def start(self, line: int) -> int:
        """Return the offset at which `line` begins."""
        return self.starts[min(max(line, 1), len(self.starts)) - 1]


def fold(text: str) -> str:
    """Return `text` on one line, runs of white space made one blank."""
    return " ".join(text.split())


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Return `names` without repetitions, in order of first appearance."""
    return tuple(dict.fromkeys(names))


_TEST_PATH = re.compile(
    r"(?:^|/)(?:[Tt]ests?|testing)/"
    r"|(?:^|/)test_[^/]*$"
    r"|(?:^|/)(?:[^/]*[_.-])?[Tt]ests?\.\w+$"
    r"|[a-z0-9]Tests?\.\w+$"
)


def is_test_path(path: str) -> bool:
    """Return whether `path` looks like a file of tests, in any of the languages."""
    return _TEST_PATH.search(path) is not None


def in_order(items: Iterable[SourceItem]) -> Iterator[SourceItem]:
    """Yield the items of one file from top to bottom, the enclosing one first."""
    yield from sorted(
        items, key=lambda item: (item.char_start, -item.char_end, item.qualified_name)
    )
