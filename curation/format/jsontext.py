"""Where a value stands in a JSON text, so that a change touches that value and nothing else.

Positions are offsets into the text. A key path is a tuple of object keys and array indices.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]  # public in practice, missing in typeshed
from typing import NamedTuple

KeyPath = tuple[str | int, ...]

_WHITESPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Place(NamedTuple):
    """A member of an object or an element of an array: where its key (if any) and its value stand."""

    key: str | int
    start: int
    value: int
    end: int


def show(path: KeyPath) -> str:
    """Return a key path as people write it: `packages[0].modules[3].name`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _skip(text: str, position: int) -> int:
    match = _WHITESPACE.match(text, position)
    return match.end() if match else position


def children(text: str, position: int) -> Iterator[Place]:
    """Yield the members of the object or array that opens at `position`; nothing for other values."""
    opening = text[position]
    if opening not in "{[":
        return
    position = _skip(text, position + 1)
    index = 0
    while text[position] not in "}]":
        start = position
        key: str | int = index
        if opening == "{":
            key, position = scanstring(text, position + 1, False)
            position = _skip(text, _skip(text, position) + 1)
        value = position
        _, position = _DECODER.raw_decode(text, position)
        yield Place(key, start, value, position)
        index += 1
        position = _skip(text, position)
        if text[position] == ",":
            position = _skip(text, position + 1)


def find(text: str, path: KeyPath) -> Place | None:
    """Return where `path` stands in a valid JSON text; of repeated keys the last, as `json` reads them."""
    start = _skip(text, 0)
    place = Place("", start, start, len(text.rstrip()))
    for part in path:
        found = [child for child in children(text, place.value) if child.key == part]
        if not found:
            return None
        place = found[-1]
    return place


def line_of(text: str, path: KeyPath) -> int | None:
    """Return the 1-based line of the longest part of `path` that exists."""
    for length in range(len(path), -1, -1):
        place = find(text, path[:length])
        if place is not None:
            return text.count("\n", 0, place.start) + 1
    return None


def lines_of(text: str, path: KeyPath) -> list[int]:
    """Return the 1-based line of each member of the object or array at `path`; nothing when it is not there."""
    place = find(text, path)
    if place is None:
        return []
    return [
        text.count("\n", 0, child.start) + 1 for child in children(text, place.value)
    ]


def _repeats(text: str) -> bool:
    repeated = False

    def look(pairs: list[tuple[str, object]]) -> None:
        nonlocal repeated
        repeated = repeated or len({key for key, _ in pairs}) != len(pairs)

    json.loads(text, object_pairs_hook=look)
    return repeated


def repeated_keys(text: str) -> list[tuple[KeyPath, int]]:
    """Return the path and line of every key that its object holds already."""
    found: list[tuple[KeyPath, int]] = []
    if not _repeats(text):
        return found

    def visit(position: int, path: KeyPath) -> None:
        seen: set[str | int] = set()
        for child in children(text, position):
            if child.key in seen:
                found.append(((*path, child.key), text.count("\n", 0, child.start) + 1))
            seen.add(child.key)
            visit(child.value, (*path, child.key))

    visit(_skip(text, 0), ())
    return found


def _indentation(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    match = re.search(r"\n([ \t]+)", text)
    return match[1] if match else "  "


def _dump(text: str, value: object, base: str, *, spread: bool) -> str:
    """Return `value` in the manner of `text`: its indentation, line ends and way with non-ASCII."""
    ascii_only = text.isascii() and "\\u" in text
    if not spread:
        return json.dumps(value, ensure_ascii=ascii_only)
    lines = json.dumps(value, ensure_ascii=ascii_only, indent=_unit(text)).split("\n")
    return ("\r\n" if "\r\n" in text else "\n").join(
        [lines[0], *(base + line for line in lines[1:])]
    )


def replace(text: str, path: KeyPath, value: object) -> str:
    """Return `text` with the value at `path` replaced, or added to an object or the end of an array.

    Raises KeyError when the parent does not exist or cannot hold it.
    """
    place = find(text, path)
    if place is not None:
        old = text[place.value : place.end]
        spread = "\n" in old or (old[0] not in "{[" and "\n" in text)
        new = _dump(text, value, _indentation(text, place.start), spread=spread)
        return text[: place.value] + new + text[place.end :]
    parent = find(text, path[:-1]) if path else None
    if parent is None or text[parent.value] != (
        "[" if isinstance(path[-1], int) else "{"
    ):
        raise KeyError(show(path))
    return _insert(text, parent, path[-1], value)


def _insert(text: str, parent: Place, key: str | int, value: object) -> str:
    members = list(children(text, parent.value))
    last = members[-1] if members else None
    name = (
        ""
        if isinstance(key, int)
        else json.dumps(key, ensure_ascii=text.isascii()) + ": "
    )
    if last is None:
        spread = "\n" in text
        base = _indentation(text, parent.start)
        inner = base + _unit(text)
        newline = ("\r\n" if "\r\n" in text else "\n") if spread else ""
        new = _dump(text, value, inner, spread=spread)
        content = (
            f"{newline}{inner}{name}{new}{newline}{base}" if spread else name + new
        )
        return text[: parent.value + 1] + content + text[parent.end - 1 :]
    gap = text[parent.value + 1 : _skip(text, parent.value + 1)] or " "
    new = _dump(text, value, _indentation(text, last.start), spread="\n" in gap)
    return text[: last.end] + "," + gap + name + new + text[last.end :]


def remove(text: str, path: KeyPath) -> str:
    """Return `text` without the member or element at `path` and one comma. Raises KeyError if it is not there."""
    place = find(text, path)
    if place is None or not path:
        raise KeyError(show(path))
    after = _skip(text, place.end)
    if text[after] == ",":
        return text[: place.start] + text[_skip(text, after + 1) :]
    before = len(text[: place.start].rstrip())
    if text[before - 1] == ",":
        return text[: before - 1] + text[place.end :]
    return text[:before] + text[after:]
