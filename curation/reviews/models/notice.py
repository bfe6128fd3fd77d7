"""What a person should know of: mentions, requests, answers, dropped approvals; and what they muted."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from curation.instances.models import Definition, Instance


class Notification(models.Model):
    """One thing that happened and concerns `person`. Rows of one `kind` and `definition` are shown as one."""

    MENTION, REPLY, REQUEST, ANSWER, DROP, ASSIGNED, AGAIN = (
        "mention", "reply", "request", "answer", "drop", "assigned", "again",
    )  # fmt: skip
    KINDS = (
        (MENTION, "mentioned you"),
        (REPLY, "replied in a thread of yours"),
        (REQUEST, "asked for a new version of your text"),
        (ANSWER, "answered your request"),
        (DROP, "an approval of yours dropped"),
        (ASSIGNED, "gave it to you"),
        (AGAIN, "an approval of yours counts again"),
    )

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="notifications"
    )
    kind = models.CharField(max_length=16, choices=KINDS)
    instance = models.ForeignKey(Instance, models.CASCADE, related_name="+")
    definition = models.ForeignKey(
        Definition, models.CASCADE, null=True, related_name="+"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    words = models.CharField(max_length=500)
    anchor = models.CharField(
        max_length=100, blank=True, help_text="fragment of the page it leads to"
    )
    correlation = models.UUIDField()
    read_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(
                fields=("person", "read_at", "-id"), name="notification_inbox"
            ),
        )

    def __str__(self) -> str:
        return self.words


class Mute(models.Model):
    """A person wants no notifications of `kind` ("" for all kinds), of `instance` (None for all instances)."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="mutes"
    )
    kind = models.CharField(max_length=16, choices=Notification.KINDS, blank=True)
    instance = models.ForeignKey(Instance, models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.person}: {self.kind or 'everything'}"
