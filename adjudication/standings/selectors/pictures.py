"""The pictures of a board: what each needs is asked in a fixed number of queries and drawn by `charts`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F, QuerySet
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
from adjudication.standings.charts.table import tabled
from adjudication.standings.models import Cell, InstanceSet
from adjudication.standings.selectors.board import Board, BoardRow

MODE_WORDS = {"codeproof": "code+proof", "proof": "proof"}
MOST_DRAWN, MOST_ROWS = 1_800, 30
Key = tuple[int, str, str, str]
TONES: dict[str, str] = {outcome: tone_of(outcome) for outcome in PRECEDENCE}


@dataclass(frozen=True)
class Member:
    """A place of the set; `slug` and `instance` are None where only reported results are known of it."""

    pk: int
    name: str
    slug: str | None
    instance: int | None


@dataclass(frozen=True)
class Addition:
    """What rows together solve in full: "best single row", "all eight rows"."""

    words: str
    count: int


@dataclass(frozen=True)
class Pictures:
    """All pictures of a board as it is cut now, made of the rows that count (`Board.counted`)."""

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


def pictures(
    board: Board, disputed: Mapping[int, int] | None = None, *, whole: bool = False
) -> Pictures:
    """Return the pictures of the rows of `board` that count. Five queries.

    `disputed` says how many specs of an instance are; `whole` draws the matrix without a limit, for a download.
    """
    cells = _cells(board)
    rows = board.counted if whole else board.counted[:MOST_ROWS]
    view = _View(board, rows, _names(board), cells, _solves(cells))
    members = [
        Member(*row)
        for row in board.set.members.order_by("name").values_list(
            "pk", "name", "instance__slug", "instance"
        )
    ]
    counts = view.solves.counts()
    per_solvers = Counter(counts.get(member.pk, 0) for member in members)
    none = [member.name for member in members if not counts.get(member.pk)]
    return Pictures(
        matrix=tabled(_matrix(view, members, counts, disputed or {}, whole)),
        solvers=solvers(sorted(per_solvers.items(), reverse=True), none),
        modes=tabled(pair_bars(_pairs(view, len(members))[: len(rows)])),
        failures=tabled(failures(_reasons(view), TONES)),
        curves=tabled(curves(_series(view))),
        ensemble=_ensemble(view),
    )


@dataclass(frozen=True)
class _View:
    """What all pictures are made from: `rows` are drawn, the board's counted ones are counted; names and solves by row."""

    board: Board
    rows: Sequence[BoardRow]
    names: Mapping[Key, str]
    cells: QuerySet[Cell]
    solves: _Solves


def _cells(board: Board) -> QuerySet[Cell]:
    """Return the cells of the rows that count, unordered."""
    cells = board.set.cells.order_by()
    modes = {row.mode for row in board.counted}
    bases = {row.basis for row in board.counted}
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
    """Return how pictures name a row: by model and effort, with what else is needed to tell it from the others."""
    short = {
        row.configuration.pk: " ".join(
            filter(None, (row.configuration.model, row.configuration.effort))
        )
        or str(row.configuration)
        for row in board.counted
    }
    shared = Counter(short.values())
    alike = Counter(row.key[:3] for row in board.counted)
    found = {}
    for row in board.counted:
        name = short[row.configuration.pk]
        if shared[name] > 1:
            name = str(row.configuration)
        if alike[row.key[:3]] > 1:
            name = f"{name} ({row.settings[:6]})"
        found[row.key] = name
    return found


# ---------- the matrix ----------


def _matrix(
    view: _View,
    members: Sequence[Member],
    counts: Counter[int],
    disputed: Mapping[int, int],
    whole: bool,
) -> Picture:
    rows = view.rows
    room = len(members) if whole else MOST_DRAWN // max(1, len(rows))
    chosen = _chosen(members, counts, room)
    places = {member.pk: number for number, member in enumerate(chosen)}
    numbers = {row.key: number for number, row in enumerate(rows)}
    slugs = {member.pk: member.slug for member in chosen}
    agents = {row.configuration.pk: row.configuration.slug for row in rows}
    wanted = view.cells
    if len(chosen) < len(members):
        wanted = wanted.filter(member__in=list(places))
    if len(rows) < len(view.board.counted):
        wanted = wanted.filter(configuration__in=list(agents))
    squares = {}
    links = _Links(view.board.set)
    for *key, member, run, passed, specs in wanted.values_list(
        *_KEY, "member", "run", "passed", "specs"
    ):
        number = numbers.get(tuple(key))
        if number is not None and member in places:
            href = links.to(run, slugs[member], agents[key[0]])
            squares[number, places[member]] = Square(passed, specs, href)
    return matrix(
        [Row(view.names[row.key], MODE_WORDS[row.mode], row.basis) for row in rows],
        [
            Column(
                member.name,
                counts.get(member.pk, 0),
                disputed.get(member.instance or 0, 0),
            )
            for member in chosen
        ],
        squares,
        _left_out(view, len(chosen), len(members)),
    )


def _chosen(members: Sequence[Member], counts: Counter[int], room: int) -> list[Member]:
    """Return the members to draw: all, or the `room` that the most rows solve."""
    if len(members) <= room:
        return list(members)
    return sorted(members, key=lambda one: (-counts.get(one.pk, 0), one.name))[:room]


def _left_out(view: _View, drawn: int, members: int) -> str:
    """Return what the matrix does not show, in words."""
    words = []
    counted = len(view.board.counted)
    if len(view.rows) < counted or drawn < members:
        words.append(
            f"Drawn are the first {len(view.rows)} of {counted} rows and the {drawn:,} of {members:,} instances "
            "that most of them solve; the downloads have all."
        )
    if others := len(view.board.rows) - counted:
        words.append(
            f"{others} reported {'row is' if others == 1 else 'rows are'} not counted in these pictures."
        )
    return " ".join(words)


class _Links:
    """Addresses of cells, made once and filled in: a board has thousands."""

    def __init__(self, found: InstanceSet) -> None:
        self._run = reverse("runs:detail", args=[0])
        self._agent = f"{reverse('boards:configuration', args=['-'])}?set={found.slug}"
        self._grades = reverse("grades:instance", args=["-"])

    def to(self, run: int | None, instance: str | None, agent: str) -> str:
        """Return where a cell leads: its run, else the grades of its instance, else the page of its configuration."""
        if run is not None:
            return self._run.replace("/0/", f"/{run}/")
        if instance:
            return self._grades.replace("/-/", f"/{instance}/")
        return self._agent.replace("/-/", f"/{agent}/")


# ---------- the others ----------


def _pairs(view: _View, instances: int) -> list[Pair]:
    """Return what each configuration tried in both modes solved in which; its rows of other settings count together."""
    tried: dict[int, dict[str, set[int]]] = defaultdict(dict)
    names: dict[int, str] = {}
    for row in view.board.counted:
        solved = tried[row.configuration.pk].setdefault(row.mode, set())
        solved.update(view.solves.by_row.get(row.key, {}))
        names[row.configuration.pk] = view.names[row.key]
    found = []
    for agent, modes in tried.items():
        if len(modes) < 2:
            continue
        code, proof = modes["codeproof"], modes["proof"]
        counts = (
            len(code & proof),
            len(code - proof),
            len(proof - code),
            instances - len(code | proof),
        )
        found.append(Pair(names[agent], counts))
    return found


def _ensemble(view: _View) -> list[Addition]:
    rows = view.board.counted
    if not rows:
        return []
    best = max(rows, key=lambda row: row.full_solves)
    own = [row for row in rows if row.configuration.pk == best.configuration.pk]
    found = [Addition("best single row", best.full_solves)]
    if len(own) > 1:
        words = f"{view.names[best.key]}, either mode"
        found.append(Addition(words, len(_union(view.solves, own))))
    if len(rows) > len(own):
        words = f"all {len(rows)} rows"
        found.append(Addition(words, len(_union(view.solves, rows))))
    return found


def _union(solves: _Solves, rows: Iterable[BoardRow]) -> set[int]:
    return {member for row in rows for member in solves.by_row.get(row.key, {})}


def _reasons(view: _View) -> list[Reasons]:
    """Return why specs failed by drawn row of verified cells. One query."""
    cells = view.cells.filter(basis=Cell.VERIFIED).exclude(failures="")
    if len(view.rows) < len(view.board.counted):
        agents = {row.configuration.pk for row in view.rows}
        cells = cells.filter(configuration__in=agents)
    counts: dict[Key, Counter[str]] = defaultdict(Counter)
    for *key, text in cells.values_list(*_KEY, "failures"):
        total = counts[tuple(key)]
        for line in text.split("\n"):
            outcome, _, number = line.partition(" ")
            total[outcome] += int(number)
    return [
        Reasons(view.names[row.key], MODE_WORDS[row.mode], dict(counts[row.key]))
        for row in view.rows
        if row.basis == Cell.VERIFIED
    ]


def _series(view: _View) -> list[Series]:
    colours: dict[int, int] = {}
    found = []
    for row in view.rows:
        colour = colours.setdefault(row.configuration.pk, len(colours) % 4 + 1)
        hours = view.solves.by_row.get(row.key, {}).values()
        known = sorted(value for value in hours if value is not None)
        found.append(
            Series(
                view.names[row.key],
                MODE_WORDS[row.mode],
                row.mode == "proof",
                colour,
                tuple(known),
                len(hours) - len(known),
            )
        )
    return found
