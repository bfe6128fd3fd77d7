"""Pages by key, not by offset: the thousandth page costs what the first costs, and new rows shift nothing."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Generic, TypeVar

from django.core.exceptions import BadRequest, ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.http import HttpRequest

M = TypeVar("M", bound=models.Model)
AFTER, BEFORE = "after", "before"


@dataclass(frozen=True)
class Page(Generic[M]):
    """Some rows of a list, and the cursors of the pages beside it (None: there is none)."""

    rows: Sequence[M]
    before: str | None
    after: str | None

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Bounded:
    """A number that was counted up to a limit only."""

    number: int
    more: bool

    def __str__(self) -> str:
        return f"more than {self.number:,}" if self.more else f"{self.number:,}"


def count_up_to(queryset: models.QuerySet[Any], limit: int = 1000) -> Bounded:
    """Return how many rows `queryset` has, counting no further than `limit`. One query."""
    number = queryset.order_by()[: limit + 1].count()
    return Bounded(min(number, limit), number > limit)


def page_by_key(
    queryset: models.QuerySet[M],
    request: HttpRequest,
    order: Sequence[str],
    *,
    size: int = 50,
) -> Page[M]:
    """Return the page of `queryset` that `?after=` or `?before=` of `request` names. One query.

    `order` names the fields as for `order_by`; together they must be unique and none may be null. Raises
    `BadRequest` for a cursor that this list never gave out.
    """
    fields = [name.lstrip("-") for name in order]
    backwards = BEFORE in request.GET
    cursor = request.GET.get(BEFORE) or request.GET.get(AFTER)
    steps = [_turned(name) for name in order] if backwards else list(order)
    rows = queryset.order_by(*steps)
    if cursor:
        try:
            rows = rows.filter(_beyond(steps, _values(cursor, len(fields))))
            found = list(rows[: size + 1])
        except (ValueError, TypeError, ValidationError):
            raise BadRequest(
                "The page address (after= or before=) is not one of this list."
            ) from None
    else:
        found = list(rows[: size + 1])
    more = len(found) > size
    found = found[:size]
    if backwards:
        found.reverse()
    first, last = (
        (_cursor(found[0], fields), _cursor(found[-1], fields))
        if found
        else (None, None)
    )
    if backwards:
        return Page(found, before=first if more else None, after=last)
    return Page(found, before=first if cursor else None, after=last if more else None)


def _turned(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def _beyond(order: Sequence[str], values: Sequence[Any]) -> models.Q:
    """Return the filter for rows that come after `values` in `order`."""
    beyond = models.Q()
    equal: dict[str, Any] = {}
    for name, value in zip(order, values, strict=True):
        field = name.lstrip("-")
        step = "lt" if name.startswith("-") else "gt"
        beyond |= models.Q(**equal, **{f"{field}__{step}": value})
        equal[field] = value
    return beyond


def _cursor(row: models.Model, fields: Sequence[str]) -> str:
    values = []
    for name in fields:
        value: Any = row
        for part in name.split("__"):
            value = getattr(value, part)
        values.append(value)
    text = json.dumps(
        values, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":")
    )
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _values(cursor: str, width: int) -> list[Any]:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        values = json.loads(text)
    except (binascii.Error, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if not isinstance(values, list) or len(values) != width:
        raise ValueError("a cursor of another list")
    if not all(map(_is_key, values)):
        raise ValueError("a cursor of another list")
    return values


def _is_key(value: Any) -> bool:
    """Return whether both databases can compare with `value`."""
    if isinstance(value, str):
        return "\0" not in value
    return isinstance(value, int) or (isinstance(value, float) and isfinite(value))
