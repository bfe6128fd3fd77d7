"""Trees of files for people."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from curation.instances.models import Item, Placement, Revision


@dataclass(frozen=True)
class FileRow:
    """One file: its folder and name, size in bytes, and how many definitions or items it holds."""

    path: str
    folder: str
    name: str
    size: int
    held: int
    findings: int = 0


def file_rows(revision: Revision) -> list[FileRow]:
    """Return the files of `revision`, in the order of their paths. Three queries."""
    held = dict(
        Placement.objects.filter(revision=revision)
        .order_by()
        .values_list("definition__path")
        .annotate(number=Count("pk"))
    )
    findings = dict(
        revision.findings.exclude(path="")
        .order_by()
        .values_list("path")
        .annotate(number=Count("pk"))
    )
    sizes = revision.snapshot.entries.order_by("path").values_list("path", "blob__size")
    return [
        _row(path, size, held.get(path, 0), findings.get(path, 0))
        for path, size in sizes
    ]


def source_rows(revision: Revision) -> list[FileRow]:
    """Return the files of the source of `revision`, those that hold items first. Two queries; none without a source."""
    source = revision.source
    if source is None or source.snapshot is None:
        return []
    held = Counter(Item.objects.filter(source=source).values_list("path", flat=True))
    sizes = source.snapshot.entries.order_by("path").values_list("path", "blob__size")
    rows = [_row(path, size, held[path]) for path, size in sizes]
    return sorted(rows, key=lambda row: (row.held == 0, row.path))


def _row(path: str, size: int, held: int, findings: int = 0) -> FileRow:
    folder, _, name = path.rpartition("/")
    return FileRow(path, f"{folder}/" if folder else "", name, size, held, findings)
