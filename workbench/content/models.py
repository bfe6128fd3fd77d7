"""Content-addressed files: a blob is some bytes, a snapshot is a tree of blobs. Neither ever changes."""

from __future__ import annotations

from django.db import models


class Blob(models.Model):
    """Some bytes under the SHA-256 of themselves."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size = models.PositiveBigIntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return self.sha256[:12]


class Snapshot(models.Model):
    """A tree of files, under the digest of its sorted (path, blob) list (see trees.py)."""

    digest = models.CharField(max_length=64, unique=True)
    file_count = models.PositiveIntegerField()
    total_size = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest[:12]


class Entry(models.Model):
    """One file of a snapshot."""

    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="entries")
    path = models.CharField(max_length=1000)
    blob = models.ForeignKey(Blob, models.PROTECT, related_name="+")

    class Meta:
        ordering = ("path",)
        constraints = (
            models.UniqueConstraint(
                fields=("snapshot", "path"), name="one_entry_a_path"
            ),
        )

    def __str__(self) -> str:
        return self.path
