"""Markdown as HTML that is safe to show, whoever wrote it."""

from __future__ import annotations

import re

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from workbench.code.confusables import BAD, scan
from workbench.code.markup import finding_spans

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


def rendered(text: str) -> SafeString:
    """Return `text` as HTML of headings below the page's own, lists, tables, code and links to http(s) only."""
    html = _PARSER.render(text)
    for level in (3, 2, 1):  # the page has its h1 already
        html = html.replace(f"<h{level}>", f"<h{level + 1}>").replace(
            f"</h{level}>", f"</h{level + 1}>"
        )
    clean = nh3.clean(
        html, tags=_TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https"}
    )
    return mark_safe(with_marks(clean))  # noqa: S308  # cleaned by nh3 just above


_TAG = re.compile(r"""(<[^>"]*(?:"[^"]*"[^>"]*)*>)""")


def with_marks(html: str) -> str:
    """Return cleaned `html` with what cannot be seen, or reorders what is shown, marked as in code. Attributes stay."""
    if html.isascii():
        return html
    pieces = _TAG.split(html)
    pieces[::2] = ["\n".join(map(_marked, text.split("\n"))) for text in pieces[::2]]
    return "".join(pieces)


def _marked(line: str) -> str:
    bad = [each for each in scan(line) if each.level == BAD and each.line == 1]
    for span in reversed(finding_spans(bad)):
        inside = f"{span.open}{line[span.start : span.end]}{span.close}"
        line = line[: span.start] + inside + line[span.end :]
    return line


_LINE_TAGS = {"code", "em", "strong"}


def rendered_line(text: str, longest: int = 200) -> SafeString:
    """Return the first line of `text` (cut to `longest` characters) as HTML to stand in a line: code and stress, no links.

    What opens a heading, a list or a quotation is left out.
    """
    line = text.strip().split("\n", 1)[0].lstrip("#>*- ")
    if len(line) > longest:
        line = f"{line[: longest - 1]}…"
    html = _PARSER.renderInline(line)
    clean = nh3.clean(html, tags=_LINE_TAGS, attributes={})
    return mark_safe(with_marks(clean))  # noqa: S308  # cleaned by nh3 just above
