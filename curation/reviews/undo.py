"""Undo what one act did: all events with one correlation id, as one act, with a preview.

Each verb that can be undone has an undoer in `undoers`, by the name of the verb; undoers.py has those of the review
loop. Undoing is itself recorded, and can be undone in turn where its verbs can.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet

from curation.instances.locks import hold_instances
from curation.instances.models import Definition, Instance
from curation.reviews.models import QueueEntry
from workbench.access.models import User
from workbench.access.rights import allowed
from workbench.access.roles import MAINTAIN
from workbench.events.log import record
from workbench.events.models import Event
from workbench.events.selectors import visible_events
from workbench.registry import Registry

#: An act with more events than this is no click of a person; it is not undone from here.
MOST = 1000
_SILENT = ("lease.", "filter.", "act.")
_TEXTS = ("translation.written", "translation.reverted")


class CannotUndo(Exception):
    """This event cannot be undone any more. The text says why."""


@dataclass(frozen=True)
class Undoer:
    """How events of the verb `name` are undone.

    `does` says what undoing comes to ("the approval is taken back"); `obstacle` why it is not possible any more, "" if
    it is; `undo` does it, raising `CannotUndo` or `PermissionDenied`. `after` names verbs whose undoing in the same act
    comes first and removes the obstacle. `never`: nobody can, whoever it was; the obstacle says what to do instead.
    """

    name: str
    does: Callable[[Event], str]
    obstacle: Callable[[User, Event], str]
    undo: Callable[[User, Event], None]
    after: tuple[str, ...] = ()
    never: bool = False
    order: int = 50


undoers: Registry[Undoer] = Registry("undoers")


@dataclass(frozen=True)
class Step:
    """One event of the act: what undoing it does, or the obstacle in words."""

    event: Event
    does: str
    obstacle: str = ""

    @property
    def possible(self) -> bool:
        return not self.obstacle


@dataclass(frozen=True)
class Act:
    """What one request, job or command did, as far as `user` may see it, and what undoing it would do."""

    correlation: uuid.UUID
    events: Sequence[Event]
    steps: Sequence[Step]

    @property
    def possible(self) -> list[Step]:
        return [step for step in self.steps if step.possible]

    @property
    def refused(self) -> list[Step]:
        return [step for step in self.steps if not step.possible]


@dataclass(frozen=True)
class Undone:
    """How undoing came out: what was undone, and what could not be, with the reason."""

    done: Sequence[Event]
    left: Sequence[Step]


class ActMoved(Exception):
    """What can be undone is not what the preview said. Carries the act as it is now."""

    def __init__(self, act: Act) -> None:
        super().__init__("Something happened since the preview.")
        self.act = act


def act_of(user: User, correlation: uuid.UUID) -> Act:
    """Return the act as `user` sees it; no events where there is none. The newest event comes first."""
    events = list(
        visible_events(user)
        .filter(correlation=correlation)
        .select_related("actor")
        .order_by("-number")[: MOST + 1]
    )
    told = [event for event in events if not event.verb.startswith(_SILENT)]
    steps = [] if len(events) > MOST else _steps(user, told)
    return Act(correlation, told, steps)


def _steps(user: User, events: Sequence[Event]) -> list[Step]:
    steps: list[Step] = []
    removed: set[str] = set()  # verbs of this act that will be undone
    for event in events:
        undoer = undoers.get(event.verb)
        if undoer is None:
            if not event.implicit:  # a consequence goes with its cause
                steps.append(Step(event, "", "this kind of act cannot be undone here"))
            continue
        obstacle = "" if undoer.never else _not_theirs(user, event)
        if not obstacle and not removed.intersection(undoer.after):
            obstacle = undoer.obstacle(user, event)
        if not obstacle:
            removed.add(event.verb)
        steps.append(Step(event, undoer.does(event), obstacle))
    return steps


def _not_theirs(user: User, event: Event) -> str:
    """Return why `user` may not undo `event` at all: others' acts are undone by a maintainer."""
    if event.actor_id == user.pk:
        return ""
    shown = Instance.objects.filter(hidden=False)
    instance = shown.filter(pk=event.instance_id or 0).first()
    if instance is not None and allowed(user, MAINTAIN, instance):
        return ""
    return f"{event.actor_name} did it; a maintainer may undo it"


@transaction.atomic
def undo_act(
    user: User, correlation: uuid.UUID, *, expected: Collection[int], reason: str = ""
) -> Undone:
    """Undo, newest first, what can be undone of the act; return what was and what was not.

    `expected` are the numbers of the events that the preview said could be undone. Raises `ActMoved` where that is no
    longer so; then nothing is changed.
    """
    _lock(user, correlation)
    act = act_of(user, correlation)
    if {step.event.number for step in act.possible} != set(expected):
        raise ActMoved(act)
    done: list[Event] = []
    left = list(act.refused)
    for step in act.possible:
        try:
            with transaction.atomic():
                undoers_of(step.event).undo(user, step.event)
        except (CannotUndo, PermissionDenied) as refused:
            left.append(Step(step.event, step.does, str(refused)))
        else:
            done.append(step.event)
    if done:
        record(
            "act.undone",
            user,
            done[-1],
            reason=reason,
            undone=len(done),
            left=len(left),
            act=str(correlation),
        )
    return Undone(done, left)


def undoers_of(event: Event) -> Undoer:
    """Return the undoer of the verb of `event`, which has one."""
    found = undoers.get(event.verb)
    assert found is not None
    return found


def is_undoable(event: Event) -> bool:
    """Return whether the verb of `event` has an undoer at all."""
    return undoers.get(event.verb) is not None


def _lock(user: User, correlation: uuid.UUID) -> None:
    """Lock the instances and the entries that the act touched, in the order that everybody keeps (deciding.py)."""
    events = visible_events(user).filter(correlation=correlation)
    instances = hold_instances(events.values_list("instance_id", flat=True))
    touched = QueueEntry.objects.filter(definition__in=_definitions(events))
    if events.filter(verb__in=_TEXTS).exists():  # a text that goes back moves them all
        touched = QueueEntry.objects.filter(instance__in=instances)
    list(
        touched.select_for_update(of=("self",))
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def _definitions(events: QuerySet[Event]) -> list[int]:
    kind = Definition._meta.model_name
    ids = events.filter(object_kind=kind).values_list("object_id", flat=True)
    return [int(pk) for pk in ids if pk.isdigit()]
