"""A revision adapted to pocket Lean: derived files, and every edit by which they differ."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from curation.instances.models import Revision


class Adaptation(models.Model):
    """The files of a revision after the mechanical edits that let pocket Lean build them.

    It is no revision of the instance: nobody reviews it and nothing ships from it. What is graded on it is labelled
    `pocket` and never published.
    """

    revision = models.OneToOneField(Revision, models.CASCADE, related_name="adaptation")
    snapshot = models.ForeignKey("content.Snapshot", models.PROTECT, related_name="+")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.revision} on pocket Lean"

    @property
    def team_id(self) -> int:
        return self.revision.team_id

    @property
    def instance_id(self) -> int:
        return self.revision.instance_id


class AdaptationEdit(models.Model):
    """One edit: the file as the revision calls it, the line there (0: the whole file), its kind and what was done."""

    adaptation = models.ForeignKey(Adaptation, models.CASCADE, related_name="edits")
    path = models.CharField(max_length=1000)
    line = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    what = models.TextField()

    class Meta:
        ordering = ("path", "line", "pk")

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.kind}"
