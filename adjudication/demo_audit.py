"""What the demo's adjudicators did with the findings of its gradings, done when the gradings are through."""

from __future__ import annotations

import time
from uuid import uuid4

from django.db.models import Q, QuerySet

from adjudication.audits.actions.claim_finding import claim_finding
from adjudication.audits.actions.merge_findings import merge_findings, split_finding
from adjudication.audits.actions.repair_finding import link_repair
from adjudication.audits.actions.settle_finding import (
    ask_for_evidence,
    assign_finding,
    dismiss,
    rule,
    triage,
)
from adjudication.audits.grouping import JOINT
from adjudication.audits.models import Closure, Finding
from adjudication.runs.models import GradingRun
from curation.instances.models import Definition, Placement
from curation.reviews.actions.write_translation import write_translation
from workbench.access.models import User
from workbench.events.correlation import correlated
from workbench.jobs import JobRun, declare

# A worker that runs two jobs at once may reach this one while the last grading still runs.
_WAIT_S, _PAUSE_S = 600, 2.0
CLAIMS = (
    ("mira", "spec_apply_div", "7 / -2 is -4 in Rocq, whose division rounds towards minus infinity, and -3 here."),
    ("tomas", "spec_usage_full", "usage of 2 places out of 3 is 66 here, and 66.7 is nearer to 67."),
)  # fmt: skip


@declare("demo-audit", title="Settle the demo's findings", queue="grading", limit_s=900)
def demo_audit(job: JobRun, *, team_id: int) -> None:
    """Rule, dismiss, ask and repair, so that findings stand in every state."""
    under_way = GradingRun.objects.under_way().filter(submission__team=team_id)
    for _ in range(int(_WAIT_S / _PAUSE_S)):
        left = under_way.count()
        if not left:
            break
        job.progress(0, 0, f"waiting for {left} gradings")
        time.sleep(_PAUSE_S)
    ines, mira = _person("ines"), _person("mira")
    done = _claims(team_id)
    for name, act in (
        ("spec_add_count", _repaired),
        ("spec_overlaps_iff", _confirmed),
        ("spec_empty_capacity", _evidence),
        ("spec_usage_full", _split),
        ("spec_overwrite_keeps", _merged),
        ("spec_room_append", _dismissed),
    ):
        for finding in _findings(team_id, name):
            act(ines, mira, finding)
            done += 1
    with job.finishing() as finish:
        finish(
            result={"findings": done},
            summary=f"{done} findings settled",
            link="/audit/",
        )


def _claims(team_id: int) -> int:
    """What people had said by hand; return how many. Of what is refuted already a claim joins the finding."""
    said = 0
    for who, name, words in CLAIMS:
        person, spec = _person(who), _named(team_id, name).first()
        if spec is None:
            continue
        with correlated(uuid4()):
            claim_finding(
                person, spec.instance, [spec.pk], route="disprove", words=words
            )
        said += 1
    return said


def _named(team_id: int, name: str) -> QuerySet[Definition]:
    return Definition.objects.filter(
        Q(lean_name=name) | Q(lean_name__endswith=f".{name}"), instance__team=team_id
    ).select_related("instance__team")


def _findings(team_id: int, name: str) -> list[Finding]:
    found = Finding.objects.filter(
        state=Finding.NEW, closures__specs__in=_named(team_id, name)
    ).exclude(route=JOINT)
    return list(found.select_related("instance__team").distinct().order_by("pk"))


def _repaired(ines: User, mira: User, finding: Finding) -> None:
    """The spec counts touching intervals as apart: ruled, mended by Mira, checked by the grader."""
    with correlated(uuid4()):
        rule(
            ines,
            finding,
            category="mistranslated",
            severity="high",
            root_cause="The Python class merges intervals that touch; the spec's hypothesis lets them touch.",
            rationale="Both ends agree on the witness, so the reference is right and the spec is wrong: ≤ should be <.",
        )
    spec = finding.closures.all()[0].specs.get()
    placement = Placement.objects.select_related("translation").get(
        revision__is_current=True, definition=spec
    )
    text = placement.translation.text.replace(
        "iv.hi ≤ lo ∨ hi ≤ iv.lo", "iv.hi < lo ∨ hi < iv.lo"
    )
    with correlated(uuid4()):
        write_translation(
            mira,
            spec,
            text,
            base=placement.translation,
            words="touching intervals are merged",
        )
    with correlated(uuid4()):
        link_repair(ines, finding, finding.instance.revisions.get(is_current=True))


def _confirmed(ines: User, mira: User, finding: Finding) -> None:
    """The reference differs from the source: confirmed, given to Mira's side of the house, not mended yet."""
    with correlated(uuid4()):
        assign_finding(ines, finding, ines)
    with correlated(uuid4()):
        rule(
            ines,
            finding,
            category="reference_mismatch",
            severity="high",
            root_cause="overlaps uses touches, which is closed; Python compares with <.",
            rationale="On the witness Lean says true and Python says false. The review of overlaps has found it too.",
        )


def _evidence(ines: User, mira: User, finding: Finding) -> None:
    with correlated(uuid4()):
        ask_for_evidence(
            ines,
            finding,
            reason="Does Dafny's requires 0 < capacity hold at every caller?",
        )


def _triaged(ines: User, mira: User, finding: Finding) -> None:
    with correlated(uuid4()):
        triage(ines, finding, reason="a junk value: Lean divides by zero to zero")


def _split(ines: User, mira: User, finding: Finding) -> None:
    """What was reported by hand has another cause than what is proved: its own finding, on which Ines rules."""
    _triaged(ines, mira, finding)
    claims = finding.closures.filter(basis=Closure.UNPROVEN)
    keys = list(claims.values_list("pk", flat=True))
    if not 0 < len(keys) < finding.closures.count():
        return
    with correlated(uuid4()):
        apart = split_finding(
            ines,
            finding,
            keys,
            reason="It is about rounding; the proofs are about a log without places.",
        )
    with correlated(uuid4()):
        rule(
            ines,
            apart,
            category="intended",
            severity="low",
            rationale="kvlog says it in words: in per cent, rounded down.",
        )


def _merged(ines: User, mira: User, finding: Finding) -> None:
    """Two specs contradict each other because one of them is refuted: one cause, one finding."""
    joint = Finding.objects.filter(
        state=Finding.NEW,
        route=JOINT,
        closures__specs__in=finding.closures.values("specs"),
    )
    for other in joint.distinct().select_related("instance__team"):
        with correlated(uuid4()):
            merge_findings(
                ines,
                other,
                finding,
                reason="The contract of Offer stands at overwrite; without it there is no contradiction.",
            )


def _dismissed(ines: User, mira: User, finding: Finding) -> None:
    with correlated(uuid4()):
        dismiss(
            ines,
            finding,
            code="out_of_scope",
            reason="room is no part of what the benchmark asks; to be taken up with upstream.",
        )


def _person(name: str) -> User:
    return User.objects.get(username=name)
