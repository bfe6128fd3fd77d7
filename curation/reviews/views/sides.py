"""The two sides of the review page: the source item, and the Lean text as it is, as it changed, or as it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from curation.instances.models import Link, Placement, Translation
from curation.instances.views.panes import FileSide, source_side
from curation.reviews.selectors.threads import (
    LEAN,
    Conversation,
    by_line,
)
from workbench.code.cache import highlighted
from workbench.code.diff import compare, renumbered, show, show_gap
from workbench.code.diff_view import DiffView, view_diff
from workbench.code.pane import Annotations, LineRange, Pane, window_query

WHOLE = 200
"""A text of so many lines is shown whole beside its older version; of a longer one what is unchanged is folded."""

AROUND = 6


@dataclass(frozen=True)
class SourcePane:
    """The left side: the item, the file it is in, and the pane; or the reason in words why there is none."""

    link: Link | None
    side: FileSide | None
    why_not: str

    def pane(self, spoken: Annotations) -> Pane | None:
        """Return the pane around the item."""
        if self.side is None or self.link is None:
            return None
        item = self.link.item
        return self.side.around(item.line_start, item.line_end, spoken)


def links_of_now(placement: Placement, links: Iterable[Link]) -> list[Link]:
    """Return `links` with those to the source of now first: one to an older source shows no text."""
    now = placement.revision.source_id
    return sorted(links, key=lambda link: link.item.source_id != now)


def chosen_link(links: Sequence[Link], item: str) -> Link | None:
    """Return the link to the item with that id, else the first one."""
    first = links[0] if links else None
    return next((link for link in links if str(link.item_id) == item), first)


def source_pane(placement: Placement, link: Link | None) -> SourcePane:
    """Return the left side for `link`. Two queries where there is one."""
    source = placement.revision.source
    if source is None or source.snapshot_id is None:
        return SourcePane(
            None, None, "The source files of this instance were not given."
        )
    if link is None:
        return SourcePane(None, None, "No source item is linked to this definition.")
    if link.item.source_id != source.pk:
        return SourcePane(
            link, None, "The linked item belongs to another version of the source."
        )
    return SourcePane(link, source_side(placement.revision, link.item.path), "")


def spoken(
    request: HttpRequest,
    found: Iterable[Conversation],
    side: str,
    targets: Mapping[str, str] | None = None,
    **context: object,
) -> Annotations:
    """Return the threads of one side as notes below their lines, and their lines marked."""
    placed = by_line(found, side)
    notes = {
        line: "".join(thread_html(request, each, **context) for each in several)
        for line, several in placed.items()
    }
    marks = {
        line: ("anchor",)
        for several in placed.values()
        for each in several
        if each.place is not None and not each.resolved
        for line in range(each.place.first, each.place.last + 1)
    }
    return Annotations(notes=notes, marks=marks, targets=targets or {})


def thread_html(
    request: HttpRequest, conversation: Conversation, **context: object
) -> str:
    """Return one thread as HTML."""
    return render_to_string(
        "reviews/thread.html", {"each": conversation, **context}, request
    )


def difference(
    placement: Placement,
    old: Translation,
    first: int,
    notes: Mapping[int, str],
    window: tuple[LineRange, LineRange] | None = None,
) -> DiffView:
    """Return what changed from `old` (which began at line `first` of its file) to what is placed now.

    The numbers are those of the files. `window` asks for the lines of one gap instead.
    """
    new = placement.translation
    before, after = f"{old.text}\n", f"{new.text}\n"  # kept without their last line end
    compared = renumbered(compare(before, after), first, placement.line_start)
    slug = placement.definition.instance.slug
    url = reverse("instances:definition", args=[slug, placement.definition_id])

    def link(lines: LineRange, within: LineRange) -> str:
        return f"{url}?against={old.number}&{window_query(lines, within)}"

    if window is not None:
        shown = show_gap(compared, *window, link=link)
    else:
        whole = len(compared.rows) <= WHOLE
        shown = show(compared, context=WHOLE if whole else AROUND, link=link)
    return view_diff(
        shown,
        label=placement.definition.lean_name,
        old=highlighted(before, "lean4"),
        new=highlighted(after, "lean4"),
        first=(first, placement.line_start),
        key=LEAN,
        notes=notes,
    )
