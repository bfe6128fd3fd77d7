"""A diff as HTML: one column with signs, or two columns side by side. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from workbench.code.comparison import DiffLine, Kind, Row
from workbench.code.diff import FileDiff, Gap, Hunk
from workbench.code.highlight import MAX_COLUMNS, Highlighted
from workbench.code.markup import Span, attribute, escape, overlay
from workbench.code.pane import cut_link

UNIFIED, SPLIT = "unified", "split"

_SIGNS = {Kind.ADDED: "+", Kind.REMOVED: "−"}
_WORD_TAGS = {Kind.ADDED: ("<ins>", "</ins>"), Kind.REMOVED: ("<del>", "</del>")}
_END_NAMES = {"\n": "LF", "\r\n": "CR LF", "": "no newline"}
_VOID = '<span class="ln void" data-n="">\n</span>'


@dataclass(frozen=True, slots=True)
class HunkView:
    """A hunk as safe HTML: `html` is the one column or the new side, `old_html` the old side, if there are two."""

    html: str
    label: str
    old_html: str = ""
    old_label: str = ""
    heading: str = ""
    is_gap = False


@dataclass(frozen=True, slots=True)
class DiffView:
    """What `{% diff %}` shows."""

    mode: str
    segments: tuple[HunkView | Gap, ...]
    diff: FileDiff


def view_diff(
    diff: FileDiff,
    *,
    label: str,
    mode: str = UNIFIED,
    old: Highlighted | None = None,
    new: Highlighted | None = None,
    raw: Callable[[DiffLine], str] | None = None,
    first: tuple[int, int] = (1, 1),
    key: str = "",
    notes: Mapping[int, str] | None = None,
) -> DiffView:
    """Return `diff` as HTML in the mode `unified` or `split`; raises `ValueError` for another mode.

    `label` names the regions. `old` and `new` are the highlighted texts, where there are any: a patch has none and is
    shown without colour. `raw` gives the URL that shows the whole of a line that is cut. `first` are the numbers that
    the first lines of `old` and `new` have in `diff`, where it was renumbered. `key` begins the ids of the new lines,
    `notes` is safe HTML to stand below them (in one column).
    """
    if mode not in (UNIFIED, SPLIT):
        raise ValueError(f"mode={mode!r}: expected {UNIFIED} or {SPLIT}")
    writer = _Writer(old, new, raw, first, key, notes or {})
    segments: list[HunkView | Gap] = []
    for segment in diff.segments:
        if isinstance(segment, Gap):
            segments.append(segment)
        elif mode == UNIFIED:
            where = segment.new or segment.old
            segments.append(
                HunkView(
                    writer.unified(segment),
                    f"{label}, lines {where}",
                    heading=segment.heading,
                )
            )
        else:
            old_html, new_html = writer.split(segment)
            segments.append(
                HunkView(
                    new_html,
                    f"{label}, new, {_where(segment, 'new')}",
                    old_html,
                    f"{label}, old, {_where(segment, 'old')}",
                    segment.heading,
                )
            )
    return DiffView(mode, tuple(segments), diff)


def _where(hunk: Hunk, side: str) -> str:
    lines = hunk.new if side == "new" else hunk.old
    other = hunk.old if side == "new" else hunk.new
    return f"lines {lines}" if lines else f"nothing beside lines {other}"


@dataclass(frozen=True, slots=True)
class _Writer:
    old: Highlighted | None
    new: Highlighted | None
    raw: Callable[[DiffLine], str] | None
    first: tuple[int, int] = (1, 1)
    key: str = ""
    notes: Mapping[int, str] = field(default_factory=dict)

    def unified(self, hunk: Hunk) -> str:
        lines = list(hunk.unified())
        before: list[DiffLine | None] = [None, *(line for line, _ in lines)]
        return _pre(
            self.line(line, row, above)
            for (line, row), above in zip(lines, before, strict=False)
        )

    def split(self, hunk: Hunk) -> tuple[str, str]:
        olds: list[str] = []
        news: list[str] = []
        old_above: DiffLine | None = None
        new_above: DiffLine | None = None
        for row in hunk.rows:
            olds.append(self.line(row.old, row, old_above) if row.old else _VOID)
            news.append(self.line(row.new, row, new_above) if row.new else _VOID)
            old_above, new_above = row.old or old_above, row.new or new_above
        return _pre(olds), _pre(news)

    def line(self, line: DiffLine, row: Row, above: DiffLine | None) -> str:
        classes = ["ln"] if line.kind is Kind.SAME else ["ln", str(line.kind)]
        sign = _SIGNS.get(line.kind, "")
        title = ""
        if line.moved is not None:
            classes.append("moved")
            sign = "↷" if line.kind is Kind.REMOVED else "↶"
            title = f"moved {'to' if line.kind is Kind.REMOVED else 'from'} line {line.moved}"
        elif row.ignored:
            sign, title = "~", f"differs in {row.ignored} only"
        attributes = f' data-sign="{sign}"' if sign else ""
        attributes += f' title="{attribute(title)}"' if title else ""
        begins = line.moved is not None and not _continues(line, above)
        after = f' <span class="cut">{title}</span>' if begins else ""
        after += self._end(line, row)
        is_new = line is row.new
        place = f' id="{self.key}-{line.number}"' if self.key and is_new else ""
        note = self.notes.get(line.number, "") if is_new else ""
        below = f"</pre>{note}<pre>" if note else ""
        return f'<span class="{" ".join(classes)}"{place} data-n="{line.number}"{attributes}>{self._body(line, row)}{after}\n</span>{below}'

    def _body(self, line: DiffLine, row: Row) -> str:
        is_old = line is row.old
        code = self.old if is_old else self.new
        number = line.number - self.first[0 if is_old else 1] + 1
        if code is not None and number <= len(code.lines):
            html, hidden = code.lines[number - 1], code.cut.get(number, 0)
        else:
            html, hidden = (
                escape(line.text[:MAX_COLUMNS]),
                max(len(line.text) - MAX_COLUMNS, 0),
            )
        if line.words and line.kind in _WORD_TAGS:
            opening, closing = _WORD_TAGS[line.kind]
            html = overlay(
                html, [Span(start, end, opening, closing) for start, end in line.words]
            )
        if not hidden:
            return html
        html += cut_link(hidden, self.raw(line) if self.raw else "")
        beyond = line.words and line.words[-1][1] > len(line.text) - hidden
        return html + ('<span class="cut">, changed there</span>' if beyond else "")

    def _end(self, line: DiffLine, row: Row) -> str:
        """Return what to say about the line end: that there is none, or that it alone has changed."""
        if not line.end:
            return '<span class="cut">no newline at end of file</span>'
        if (
            line.kind is not Kind.SAME
            and row.old
            and row.new
            and row.old.text == row.new.text
        ):
            return f'<span class="cut">{_END_NAMES[line.end]}</span>'
        return ""


def _continues(line: DiffLine, above: DiffLine | None) -> bool:
    return (
        above is not None and above.moved is not None and line.moved == above.moved + 1
    )


def _pre(lines: Iterable[str]) -> str:
    return f"<pre>{''.join(lines)}</pre>".replace("<pre></pre>", "")
