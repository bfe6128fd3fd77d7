"""The table of a picture as HTML: made here, for a board has thousands of cells and a template takes long over them."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from adjudication.standings.charts.picture import Picture, Value


def tabled(picture: Picture) -> Picture:
    """Return `picture` with its table."""
    return replace(picture, table=table_html(picture))


def table_html(picture: Picture) -> str:
    """Return the table beside a picture: texts at the left, numbers at the right, what was not recorded as a dash."""
    numeric = [
        any(isinstance(row[n], (int, float)) for row in picture.rows)
        or all(row[n] is None or _counts(row[n]) for row in picture.rows)
        for n in range(len(picture.head))
    ]
    parts = [f'<table class="table"><caption class="hidden">{escape(picture.title)}</caption><thead><tr>']  # fmt: skip
    for word, number in zip(picture.head, numeric, strict=True):
        kind = ' class="num"' if number else ""
        parts.append(f"<th{kind}>{escape(_heading(word))}</th>")
    parts.append("</tr></thead><tbody>")
    for row, key in zip(
        picture.rows, picture.keys or [""] * len(picture.rows), strict=True
    ):
        parts.append("<tr>")
        for n, value in enumerate(row):
            if n == 0:
                parts.append(f'<th scope="row">{_key(key)}{_words(value)}</th>')
            else:
                kind = ' class="num"' if numeric[n] else ""
                parts.append(f"<td{kind}>{_words(value)}</td>")
        parts.append("</tr>")
    parts.append("</tbody></table>")
    return "".join(parts)


# Columns that we name; others are names of configurations and outcomes, which stay as they are.
_OURS = frozenset(
    {"configuration", "mode", "instance", "solved by", "instances", "not passed", "first, min", "without a time",
     "both", "neither", "code+proof only", "proof only", "spec", "passed", "runs", "module",
     "refuted", "why the others did not", "revision", "full solves", "best", "first", "last"}
)  # fmt: skip


def _heading(word: str) -> str:
    return word.capitalize() if word in _OURS else word


def _counts(value: Value) -> bool:
    """Whether a text is "19 of 30"."""
    return isinstance(value, str) and value.replace(" of ", "").isdigit()


def _key(shape: str) -> str:
    if not shape:
        return ""
    return f'<svg class="key" width="14" height="12" aria-hidden="true"><path d="M0 7H14" class="{escape(shape)}"/></svg>'


def _words(value: Value) -> str:
    if value is None:
        return '<span class="faint">–</span>'
    if isinstance(value, str):
        return escape(value)
    if value == 0:
        return '<span class="faint">0</span>'
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
