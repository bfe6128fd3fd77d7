"""A window onto a file: runs of lines that are open, and folds over the rest.

Only what is open is sent: a reader of one definition does not wait for the file around it. Pure: URLs come from
the caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.code.confusables import Finding, count_levels
from workbench.code.highlight import Highlighted
from workbench.code.markup import Span, attribute, overlay, plain_text

STEP = 200
"""Lines that one link opens at most."""

MAX_OPEN = 1_200
"""Lines that are open at the start at most."""

SMALL = 3
"""A gap of so few lines is not worth a fold."""

MARKS = {
    "changed": "changed since the last review",
    "anchor": "commented or cited",
    "fault": "offending line",
    "marker": "read by the instance format",
}
"""Marks of a line: CSS class, and the words that say it."""

_NAME = re.compile(r'<span((?: class="[^"]*")? data-name="([^"]*)")>([^<]*)</span>')
_SIGNS = {"fault": "✕"}
_OPENS = frozenset({"anchor", "fault"})


class LineRange(NamedTuple):
    """Lines `first` to `last` of a file, counted from 1, both included."""

    first: int
    last: int

    def __str__(self) -> str:
        return (
            f"{self.first}–{self.last}" if self.first != self.last else f"{self.first}"
        )

    @property
    def size(self) -> int:
        """Return how many lines these are."""
        return self.last - self.first + 1

    @property
    def query(self) -> str:
        """Return the range as it stands in a query string: `12-40`."""
        return f"{self.first}-{self.last}"


Link = Callable[[LineRange, LineRange], str]
"""Given the lines to open and the fold they are in, returns the URL that opens them."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A link that opens `lines` of a fold."""

    lines: LineRange
    words: str
    url: str


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines that are not shown. `summary` names what is in them."""

    lines: LineRange
    summary: str
    openings: tuple[Opening, ...]
    is_fold = True


@dataclass(frozen=True, slots=True)
class Run:
    """Lines that are shown: `html` is safe, `label` names the region."""

    lines: LineRange
    html: str
    label: str
    is_fold = False


@dataclass(frozen=True, slots=True)
class Pane:
    """What a template needs to show one side. `findings` are those of the whole file, folded lines included."""

    key: str
    label: str
    language: str
    segments: tuple[Run | Fold, ...]
    total: int
    note: str
    findings: tuple[Finding, ...]

    @property
    def levels(self) -> dict[str, int]:
        """Return how many characters are bad, warn, info."""
        return count_levels(self.findings)


def window_query(lines: LineRange, within: LineRange) -> str:
    """Return the query string that `read_window` reads: for use in a `Link`."""
    return f"lines={lines.query}&within={within.query}"


def read_window(query: Mapping[str, str]) -> tuple[LineRange, LineRange] | None:
    """Return the lines to open and the fold they are in, or None when the query asks for no window.

    Raises `ValueError` with what was expected when `lines` or `within` cannot be read.
    """
    if "lines" not in query:
        return None
    lines = _read_range("lines", query["lines"])
    within = _read_range("within", query.get("within", query["lines"]))
    if lines.first < within.first or lines.last > within.last:
        raise ValueError(
            f"lines={lines.query}: expected lines inside within={within.query}"
        )
    return lines, within


def _read_range(key: str, value: str) -> LineRange:
    first, _, last = value.partition("-")
    digits = first.isascii() and first.isdigit() and last.isascii() and last.isdigit()
    if not digits or len(value) > 20 or not 1 <= int(first) <= int(last):
        raise ValueError(
            f"{key}={value[:40]!r}: expected two line numbers such as 12-40"
        )
    return LineRange(int(first), int(last))


@dataclass(frozen=True, slots=True)
class Annotations:
    """What the caller knows about the lines of a file. Line numbers count from 1.

    `names` are the declarations with the line they start at. `marks` are keys of `MARKS`; lines with an anchor, a
    fault or a note are open even outside the focus. `spans` are laid over a line (columns from 0). `notes` is safe
    HTML to stand below a line. `link` gives the URL that opens lines of a fold, `raw` that of a line that was cut.
    `targets` are the addresses of names: a name that has one is a link, outside the order of Tab (Enter in the pane
    and the arrows lead to it).
    """

    names: Sequence[tuple[int, str]] = ()
    marks: Mapping[int, Collection[str]] = field(default_factory=dict)
    spans: Mapping[int, Sequence[Span]] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    link: Link | None = None
    raw: Callable[[int], str] | None = None
    targets: Mapping[str, str] = field(default_factory=dict)

    @property
    def pinned(self) -> set[int]:
        """Return the lines that must not be folded away."""
        return {
            number
            for number, kinds in self.marks.items()
            if not _OPENS.isdisjoint(kinds)
        } | set(self.notes)


def build_pane(
    code: Highlighted,
    *,
    key: str,
    label: str,
    focus: Sequence[LineRange] = (),
    context: int = 0,
    annotations: Annotations | None = None,
) -> Pane:
    """Return the pane that shows `focus` with `context` lines around it and folds the rest.

    `key` begins the id of each line (`lean-120`), `label` names the regions. Without focus in it the file is open from
    its start. At most `MAX_OPEN` lines are open, pinned ones not counted.
    """
    notes = annotations or Annotations()
    bounds = LineRange(1, len(code.lines))
    wanted = [LineRange(lines.first - context, lines.last + context) for lines in focus]
    shown = _limit(_merge(wanted, bounds) or [bounds], MAX_OPEN)
    shown += [LineRange(number - 2, number + 2) for number in notes.pinned]
    return _lay_out(
        code, key, label, notes, bounds, _merge(shown, bounds), neighbours=True
    )


def build_fragment(
    code: Highlighted,
    lines: LineRange,
    within: LineRange,
    *,
    key: str,
    label: str,
    annotations: Annotations | None = None,
) -> Pane:
    """Return what replaces the fold over `within` when `lines` of it are opened, at most `STEP` of them."""
    bounds = LineRange(max(within.first, 1), min(within.last, len(code.lines)))
    shown = _limit(_merge([lines], bounds), STEP + 2 * SMALL)
    return _lay_out(
        code, key, label, annotations or Annotations(), bounds, shown, neighbours=False
    )


def _lay_out(
    code: Highlighted,
    key: str,
    label: str,
    notes: Annotations,
    bounds: LineRange,
    shown: Sequence[LineRange],
    *,
    neighbours: bool,
) -> Pane:
    write = _Writer(code, key, notes)
    starts = sorted(notes.names)
    segments: list[Run | Fold] = []
    at = bounds.first
    for lines in shown:
        if lines.first > at:
            gap = LineRange(at, lines.first - 1)
            segments += _folds(gap, starts, notes.link, "end" if neighbours else "")
        segments.append(Run(lines, write.run(lines), f"{label}, lines {lines}"))
        at = lines.last + 1
    if at <= bounds.last:
        gap = LineRange(at, bounds.last)
        segments += _folds(gap, starts, notes.link, "start" if neighbours else "")
    return Pane(
        key,
        label,
        code.language,
        tuple(segments),
        len(code.lines),
        code.note,
        code.findings,
    )


def _merge(wanted: Iterable[LineRange], bounds: LineRange) -> list[LineRange]:
    """Return `wanted` within `bounds`, sorted, with overlaps and gaps of up to `SMALL` lines closed."""
    merged: list[LineRange] = []
    for lines in sorted(wanted):
        first, last = max(lines.first, bounds.first), min(lines.last, bounds.last)
        if first > last:
            continue
        if first - bounds.first <= SMALL:
            first = bounds.first
        if bounds.last - last <= SMALL:
            last = bounds.last
        if merged and first <= merged[-1].last + SMALL + 1:
            merged[-1] = LineRange(merged[-1].first, max(merged[-1].last, last))
        else:
            merged.append(LineRange(first, last))
    return merged


def _limit(shown: Sequence[LineRange], most: int) -> list[LineRange]:
    """Return the first `most` lines of `shown`."""
    kept: list[LineRange] = []
    left = most
    for lines in shown:
        if left <= 0:
            break
        kept.append(LineRange(lines.first, min(lines.last, lines.first + left - 1)))
        left -= lines.size
    return kept


def _folds(
    gap: LineRange, starts: Sequence[tuple[int, str]], link: Link | None, open_side: str
) -> list[Run | Fold]:
    """Return the folds over `gap`.

    The declarations next to what is open (`open_side`: the `start` or `end` of the gap) get folds of their own, so
    that the neighbour opens with one click and the rest of the file stays away.
    """
    cuts = [line for line, _ in starts if gap.first < line <= gap.last]
    edges = {"": [], "start": cuts[:2], "end": cuts[-1:]}[open_side]
    folds: list[Run | Fold] = []
    first = gap.first
    for last in [*(cut - 1 for cut in edges), gap.last]:
        lines = LineRange(first, last)
        folds.append(Fold(lines, _summary(lines, starts), openings(lines, link)))
        first = last + 1
    return folds


def _summary(lines: LineRange, starts: Sequence[tuple[int, str]], most: int = 4) -> str:
    inside = [name for line, name in starts if lines.first <= line <= lines.last]
    if not inside:
        before = [name for line, name in starts if line < lines.first]
        return f"after {before[-1]}" if before else ""
    more = f" and {len(inside) - most} more" if len(inside) > most else ""
    return ", ".join(inside[:most]) + more


def openings(lines: LineRange, link: Link | None) -> tuple[Opening, ...]:
    """Return the links that open `lines`: all of them, or from either end when there are more than `STEP`."""
    if link is None:
        return ()
    if lines.size <= STEP:
        plural = "line" if lines.size == 1 else "lines"
        return (Opening(lines, f"show {lines.size} {plural}", link(lines, lines)),)
    head = LineRange(lines.first, lines.first + STEP - 1)
    tail = LineRange(lines.last - STEP + 1, lines.last)
    return (
        Opening(head, f"show first {STEP}", link(head, lines)),
        Opening(tail, f"show last {STEP} of {lines.size:,}", link(tail, lines)),
    )


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes lines by joining strings: a template loop over a thousand lines takes longer than all the rest."""

    code: Highlighted
    key: str
    notes: Annotations

    def run(self, lines: LineRange) -> str:
        parts = ["<pre>"]
        for number in range(lines.first, lines.last + 1):
            parts.append(self.line(number))
            if number in self.notes.notes:
                parts.append(f"</pre>{self.notes.notes[number]}<pre>")
        parts.append("</pre>")
        return "".join(parts).replace("<pre></pre>", "")

    def line(self, number: int) -> str:
        html = self.code.lines[number - 1]
        if self.notes.targets:
            html = _linked(html, self.notes.targets)
        if number in self.notes.spans:
            html = overlay(html, self.notes.spans[number])
        if number in self.code.cut:
            html += cut_link(
                self.code.cut[number], self.notes.raw(number) if self.notes.raw else ""
            )
        kinds = set(self.notes.marks.get(number, ()))
        if number in self.code.markers:
            kinds.add("marker")
        opening = f'<span class="ln" id="{self.key}-{number}" data-n="{number}"'
        if kinds:
            known = [kind for kind in MARKS if kind in kinds]
            words = attribute("; ".join(MARKS[kind] for kind in known))
            sign = "".join(
                f' data-sign="{_SIGNS[kind]}"' for kind in known if kind in _SIGNS
            )
            opening = (
                opening.replace('class="ln"', f'class="ln {" ".join(known)}"')
                + f'{sign} title="{words}"'
            )
        return f"{opening}>{html}\n</span>"


def _linked(html: str, targets: Mapping[str, str]) -> str:
    """Return one line of HTML with the names in `targets` as links."""

    def link(match: re.Match[str]) -> str:
        attributes, name, text = match.groups()
        url = targets.get(plain_text(name))
        if url is None:
            return match.group()
        return f'<a{attributes} href="{attribute(url)}" tabindex="-1">{text}</a>'

    return _NAME.sub(link, html)


def cut_link(hidden: int, url: str) -> str:
    """Return what stands at the end of a line of which `hidden` characters are not shown."""
    words = f"… {hidden:,} more characters"
    if not url:
        return f'<span class="cut">{words}</span>'
    return f'<span class="cut">{words}, <a href="{attribute(url)}">show raw</a></span>'
