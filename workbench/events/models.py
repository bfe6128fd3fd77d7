"""The record: who did what to which object, when and why. Rows are added, never changed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models


class AppendOnly(Exception):
    """Somebody tried to change or delete an event."""


class EventQuerySet(models.QuerySet["Event"]):
    def update(self, **kwargs: Any) -> int:
        raise AppendOnly("Events are never changed.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise AppendOnly("Events are never deleted.")

    def _raw_delete(self, using: str | None) -> int:
        raise AppendOnly("Events are never deleted.")

    def bulk_create(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("update_conflicts"):
            raise AppendOnly("Events are never changed.")
        return super().bulk_create(*args, **kwargs)


class Event(models.Model):
    """One act. `hash` covers every field and the hash of the event before it (see log.py)."""

    number = models.PositiveBigIntegerField(unique=True)
    at = models.DateTimeField()
    verb = models.CharField(max_length=64)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    actor_name = models.CharField(max_length=150)
    object_kind = models.CharField(max_length=32)
    object_id = models.CharField(max_length=64)
    object_name = models.CharField(max_length=300)
    instance_id = models.BigIntegerField(null=True)
    team = models.ForeignKey("access.Team", models.PROTECT, null=True, related_name="+")
    reason = models.TextField(blank=True)
    data = models.TextField(default="{}")
    correlation = models.UUIDField()
    implicit = models.BooleanField(default=False)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    objects = EventQuerySet.as_manager()

    class Meta:
        base_manager_name = "objects"
        ordering = ("-number",)
        indexes = (
            models.Index(
                fields=("object_kind", "object_id", "-number"), name="event_object"
            ),
            models.Index(fields=("instance_id", "-number"), name="event_instance"),
            models.Index(fields=("correlation",), name="event_correlation"),
            models.Index(fields=("team", "-number"), name="event_team"),
            models.Index(fields=("verb", "-number"), name="event_verb"),
            models.Index(fields=("actor_name", "-number"), name="event_actor"),
        )

    def __str__(self) -> str:
        return f"{self.number} {self.verb}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly("Events are never changed.")
        # Without it, a new object with the key of an old event would be written over that one.
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AppendOnly("Events are never deleted.")


class Head(models.Model):
    """The end of the chain: one row, locked by whoever appends."""

    number = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, default="0" * 64)

    def __str__(self) -> str:
        return f"head at {self.number}"
