"""A Coq file as sentences, each with its first words told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from curation.sources.coq.lexer import PREFIXES
from curation.sources.reading import Reading
from curation.sources.tokens import NAME


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens `first` to `last`, the full stop included; `word` is where the command stands.

    `ended` is false for the last sentence of a file that lacks its full stop.
    """

    first: int
    word: int
    last: int
    command: str
    prefixes: tuple[str, ...]
    ended: bool = True


def sentences(read: Reading) -> Iterator[Sentence]:
    """Yield the sentences of a file; a full stop ends one if white space or nothing follows."""
    first = 0
    for index, token in enumerate(read.tokens):
        if token.text in (".", "...") and _stops(read, token.end):
            yield _sentence(read, first, index, ended=True)
            first = index + 1
    if first < len(read.tokens):
        yield _sentence(read, first, len(read.tokens) - 1, ended=False)


def _stops(read: Reading, end: int) -> bool:
    return (
        end >= len(read.text)
        or read.text[end].isspace()
        or read.text.startswith("(*", end)
    )


def _sentence(read: Reading, first: int, last: int, *, ended: bool) -> Sentence:
    index = first
    while index < last and read.word(index) in ("}", "{", "-", "+", "*"):
        index += 1  # bullets and braces of the proof before
    prefixes: list[str] = []
    while index < last:
        if read.word(index) == "#" and read.word(index + 1) == "[":
            prefixes.append(read.slice(index, min(read.close(index + 1), last)))
            index = read.skip(index + 1)
        elif read.word(index) in PREFIXES and read.kind(index + 1) == NAME:
            prefixes.append(read.word(index))
            index += 1
        else:
            break
    index = min(index, last)
    command = read.word(index) if read.kind(index) == NAME else ""
    return Sentence(first, index, last, command, tuple(prefixes), ended)
