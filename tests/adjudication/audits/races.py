"""People and workers who act on the same findings at the same moment, with the real actions.

Only Lean is a double: a `LeanStandIn` has the name of a toolchain and runs nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from django.db import transaction

from adjudication.audits.actions.claim_finding import claim_finding
from adjudication.audits.actions.merge_findings import (
    join_again,
    merge_findings,
    split_finding,
    take_apart,
)
from adjudication.audits.actions.repair_finding import link_repair
from adjudication.audits.actions.settle_finding import (
    Incomplete,
    ask_for_evidence,
    assign_finding,
    dismiss,
    rule,
    triage,
)
from adjudication.audits.models import Finding
from adjudication.audits.states import WrongMove
from adjudication.grading.checking import check
from adjudication.grading.decide import Verdict
from adjudication.grading.grader import Case, Grader
from adjudication.grading.intake import from_artifact
from adjudication.grading.outcomes import GREEN, LIGHTS, Light, Outcome, SpecVerdict
from adjudication.grading.overlay import overlay
from adjudication.runs.actions.publish_run import publish_run
from adjudication.runs.actions.regrade import apply_regrade_set, make_regrade_set
from adjudication.runs.actions.submit_artifact import submit_artifact
from adjudication.runs.models import GradingRun
from adjudication.standings.actions.make_set import put_into_set, take_out_of_set
from adjudication.standings.cells import rebuild_cells
from adjudication.standings.models import InstanceSet
from curation.format.instance import load_files
from curation.instances.models import Definition, Revision
from tests.adjudication.runs.made import make_configuration
from tests.adjudication.runs.test_pages import SPEC, artifact
from tests.curation.instances.made import IMPL, import_tiny, tiny
from workbench.access.models import Team, User
from workbench.events.correlation import correlated


class LeanStandIn(SimpleNamespace):
    """Double of a toolchain and its sandbox, at the border of the process: names, and no Lean behind them."""

    kind, version, digest = "double", "4.0.0", "d" * 64

    def library(self) -> list[Path]:
        return []

    def record(self, limits: object) -> dict[str, Any]:
        return {"kind": "double", "proven": True, "limits": {}}


def publish(run: GradingRun, outcome: Outcome, route: Any) -> None:
    """Publish what a grading of the tiny instance found, as a worker does."""
    files = tiny()
    loaded = load_files(files, run.instance.slug)
    taken = from_artifact(load_files(tiny(), "tiny"), "proof", artifact(str(run.pk)))
    lean: Any = LeanStandIn()
    grader = Grader(lean, lean, (), Path())
    checked = check(loaded, "proof", taken, grader.policy)
    case = Case(checked, overlay(checked), grader)
    lights = {name: Light(GREEN) for name in LIGHTS}
    spec = SpecVerdict(
        SPEC, outcome, route, lights=lights, theorem="disprove_push_size", statement="s"
    )
    with transaction.atomic():
        publish_run(run, case, Verdict((spec,)))


class Ground:
    """Instances of one team in one set, and what people and workers do to them."""

    def __init__(
        self, team: Team, users: dict[str, User], names: tuple[str, ...]
    ) -> None:
        self.team, self.users, self.names = team, users, names
        for name in self.names:
            import_tiny(users["curator"], team, tiny(name))
        self.board = InstanceSet.objects.create(team=team, slug="s", name="S")
        self.instances = [self.newest(name).instance for name in self.names]
        put_into_set(users["maintainer"], self.board, self.instances)

    def newest(self, name: str) -> Revision:
        return Revision.objects.select_related("instance__team").get(
            instance__slug=name, is_current=True
        )

    def finding(self, dice: random.Random) -> Finding | None:
        return Finding.objects.filter(
            instance__slug=dice.choice(self.names)
        ).select_related("instance__team").order_by("?").first()  # fmt: skip

    def submit(self, dice: random.Random, name: str = "") -> GradingRun:
        name = name or dice.choice(self.names)
        revision = self.newest(name)
        loaded = load_files(tiny(name), name)
        document = artifact(f"{dice.random()}").replace(b'"tiny"', f'"{name}"'.encode())
        taken = from_artifact(loaded, "proof", document)
        agent = make_configuration(self.team, dice.choice(("one", "two", "three")))
        return submit_artifact(self.users["submitter"], agent, revision, taken).run

    def grade(self, dice: random.Random) -> None:
        """Submit and publish at once, as a submitter and a worker do one after the other."""
        run = self.submit(dice)
        with correlated(uuid4()):
            if dice.random() < 0.7:
                publish(run, "passed", "disprove")
            else:
                publish(run, "sorry", "prove")

    def recheck(self, dice: random.Random) -> None:
        run = GradingRun.objects.filter(purpose="recheck", receipt_hash="").first()
        if run is not None:
            outcome: Outcome = dice.choice(("passed", "build_error"))
            publish(run, outcome, "disprove")

    def regrade(self, dice: random.Random) -> None:
        runs = GradingRun.objects.filter(is_current=True).select_related(
            "submission__team", "revision__instance", "instance", "adaptation"
        )
        chosen = list(runs.order_by("?")[:4])
        if not chosen:
            return
        with correlated(uuid4()):
            made = make_regrade_set(
                self.users["maintainer"], self.team, chosen, title="t", reason="r", key=str(uuid4())
            )  # fmt: skip
        for run in made.runs.all():
            publish(run, "passed", "disprove")
        with correlated(uuid4()):
            apply_regrade_set(self.users["maintainer"], made)

    def settle(self, dice: random.Random) -> None:
        """Take a finding one step further, or back."""
        finding, user = self.finding(dice), self.users["adjudicator"]
        if finding is None:
            return
        newest = self.newest(finding.instance.slug)
        words: dict[str, str] = {"category": "vacuous", "severity": "low"}
        ruled = partial(rule, user, finding, **words, rationale="never")
        closed = {Finding.REJECTED, Finding.DUPLICATE, Finding.NEEDS_EVIDENCE}
        acts: list[Callable[[], Any]] = [
            ruled,
            ruled,
            partial(assign_finding, user, finding, dice.choice((user, None))),
            partial(ask_for_evidence, user, finding, reason="which?"),
            partial(dismiss, user, finding, code="other", reason="no"),
        ]
        if finding.state in closed:
            acts = [partial(triage, user, finding)]
        elif finding.state in (Finding.CONFIRMED, Finding.REPAIR_DRAFTED):
            acts = [partial(link_repair, user, finding, newest), ruled]
        try:
            dice.choice(acts)()
        except (WrongMove, Incomplete):  # somebody was quicker
            pass

    def group(self, dice: random.Random) -> None:
        """Merge two, take one apart, split one, or report a spec by hand."""
        finding, other = self.finding(dice), self.finding(dice)
        user = self.users["adjudicator"]
        if finding is None or other is None:
            return
        closures = list(finding.closures.values_list("pk", flat=True))
        spec = Definition.objects.get(instance=finding.instance_id, lean_name=SPEC)
        acts: list[Callable[[], Any]] = [
            partial(merge_findings, user, finding, other),
            partial(take_apart, user, finding),
            partial(join_again, user, finding),
            partial(split_finding, user, finding, closures[:1], reason="another"),
            partial(
                claim_finding,
                self.users["curator"],
                finding.instance,
                [spec.pk],
                route=dice.choice(("disprove", "unsat")),
                words=dice.choice("abc"),
            ),
        ]
        try:
            dice.choice(acts)()
        except (WrongMove, Incomplete):  # somebody was quicker
            pass

    def revise(self, dice: random.Random, name: str = "") -> None:
        impl = IMPL.replace("n :: xs", f"n :: (xs /- {dice.random()} -/)")
        files = tiny(name or dice.choice(self.names), impl=impl)
        import_tiny(self.users["curator"], self.team, files)

    def sets(self, dice: random.Random) -> None:
        rebuild_cells(InstanceSet.objects.get(pk=self.board.pk))
        if dice.random() < 0.5:
            member = self.board.members.first()
            if member is not None:
                take_out_of_set(self.users["maintainer"], self.board, member)
            put_into_set(self.users["maintainer"], self.board, self.instances)

    def faults(self) -> Iterator[str]:
        """Yield what is not as the history tells it; nothing where all is well."""
        for finding in Finding.objects.all():
            points = list(finding.turning_points.order_by("pk"))
            before = Finding.NEW
            for point in points:
                if point.before != before:
                    yield f"{finding} went from {point.before}, it was {before}"
                before = point.after
            if finding.state != before:
                yield f"{finding} is {finding.state}, its history says {before}"
            merged = finding.merges.filter(is_current=True).exists()
            if merged != (finding.state == Finding.DUPLICATE):
                yield f"{finding} is {finding.state}, merged: {merged}"
            if finding.closures.exists() == merged:
                yield f"{finding} has its closures in the wrong place"
        cells = sorted(self.board.cells.values_list("member", "run", "passed"))
        rebuild_cells(self.board)
        if sorted(self.board.cells.values_list("member", "run", "passed")) != cells:
            yield "cells are not what the current runs say"

    def work(self, what: str, seed: int, rounds: int) -> None:
        """Do `what` so many times."""
        dice = random.Random(f"{what} {seed}")  # a test that can be repeated
        for _ in range(rounds):
            with correlated(uuid4()):
                getattr(self, what)(dice)
