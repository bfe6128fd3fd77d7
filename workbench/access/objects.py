"""Kinds of objects that events tell about and that roles can be given on. Apps add theirs at start-up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import models

from workbench.access.rights import Person
from workbench.registry import Registry


@dataclass(frozen=True)
class Kind:
    """One kind of object. `name` is its model name, as events carry it ("instance").

    `url` returns the address of the object with an id (text, as events keep it), without asking the database.
    `visible`, when given, returns the objects that a person may see; they can then be named in the filters of the
    event log, and roles can be given on those whose model has an `access_kind`.
    """

    name: str
    url: Callable[[str], str]
    visible: Callable[[Person], models.QuerySet[Any]] | None = None
    order: int = 50


kinds: Registry[Kind] = Registry("kinds of objects")


def url_of(kind: str, object_id: str) -> str:
    """Return the address of an object, "" where its kind has no page."""
    known = kinds.get(kind)
    return known.url(object_id) if known else ""


def names_of(user: Person, kind: str, ids: Iterable[int]) -> dict[int, str]:
    """Return the names of those objects with `ids` that `user` may see. One query."""
    known = kinds.get(kind)
    if known is None or known.visible is None:
        return {}
    return {
        row.pk: name_of(row) for row in known.visible(user).filter(pk__in=list(ids))
    }


def name_of(row: models.Model) -> str:
    """Return what an object calls itself in events and lists: `event_name`, else its `str`."""
    return str(getattr(row, "event_name", row))
