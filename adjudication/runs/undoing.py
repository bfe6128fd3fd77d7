"""How the verbs of submissions are undone (see curation/reviews/undo.py, which undoes acts as one)."""

from __future__ import annotations

from functools import partial

from adjudication.runs.actions.retire_submission import may_retire, retire_submission
from adjudication.runs.models import Submission
from curation.reviews.undo import Undoer
from workbench.access.models import User
from workbench.events.models import Event


def all_undoers() -> list[Undoer]:
    """Return the undoers of submissions."""
    return [
        Undoer(
            "submission.retired",
            lambda event: "it counts again",
            partial(_obstacle, retired=True),
            partial(_turn, retired=False),
        ),
        Undoer(
            "submission.restored",
            lambda event: "it is retired again",
            partial(_obstacle, retired=False),
            partial(_turn, retired=True),
        ),
    ]


def _of(event: Event) -> Submission:
    return Submission.objects.get(pk=event.object_id)


def _obstacle(user: User, event: Event, *, retired: bool) -> str:
    found = _of(event)
    if found.hidden != retired:
        return "it was put back since" if retired else "it was retired since"
    if not may_retire(user, found):
        return "only who handed it in, or a maintainer, may"
    return ""


def _turn(user: User, event: Event, *, retired: bool) -> None:
    retire_submission(user, _of(event), retired=retired, reason="undone")
