"""Patches in unified format (`git diff`, `diff -u`) as the same rows that `compare` makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk as PatchedHunk
from unidiff.patch import Line, PatchedFile, PatchSet

from workbench.code.comparison import DiffLine, Kind, Row, changed_rows
from workbench.code.diff import FileDiff, Gap, Hunk
from workbench.code.pane import LineRange
from workbench.code.trees import Change

_NOWHERE = "/dev/null"
_NO_NEWLINE = "\\"
_QUOTED = re.compile(r'\\(?:([0-7]{3})|([abtnvfr"\\]))')
_ESCAPES = {
    "a": 7,
    "b": 8,
    "t": 9,
    "n": 10,
    "v": 11,
    "f": 12,
    "r": 13,
    '"': 34,
    "\\": 92,
}


class PatchError(ValueError):
    """A patch that cannot be read. `line` is the line of the patch, counted from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"patch, line {line}: {problem}")
        self.line = line


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file. `diff` is empty for binary files and plain renames."""

    path: str
    old_path: str
    change: Change
    diff: FileDiff
    binary: bool = False


def parse_patch(text: str) -> list[FilePatch]:
    """Return what the patch does, file by file, in its order; prose around it is skipped.

    Raises `PatchError` with the line when a hunk is longer or shorter than its head says, or is out of place.
    """
    reader = _Lines(text)
    try:
        files = PatchSet(reader)
    except UnidiffParseError as error:
        raise PatchError(
            reader.number, str(error).strip() or "not a unified diff"
        ) from error
    return [_file(file) for file in files]


class _Lines:
    """Iterates over the lines of a patch and remembers where it is. Only `\\n` ends a line."""

    def __init__(self, text: str) -> None:
        self.number = 0
        self._lines = re.findall(r"[^\n]*\n|[^\n]+", text)

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.number += 1
            yield line


def _file(file: PatchedFile) -> FilePatch:
    old, new = _path(file.source_file), _path(file.target_file)
    if file.is_added_file:
        change, old = Change.ADDED, ""
    elif file.is_removed_file:
        change, new = Change.REMOVED, old
    else:
        change = Change.RENAMED if old != new else Change.CHANGED
    segments: list[Hunk | Gap] = []
    added = removed = 0
    before: Hunk | None = None
    for raw in file:
        hunk = Hunk(tuple(_rows(raw)), raw.section_header.strip())
        gap = _gap(before, hunk)
        segments += [gap, hunk] if gap else [hunk]
        added += raw.added
        removed += raw.removed
        before = hunk
    return FilePatch(
        new,
        old if change is Change.RENAMED else "",
        change,
        FileDiff(tuple(segments), added, removed),
        bool(file.is_binary_file),
    )


def _rows(raw: PatchedHunk) -> Iterator[Row]:
    """Yield the rows of a hunk; a run of removed and added lines is one change."""
    gone: list[DiffLine] = []
    come: list[DiffLine] = []
    for line, end in _with_ends(raw):
        text = line.value.removesuffix("\n").removesuffix("\r" if end == "\r\n" else "")
        old, new = line.source_line_no, line.target_line_no
        if old is not None and new is not None:
            yield from changed_rows(gone, come)
            gone, come = [], []
            yield Row(
                DiffLine(Kind.SAME, old, text, end), DiffLine(Kind.SAME, new, text, end)
            )
        elif old is not None:
            if come:  # a new change begins, without context between
                yield from changed_rows(gone, come)
                gone, come = [], []
            gone.append(DiffLine(Kind.REMOVED, old, text, end))
        elif new is not None:
            come.append(DiffLine(Kind.ADDED, new, text, end))
    yield from changed_rows(gone, come)


def _with_ends(raw: PatchedHunk) -> Iterator[tuple[Line, str]]:
    """Yield the lines of a hunk with their line ends, which a marker on the next line may take away."""
    for line, after in zip_longest(raw, raw[1:]):
        if line.source_line_no is None and line.target_line_no is None:
            continue
        bare = after is not None and after.line_type == _NO_NEWLINE
        end = "" if bare else "\r\n" if line.value.endswith("\r\n") else "\n"
        yield line, end


def _gap(before: Hunk | None, hunk: Hunk) -> Gap | None:
    """Return the unchanged lines between two hunks, or None: before the first and after the last nobody knows."""
    if before is None or not (before.old and before.new and hunk.old and hunk.new):
        return None
    old = LineRange(before.old.last + 1, hunk.old.first - 1)
    new = LineRange(before.new.last + 1, hunk.new.first - 1)
    return Gap(old, new) if old.size > 0 and new.size > 0 else None


def _path(name: str | None) -> str:
    """Return a path as git means it: unquoted, without the `a/` or `b/` before it."""
    path = name or ""
    if len(path) > 1 and path[0] == path[-1] == '"':
        path = _unquoted(path[1:-1])
    return path if path == _NOWHERE else re.sub(r"^[abciwo]/", "", path)


def _unquoted(path: str) -> str:
    def byte(match: re.Match[str]) -> str:
        value = int(match[1], 8) if match[1] else _ESCAPES[match[2]]
        return chr(value & 0xFF)

    raw = _QUOTED.sub(byte, path.encode("utf-8").decode("latin-1"))
    return raw.encode("latin-1").decode("utf-8", "replace")
