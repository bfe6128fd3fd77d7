"""Lines in which other tools keep their review: `-- !curation @review v<N> [ |x] name — text`. Source: pipeline.md, "Exchange".

A mark stands above the definition that it names. It says which version somebody looked at, whether they ticked it,
and what they noted. Whatever else such a line holds stays in `text`, so that nothing is lost in a round trip.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from curation.format.markers import read_markers

REVIEW = "review"
_MARK = re.compile(
    r"[ \t]*v(?P<version>\d{1,9})[ \t]+\[(?P<tick>[ xX])\][ \t]+(?P<name>[^\s—]+)[ \t]*(?:(?:—|--|-)[ \t]*(?P<text>.*))?"
)


@dataclass(frozen=True, slots=True)
class ReviewMark:
    """One mark. `line` is 1-based; `raw` is the line as it stands, without its end; `text` what follows the dash."""

    line: int
    version: int
    ticked: bool
    name: str
    text: str
    raw: str


@dataclass(frozen=True, slots=True)
class BadMark:
    """A line that begins like a mark and cannot be read as one."""

    line: int
    raw: str


def read_review_marks(path: str, text: str) -> tuple[list[ReviewMark], list[BadMark]]:
    """Return the marks of a file in order, and the lines that look like marks and are none."""
    if "!curation" not in text:
        return [], []
    marks, bad = [], []
    lines = text.split("\n")
    for found in read_markers(path, text).curation:
        if found.kind.lstrip("@") != REVIEW:
            continue
        raw = lines[found.line - 1].rstrip("\r")
        match = _MARK.fullmatch(found.text.rstrip())
        if match is None:
            bad.append(BadMark(found.line, raw))
            continue
        marks.append(
            ReviewMark(
                found.line,
                int(match["version"]),
                match["tick"] != " ",
                match["name"],
                (match["text"] or "").strip(),
                raw,
            )
        )
    return marks, bad


def written(version: int, ticked: bool, name: str, text: str) -> str:
    """Return the line of a mark, as `read_review_marks` reads it."""
    tail = f" — {' '.join(text.split())}" if text.strip() else ""
    return f"-- !curation @review v{version} [{'x' if ticked else ' '}] {name}{tail}"


def with_marks(
    text: str, marks: Mapping[int, str], replaced: Iterable[int] = ()
) -> str:
    """Return `text` with a line put in above each line number of `marks`; lines `replaced` (1-based) go.

    The other lines keep their bytes; a new line ends as the line below it does.
    """
    gone = set(replaced)
    out: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if number in marks:
            out.append(marks[number] + ("\r" if line.endswith("\r") else ""))
        if number not in gone:
            out.append(line)
    return "\n".join(out)
