"""Import an instance: write what was read as a new revision, or notice that nothing changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from curation.format.instance import Instance as FormatInstance
from curation.instances.actions.revision_rows import Differences
from curation.instances.actions.source_rows import SourceChange, settle_source
from curation.instances.actions.store_revision import store_revision
from curation.instances.contributions import after_links, after_revision
from curation.instances.limits import require_storable
from curation.instances.models import Instance, Revision
from curation.instances.reading import Reading, read_instance
from workbench.access.models import Team, User
from workbench.access.rights import require
from workbench.access.roles import CURATE
from workbench.content.trees import tree_digest
from workbench.events.log import record

RESERVED = frozenset(("import", "explain", "id"))


@dataclass(frozen=True)
class Imported:
    """What an import did. `changed` is False where the tree (and the source) were here already."""

    revision: Revision
    changed: bool
    differences: Differences
    source: SourceChange


def import_revision(
    user: User | None,
    team: Team,
    loaded: FormatInstance,
    *,
    source_files: Mapping[str, bytes] | None = None,
    note: str = "",
) -> Imported:
    """Return what importing `loaded` into `team` did; `user` None is the operator at the command line.

    One transaction: a new revision with all its rows and one event, or nothing. Raises `AccessDenied`, FormatError.
    """
    if user is not None:
        require(user, CURATE, team)
    reading = read_instance(loaded)
    require_storable(reading)
    digest = tree_digest(loaded.files)
    with transaction.atomic():
        instance = _instance(team, reading)
        current = (
            instance.revisions.filter(is_current=True)
            .select_related("snapshot", "source__snapshot")
            .first()
        )
        if current is not None and current.snapshot.digest == digest:
            return _same_tree(user, instance, current, reading, source_files)
        return _new_revision(user, instance, current, reading, source_files, note)


def _instance(team: Team, reading: Reading) -> Instance:
    manifest = reading.instance.manifest
    benchmark_id = manifest.benchmark_id
    # Rows that merely refer to the instance (comments, looks) can be written meanwhile: nobody waits in a circle.
    known = Instance.objects.select_for_update(no_key=True).filter(
        team=team, benchmark_id=benchmark_id
    )
    while (found := known.first()) is None:
        try:
            with transaction.atomic():
                Instance.objects.create(
                    team=team, benchmark_id=benchmark_id, slug=_free_slug(benchmark_id)
                )
        except IntegrityError:
            # Somebody was quicker with the benchmark, or with the slug under another benchmark or team: look again.
            continue
    return found


def _free_slug(benchmark_id: str) -> str:
    base = slugify(benchmark_id.replace("/", "-").replace(".", "-"))[:90] or "instance"
    slug, number = base, 1
    while slug in RESERVED or Instance.objects.filter(slug=slug).exists():
        number += 1
        slug = f"{base}-{number}"
    return slug


def _same_tree(
    user: User | None,
    instance: Instance,
    current: Revision,
    reading: Reading,
    source_files: Mapping[str, bytes] | None,
) -> Imported:
    """The tree is here already: only a source that was missing or differs is new."""
    nothing = Differences(0, 0, 0)
    current.instance = instance
    same_source = source_files is None or (
        current.source is not None
        and current.source.snapshot is not None
        and current.source.snapshot.digest == tree_digest(source_files)
    )
    if same_source:
        return Imported(current, False, nothing, SourceChange(current.source, 0, 0))
    change = settle_source(current, reading, source_files)
    for follow in after_links:
        follow(current, None)
    record(
        "source.given", user, current, items=current.item_count, linked=change.linked
    )
    return Imported(current, True, nothing, change)


def _new_revision(
    user: User | None,
    instance: Instance,
    current: Revision | None,
    reading: Reading,
    source_files: Mapping[str, bytes] | None,
    note: str,
) -> Imported:
    stored = store_revision(user, instance, current, reading, note=note)
    revision, differences = stored.revision, stored.differences
    change = settle_source(revision, reading, source_files)
    Instance.objects.filter(pk=instance.pk).update(
        description=reading.instance.manifest.description,
        language=change.source.language if change.source else "",
        track=change.source.track if change.source else 2,
        changed_at=timezone.now(),
    )
    instance.refresh_from_db()
    revision.instance = instance
    for follow in after_revision:
        follow(user, revision)
    record(
        "revision.imported",
        user,
        revision,
        tree=stored.tree,
        added=differences.added,
        changed=differences.changed,
        removed=differences.removed,
    )
    return Imported(revision, True, differences, change)
