"""A tokenizer that knows strings and nested comments, shared by the languages without a parser.

A language says what its atoms look like (`Lexicon`); this module guarantees that tokens
are ordered, do not overlap, and that whatever lies between two of them is white space.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

NAME, NUMBER, STRING, SYMBOL, COMMENT, DOC = (
    "name",
    "number",
    "string",
    "symbol",
    "comment",
    "doc",
)

_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """One token: `kind` is one of the constants above, `text` is text[start:end]."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Lexicon:
    """The atoms of a language.

    `atoms` are (kind, pattern) in order of preference; anything else that is not white space
    is a symbol of one character. `comment_open` and `comment_close` delimit a block comment,
    (empty where there is none), which nests if `nested`; a string within it hides delimiters if `strings_in_comments`.
    `doc` matches the beginning of comments that document what follows.
    """

    atoms: tuple[tuple[str, str], ...]
    comment_open: str
    comment_close: str
    doc: re.Pattern[str]
    nested: bool = True
    strings_in_comments: bool = False

    def compiled(self) -> re.Pattern[str]:
        """Return one pattern for all atoms; the name of the matching group is the kind."""
        groups = (
            [f"(?P<open>{re.escape(self.comment_open)})"] if self.comment_open else []
        )
        groups += [
            f"(?P<k{number}_{kind}>{pattern})"
            for number, (kind, pattern) in enumerate(self.atoms)
        ]
        return re.compile(
            r"\s*(?:" + "|".join(groups) + r"|(?P<other>\S)|\Z)", re.DOTALL
        )


class Lexer:
    """Turns text into tokens by a lexicon. Stateless between calls."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._atom = lexicon.compiled()
        string = r'|"(?:[^"]|"")*"' if lexicon.strings_in_comments else ""
        self._delimiter = re.compile(
            f"(?P<open>{re.escape(lexicon.comment_open)})|(?P<close>{re.escape(lexicon.comment_close)}){string}"
        )

    def tokens(self, text: str) -> tuple[list[Token], list[tuple[int, str]]]:
        """Return all tokens, comments included, and (offset, message) of what does not end."""
        found: list[Token] = []
        problems: list[tuple[int, str]] = []
        position, size = 0, len(text)
        while position < size:
            match = self._atom.match(text, position)
            if match is None or match.lastgroup is None:
                break
            group = match.lastgroup
            start, end = match.span(group)
            if group == "open":
                end = self._comment_end(text, start, problems)
                kind = COMMENT
            elif group == "other":
                kind = SYMBOL
                if text[start] == '"':
                    problems.append((start, "a string that does not end"))
            else:
                kind = group.partition("_")[2]
            if kind == COMMENT and self.lexicon.doc.match(text, start):
                kind = DOC
            found.append(Token(kind, text[start:end], start, end))
            position = end
        return found, problems

    def _comment_end(
        self, text: str, start: int, problems: list[tuple[int, str]]
    ) -> int:
        depth, position = 1, start + len(self.lexicon.comment_open)
        while match := self._delimiter.search(text, position):
            position = match.end()
            if match.lastgroup == "close":
                depth -= 1
                if depth == 0:
                    return position
            elif match.lastgroup == "open" and self.lexicon.nested:
                depth += 1
        problems.append((start, "a comment that does not end"))
        # Skip its first line only: the rest of the file is worth reading.
        line_end = text.find("\n", start)
        return len(text) if line_end < 0 else line_end


def without_comments(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens that are neither comment nor documentation."""
    return [token for token in tokens if token.kind not in (COMMENT, DOC)]


def partners(tokens: Sequence[Token]) -> tuple[dict[int, int], list[tuple[int, str]]]:
    """Return index of the closing bracket by index of the opening one, and what is unbalanced.

    A bracket closed by one of another sort is closed there as well (the inner one was never
    closed); a bracket that nobody closes ends with the last token; a closing bracket that
    nobody opened is passed over.
    """
    closing: dict[int, int] = {}
    problems: list[tuple[int, str]] = []
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != SYMBOL:
            continue
        if token.text in _CLOSING:
            stack.append(index)
        elif token.text in (")", "]", "}"):
            depth = _opener(tokens, stack, token.text)
            if depth is None:
                problems.append(
                    (token.start, f"`{token.text}` without an opening bracket")
                )
                continue
            for unclosed in stack[depth + 1 :]:
                problems.append(
                    (
                        tokens[unclosed].start,
                        f"`{tokens[unclosed].text}` is never closed",
                    )
                )
                closing[unclosed] = index - 1
            closing[stack[depth]] = index
            del stack[depth:]
    for unclosed in stack:
        problems.append(
            (tokens[unclosed].start, f"`{tokens[unclosed].text}` is never closed")
        )
        closing[unclosed] = len(tokens) - 1
    return closing, problems


def _opener(tokens: Sequence[Token], stack: Sequence[int], closer: str) -> int | None:
    for depth in range(len(stack) - 1, -1, -1):
        if _CLOSING[tokens[stack[depth]].text] == closer:
            return depth
    return None
