"""The pictures of a board: what each needs is asked in a fixed number of queries and drawn by `charts`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet
from django.urls import reverse

from adjudication.grading.outcomes import PRECEDENCE
from adjudication.runs.selectors.run_page import tone_of
from adjudication.standings.charts.bars import (
    Pair,
    Reasons,
    failures,
    pair_bars,
    solvers,
)
from adjudication.standings.charts.curves import Series, curves
from adjudication.standings.charts.matrix import Cell as Square
from adjudication.standings.charts.matrix import Column, Row, matrix
from adjudication.standings.charts.picture import Picture
from adjudication.standings.models import Cell
from adjudication.standings.selectors.board import Board, BoardRow

MODE_WORDS = {"codeproof": "code+proof", "proof": "proof"}
MOST_DRAWN, MOST_ROWS = 2_400, 40
Key = tuple[int, str, str, str]
TONES: dict[str, str] = {outcome: tone_of(outcome) for outcome in PRECEDENCE}


@dataclass(frozen=True)
class Addition:
    """What rows together solve in full: "best single row", "all eight rows"."""

    words: str
    count: int


@dataclass(frozen=True)
class Pictures:
    """All pictures of a board as it is cut now."""

    matrix: Picture
    solvers: Picture
    modes: Picture
    failures: Picture
    curves: Picture
    ensemble: Sequence[Addition]

    def by_name(self, name: str) -> Picture | None:
        """Return the picture that downloads call `name`."""
        return {picture.name: picture for picture in self.all}.get(name)

    @property
    def all(self) -> tuple[Picture, ...]:
        return (self.matrix, self.solvers, self.curves, self.modes, self.failures)


@dataclass(frozen=True)
class _Solves:
    """Full solves by row: member → hours until then, None where no time was recorded."""

    by_row: dict[Key, dict[int, float | None]]

    def counts(self) -> Counter[int]:
        return Counter(member for solved in self.by_row.values() for member in solved)


def pictures(board: Board, *, whole: bool = False) -> Pictures:
    """Return the pictures of `board`, of all its rows. `whole` draws the matrix without a limit, for a download. Five queries."""
    cells = _cells(board)
    solves = _solves(cells)
    members = list(
        board.set.members.order_by("name").values_list("pk", "name", "instance__slug")
    )
    counts = solves.counts()
    per_solvers = Counter(counts.get(pk, 0) for pk, _, _ in members)
    none = [name for pk, name, _ in members if not counts.get(pk)]
    return Pictures(
        matrix=_matrix(board, cells, members, counts, whole),
        solvers=solvers(sorted(per_solvers.items(), reverse=True), none),
        modes=pair_bars(_pairs(board, solves, len(members))),
        failures=failures(_reasons(board, cells), TONES),
        curves=curves(_series(board, solves)),
        ensemble=_ensemble(board, solves),
    )


def _cells(board: Board) -> QuerySet[Cell]:
    """Return the cells of the rows of the board, unordered."""
    cells = board.set.cells.order_by()
    modes, bases = {row.mode for row in board.rows}, {row.basis for row in board.rows}
    if len(modes) == 1:
        cells = cells.filter(mode__in=modes)
    if len(bases) == 1:
        cells = cells.filter(basis__in=bases)
    return cells


_KEY = ("configuration", "mode", "basis", "settings_digest")


def _solves(cells: QuerySet[Cell]) -> _Solves:
    found: dict[Key, dict[int, float | None]] = defaultdict(dict)
    rows = cells.filter(passed=F("specs")).values_list(*_KEY, "member", "elapsed_s")
    for *key, member, seconds in rows:
        found[tuple(key)][member] = None if seconds is None else seconds / 3600
    return _Solves(dict(found))


def _names(board: Board) -> dict[Key, str]:
    """Return how pictures name a row: its configuration, with its settings where another row differs only there."""
    alike = Counter(row.key[:3] for row in board.rows)
    return {
        row.key: f"{row.configuration} ({row.settings[:6]})"
        if alike[row.key[:3]] > 1
        else str(row.configuration)
        for row in board.rows
    }


# ---------- the matrix ----------


def _matrix(
    board: Board,
    cells: QuerySet[Cell],
    members: Sequence[tuple[Any, ...]],
    counts: Counter[int],
    whole: bool,
) -> Picture:
    rows = list(board.rows) if whole else list(board.rows[:MOST_ROWS])
    room = len(members) if whole else MOST_DRAWN // max(1, len(rows))
    chosen = _chosen(members, counts, room)
    places = {pk: number for number, (pk, _, _) in enumerate(chosen)}
    numbers = {row.key: number for number, row in enumerate(rows)}
    names = _names(board)
    slugs = {pk: slug for pk, _, slug in chosen}
    agents = {row.configuration.pk: row.configuration.slug for row in rows}
    wanted = cells
    if len(chosen) < len(members):
        wanted = wanted.filter(member__in=list(places))
    if len(rows) < len(board.rows):
        wanted = wanted.filter(configuration__in=list(agents))
    squares = {}
    links = _Links(board.set.slug)
    for *key, member, run, passed, specs in wanted.values_list(
        *_KEY, "member", "run", "passed", "specs"
    ):
        number = numbers.get(tuple(key))
        if number is not None and member in places:
            href = links.to(run, slugs[member], agents[key[0]])
            squares[number, places[member]] = Square(passed, specs, href)
    return matrix(
        [Row(names[row.key], MODE_WORDS[row.mode], row.basis) for row in rows],
        [Column(name, counts.get(pk, 0)) for pk, name, _ in chosen],
        squares,
        _left_out(board, rows, members, chosen),
    )


def _chosen(
    members: Sequence[tuple[Any, ...]], counts: Counter[int], room: int
) -> list[tuple[Any, ...]]:
    """Return the members to draw: all, or the `room` that the most rows solve."""
    if len(members) <= room:
        return list(members)
    return sorted(members, key=lambda one: (-counts.get(one[0], 0), one[1]))[:room]


def _left_out(
    board: Board,
    rows: Sequence[BoardRow],
    members: Sequence[tuple[Any, ...]],
    chosen: Sequence[tuple[Any, ...]],
) -> str:
    if len(rows) == len(board.rows) and len(chosen) == len(members):
        return ""
    return (
        f"Drawn are the first {len(rows)} of {len(board.rows)} rows and the {len(chosen):,} of {len(members):,} instances "
        "that most of them solve; the downloads have all."
    )


class _Links:
    """Addresses of cells, made once and filled in: a board has thousands."""

    def __init__(self, found: str) -> None:
        self._run = reverse("runs:detail", args=[0])
        self._agent = f"{reverse('boards:configuration', args=['-'])}?set={found}"
        self._grades = reverse("runs:grades", args=["-"])

    def to(self, run: int | None, instance: str | None, agent: str) -> str:
        """Return where a cell leads: its run, else the grades of its instance, else the page of its configuration."""
        if run is not None:
            return self._run.replace("/0/", f"/{run}/")
        if instance:
            return self._grades.replace("/-/", f"/{instance}/")
        return self._agent.replace("/-/", f"/{agent}/")


# ---------- the others ----------


def _pairs(board: Board, solves: _Solves, instances: int) -> list[Pair]:
    """Return what each configuration tried in both modes solved in which; verified and reported count together."""
    tried: dict[int, dict[str, set[int]]] = defaultdict(dict)
    for row in board.rows:
        solved = tried[row.configuration.pk].setdefault(row.mode, set())
        solved |= solves.by_row.get(row.key, {}).keys()
    names = {row.configuration.pk: str(row.configuration) for row in board.rows}
    found = []
    for agent, modes in tried.items():
        if len(modes) < 2:
            continue
        code, proof = modes["codeproof"], modes["proof"]
        both = len(code & proof)
        found.append(
            Pair(
                names[agent],
                (
                    both,
                    len(code - proof),
                    len(proof - code),
                    instances - len(code | proof),
                ),
            )
        )
    return found


def _ensemble(board: Board, solves: _Solves) -> list[Addition]:
    if not board.rows:
        return []
    best = max(board.rows, key=lambda row: row.full_solves)
    own = [row for row in board.rows if row.configuration.pk == best.configuration.pk]
    found = [Addition("best single row", best.full_solves)]
    if len(own) > 1:
        found.append(
            Addition(
                f"{best.configuration}, all its rows",
                len(_union(solves, own)),
            )
        )
    if len(board.rows) > len(own):
        found.append(
            Addition(
                f"all {len(board.rows)} rows",
                len(_union(solves, board.rows)),
            )
        )
    return found


def _union(solves: _Solves, rows: Iterable[BoardRow]) -> set[int]:
    return {member for row in rows for member in solves.by_row.get(row.key, {})}


def _reasons(board: Board, cells: QuerySet[Cell]) -> list[Reasons]:
    """Return why specs failed by row of verified cells. One query."""
    counts: dict[Key, Counter[str]] = defaultdict(Counter)
    failed = cells.filter(basis=Cell.VERIFIED).filter(~Q(failures=""))
    for *key, text in failed.values_list(*_KEY, "failures"):
        total = counts[tuple(key)]
        for line in text.split("\n"):
            outcome, _, number = line.partition(" ")
            total[outcome] += int(number)
    names = _names(board)
    return [
        Reasons(names[row.key], MODE_WORDS[row.mode], dict(counts[row.key]))
        for row in board.rows
        if row.basis == Cell.VERIFIED
    ]


def _series(board: Board, solves: _Solves) -> list[Series]:
    names = _names(board)
    colours: dict[int, int] = {}
    found = []
    for row in board.rows:
        colour = colours.setdefault(row.configuration.pk, len(colours) % 4 + 1)
        hours = solves.by_row.get(row.key, {}).values()
        known = sorted(value for value in hours if value is not None)
        found.append(
            Series(
                names[row.key],
                MODE_WORDS[row.mode],
                row.mode == "proof",
                colour,
                tuple(known),
                len(hours) - len(known),
            )
        )
    return found
