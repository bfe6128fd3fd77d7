"""The list of boards, one board, and what can be downloaded of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.db.models import Count, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from adjudication.standings.charts.picture import Value, csv_text
from adjudication.standings.document import document
from adjudication.standings.models import Cell, InstanceSet, SetMember
from adjudication.standings.selectors.board import Board, BoardRow, board
from adjudication.standings.selectors.canaries import Publishing, publishing
from adjudication.standings.selectors.disputed import disputed_specs
from adjudication.standings.selectors.pictures import MODE_WORDS, pictures
from adjudication.standings.selectors.standing import makeup, standing
from adjudication.standings.selectors.visible import visible_boards
from workbench.access.models import User
from workbench.access.rights import allowed, get_visible_or_404, teams_with
from workbench.access.roles import MAINTAIN
from workbench.ui.paging import page_by_key
from workbench.ui.parts import Tab

MODES = ("codeproof", "proof")
MOST_LINES = 40
BASES = (Cell.VERIFIED, Cell.REPORTED)
TYPES = {"svg": "image/svg+xml", "csv": "text/csv; charset=utf-8"}


@dataclass(frozen=True)
class Line:
    """A row of the table: its place in words ("6=", "–"), and why its scores may not be published ("": they may)."""

    row: BoardRow
    place: str
    mode: str
    obstacle: str


@require_safe
@login_required
def board_list(request: HttpRequest) -> HttpResponse:
    """Every set that the person sees, with how many instances, specs and rows it has."""
    assert isinstance(request.user, User)  # login_required
    specs = (
        SetMember.objects.filter(set=OuterRef("pk"))
        .order_by()
        .values("set")
        .annotate(total=Sum("specs"))
        .values("total")
    )
    rows = (
        visible_boards(request.user)
        .annotate(
            instances=Count("members", distinct=True),
            specs=Coalesce(Subquery(specs), 0),
        )
        .order_by("slug")
    )
    page = page_by_key(rows, request, ("slug",))
    shown = [row.pk for row in page.rows]
    cells = (
        Cell.objects.filter(set__in=shown)
        .order_by()
        .values("set")
        .annotate(
            verified=Count("configuration", Q(basis=Cell.VERIFIED), distinct=True),
            reported=Count("configuration", Q(basis=Cell.REPORTED), distinct=True),
        )
    )
    counts = {row["set"]: row for row in cells}
    context = {
        "page": page,
        "listed": [(row, counts.get(row.pk)) for row in page.rows],
        "may_make": teams_with(request.user, MAINTAIN).exists(),
    }
    return render(request, "standings/list.html", context)


@require_safe
@login_required
def by_id(request: HttpRequest, pk: int) -> HttpResponse:
    """The board of a set by its id."""
    return redirect(get_visible_or_404(visible_boards(request.user), pk=pk))


@require_safe
@login_required
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """A board, cut to a mode and a basis as the address says, with its pictures."""
    assert isinstance(request.user, User)  # login_required
    found = visible_board(request, slug)
    mode, basis = asked(request)
    made_of, disputed = makeup(found), disputed_specs(found)
    kept = publishing(found, made_of)
    table, drawn = standing(found, made_of, disputed, mode=mode, basis=basis)
    shown = table.rows
    if request.GET.get("rows") != "all":
        shown = shown[:MOST_LINES]
    context = {
        "set": found,
        "board": table,
        "groups": _groups(shown, kept),
        "more": len(table.rows) - len(shown),
        "publishing": kept,
        "disputed": sum(disputed.values()),
        "disputed_instances": len(disputed),
        "pictures": drawn,
        "settings": sorted({row.settings for row in table.rows if row.settings}),
        "mode_switch": switch(request, "mode", mode, {"": "both", **MODE_WORDS}),
        "basis_switch": switch(
            request,
            "basis",
            basis,
            {"": "all", **{name: name for name in BASES}},
        ),
        "cut": bool(mode or basis),
        "may_change": allowed(request.user, MAINTAIN, found),
        "download": request.GET.urlencode(),
    }
    return render(request, "standings/board.html", context)


@require_safe
@login_required
def board_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The table as CSV; what was not recorded is an empty cell."""
    found = visible_board(request, slug)
    mode, basis = asked(request)
    table = board(found, mode=mode, basis=basis)
    rows = [_plain(row, table) for row in table.rows]
    return as_file(csv_text(_HEAD, rows), f"{slug}.csv", "csv")


@require_safe
@login_required
def board_json(request: HttpRequest, slug: str) -> HttpResponse:
    """What `bin/workbench standings --json` prints."""
    found = visible_board(request, slug)
    mode, basis = asked(request)
    return JsonResponse(document(board(found, mode=mode, basis=basis)))


@require_safe
@login_required
def download(request: HttpRequest, slug: str, name: str, kind: str) -> HttpResponse:
    """One picture as SVG or its table as CSV, without the limits of the page."""
    found = visible_board(request, slug)
    mode, basis = asked(request)
    if kind not in TYPES:
        raise Http404("Pictures come as svg and csv.")
    table = board(found, mode=mode, basis=basis)
    drawn = pictures(table, disputed_specs(found), whole=True)
    picture = drawn.by_name(name)
    if picture is None or (kind == "svg" and not picture.svg):
        raise Http404("There is no such picture.")
    body = picture.file if kind == "svg" else picture.csv
    return as_file(body, f"{slug}-{name}.{kind}", kind)


def visible_board(request: HttpRequest, slug: str) -> InstanceSet:
    """Return the set that the address names. Raises `Http404` for what the person may not see."""
    return get_visible_or_404(visible_boards(request.user), slug=slug)


def asked(request: HttpRequest) -> tuple[str, str]:
    """Return mode and basis of the address, "" for both. Raises `BadRequest` for others."""
    mode, basis = request.GET.get("mode", ""), request.GET.get("basis", "")
    if mode and mode not in MODES:
        raise BadRequest(f"{mode[:40]!r} is no mode; expected {' or '.join(MODES)}.")
    if basis and basis not in BASES:
        raise BadRequest(f"{basis[:40]!r} is no basis; expected {' or '.join(BASES)}.")
    return mode, basis


def switch(
    request: HttpRequest, key: str, chosen: str, words: dict[str, str]
) -> list[Tab]:
    """Return the alternatives of one key of the address; "" takes it away."""
    found = []
    for value, label in words.items():
        query = request.GET.copy()
        query.pop(key, None)
        if value:
            query[key] = value
        found.append(Tab(label, f"?{query.urlencode()}", value == chosen))
    return found


def _groups(rows: Sequence[BoardRow], kept: Publishing) -> list[tuple[str, list[Line]]]:
    """Return the rows by basis, verified first."""
    found: list[tuple[str, list[Line]]] = []
    for row in rows:
        if not found or found[-1][0] != row.basis:
            found.append((row.basis, []))
        found[-1][1].append(
            Line(
                row,
                f"{row.rank}=" if row.tied else str(row.rank),
                MODE_WORDS[row.mode],
                kept.places.get((row.configuration.pk, row.mode, row.settings), "")
                if row.basis == Cell.VERIFIED
                else "",
            )
        )
    return found


_HEAD = (
    "rank", "configuration", "mode", "basis", "settings", "handed_in", "outdated", "instances", "full_solves", "specs_passed",
    "specs", "micro", "macro", "near_misses", "far", "cost_usd", "cost_recorded_for", "cost_per_solve", "cost_per_spec",
    "median_minutes", "time_recorded_for",
)  # fmt: skip


def _plain(row: BoardRow, table: Board) -> tuple[Value, ...]:
    def money(value: Any) -> Value:
        return None if value is None else float(value)

    return (
        row.rank, str(row.configuration), row.mode, row.basis, row.settings, row.covered, row.outdated, table.instances, row.full_solves,
        row.specs_passed, table.specs, round(row.micro, 6), round(row.macro, 6), row.near_misses, row.far,
        money(row.cost_usd), row.costed, money(row.cost_per_solve), money(row.cost_per_spec),
        None if row.minutes is None else round(row.minutes, 1), row.timed,
    )  # fmt: skip


def as_file(body: str, name: str, kind: str) -> HttpResponse:
    """Return a download of that kind (TYPES)."""
    answer = HttpResponse(body, content_type=TYPES[kind])
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
