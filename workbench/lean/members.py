"""Fields of structures and constructors of inductive types, by the shape of the lines that list them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.lean.lexer import NAME_PART

BRACKET = re.compile(r"[(\[{⟨⦃]|[)\]}⟩⦄]")


@dataclass(frozen=True, slots=True)
class Member:
    """A field or constructor. It belongs to the declaration that lists it."""

    name: str
    full_name: str
    kind: str
    line: int


WITH_MEMBERS = frozenset(("structure", "class", "inductive", "coinductive"))
_CONSTRUCTOR = re.compile(
    rf"(?<!\|)\|\s*(?:@\[[^\]]*\]\s*)?(?:(?:private|protected)\s+)?({NAME_PART})"
)
_FIELD = re.compile(
    rf"^(?P<indent>[ \t]*)(?:(?:private|protected)\s+)?(?:[(\[{{⦃][ \t]*)?(?P<names>{NAME_PART}(?:[ \t]+{NAME_PART})*)[ \t]*(?:\n[ \t]*(?=:))?(?P<sign>::|:(?!=)|\(|\[|\{{|:=)",
    re.MULTILINE,
)


def constructors(code: str, start: int, end: int) -> Iterator[tuple[str, str, int]]:
    """Yield name, kind and offset of each constructor between two offsets of masked text."""
    depth, position = 0, start
    for match in _CONSTRUCTOR.finditer(code, start, end):
        for bracket in BRACKET.finditer(code, position, match.start()):
            depth += 1 if bracket.group() in "([{⟨⦃" else -1
        position = match.start()
        if depth <= 0:
            yield match[1], "constructor", match.start(1)


def fields(code: str, start: int, end: int) -> Iterator[tuple[str, str, int]]:
    """Yield fields: lines at the indentation of the first one that look like one; `mk ::` is a constructor."""
    where = re.compile(r"\s*(?:where|:=)").match(code, start, end)
    if where is None:
        return
    indent: str | None = None
    stop = re.compile(r"^\s*deriving\b", re.MULTILINE).search(code, where.end(), end)
    for match in _FIELD.finditer(code, where.end(), stop.start() if stop else end):
        if match["sign"] == "::":
            yield match["names"], "constructor", match.start("names")
            continue
        same_line = "\n" not in code[where.end() : match.start("names")]
        if indent is None and not same_line:
            indent = match["indent"]
        if same_line or match["indent"] == indent:
            for name in re.finditer(NAME_PART, match["names"]):
                yield name.group(), "field", match.start("names") + name.start()
