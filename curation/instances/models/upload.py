"""An archive that somebody dropped, kept until its import is done."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class Upload(models.Model):
    """The bytes of an archive on their way to a worker, which may run on another machine."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=255)
    data = models.BinaryField()
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name
