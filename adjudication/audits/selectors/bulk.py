"""What one act on many findings would do: exactly which, and which are left out for what reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from adjudication.audits.actions.decide_seen import marks_of
from adjudication.audits.models import Finding
from adjudication.audits.selectors.findings import (
    FindingFilter,
    listed_findings,
    visible_findings,
)
from adjudication.audits.states import UNDECIDED
from curation.instances.selectors.instances import with_right
from workbench.access.models import User
from workbench.access.roles import ADJUDICATE
from workbench.bulk import MOST
from workbench.numbers import whole_number

ASSIGN, DISMISS = "assign", "dismiss"


@dataclass(frozen=True)
class Seen:
    """One finding as the preview showed it: an act on many is bound to what was seen, as one on a single finding is."""

    finding: int
    mark: str

    def __str__(self) -> str:
        return f"{self.finding}:{self.mark}"

    @classmethod
    def parse(cls, text: str) -> Seen | None:
        """Return what a form field says, None for what no form of ours says."""
        first, _, mark = text.partition(":")
        finding = whole_number(first)
        return None if finding is None else cls(finding, mark[:100].replace("\0", ""))


@dataclass(frozen=True)
class Chosen:
    """A finding that the act would touch."""

    finding: Finding
    seen: Seen


@dataclass(frozen=True)
class LeftOut:
    """A finding that was selected and that the act would not touch, with the reason in words."""

    finding: Finding
    why: str


@dataclass(frozen=True)
class Preview:
    """What an act on many would do. `beyond`: more were selected than one act takes; the newest are here."""

    verb: str
    chosen: Sequence[Chosen]
    left_out: Sequence[LeftOut]
    beyond: bool


def selected(
    user: User, ids: Collection[int], wanted: FindingFilter | None
) -> QuerySet[Finding]:
    """Return the findings that were ticked, or all that `wanted` lets through, as far as `user` sees them."""
    if wanted is not None:
        return listed_findings(user, wanted)
    return visible_findings(user).filter(pk__in=ids)


def preview(
    user: User, verb: str, rows: QuerySet[Finding], assignee: User | None = None
) -> Preview:
    """Return what `verb` would do to `rows`. Six queries; the rules are those of the actions, which ask again."""
    found = list(
        rows.select_related("instance", "assignee").order_by("-pk")[: MOST + 1]
    )
    listed = found[:MOST]
    instances = {finding.instance_id for finding in listed}
    rights = with_right(user, ADJUDICATE, instances)
    theirs = (
        with_right(assignee, ADJUDICATE, instances) if assignee is not None else rights
    )
    marks = marks_of([finding.pk for finding in listed])
    chosen, left_out = [], []
    for finding in listed:
        if finding.instance_id not in rights:
            why = "you may not rule there"
        elif verb == DISMISS:
            why = why_not_dismissed(finding)
        else:
            why = why_not_assigned(finding, assignee)
            if not why and finding.instance_id not in theirs:
                why = f"{assignee} may not rule there"
        if why:
            left_out.append(LeftOut(finding, why))
        else:
            chosen.append(Chosen(finding, Seen(finding.pk, marks[finding.pk])))
    return Preview(verb, chosen, left_out, len(found) > MOST)


def why_not_dismissed(finding: Finding) -> str:
    """Return why `finding` is not dismissed together with others, "" where it can be."""
    if finding.state in UNDECIDED:
        return ""
    if finding.state == Finding.CONFIRMED:
        return "somebody confirmed it; dismiss it on its own page"
    return f"it is {finding.get_state_display()}"


def why_not_assigned(finding: Finding, assignee: User | None) -> str:
    """Return why giving `finding` to `assignee` changes nothing, "" where it does."""
    if finding.assignee_id != (assignee.pk if assignee else None):
        return ""
    return f"given to {assignee.username} already" if assignee else "nobody has it"
