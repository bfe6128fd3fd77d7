"""Background jobs of this app."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone

from curation.format.archive import Tree, subtree
from curation.format.findings import FormatError
from curation.format.packed import read_archive
from curation.instances.actions.import_revision import Imported, import_revision
from curation.instances.loading import Loaded, load_archive
from curation.instances.models import Upload
from curation.instances.upstream import UPSTREAM_LIMITS, text_files
from workbench.access.models import Team, User
from workbench.jobs import JobFailed, JobRun, declare
from workbench.ui.templatetags.ui import plural

KEPT = timedelta(days=7)


@declare("import-archive", title="Import archive", queue="interactive", limit_s=1800)
def import_archive(
    run: JobRun,
    *,
    archive: str,
    source: str,
    _upload: str,
    _source_upload: str,
    _team: int,
    _user: int,
) -> None:
    """Import every instance in an upload; `archive` and `source` are the file names, which the job's page shows.

    Each instance is a transaction of its own, so those done before a crash are done; the next attempt finds them
    unchanged. The uploads go when the job ends well.
    """
    Upload.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    person, owner_team = User.objects.get(pk=_user), Team.objects.get(pk=_team)
    kept = Upload.objects.filter(pk=_upload).first()
    if kept is None:
        raise JobFailed("The uploaded archive is no longer kept. Drop it again.")
    run.progress(0, 0, f"reading {archive}")
    found = list(load_archive(bytes(kept.data), kept.name))
    sources = _source_tree(_source_upload)
    results: list[dict[str, Any]] = []
    for number, loaded in enumerate(found):
        run.progress(number, len(found), loaded.name)
        result = _import(run, person, owner_team, loaded, sources, len(found) == 1)
        results.append(result)
    failed = [result for result in results if result["error"]]
    if len(failed) == len(results):
        raise JobFailed(
            "; ".join(f"{result['name']}: {result['error']}" for result in failed[:5])
        )
    with run.finishing() as finish:
        Upload.objects.filter(
            pk__in=[one for one in (_upload, _source_upload) if one]
        ).delete()
        finish(
            result={"instances": results},
            summary=_summary(results, failed),
            link=_link(results),
        )


def _source_tree(source: str) -> Tree | None:
    kept = Upload.objects.filter(pk=source).first() if source else None
    if kept is None:
        return None
    try:
        return read_archive(io.BytesIO(bytes(kept.data)), kept.name, UPSTREAM_LIMITS)
    except FormatError as error:
        raise JobFailed(f"{kept.name}: {error}") from None


def _import(
    run: JobRun,
    user: User,
    team: Team,
    loaded: Loaded,
    sources: Tree | None,
    alone: bool,
) -> dict[str, Any]:
    if loaded.instance is None:
        run.log(f"{loaded.name}: not imported: {loaded.error}")
        return {"name": loaded.name, "error": loaded.error}
    try:
        done = import_revision(
            user,
            team,
            loaded.instance,
            source_files=_files_for(sources, loaded.name, alone),
        )
    except FormatError as error:
        run.log(f"{loaded.name}: not imported: {error}")
        return {"name": loaded.name, "error": str(error)}
    run.log(_line(done))
    return {
        "name": loaded.name,
        "instance": done.revision.instance.slug,
        "revision": done.revision.number,
        "changed": done.changed,
        "error": "",
    }


def _files_for(sources: Tree | None, name: str, alone: bool) -> dict[str, bytes] | None:
    """Return the upstream files of the instance `name`: the whole archive for one instance, else its folder."""
    if sources is None:
        return None
    if alone:
        return text_files(sources)
    return text_files(subtree(sources, name)) or None


def _line(done: Imported) -> str:
    revision = done.revision
    if not done.changed:
        return f"{revision}: nothing has changed"
    change = done.differences
    return (
        f"{revision}: {plural(change.added, 'definition')} added, {change.changed} changed, {change.removed} removed; "
        f"{plural(revision.error_count, 'error')}, {plural(revision.warning_count, 'warning')}"
    )


def _summary(results: list[dict[str, Any]], failed: list[dict[str, Any]]) -> str:
    new = sum(1 for result in results if not result["error"] and result["changed"])
    same = len(results) - new - len(failed)
    parts = [f"{new} imported"]
    if same:
        parts.append(f"{same} unchanged")
    if failed:
        parts.append(f"{len(failed)} not imported")
    return ", ".join(parts)


def _link(results: list[dict[str, Any]]) -> str:
    good = [result["instance"] for result in results if not result["error"]]
    return (
        reverse("instances:detail", args=good)
        if len(good) == 1
        else reverse("instances:list")
    )
