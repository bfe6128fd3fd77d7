"""How the verbs of the audit are undone (see curation/reviews/undo.py, which undoes acts as one)."""

from __future__ import annotations

from collections.abc import Callable

from adjudication.audits.actions.merge_findings import join_again, take_apart
from adjudication.audits.actions.settle_finding import (
    Incomplete,
    assign_finding,
    snooze,
    triage,
)
from adjudication.audits.models import Finding
from adjudication.audits.states import WrongMove
from curation.reviews.undo import CannotUndo, Undoer
from workbench.access.models import User
from workbench.access.selectors import NOBODY
from workbench.events.models import Event
from workbench.events.telling import data_of

_REASON = "undone"


def all_undoers() -> list[Undoer]:
    """Return the undoers of the audit. Rulings are not undone: a new one is made, and both stay."""
    return [
        Undoer(
            "finding.assigned",
            lambda event: f"it goes back to {data_of(event).get('before', NOBODY)}",
            _assigned_obstacle,
            _give_back,
        ),
        Undoer(
            "finding.dismissed",
            lambda event: "it is in triage again",
            _dismissed_obstacle,
            _reopen,
        ),
        Undoer(
            "finding.merged",
            lambda event: "it is taken apart again",
            _merged_obstacle,
            _take_apart,
        ),
        Undoer(
            "finding.split",
            lambda event: f"it is merged into {data_of(event).get('of')} again",
            _split_obstacle,
            _join,
        ),
        Undoer(
            "finding.snoozed",
            lambda event: "it is back in the queue",
            _snoozed_obstacle,
            _wake,
        ),
    ]


def _of(event: Event) -> Finding:
    return Finding.objects.select_related("instance__team", "assignee").get(
        pk=event.object_id
    )


def _name(user: User | None) -> str:
    return user.username if user else NOBODY


def _assigned_obstacle(user: User, event: Event) -> str:
    now = _name(_of(event).assignee)
    return "" if now == data_of(event).get("to") else f"it was given to {now} since"


def _give_back(user: User, event: Event) -> None:
    name = data_of(event).get("before", NOBODY)
    before = User.objects.filter(username=name).first() if name != NOBODY else None
    _do(lambda: assign_finding(user, _of(event), before))


def _moved_by(event: Event, to: str) -> str:
    """Return what happened to the finding since the act moved it to `to`, "" where nothing did."""
    found = _of(event)
    last = found.turning_points.order_by("-pk").first()
    if found.state == to and last is not None and last.correlation == event.correlation:
        return ""
    return f"it moved on since; it is {found.get_state_display()} now"


def _dismissed_obstacle(user: User, event: Event) -> str:
    return _moved_by(event, Finding.REJECTED)


def _reopen(user: User, event: Event) -> None:
    _do(lambda: triage(user, _of(event), reason=_REASON))


def _merged_obstacle(user: User, event: Event) -> str:
    return _moved_by(event, Finding.DUPLICATE)


def _take_apart(user: User, event: Event) -> None:
    _do(lambda: take_apart(user, _of(event), reason=_REASON))


def _split_obstacle(user: User, event: Event) -> str:
    return _moved_by(event, Finding.TRIAGED)


def _join(user: User, event: Event) -> None:
    _do(lambda: join_again(user, _of(event), reason=_REASON))


def _snoozed_obstacle(user: User, event: Event) -> str:
    return "" if _of(event).snoozed_hash else "it is awake already"


def _wake(user: User, event: Event) -> None:
    _do(lambda: snooze(user, _of(event), until_changed=False))


def _do(act: Callable[[], object]) -> None:
    try:
        act()
    except (WrongMove, Incomplete) as refused:
        raise CannotUndo(str(refused)) from None
