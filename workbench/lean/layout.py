"""Text that breaks its lines where it has to: the part of a pretty printer that knows no Lean.

A document is a string (no newline), `LINE` (a space, or a line break if its group does not fit), or one of the nodes below. After Oppen and
Wadler: a group is put on one line if it fits, else each of its own lines breaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A place to break; `flat` is what stands there when it is not broken."""

    flat: str = " "


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that are broken all or not at all; broken lines are indented by `indent` more than the group's start."""

    parts: tuple[Doc, ...]
    indent: int = 2


Doc = str | Line | Group
LINE = Line()
SOFT = Line("")


def group(*parts: Doc, indent: int = 2) -> Group:
    """Return a group of `parts`."""
    return Group(parts, indent)


def joined(parts: Sequence[Doc], between: Sequence[Doc]) -> tuple[Doc, ...]:
    """Return `parts` with `between` between each two."""
    result: list[Doc] = []
    for number, part in enumerate(parts):
        if number:
            result += between
        result.append(part)
    return tuple(result)


def render(doc: Doc, width: int) -> str:
    """Return `doc` as text whose lines are `width` characters long at most, where words allow."""
    out: list[str] = []
    column = 0
    stack: list[tuple[Doc, int, bool]] = [(doc, 0, False)]
    while stack:
        part, indent, broken = stack.pop()
        if isinstance(part, str):
            out.append(part)
            column += len(part)
        elif isinstance(part, Line):
            if broken:
                out.append("\n" + " " * indent)
                column = indent
            else:
                out.append(part.flat)
                column += len(part.flat)
        else:
            breaks = not _fits(part, width - column)
            inner = indent + part.indent
            stack.extend((item, inner, breaks) for item in reversed(part.parts))
    return "".join(out)


def _fits(doc: Doc, room: int) -> bool:
    stack = [doc]
    while stack and room >= 0:
        part = stack.pop()
        if isinstance(part, str):
            room -= len(part)
        elif isinstance(part, Line):
            room -= len(part.flat)
        else:
            stack.extend(reversed(part.parts))
    return room >= 0
