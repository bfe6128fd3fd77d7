"""What other pages show of releases: the tab and the stage of an instance, search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q
from django.urls import reverse

from adjudication.releases.models import Release, ReleaseMember
from adjudication.releases.selectors.visible import visible_releases
from curation.instances.contributions import Tab
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.ui.parts import Step
from workbench.ui.search import Hit


def releases_tab(revision: Revision) -> Iterable[Tab]:
    """Return the tab of an instance: the releases that hold it. No query."""
    address = f"{reverse('releases:list')}?instance={revision.instance.slug}"
    yield Tab("releases", "Releases", address)


def steps(revision: Revision) -> Mapping[str, Step]:
    """Return the stage “release” of an instance: the newest published release that holds it. One query."""
    member = (
        ReleaseMember.objects.filter(
            revision__instance=revision.instance_id, release__state=Release.PUBLISHED
        )
        .select_related("release__set", "revision")
        .order_by("-release__published_at")
        .first()
    )
    if member is None:
        return {"release": Step("release", "off", "in no release")}
    release, held = member.release, member.revision_id == revision.pk
    note = str(release) if held else f"{release} has r{member.revision.number}"
    tone = "ok" if held else "info"
    return {"release": Step("release", tone, note, url=release.get_absolute_url())}


def find_releases(user: User, words: str, limit: int) -> Sequence[Hit]:
    """Return the releases whose set or version holds `words`. One query."""
    rows = visible_releases(user).filter(
        Q(set__slug__icontains=words)
        | Q(set__name__icontains=words)
        | Q(version__icontains=words)
    )
    return [
        Hit(str(row), row.get_absolute_url(), row.set.name, row.state)
        for row in rows.select_related("set")[:limit]
    ]
