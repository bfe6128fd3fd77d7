"""From text to HTML that holds the same characters, and marks laid over it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.code.confusables import BAD, Finding

# HTML cannot carry NUL and a response cannot carry lone surrogates; other controls are shown as their pictures too.
_VISIBLE: dict[int, str] = {
    code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)
}
_VISIBLE |= {0x7F: "\u2421"}
_VISIBLE |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")
_VISIBLE |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_ESCAPE: dict[int, str] = _VISIBLE | {
    ord("&"): "&amp;",
    ord("<"): "&lt;",
    ord(">"): "&gt;",
}
_QUOTE = {ord('"'): "&quot;", ord("'"): "&#x27;", 0x0A: "&#10;"}
_HARMLESS = re.compile(r"[\t\x20-\x25\x27-\x3b\x3d\x3f-\x7e\u00a0-\ud7ff]*")
_PIECE = re.compile(r"<[^>]*>|&[#\w]+;|[^<&]+")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one line, columns from 0, `end` exclusive, with the tag to lay over it."""

    start: int
    end: int
    open: str
    close: str


def visible(text: str) -> str:
    """Return `text` with the characters that HTML cannot carry replaced, one for one."""
    return text.translate(_VISIBLE)


def escape(text: str) -> str:
    """Return `text` for use between tags."""
    return text if _HARMLESS.fullmatch(text) else text.translate(_ESCAPE)


def attribute(text: str) -> str:
    """Return `text` for use inside a quoted attribute."""
    return escape(text).translate(_QUOTE)


def plain_text(html: str) -> str:
    """Return the text of HTML that this package made: the reverse of `escape`, tags left out."""
    text = re.sub(r"<[^>]*>", "", html)
    for entity, char in (
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", '"'),
        ("&#x27;", "'"),
        ("&#10;", "\n"),
        ("&amp;", "&"),
    ):
        text = text.replace(entity, char)
    return text


def overlay(html: str, spans: Sequence[Span]) -> str:
    """Return one line of HTML with `spans` laid over its text.

    A span is cut where the line's own tags begin or end, so the result is always well nested. Spans must be sorted
    and must not overlap.
    """
    out: list[str] = []
    at = 0
    waiting = iter(spans)
    span = next(waiting, None)
    for match in _PIECE.finditer(html):
        piece = match.group()
        if piece[0] == "<":
            out.append(piece)
            continue
        length = 1 if piece[0] == "&" else len(piece)
        begin = 0
        while span is not None and span.start < at + length:
            start, end = max(span.start - at, begin), min(span.end - at, length)
            if end > start:
                whole = piece[0] == "&"
                out.append("" if whole else piece[begin:start])
                out.append(
                    f"{span.open}{piece if whole else piece[start:end]}{span.close}"
                )
                begin = end
            if span.end > at + length:
                break
            span = next(waiting, None)
        if piece[0] != "&":
            out.append(piece[begin:])
        elif begin == 0:
            out.append(piece)
        at += length
    return "".join(out)


def finding_spans(findings: Iterable[Finding]) -> list[Span]:
    """Return the marks for the findings of one line.

    `title` says the code point in words; what cannot be seen gets its glyph from `data-glyph`. Bad characters are
    also named to screen readers.
    """
    spans: list[Span] = []
    for finding in findings:
        words = attribute(finding.words)
        glyph = f' data-glyph="{attribute(finding.label)}"' if finding.label else ""
        spoken = f' role="img" aria-label="{words}"' if finding.level == BAD else ""
        start = finding.column - 1
        opening = f'<span class="ch {finding.level}"{glyph} title="{words}"{spoken}>'
        spans.append(Span(start, start + len(finding.text), opening, "</span>"))
    return spans
