"""Hand in filled slots: the submission is kept, and a grading run of it is queued."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.dateparse import parse_datetime

from adjudication.grading.intake import WITNESS_NAME, idempotency_key, slot_digest
from adjudication.grading.intake import Submission as Taken
from adjudication.runs.actions.queue_run import queue_run
from adjudication.runs.models import (
    Adaptation,
    Configuration,
    GradingRun,
    Refusal,
    Submission,
)
from adjudication.upkeep import demand_quota
from curation.format.artifact import ARTIFACT_NAME, write_artifact
from curation.instances.locks import hold_instances
from curation.instances.models import Revision
from workbench.access.models import Team, User
from workbench.access.rights import require
from workbench.access.roles import SUBMIT
from workbench.content.trees import store_tree
from workbench.events.log import record

# Runs beside which one on the adaptation would say nothing new.
_SETTLED = Q(adaptation__isnull=False) | Q(finished_at__isnull=False)
_MONEY, _LARGEST = Decimal("99999999"), 9_007_199_254_740_991


@dataclass(frozen=True)
class HandedIn:
    """What became of it. `new` is False where the same submission was here before; `run` is its newest run."""

    submission: Submission
    run: GradingRun
    new: bool


def submit_artifact(
    user: User | None,
    configuration: Configuration,
    revision: Revision,
    taken: Taken,
    *,
    file_name: str = "",
    adaptation: Adaptation | None = None,
) -> HandedIn:
    """Return the submission of what was `taken` in, with the run that grades it; `user` None is the operator.

    With an `adaptation` of the revision, that is what is built; such a verdict is never published.

    The same slots for the same revision, mode and configuration are the same submission; one that has no verdict yet is graded on
    the adaptation too when that is asked for. Raises `AccessDenied`, and `NoRoom` above the quota of the team.
    """
    instance = revision.instance
    if user is not None:
        require(user, SUBMIT, instance)
        require(user, SUBMIT, configuration)
    slots = slot_digest(taken.artifact)
    key = idempotency_key(
        slots, revision.snapshot.digest, taken.artifact.mode, str(configuration.pk)
    )
    with transaction.atomic():
        hold_instances([instance.pk])
        known = Submission.objects.filter(key=key).first()
        if known is None:
            try:
                with transaction.atomic():
                    made = _made(
                        user, configuration, revision, taken, key, slots, file_name
                    )
            except IntegrityError:  # handed in twice at the same moment
                known = Submission.objects.get(key=key)
            else:
                record(
                    "submission.made",
                    user,
                    made,
                    mode=made.mode,
                    configuration=str(configuration),
                )
                return HandedIn(
                    made, queue_run(user, made, adaptation=adaptation), True
                )
        if adaptation is not None and not known.runs.filter(_SETTLED).exists():
            return HandedIn(known, queue_run(user, known, adaptation=adaptation), False)
        return HandedIn(known, known.runs.order_by("-number")[0], False)


def refuse(
    user: User | None, team: Team, file_name: str, size: int, why: str
) -> Refusal:
    """Keep that a file was handed in and not taken, and why."""
    return Refusal.objects.create(
        person=user, team=team, file_name=file_name[:300], size=size, why=why[:4000]
    )


def _made(
    user: User | None,
    configuration: Configuration,
    revision: Revision,
    taken: Taken,
    key: str,
    slots: str,
    file_name: str,
) -> Submission:
    files = {ARTIFACT_NAME: write_artifact(taken.artifact)}
    if taken.telemetry:
        # In ASCII: it may hold halves of characters, which no encoding has.
        text = json.dumps(dict(taken.telemetry), sort_keys=True)
        files["run.json"] = text.encode("ascii")
    if taken.witness is not None:
        files[WITNESS_NAME] = taken.witness
    demand_quota(revision.team_id, sum(map(len, files.values())))
    return Submission.objects.create(
        team_id=revision.team_id,
        instance=revision.instance,
        revision=revision,
        mode=taken.artifact.mode,
        configuration=configuration,
        key=key,
        slot_digest=slots,
        files=store_tree(files),
        file_name=file_name[:300],
        notes="\n".join(taken.notes),
        submitter=user,
        **_recorded(dict(taken.telemetry)),
    )


def _recorded(telemetry: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that `run.json` fills; a number that no column can hold counts as not recorded."""

    def number(key: str, most: float) -> float | None:
        value = telemetry.get(key)
        return float(value) if value is not None and 0 <= value <= most else None

    def count(key: str, most: int) -> int | None:
        value = number(key, most)
        return None if value is None else int(value)

    cost = number("cost_usd", float(_MONEY))
    return {
        "started_at": _moment(telemetry.get("started_at")),
        "elapsed_s": number("elapsed_s", 1e9),
        "budget_s": number("budget_s", 1e9),
        "cost_usd": None if cost is None else Decimal(str(round(cost, 6))),
        "cost_basis": telemetry.get("cost_basis") or "",
        "tokens": count("tokens", _LARGEST),
        "attempt": count("attempt", 2**31 - 1),
        "of_attempts": count("of_attempts", 2**31 - 1),
    }


def _moment(value: object) -> datetime | None:
    try:
        found = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None
