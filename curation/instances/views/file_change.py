"""How one file differs between two revisions."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.instances.models import Revision
from curation.instances.views.files import asked_revision
from curation.instances.views.pages import InstancePage, instance_page
from curation.instances.views.panes import asked_window
from workbench.access.rights import get_visible_or_404
from workbench.code.cache import highlighted
from workbench.code.diff import Comparison, FileDiff, Options, compare, show, show_gap
from workbench.code.diff_view import SPLIT, UNIFIED, DiffView, view_diff
from workbench.code.pane import LineRange
from workbench.content.trees import read_file
from workbench.numbers import whole_number
from workbench.ui.parts import Tab


@require_safe
@login_required
def file_change(
    request: HttpRequest, slug: str, number: int, path: str
) -> HttpResponse:
    """The changes to a file against the parent revision, or the one that `?r=` names; under htmx a piece of them."""
    page = instance_page(request, slug, "history")
    rows = page.instance.revisions.select_related("snapshot", "parent__snapshot")
    shown = get_visible_or_404(rows, number=number)
    older = asked_revision(request, page) if "r" in request.GET else shown.parent
    change = _Change(request, path, _text(older, path), _text(shown, path))
    if request.headers.get("HX-Request") and change.asks_for_a_piece:
        return render(request, "instances/diff_piece.html", {"diff": change.piece()})
    return render(
        request,
        "instances/file_change.html",
        page.context(
            shown=shown,
            older=older,
            path=path,
            diff=change.whole(),
            modes=change.modes(),
            ignores=change.options.ignore_whitespace,
            file_url=_file_url(page, shown, path),
        ),
    )


class _Change:
    """One comparison, as the query of the page asks for it: `mode`, `space=ignore`, `lines` and `within`, `start`."""

    def __init__(
        self, request: HttpRequest, path: str, old: str | None, new: str | None
    ) -> None:
        if old is None and new is None:
            raise Http404(f"Neither revision has a file {path}.")
        self.query = request.GET
        self.path = path
        self.texts = old or "", new or ""
        self.options = Options(ignore_whitespace=self.query.get("space") == "ignore")
        self.mode = SPLIT if self.query.get("mode") == SPLIT else UNIFIED
        self.window = asked_window(request)
        given = self.query.get("start", "0")
        start = whole_number(given, digits=9)
        if start is None:
            raise BadRequest(f"start={given[:40]!r}: expected a whole number.")
        self.start = start

    @property
    def asks_for_a_piece(self) -> bool:
        return self.window is not None or self.start > 0

    def piece(self) -> DiffView:
        """Return what replaces a gap, or the next rows."""
        if self.window is None:
            return self.whole()
        compared = self._compared()
        return self._viewed(show_gap(compared, *self.window, link=self._opening))

    def whole(self) -> DiffView:
        """Return the changes from row `start` on, with the lines of the window open."""
        opened = [self.window[0]] if self.window else []
        return self._viewed(
            show(
                self._compared(),
                opened=opened,
                link=self._opening,
                start=self.start,
                more=lambda row: self._with(start=str(row)),
            )
        )

    def modes(self) -> list[Tab]:
        """Return the two ways to show it, as links."""
        words = {UNIFIED: "Unified", SPLIT: "Side by side"}
        return [
            Tab(label, self._with(mode=mode), current=mode == self.mode)
            for mode, label in words.items()
        ]

    def _compared(self) -> Comparison:
        return compare(*self.texts, self.options)

    def _viewed(self, diff: FileDiff) -> DiffView:
        old, new = (highlighted(text, "", self.path) for text in self.texts)
        return view_diff(diff, label=self.path, mode=self.mode, old=old, new=new)

    def _opening(self, lines: LineRange, within: LineRange) -> str:
        return self._with(lines=lines.query, within=within.query)

    def _with(self, **changes: str) -> str:
        query: QueryDict = self.query.copy()
        for key in ("lines", "within", "start"):
            query.pop(key, None)
        for key, value in changes.items():
            query[key] = value
        return f"?{query.urlencode()}"


def _text(revision: Revision | None, path: str) -> str | None:
    data = read_file(revision.snapshot, path) if revision is not None else None
    return None if data is None else data.decode("utf-8", errors="replace")


def _file_url(page: InstancePage, shown: Revision, path: str) -> str:
    url = page.url("file", path)
    return url if shown.is_current else f"{url}?r={shown.number}"
