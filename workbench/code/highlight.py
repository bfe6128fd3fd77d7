"""Code as HTML, one string a line.

The HTML is made here and not by Pygments' formatter: tags must close within their line, only classes that have a
colour are worth their bytes (51 KB of Lean would be 275 KB), and names must be found again by `data-name`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

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

VERSION = 1
"""Part of every cache key: raise it when the same text gives other HTML."""

MAX_COLUMNS = 400
MAX_COLOURED = 1_000_000

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
    are not shown. `markers` are the lines that the instance format reads. `note` says why there is no colour, or is
    empty. `line_ends` is `LF`, `CRLF`, `mixed` or `none`.
    """

    language: str
    lines: tuple[str, ...]
    cut: dict[int, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    markers: frozenset[int] = frozenset()
    note: str = ""
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
    body = "\n".join(split.lines)
    tokens, note = _tokens(body, name)
    writer = _LineWriter(max_columns)
    for kind, value in tokens:
        writer.write(kind, value)
    lines = writer.finish(len(split.lines))
    findings = tuple(scan(text))
    for number, group in groupby(findings, key=lambda finding: finding.line):
        if number <= len(lines):
            lines[number - 1] = overlay(lines[number - 1], finding_spans(group))
    return Highlighted(
        language=name if not note else PLAIN,
        lines=tuple(lines),
        cut=writer.cut,
        findings=findings,
        markers=frozenset(writer.markers),
        note=note,
        line_ends=split.style,
        final_newline=split.final_newline,
    )


def _tokens(body: str, language: str) -> tuple[Iterable[tuple[_TokenType, str]], str]:
    """Return the tokens of `body` and a note: empty, or why they are plain."""
    plain = [(Token.Text, body)]
    if language == PLAIN:
        return plain, ""
    if len(body) > MAX_COLOURED:
        return plain, f"Shown without colour: longer than {MAX_COLOURED:,} characters."
    try:
        found = [
            (kind, value)
            for _, kind, value in lexer_for(language).get_tokens_unprocessed(body)
        ]
    except (
        Exception
    ):  # a lexer that trips over strange code must not take the reviewer's page with it
        log.exception(
            "The %s lexer failed on a text of %d characters", language, len(body)
        )
        return plain, f"Shown without colour: the {language} lexer could not read it."
    if "".join(value for _, value in found) != body:
        log.error(
            "The %s lexer lost text of a file of %d characters", language, len(body)
        )
        return plain, f"Shown without colour: the {language} lexer could not read it."
    return found, ""


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
        if not css or text.isspace():
            self._parts.append(escape(text))
        elif css in _NAMED:
            self._parts.extend(_named(css, text))
        else:
            self._parts.append(f'<span class="{css}">{escape(text)}</span>')


def _named(css: str, text: str) -> Iterator[str]:
    """Yield a possibly dotted name, each component linkable by itself."""
    opening = "<span" if css == "n" else f'<span class="{css}"'
    for part in _PARTS.findall(text):
        if _IDENTIFIER.match(part):
            yield f'{opening} data-name="{attribute(part)}">{escape(part)}</span>'
        else:
            yield escape(part)
