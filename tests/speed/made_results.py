"""Graded results of any number, as gradings would have published them: instances, configurations, runs, outcomes.

Made for measuring, deterministic. Rows are written past the actions, in bulk; the set and its cells are made by the product.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudication.runs.models import Configuration, GradingRun
    from adjudication.standings.models import InstanceSet
    from curation.instances.models import Revision
    from workbench.access.models import Team

MODES = ("codeproof", "proof")
_FAILED: tuple[str, ...] = ("unfilled",) * 10 + ("build_error",) * 5 + ("sorry",) * 3
_FAILED += ("declined", "statement_changed", "axiom")
_OUTCOME = (
    "run_id", "definition_id", "spec", "position", "outcome", "route", "detail", "lights", "theorem", "statement",
    "axioms", "flags",
)  # fmt: skip
_DETAIL = "Proof/Core.lean:112:4: error: unsolved goals after the last tactic"


@dataclass(frozen=True)
class Shape:
    """What to make. `passed(instance, agent, mode)` says how many specs of that instance pass there, None: not tried."""

    instances: Sequence[tuple[str, int]]
    agents: Sequence[tuple[str, str, str]]
    passed: Callable[[int, int, str], int | None]


def even(instances: int, agents: int, specs: int) -> Shape:
    """Return a shape in which everybody tried everything, once a mode; one in five places is a full solve."""

    def passed(instance: int, agent: int, mode: str) -> int:
        luck = random.Random(f"{instance} {agent} {mode}").random()
        share = 1.5 * luck + 0.4 * (1 - agent / agents) - 0.5 * (instance / instances)
        return max(0, min(specs, round(specs * share)))

    return Shape(
        [(f"board-{n:04}", specs) for n in range(instances)],
        [("Lathe", f"Orla {n:03}", "high") for n in range(agents)],
        passed,
    )


def fill(team: Team, name: str, shape: Shape) -> tuple[InstanceSet, int]:
    """Make all of `shape` in `team` and a set `name` over it; return the set and how many outcomes there are.

    The canaries of their grader were green.
    """
    from django.db import transaction

    from adjudication.runs.models import CanaryBadge
    from adjudication.standings.actions.make_set import make_set
    from adjudication.standings.models import InstanceSet
    from curation.instances.models import Instance

    with transaction.atomic():
        revisions = [
            _instance(team, slug, specs, number % 2 + 1)
            for number, (slug, specs) in enumerate(shape.instances)
        ]
        runs = list(_runs(team, shape, revisions))
        total = _outcomes(runs, revisions)
    CanaryBadge.objects.create(
        toolchain="elan 4.29.1", toolchain_digest="t" * 64, grader_digest="0" * 64, sandbox="bubblewrap", ok=True,
        cheats=41, honest=12, document="{}",
    )  # fmt: skip
    _analyze()
    slugs = [slug for slug, _ in shape.instances]
    rows = list(Instance.objects.filter(team=team, slug__in=slugs))
    made = make_set(None, team, name, rows)
    return InstanceSet.objects.get(pk=made.pk), total


def _instance(team: Team, slug: str, specs: int, track: int) -> Revision:
    """Return the revision of an instance of that name, made with its specs unless it is there."""
    from curation.instances.models import (
        Definition,
        Instance,
        Placement,
        Revision,
        Translation,
    )

    there = Revision.objects.filter(
        instance__team=team, instance__slug=slug, is_current=True
    ).first()
    if there is not None:
        return there
    like = Revision.objects.filter(is_current=True, instance__slug="ivalset").get()
    instance = Instance.objects.create(
        team=team, slug=slug, benchmark_id=slug, language="python", track=track
    )
    revision = Revision.objects.create(
        instance=instance, number=1, snapshot_id=like.snapshot_id, root_package="Made", lean_version="4.29.1",
        spec_count=specs, definition_count=specs, module_count=1,
    )  # fmt: skip
    definitions = Definition.objects.bulk_create(
        Definition(
            instance=instance,
            lean_name=f"spec_{slug}_{n:03}".replace("-", "_"),
            path="Spec.lean",
        )
        for n in range(specs)
    )
    texts = Translation.objects.bulk_create(
        Translation(
            definition=row,
            number=1,
            lean_keyword="def",
            text="def x := 1",
            text_hash="0" * 64,
        )
        for row in definitions
    )
    Placement.objects.bulk_create(
        Placement(
            revision=revision, definition=row, translation=text, kind=Definition.SPEC, module="Core", line_start=n + 1,
            line_end=n + 1, position=n,
        )
        for n, (row, text) in enumerate(zip(definitions, texts, strict=True))
    )  # fmt: skip
    return revision


def _runs(
    team: Team, shape: Shape, revisions: Sequence[Revision]
) -> Iterator[GradingRun]:
    """Yield the runs, current ones, instance by instance."""
    from adjudication.runs.models import Configuration, GradingRun, Submission

    agents: list[Configuration] = []
    for harness, model, effort in shape.agents:
        slug = f"{harness}-{model}-{effort}".lower().replace(" ", "-").replace(".", "-")
        agents.append(
            Configuration.objects.get_or_create(
                team=team,
                slug=slug.strip("-"),
                defaults={"harness": harness, "model": model, "effort": effort},
            )[0]
        )
    for number, revision in enumerate(revisions):
        places = [
            (agent, mode, count)
            for n, agent in enumerate(agents)
            for mode in MODES
            if (count := shape.passed(number, n, mode)) is not None
        ]
        submissions = Submission.objects.bulk_create(
            _submission(team, revision, agent, mode, passed)
            for agent, mode, passed in places
        )
        yield from GradingRun.objects.bulk_create(
            _run(submission, revision, passed, last)
            for last, (submission, (_, _, passed)) in enumerate(
                zip(submissions, places, strict=True)
            )
        )


def _submission(
    team: Team, revision: Revision, agent: Configuration, mode: str, passed: int
) -> Any:
    from adjudication.runs.models import Submission

    key = _digest(f"{revision.pk} {agent.pk} {mode}")
    luck = random.Random(key)
    hours = luck.lognormvariate(1.1, 0.9) * (1 if passed == revision.spec_count else 2)
    return Submission(
        team=team, instance_id=revision.instance_id, revision=revision, mode=mode, configuration=agent, key=key,
        slot_digest=key, files_id=revision.snapshot_id, elapsed_s=round(3600 * hours, 1), cost_basis="estimated",
        cost_usd=Decimal(round(14 * hours + passed / 8, 2)).quantize(Decimal("0.01")),
    )  # fmt: skip


def _run(submission: Any, revision: Revision, passed: int, last: int) -> Any:
    from django.utils import timezone

    from adjudication.runs.models import GradingRun

    chain = f"{revision.pk} {last}"
    return GradingRun(
        submission=submission, instance_id=revision.instance_id, revision=revision, number=1, is_current=True,
        toolchain="elan 4.29.1", publishable=True, toolchain_digest="t" * 64, grader_digest="0" * 64,
        settings_digest="1" * 64, sandbox="bubblewrap", spec_count=revision.spec_count, passed_count=passed,
        full_solve=passed == revision.spec_count, seconds=12.5, receipt_hash=_digest(f"receipt {chain}"),
        previous_receipt=_digest(f"receipt {revision.pk} {last - 1}") if last else "",
        finished_at=timezone.now() - timedelta(minutes=7 * last),
    )  # fmt: skip


def _outcomes(runs: Iterable[GradingRun], revisions: Sequence[Revision]) -> int:
    """Write the outcomes of `runs`; return how many. The hard specs of an instance are hard for everybody."""
    from django.db import connection

    specs = {revision.pk: _specs(revision) for revision in revisions}
    rows = (row for run in runs for row in _rows(run, specs[run.revision_id]))
    if connection.vendor != "postgresql":
        return _insert(rows)
    total = 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('is_superuser')")
        if cursor.fetchone()[0] == "on":  # two million rows whose references we know
            cursor.execute("SET LOCAL session_replication_role = replica")
        with cursor.copy(
            f"COPY runs_outcome ({', '.join(_OUTCOME)}) FROM STDIN"
        ) as copy:
            for row in rows:
                copy.write_row(row)
                total += 1
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
    return total


def _insert(rows: Iterable[tuple[Any, ...]]) -> int:
    from adjudication.runs.models import Outcome

    made = (Outcome(**dict(zip(_OUTCOME, row, strict=True))) for row in rows)
    return len(Outcome.objects.bulk_create(made, batch_size=500))


def _specs(revision: Revision) -> list[tuple[int, str, int]]:
    """Return (definition, name, position) of the specs of a revision, the easiest first."""
    from curation.instances.models import Definition, Placement

    placed = Placement.objects.filter(revision=revision, kind=Definition.SPEC)
    rows = list(placed.values_list("definition", "definition__lean_name").order_by("position"))  # fmt: skip
    found = [(pk, name, number) for number, (pk, name) in enumerate(rows)]
    random.Random(revision.pk).shuffle(found)
    return found


def _rows(
    run: GradingRun, specs: Sequence[tuple[int, str, int]]
) -> Iterator[tuple[Any, ...]]:
    luck = random.Random(run.pk)
    # Not strictly in order: the last three of what passes are drawn from the six around the border.
    border = specs[max(0, run.passed_count - 3) : run.passed_count + 3]
    drawn = luck.sample(border, min(3, run.passed_count)) if border else []
    passing = {pk for pk, _, _ in specs[: max(0, run.passed_count - 3)]}
    passing |= {pk for pk, _, _ in drawn}
    for definition, spec, position in specs:
        good = definition in passing
        yield (
            run.pk, definition, spec, position, "passed" if good else luck.choice(_FAILED), "prove",
            "" if good else _DETAIL, "ggggg" if good else "gr---", f"prove_{spec}", _STATEMENT,
            "propext\nQuot.sound" if good else "", "",
        )  # fmt: skip


_STATEMENT = "5" * 64


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()


def _analyze() -> None:
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
