"""The board of a set: one row a configuration and mode. Source: standings.md, "Numbers"."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db.models import Count, F, FloatField, Q, Sum
from django.db.models.functions import Cast

from adjudication.runs.models import Configuration
from adjudication.standings.median import Median
from adjudication.standings.models import Cell, InstanceSet, ReportedSpend

NEAR, FAR = 5, 10


@dataclass(frozen=True)
class BoardRow:
    """A place. `micro` is specs passed of all specs of the set, `macro` the mean share over its instances.

    What was not handed in counts as not passed in both; `covered` says how many instances were. Costs are US dollars,
    None where not recorded; `costed` says for how many instances they are. `minutes` is the median of the recorded times,
    `timed` how many those are; `outdated` are the instances graded on an older revision than their current one. Equal numbers of full solves share a `rank`; verified and reported rows are ranked apart.
    """

    rank: int
    configuration: Configuration
    mode: str
    basis: str
    settings: str
    covered: int
    full_solves: int
    specs_passed: int
    micro: float
    macro: float
    near_misses: int
    far: int
    cost_usd: Decimal | None
    costed: int = 0
    tied: bool = False
    minutes: float | None = None
    timed: int = 0
    outdated: int = 0

    @property
    def key(self) -> tuple[int, str, str, str]:
        """What tells the row from others: configuration, mode, basis, settings."""
        return (self.configuration.pk, self.mode, self.basis, self.settings)

    @property
    def cost_is_whole(self) -> bool:
        """Whether the cost of everything handed in is known; a sum of some of it is compared with nothing."""
        return self.cost_usd is not None and self.costed == self.covered

    @property
    def cost_per_solve(self) -> Decimal | None:
        """US dollars for each full solve; None without a whole cost or a solve."""
        return _share(self.cost_usd, self.full_solves) if self.cost_is_whole else None

    @property
    def cost_per_spec(self) -> Decimal | None:
        """US dollars for each spec passed; None without a whole cost or a pass."""
        return _share(self.cost_usd, self.specs_passed) if self.cost_is_whole else None


@dataclass(frozen=True)
class Board:
    """A whole board, best first. `instances` and `specs` are the denominators."""

    set: InstanceSet
    instances: int
    specs: int
    rows: Sequence[BoardRow]

    @cached_property
    def counted(self) -> Sequence[BoardRow]:
        """The rows that counts over several rows are made of: the verified ones, or the reported ones where there is no other."""
        verified = [row for row in self.rows if row.basis == Cell.VERIFIED]
        return verified or self.rows


def _share(cost: Decimal | None, count: int) -> Decimal | None:
    return (
        None
        if cost is None or not count
        else (cost / count).quantize(Decimal("0.000001"))
    )


def board(found: InstanceSet, *, mode: str = "", basis: str = "") -> Board:
    """Return the board of a set, cut to a mode or basis where given. Four queries."""
    totals = found.members.aggregate(instances=Count("pk"), specs=Sum("specs"))
    instances, specs = totals["instances"], totals["specs"] or 0
    cells = found.cells.all()
    if mode:
        cells = cells.filter(mode=mode)
    if basis:
        cells = cells.filter(basis=basis)
    share = Cast(F("passed"), FloatField()) / Cast(F("specs"), FloatField())
    grouped = list(
        cells.order_by()
        .values("configuration", "mode", "basis", "settings_digest")
        .annotate(
            covered=Count("pk"),
            full=Count("pk", filter=Q(passed=F("specs"))),
            sum_passed=Sum("passed"),
            sum_share=Sum(share, filter=Q(specs__gt=0)),
            near=Count(
                "pk", filter=Q(passed__lt=F("specs"), passed__gte=F("specs") - NEAR)
            ),
            far=Count("pk", filter=Q(passed__lt=F("specs") - FAR)),
            cost=Sum("cost_usd"),
            costed=Count("cost_usd"),
            seconds=Median("elapsed_s"),
            timed=Count("elapsed_s"),
            outdated=Count("pk", filter=Q(revision__lt=F("member__revision"))),
        )
    )
    spends = {
        (spend.configuration_id, spend.mode): spend.cost_usd
        for spend in ReportedSpend.objects.filter(set=found)
    }
    agents = Configuration.objects.in_bulk({row["configuration"] for row in grouped})
    grouped.sort(
        key=lambda row: (*_order(row), str(agents[row["configuration"]]), row["mode"])
    )
    rows: list[BoardRow] = []
    shared = Counter((row["basis"], row["full"]) for row in grouped)
    first = {basis: 0 for basis, _ in Cell.BASES}
    for number, row in enumerate(grouped):
        first[row["basis"]] = first[row["basis"]] or number + 1
        place = number + 2 - first[row["basis"]]
        tied = place > 1 and rows[-1].full_solves == row["full"]
        cost, costed = row["cost"], row["costed"]
        if cost is None and row["basis"] == Cell.REPORTED:
            cost = spends.get((row["configuration"], row["mode"]))
            costed = row["covered"]  # reported for all of it
        rows.append(
            BoardRow(
                rank=rows[-1].rank if tied else place,
                configuration=agents[row["configuration"]],
                mode=row["mode"],
                basis=row["basis"],
                settings=row["settings_digest"],
                covered=row["covered"],
                full_solves=row["full"],
                specs_passed=row["sum_passed"],
                micro=row["sum_passed"] / specs if specs else 0.0,
                macro=(row["sum_share"] or 0.0) / instances if instances else 0.0,
                near_misses=row["near"],
                far=row["far"],
                cost_usd=cost,
                costed=costed,
                tied=shared[row["basis"], row["full"]] > 1,
                minutes=None if row["seconds"] is None else row["seconds"] / 60,
                timed=row["timed"],
                outdated=row["outdated"],
            )
        )
    return Board(found, instances, specs, rows)


def _order(row: Any) -> tuple[bool, int, int]:
    """Verified before reported, then full solves, then specs passed; most first."""
    return row["basis"] != Cell.VERIFIED, -row["full"], -row["sum_passed"]


def full_solves(found: InstanceSet, basis: str) -> dict[tuple[int, str], set[int]]:
    """Return the members solved in full, by (configuration, mode); an empty set for what was tried. One query."""
    solved: dict[tuple[int, str], set[int]] = defaultdict(set)
    for agent, mode, member, passed, specs in found.cells.filter(
        basis=basis
    ).values_list("configuration", "mode", "member", "passed", "specs"):
        place = solved[agent, mode]
        if passed == specs:
            place.add(member)
    return dict(solved)


def pairs(
    found: InstanceSet, solved: dict[tuple[int, str], set[int]]
) -> dict[str, int]:
    """Return how many (configuration, instance) were solved in full in both modes, in one, in none.

    Only configurations that were tried in both modes count.
    """
    members = set(found.members.values_list("pk", flat=True))
    counts: Counter[str] = Counter(
        {"both": 0, "code_proof_only": 0, "proof_only": 0, "neither": 0}
    )
    for agent in {agent for agent, _ in solved}:
        if (agent, "proof") not in solved or (agent, "codeproof") not in solved:
            continue
        proof, code = solved[agent, "proof"], solved[agent, "codeproof"]
        counts["both"] += len(proof & code)
        counts["code_proof_only"] += len(code - proof)
        counts["proof_only"] += len(proof - code)
        counts["neither"] += len(members - proof - code)
    return dict(counts)
