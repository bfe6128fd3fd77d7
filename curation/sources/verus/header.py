"""What stands before the body of a Rust or Verus item, and where the body begins.

In a contract, `{` after an operator, or the one that a `match` or `if` waits for, belongs to
an expression; after something that can end an expression, or after a comma, it is the body.
(Verus reads contracts without struct literals, so that this is decidable.)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from curation.sources.reading import Reading
from curation.sources.tokens import NAME
from curation.sources.verus.lexer import (
    CLAUSES,
    DECLARING,
    EXPECTING,
    MODIFIERS,
    OPERATORS,
)


@dataclass
class Header:
    """Positions are token indices; `end` is the first token behind the item."""

    name: str
    name_at: int
    clauses: list[tuple[int, int]] = field(default_factory=list)
    signature_end: int = 0
    body: int | None = None
    end: int = 0


def read_header(read: Reading, word: int, kind: str, stop: int) -> Header:
    """Return the header of the item whose declaring word is at `word`."""
    header = Header(name="", name_at=word)
    index = word + 1
    if kind != "impl" and read.kind(index) == NAME:
        header.name, header.name_at = read.word(index), index
        index += 1
    clause: int | None = None
    waiting = 0  # for the block of a `match` or an `if`
    while index < stop:
        text = read.word(index)
        if (
            read.kind(index) == NAME
            and text in CLAUSES
            and not (kind == "impl" and text != "where")
        ):
            if clause is not None:
                header.clauses.append((clause, index - 1))
            else:
                header.signature_end = index - 1
            clause = index
        elif text in ("match", "if") and clause is not None:
            waiting += 1
        elif text == "{":
            if clause is not None and _expects_more(read, index - 1, clause):
                pass
            elif clause is not None and waiting:
                waiting -= 1
            elif clause is None and read.word(index - 1) == "<":
                pass  # a constant as a type argument: `Foo<{ N }>`
            else:
                header.body = index
                break
        elif text == "=" and kind in ("const", "static", "type"):
            index = _behind_value(read, header, index, stop)
            break
        elif text == ";" or (index > word + 1 and _begins_item(read, index, kind)):
            break
        index = read.skip(index)
    _finish(read, header, clause, index, stop)
    return header


def impl_target(read: Reading, word: int, last: int) -> tuple[str, str]:
    """Return the trait, "" if there is none, and the name of the type of an `impl`."""
    index = word + 1
    if read.word(index) == "<":
        index = _behind_angle(read, index, last)
    start, depth, split = index, 0, None
    while index <= last:
        text = read.word(index)
        if text == "where" and depth == 0:
            break
        depth += (text == "<") - (text == ">")
        if text == "for" and depth == 0 and read.word(index + 1) != "<":
            split = index
        index = read.skip(index)
    end = min(index, last + 1) - 1
    if split is None:
        return "", _type_name(read, start, end)
    return read.slice(start, split - 1), _type_name(read, split + 1, end)


def _behind_angle(read: Reading, index: int, last: int) -> int:
    depth = 0
    while index <= last:
        text = read.word(index)
        depth += (text == "<") - (text == ">")
        if depth == 0:
            return index + 1
        index = read.skip(index)
    return index


def _type_name(read: Reading, first: int, last: int) -> str:
    """Return the last name of a type's path before its arguments: `Map` of `std::Map<K, V>`.

    Slices and tuples have no name; they are returned as written.
    """
    while (first < last and read.word(first) in ("&", "mut", "dyn")) or read.word(
        first
    ).startswith("'"):
        first += 1
    if read.word(first) in ("[", "("):
        return read.slice(first, last)
    name = ""
    for index in range(first, last + 1):
        if read.word(index) == "<":
            break
        if read.kind(index) == NAME and read.word(index) not in ("dyn", "mut", "const"):
            name = read.word(index)
            if read.word(index + 1) != "::":
                break
    return name or (read.slice(first, last) if last >= first else "")


def _expects_more(read: Reading, index: int, clause: int) -> bool:
    """Return whether an expression is to come behind the token at `index`, within a clause."""
    text = read.word(index)
    if read.word(clause) == "where":
        return False
    if read.kind(index) == NAME:
        return text in EXPECTING
    return text in OPERATORS


def _begins_item(read: Reading, index: int, kind: str) -> bool:
    """Return whether another item begins at `index`: the one before lacks its end."""
    text, following = read.word(index), read.word(index + 1)
    if text == "fn":
        # `fn(u8) -> u8` is a type, `fn name` an item.
        return read.kind(index + 1) == NAME and read.word(index - 1) not in MODIFIERS
    if text in MODIFIERS and following == "fn":
        return read.kind(index + 2) == NAME and read.word(index - 1) not in MODIFIERS
    if text in ("pub", "open", "closed", "uninterp", "broadcast", "default", "async"):
        return following in MODIFIERS or following in DECLARING
    return (
        text in ("struct", "enum", "trait")
        and read.kind(index + 1) == NAME
        and kind != "macro"
    )


def _behind_value(read: Reading, header: Header, index: int, stop: int) -> int:
    header.signature_end = header.signature_end or index - 1
    while index < stop and read.word(index) != ";":
        index = read.skip(index)
    return index


def _finish(
    read: Reading, header: Header, clause: int | None, index: int, stop: int
) -> None:
    last = min(index, stop) - 1
    if clause is not None:
        header.clauses.append((clause, last))
    header.signature_end = header.signature_end or last
    if header.body is not None:
        header.end = read.close(header.body) + 1
        if read.word(header.end) == ";":
            header.end += 1
    else:
        header.end = index + 1 if read.word(index) == ";" and index < stop else index
