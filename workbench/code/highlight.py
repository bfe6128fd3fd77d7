"""Code as HTML, one string a line.

The HTML is made here and not by Pygments' formatter: tags must close within their line, only classes that have a
colour are worth their bytes (51 KB of Lean would be 275 KB), and names must be found again by `data-name`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from time import thread_time
from typing import NamedTuple

from pygments.token import (
    Comment,
    Generic,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Token,
    _TokenType,
)

from workbench.code.confusables import Finding, scan
from workbench.code.lexers import PLAIN, language_of, lexer_for
from workbench.code.lexers.tokens import Danger, Marker, Tactic
from workbench.code.lines import split_lines
from workbench.code.markup import attribute, escape, finding_spans, overlay

VERSION = 3
"""Part of every cache key: raise it when the same text gives other HTML."""

MAX_COLUMNS = 400

MAX_COLOURED = 1_000_000
"""Characters above which a text is shown plain."""

MAX_TOKENS = 150_000
"""Tokens after which colour ends: 20,000 lines of ordinary Lean."""

MAX_SECONDS = 2.0
"""Processor time after which colour ends. Some of Pygments' lexers are quadratic on text made for it."""

log = logging.getLogger(__name__)

_CLASSES: dict[_TokenType, str] = {
    Keyword: "k",
    Keyword.Type: "kt",
    Tactic: "kp",
    Operator.Word: "k",
    Name.Function: "nf",
    Name.Function.Magic: "n",
    Name.Class: "nc",
    Name.Namespace: "nc",
    Name.Decorator: "nd",
    Comment.Preproc: "nd",
    Danger: "danger",
    Name: "n",
    String: "s1",
    String.Escape: "si",
    String.Interpol: "si",
    String.Doc: "sd",
    Number: "mi",
    Comment: "c",
    Marker: "cm",
    Generic: "",
    Token: "",
}
_NAMED = frozenset({"n", "nf", "nc"})
_PARTS = re.compile(r"[.«»:]+|[^.«»:]+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*[\w'!?]*")


@dataclass(frozen=True, slots=True)
class Highlighted:
    """A text as HTML lines, and what was noticed on the way.

    `lines[i]` is line `i + 1` without its line end. `cut` tells for a line that was too long how many characters
    are not shown. `markers` are the lines that the instance format reads. `note` says why there is no colour, or not
    everywhere, or is empty; `settled` is false when that was for lack of time and another try may do better. `line_ends` is `LF`, `CRLF`, `mixed` or `none`.
    """

    language: str
    lines: tuple[str, ...]
    cut: dict[int, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    markers: frozenset[int] = frozenset()
    note: str = ""
    settled: bool = True
    line_ends: str = "LF"
    final_newline: bool = True


def highlight(
    text: str,
    language: str = "",
    path: str = "",
    *,
    max_columns: int | None = MAX_COLUMNS,
) -> Highlighted:
    """Return `text` highlighted as `language`, or as what the ending of `path` says.

    Every line holds the characters of the text (controls as their pictures), up to `max_columns`. Never raises on
    bad code: what a lexer cannot read is shown without colour.
    """
    name = language_of(language, path)
    split = split_lines(text)
    tokens = _tokens("\n".join(split.lines) + "\n", name)
    writer = _LineWriter(max_columns)
    for kind, value in tokens.pieces:
        writer.write(kind, value)
    lines = writer.finish(len(split.lines))
    findings = tuple(scan(text))
    for number, group in groupby(findings, key=lambda finding: finding.line):
        if number <= len(lines):
            lines[number - 1] = overlay(lines[number - 1], finding_spans(group))
    return Highlighted(
        language=name if tokens.coloured else PLAIN,
        lines=tuple(lines),
        cut=writer.cut,
        findings=findings,
        markers=frozenset(writer.markers),
        note=tokens.note,
        settled=tokens.settled,
        line_ends=split.style,
        final_newline=split.final_newline,
    )


class _Tokens(NamedTuple):
    pieces: list[tuple[_TokenType, str]]
    coloured: bool = True
    note: str = ""
    settled: bool = True


def _tokens(body: str, language: str) -> _Tokens:
    """Return the tokens of `body`; their spellings join to it whatever the lexer does."""
    plain = [(Token.Text, body)]
    if language == PLAIN:
        return _Tokens(plain)
    if len(body) > MAX_COLOURED:
        return _Tokens(
            plain,
            False,
            f"Shown without colour: longer than {MAX_COLOURED:,} characters.",
        )
    unread = _Tokens(
        plain, False, f"Shown without colour: the {language} lexer could not read it."
    )
    try:
        found = _within_budget(body, language)
    except (
        Exception
    ):  # a lexer that trips over strange code must not take the reviewer's page with it
        log.exception(
            "The %s lexer failed on a text of %d characters", language, len(body)
        )
        return unread
    if "".join(value for _, value in found.pieces) != body:
        log.error(
            "The %s lexer lost text of a file of %d characters", language, len(body)
        )
        return unread
    return found


def _within_budget(body: str, language: str) -> _Tokens:
    """Return the tokens of `body`, the rest of it plain from where tokens or time ran out."""
    pieces: list[tuple[_TokenType, str]] = []
    deadline = thread_time() + MAX_SECONDS
    for number, (_, kind, value) in enumerate(
        lexer_for(language).get_tokens_unprocessed(body), 1
    ):
        pieces.append((kind, value))
        late = number % 16 == 0 and thread_time() > deadline
        if number >= MAX_TOKENS or late:
            at = sum(len(piece) for _, piece in pieces)
            pieces.append((Token.Text, body[at:]))
            line = body.count("\n", 0, at) + 1
            why = (
                "took too long"
                if late
                else f"has more than {MAX_TOKENS:,} words and signs"
            )
            return _Tokens(
                pieces,
                True,
                f"Without colour from line {line} on: the text {why}.",
                not late,
            )
    return _Tokens(pieces)


@lru_cache(maxsize=1024)
def _class(kind: _TokenType) -> str:
    """Return the CSS class of a token type, of its nearest ancestor that has one, or `""`."""
    known: _TokenType | None = kind
    while known is not None:
        if known in _CLASSES:
            return _CLASSES[known]
        known = known.parent
    return ""


class _LineWriter:
    """Collects tokens as lines of HTML, each at most `limit` characters of text."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.cut: dict[int, int] = {}
        self.markers: set[int] = set()
        self._done: list[str] = []
        self._parts: list[str] = []
        self._column = 0
        self._css = ""

    def write(self, kind: _TokenType, value: str) -> None:
        css = _class(kind)
        if kind is Marker:
            self.markers.add(len(self._done) + 1)
        if "\n" not in value:
            self._piece(css, value)
            return
        first, *rest = value.split("\n")
        self._piece(css, first)
        for piece in rest:
            self._end_line()
            self._piece(css, piece)

    def finish(self, count: int) -> list[str]:
        """Return `count` lines: what a last line end opened is not a line."""
        self._end_line()
        return self._done[:count]

    def _end_line(self) -> None:
        if self.limit is not None and self._column > self.limit:
            self.cut[len(self._done) + 1] = self._column - self.limit
        self._close()
        self._done.append("".join(self._parts))
        self._parts = []
        self._column = 0

    def _piece(self, css: str, text: str) -> None:
        if not text:
            return
        start = self._column
        self._column += len(text)
        if self.limit is not None and self._column > self.limit:
            text = text[: max(self.limit - start, 0)]
            if not text:
                return
        if css in _NAMED:
            self._close()
            self._parts.extend(_named(css, text))
            return
        if text.isspace():
            css = ""
        if css != self._css:
            self._close()
            if css:
                self._parts.append(f'<span class="{css}">')
            self._css = css
        self._parts.append(escape(text))

    def _close(self) -> None:
        """End the span that is open: neighbours of one colour share one."""
        if self._css:
            self._parts.append("</span>")
        self._css = ""


def _named(css: str, text: str) -> Iterator[str]:
    """Yield a possibly dotted name, each component linkable by itself."""
    opening = "<span" if css == "n" else f'<span class="{css}"'
    for part in _PARTS.findall(text):
        if _IDENTIFIER.match(part):
            yield f'{opening} data-name="{attribute(part)}">{escape(part)}</span>'
        else:
            yield escape(part)
