"""Store what was read as the next revision of an instance. Part of an import or of an edit, never called alone."""

from __future__ import annotations

from dataclasses import dataclass

from curation.instances.actions.revision_rows import Differences, write_rows
from curation.instances.models import Instance, Revision
from curation.instances.reading import Reading
from workbench.access.models import User
from workbench.content.trees import store_tree


@dataclass(frozen=True)
class Stored:
    """A new revision, the digest of its tree, and how it differs from its parent."""

    revision: Revision
    tree: str
    differences: Differences


def store_revision(
    user: User | None,
    instance: Instance,
    current: Revision | None,
    reading: Reading,
    *,
    note: str = "",
    reason: str = "import",
    origin: str = "import",
) -> Stored:
    """Return the revision that follows `current` (locked by its instance), with its rows; its source is not settled.

    `reason` is one of `Revision.REASONS`; `origin` is that of the texts that are new (`Translation.ORIGINS`).
    """
    manifest = reading.instance.manifest
    counts = reading.instance.counts
    snapshot = store_tree(reading.instance.files)
    if current is not None:
        Revision.objects.filter(pk=current.pk).update(is_current=False)
    severities = [finding.severity for finding in reading.findings]
    revision = Revision.objects.create(
        instance=instance,
        number=current.number + 1 if current else 1,
        snapshot=snapshot,
        parent=current,
        author=user,
        note=note,
        reason_class=reason,
        root_package=manifest.root_package,
        lean_version=manifest.lean_version,
        modes=" ".join(manifest.modes_supported),
        module_count=counts.modules,
        api_count=counts.apis,
        spec_count=counts.specs,
        error_count=severities.count("error"),
        warning_count=severities.count("warning"),
        note_count=severities.count("info"),
    )
    differences = write_rows(user, revision, reading, origin=origin)
    return Stored(revision, snapshot.digest, differences)
