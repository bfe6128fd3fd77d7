"""Retire a submission, or put it back. Nothing is deleted: its runs and receipts stay, and say so."""

from __future__ import annotations

from django.db import transaction

from adjudication.runs.actions.publish_run import make_current
from adjudication.runs.consequences import retirements
from adjudication.runs.models import Submission
from curation.instances.locks import hold_instances
from workbench.access.models import User
from workbench.access.rights import AccessDenied, allowed
from workbench.access.roles import MAINTAIN, SUBMIT
from workbench.events.log import record


class NoReason(Exception):
    """Nothing was said of why. The text says what is expected."""


@transaction.atomic
def retire_submission(
    user: User | None, submission: Submission, *, retired: bool, reason: str
) -> Submission:
    """Return `submission`, retired or put back, with the boards of its instance; a state that it has already changes nothing.

    A retired one counts on no open board and in no grades; what is frozen in a release stays. Put back, its current run
    counts again; where it has none because it ended meanwhile, the newest on the newest revision does.
    `user` None is the operator. Raises `AccessDenied`, `NoReason`.
    """
    if user is not None and not may_retire(user, submission):
        raise AccessDenied(
            "Only who handed in a submission, or a maintainer, may retire it or put it back."
        )
    if not (reason := reason.strip()):
        raise NoReason("Say why: the reason stays on the page of the submission.")
    hold_instances([submission.instance_id])
    found = Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
    if found.hidden == retired:
        return found
    found.hidden = retired
    found.save(update_fields=["hidden"])
    record(
        "submission.retired" if retired else "submission.restored",
        user,
        found,
        reason=reason,
    )
    if not retired:
        _count_again(found)
    for follow in retirements:
        follow(found)
    return found


def _count_again(found: Submission) -> None:
    if found.runs.filter(is_current=True).exists():
        return
    newest = found.runs.applied().filter(revision__is_current=True)
    run = newest.order_by("-number").first()
    if run is not None:
        make_current(run)


def may_retire(user: User, submission: Submission) -> bool:
    """Whoever handed it in may retire it while they may submit; others need the right to maintain."""
    if submission.submitter_id == user.pk and allowed(user, SUBMIT, submission):
        return True
    return allowed(user, MAINTAIN, submission)
