"""What every picture is: a drawing, the table beside it, one sentence that says what it shows, and its downloads."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

# What a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
# A drawing that leaves the site takes its colours along: those of the light theme (static/ui/tokens.css).
_OWN_STYLE = """\
text{font:11px sans-serif;fill:#5b6470}.strong{fill:#1b1f24}.axis{stroke:#c9ced6;fill:none}.grid{stroke:#e1e5ea;fill:none}
.f-full{fill:#1a5cbf}.f-part{fill:#c9ced6}.f-cell{fill:#f0f2f5}.f-bad{fill:#b3241c}.f-warn{fill:#835300}.f-2{fill:#b4520a}
.on-fill{fill:#fff}.curve{fill:none;stroke-width:2;stroke-linejoin:round}.curve.proof{stroke-dasharray:5 3}
.s1c{stroke:#1a5cbf}.s2c{stroke:#b4520a}.s3c{stroke:#14755b}.s4c{stroke:#84489e}"""

# What no XML file may hold, however it is written. In a page, HTML takes it.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Value = str | int | float | None


@dataclass(frozen=True)
class Picture:
    """A picture. `svg` is "" where there is nothing to draw: `empty` then says why and what would be here.

    `head` and `rows` are its table; numbers are numbers, None is what was not recorded. `legend` explains the shapes, `keys`
    are the classes of the line that stands for each row, where lines are drawn; `table` is the table as HTML (table.py).
    """

    name: str
    title: str
    note: str
    svg: str
    head: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    sentence: str
    empty: str = ""
    legend: str = ""
    keys: tuple[str, ...] = ()
    table: str = ""

    @property
    def csv(self) -> str:
        """The table as CSV."""
        return csv_text(self.head, self.rows)

    @property
    def file(self) -> str:
        """The drawing as a file of its own, with its colours."""
        return standalone(self.svg)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Return a table as CSV. Text that a spreadsheet would run as a formula gets an apostrophe; None is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_harmless(cell) for cell in head])
    for row in rows:
        writer.writerow([_harmless(cell) for cell in row])
    return out.getvalue()


def _harmless(value: Value) -> Value:
    if value is None:
        return ""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def standalone(svg: str) -> str:
    """Return an inline drawing as a file that looks the same anywhere."""
    head, _, body = _NO_XML.sub("\ufffd", svg).partition(">")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head} xmlns="http://www.w3.org/2000/svg"><style>{_OWN_STYLE}</style>{body}\n'


def svg_of(
    width: float, height: float, label: str, parts: Iterable[str], more: str = ""
) -> str:
    """Return an inline drawing of that size in pixels; `label` is what a screen reader says of it."""
    role = 'role="group"' if "data-grid" in more else 'role="img"'
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return (
        f'<svg {size} {role} aria-label="{escape(label)}"{more}>{"".join(parts)}</svg>'
    )


def text(x: float, y: float, words: str, more: str = "") -> str:
    """Return a text element."""
    return f'<text x="{x:g}" y="{y:g}"{more}>{escape(words)}</text>'


def cut(words: str, most: int) -> str:
    """Return `words`, shortened to `most` characters."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


def listing(names: Sequence[str], most: int = 3) -> str:
    """Return "a, b, c and 7 more"."""
    if len(names) <= most + 1:
        return (
            ", ".join(names)
            if len(names) < 2
            else f"{', '.join(names[:-1])} and {names[-1]}"
        )
    return f"{', '.join(names[:most])} and {len(names) - most} more"
