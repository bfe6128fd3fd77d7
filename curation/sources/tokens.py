"""A tokenizer that knows strings and nested comments, shared by the languages without a parser.

A language says what its atoms look like (`Lexicon`); this module guarantees that tokens
are ordered, do not overlap, and that whatever lies between two of them is white space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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

#: Comments and strings that do not end, before the rest of a file is left unread.
MAX_UNENDED = 50

_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """One token: `kind` is one of the constants above, `text` is text[start:end]."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Lexicon:
    """The atoms of a language. Patterns must not try one character in two ways.

    `atoms` are (kind, pattern) in order of preference; anything else that is not white space
    is a symbol of one character. `comment_open` and `comment_close` delimit a block comment
    (empty where there is none), which nests if `nested`; a string within it hides delimiters
    if `strings_in_comments`. `doc` matches the beginning of comments that document what
    follows. `long_string` matches the opening of a string that takes more than a pattern to
    end: `long_string_end` returns where it does, given the text and where the opening starts
    and ends, or -1. `quotes` are the signs that open the other strings.
    """

    atoms: tuple[tuple[str, str], ...]
    comment_open: str
    comment_close: str
    doc: re.Pattern[str]
    nested: bool = True
    strings_in_comments: bool = False
    long_string: str = ""
    long_string_end: Callable[[str, int, int], int] | None = None
    quotes: str = '"'

    def compiled(self) -> re.Pattern[str]:
        """Return one pattern for all atoms; the name of the matching group is the kind."""
        groups = (
            [f"(?P<open>{re.escape(self.comment_open)})"] if self.comment_open else []
        )
        groups += [f"(?P<long>{self.long_string})"] if self.long_string else []
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
        string = r'|"[^"]*(?:""[^"]*)*+"' if lexicon.strings_in_comments else ""
        self._delimiter = re.compile(
            f"(?P<open>{re.escape(lexicon.comment_open)})|(?P<close>{re.escape(lexicon.comment_close)}){string}"
        )

    def tokens(self, text: str) -> tuple[list[Token], list[tuple[int, str]]]:
        """Return all tokens, comments included, and (offset, message) of what does not end.

        After MAX_UNENDED of those the rest of the text is left unread: every one of them has
        cost a look at all that follows.
        """
        found: list[Token] = []
        problems: list[tuple[int, str]] = []
        position, size = 0, len(text)
        while position < size:
            match = self._atom.match(text, position)
            if match is None or match.lastgroup is None:
                break
            group = match.lastgroup
            start, end = match.span(group)
            if len(problems) >= MAX_UNENDED:
                problems.append((start, "too much does not end; the rest is not read"))
                break
            if group == "open":
                end = self._comment_end(text, start, problems)
                kind = COMMENT
            elif group == "long":
                end = self._long_string_end(text, start, end, problems)
                kind = STRING
            elif group == "other":
                kind = SYMBOL
                if text[start] in self.lexicon.quotes:
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

    def _long_string_end(
        self, text: str, start: int, opened: int, problems: list[tuple[int, str]]
    ) -> int:
        find = self.lexicon.long_string_end
        end = find(text, start, opened) if find else -1
        if end < 0:
            problems.append((start, "a string that does not end"))
        return max(end, opened)


def without_comments(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens that are neither comment nor documentation."""
    return [token for token in tokens if token.kind not in (COMMENT, DOC)]


def partners(
    tokens: Sequence[Token],
) -> tuple[dict[int, int], list[tuple[int, str]]]:
    """Return index of the closing bracket by index of the opening one, and what is unbalanced.

    A bracket closed by one of another sort is closed there as well (the inner one was never
    closed); a bracket that nobody closes ends with the last token; a closing bracket that
    nobody opened is passed over.
    """
    closing: dict[int, int] = {}
    problems: list[tuple[int, str]] = []
    stack: list[int] = []
    open_now = dict.fromkeys(_CLOSING.values(), 0)
    for index, token in enumerate(tokens):
        if token.kind != SYMBOL:
            continue
        if token.text in _CLOSING:
            stack.append(index)
            open_now[_CLOSING[token.text]] += 1
        elif token.text in open_now:
            if not open_now[token.text]:
                problems.append(
                    (token.start, f"`{token.text}` without an opening bracket")
                )
                continue
            while True:
                opener = stack.pop()
                closer = _CLOSING[tokens[opener].text]
                open_now[closer] -= 1
                if closer == token.text:
                    closing[opener] = index
                    break
                closing[opener] = index - 1
                problems.append((tokens[opener].start, _unclosed(tokens[opener])))
    for opener in stack:
        closing[opener] = len(tokens) - 1
        problems.append((tokens[opener].start, _unclosed(tokens[opener])))
    return closing, problems


def _unclosed(token: Token) -> str:
    return f"`{token.text}` is never closed"
