"""What changed between two revisions."""

from __future__ import annotations

from dataclasses import dataclass

from curation.instances.models import Definition, Placement, Revision


@dataclass(frozen=True)
class Changes:
    """Definitions and files that were added, changed or removed, in the order of their places."""

    added: list[Placement]
    changed: list[Placement]
    removed: list[Placement]
    files_added: list[str]
    files_changed: list[str]
    files_removed: list[str]

    @property
    def nothing(self) -> bool:
        return not (self.files_added or self.files_changed or self.files_removed)


def changes_of(revision: Revision, older: Revision | None) -> Changes:
    """Return what `revision` changed against `older` (None: everything is new). Four queries."""
    new, old = _placements(revision), _placements(older)
    new_files, old_files = _files(revision), _files(older)
    return Changes(
        [row for key, row in new.items() if key not in old],
        [
            row
            for key, row in new.items()
            if key in old and old[key].translation_id != row.translation_id
        ],
        [row for key, row in old.items() if key not in new],
        [path for path in new_files if path not in old_files],
        [
            path
            for path, blob in new_files.items()
            if path in old_files and old_files[path] != blob
        ],
        [path for path in old_files if path not in new_files],
    )


def _placements(revision: Revision | None) -> dict[int, Placement]:
    if revision is None:
        return {}
    rows = revision.placements.exclude(kind=Definition.HARNESS).select_related(
        "definition"
    )
    return {row.definition_id: row for row in rows.order_by("position")}


def _files(revision: Revision | None) -> dict[str, str]:
    if revision is None:
        return {}
    return dict(
        revision.snapshot.entries.order_by("path").values_list("path", "blob_id")
    )
