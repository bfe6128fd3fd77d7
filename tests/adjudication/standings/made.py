"""A set with reported and graded results, for the tests of boards."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from adjudication.runs.models import CanaryBadge, GradingRun
from adjudication.standings.actions.import_results import import_results
from adjudication.standings.actions.make_set import make_set
from adjudication.standings.models import InstanceSet
from adjudication.standings.results_csv import read_results
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import InstanceCase

SPEC = "spec_push_size"
HEAD = "track,instance,specs,a_cp,a_po,b_cp,b_po\n"
TABLE = (
    HEAD + "1,one,10,10,10,9,0\n" + "2,two,20,20,4,20,20\n" + "2,three,30,19,30,,0\n"
)


def make_badge(
    *, ok: bool = True, toolchain: str = "t" * 64, grader: str = "0" * 64
) -> CanaryBadge:
    """Return what the canaries did with the grader of `publishable` runs."""
    return CanaryBadge.objects.create(
        toolchain="elan 4.29.1",
        toolchain_digest=toolchain,
        grader_digest=grader,
        sandbox="bubblewrap",
        ok=ok,
        cheats=41,
        honest=12,
        document="{}",
    )


def publishable(run: GradingRun) -> GradingRun:
    """Make `run` one of a real toolchain, in a sandbox that holds."""
    GradingRun.objects.filter(pk=run.pk).update(
        toolchain="elan 4.29.1", toolchain_digest="t" * 64, publishable=True
    )
    run.refresh_from_db()
    return run


class BoardCase(InstanceCase):
    """`self.set` holds the tiny instance; `self.told` holds only reported results."""

    def setUp(self) -> None:
        super().setUp()
        self.revision = self.instance.revisions.get(is_current=True)
        self.set = make_set(self.maintainer.user, self.team, "Small", [self.instance])

    def told(self, costs: dict[str, Decimal] | None = None) -> InstanceSet:
        results = read_results(TABLE.encode())
        return import_results(
            self.maintainer.user, self.team, "Told", results, costs
        ).set

    def run_of(
        self, name: str = "agent", outcome: str = "passed", **more: Any
    ) -> GradingRun:
        agent = make_configuration(self.team, name)
        return make_run(make_submission(self.revision, agent, **more), {SPEC: outcome})
