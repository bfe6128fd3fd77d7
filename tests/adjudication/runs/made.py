"""Runs made in the database, as a grading would have published them, without a Lean."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from django.test import override_settings
from django.utils import timezone

from adjudication.runs import machine
from adjudication.runs.actions.publish_run import make_current
from adjudication.runs.models import (
    Adaptation,
    Configuration,
    GradingRun,
    Outcome,
    Submission,
)
from curation.instances.models import Definition, Placement, Revision
from workbench.access.models import Team
from workbench.content.trees import store_tree
from workbench.setup.places import ROOT


def make_configuration(team: Team, name: str = "agent") -> Configuration:
    """Return the configuration `name` of `team`, made if it is new."""
    return Configuration.objects.get_or_create(
        team=team, slug=name, defaults={"harness": name}
    )[0]


def make_submission(
    revision: Revision,
    configuration: Configuration,
    *,
    mode: str = "proof",
    cost: str | None = None,
) -> Submission:
    """Return a new submission, empty but for its rows."""
    number = Submission.objects.count()
    key = hashlib.sha256(f"made {number}".encode()).hexdigest()
    return Submission.objects.create(
        team_id=revision.team_id,
        instance=revision.instance,
        revision=revision,
        mode=mode,
        configuration=configuration,
        key=key,
        slot_digest=key,
        files=store_tree({"artifact.json": b'{"slots": [], "number": %d}' % number}),
        cost_usd=None if cost is None else Decimal(cost),
    )


def make_run(
    submission: Submission,
    outcomes: Mapping[str, str],
    *,
    current: bool = True,
    revision: Revision | None = None,
    adaptation: Adaptation | None = None,
) -> GradingRun:
    """Return an ended run with `outcomes` (spec → outcome, or `passed:route`); it becomes current, with all that follows."""
    against = revision or submission.revision
    passed = sum(what.startswith("passed") for what in outcomes.values())
    number = submission.runs.count() + 1
    last = GradingRun.objects.filter(instance=submission.instance).ended().first()
    run = GradingRun.objects.create(
        submission=submission,
        instance=submission.instance,
        revision=against,
        number=number,
        adaptation=adaptation,
        receipt_hash=hashlib.sha256(
            f"run {GradingRun.objects.count()}".encode()
        ).hexdigest(),
        previous_receipt=last.receipt_hash if last else "",
        toolchain="pocket 4.35.0",
        grader_digest="0" * 64,
        settings_digest="1" * 64,
        sandbox="bubblewrap",
        spec_count=len(outcomes),
        passed_count=passed,
        full_solve=passed == len(outcomes),
        finished_at=timezone.now(),
    )
    placed = Placement.objects.filter(revision=against, kind=Definition.SPEC)
    ids = dict(placed.values_list("definition__lean_name", "definition_id"))
    for position, (spec, what) in enumerate(outcomes.items()):
        outcome, _, route = what.partition(":")
        Outcome.objects.create(
            run=run,
            definition_id=ids.get(spec),
            spec=spec,
            position=position,
            outcome=outcome,
            route=route or "prove",
            lights="ggggg" if outcome == "passed" else "gr---",
            theorem=f"prove_{spec}",
            statement=hashlib.sha256(spec.encode()).hexdigest(),
        )
    if current:
        make_current(run)
    return run


@contextmanager
def grading_here() -> Iterator[Path]:
    """Give a data folder of the test's own, in which jobs grade with the compiled core that all tests share."""
    cache = ROOT / "var" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as name,
        override_settings(DATA_DIR=Path(name)),
        patch.dict(machine._graders, clear=True),
    ):
        (Path(name) / "cache").symlink_to(cache)
        yield Path(name)
