"""One release: its page, its archive, its manifest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Any

from django.contrib.auth.decorators import login_required
from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import FileResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from adjudication.releases.actions.hold_as_seen import mark_of
from adjudication.releases.building import place_of
from adjudication.releases.canaries import tried
from adjudication.releases.content import waivers_of
from adjudication.releases.gate import gate
from adjudication.releases.models import Release
from adjudication.releases.selectors import release_page
from adjudication.releases.selectors.releases import TONES
from adjudication.releases.selectors.visible import visible_releases
from workbench.access.models import User
from workbench.access.rights import allowed, get_visible_or_404
from workbench.access.roles import MAINTAIN
from workbench.jobs.selectors import why_waiting
from workbench.ui.markdown import rendered
from workbench.ui.paging import page_by_key

_CHUNK = 1 << 18


def visible_release(request: HttpRequest, slug: str, version: str) -> Release:
    """Return the release. Raises `Http404` for what the person may not see."""
    rows = visible_releases(request.user).select_related(
        "set__team", "previous__set", "job", "by", "published_by", "retracted_by"
    )
    return get_visible_or_404(
        rows, set__slug=slug, version=version.replace("\0", "")[:41]
    )


@require_safe
@login_required
def by_id(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a release by its id."""
    return redirect(
        get_visible_or_404(
            visible_releases(request.user).select_related("set"), pk=min(pk, 2**63 - 1)
        )
    )


@require_safe
@login_required
def detail(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """What was frozen, what blocks it, what came out."""
    found = visible_release(request, slug, version)
    return render(request, "releases/release.html", page_context(request, found))


def page_context(request: HttpRequest, release: Release) -> dict[str, Any]:
    """Return what the page of `release` shows this person."""
    assert isinstance(request.user, User)  # login_required
    # Of what is out, what blocks it today is no question of its own any more.
    blocking = gate(release) if release.open else []
    graders = tried(release)
    members = release.members.select_related(
        "revision__instance", "revision__source", "revision__snapshot"
    )
    manifest = release_page.manifest_of(release)
    job = release.job
    groups = release_page.groups(blocking)
    return {
        "release": release,
        "tone": TONES[release.state],
        "steps": release_page.rail(release, blocking, graders),
        "groups": groups,
        "open_groups": [group for group in groups if group.standing],
        "waivers": () if release.open else waivers_of(release),
        "graders": graders,
        "missing": [one for one in graders if not one.green],
        "verdicts": release_page.verdicts(release),
        "manifest": manifest,
        "axioms": manifest.get("trusted_axioms", {}),
        "page": page_by_key(members, request, ("revision__instance__slug",), size=100),
        "instances": release.members.count(),
        "changelog": rendered(release.changelog.partition("\n")[2]),
        "job": job,
        "waits": why_waiting(job) if job is not None and job.is_open else "",
        "others": release.set.releases.exclude(pk=release.pk)[:8],
        "may": allowed(request.user, MAINTAIN, release.set),
        "mark": mark_of(release),
        "typed": {},
    }


def _built(request: HttpRequest, slug: str, version: str) -> Release:
    found = visible_release(request, slug, version)
    if not found.archive_digest:
        raise Http404(f"{found} is not built, so there is nothing to take away.")
    return found


@require_safe
@login_required
def archive(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    """The archive, byte for byte as it was built."""
    place = place_of(_built(request, slug, version))
    try:
        file = place.open("rb")
    except OSError:
        raise Http404(
            f"{place.name} is no longer in the data folder. A maintainer can build it again: the bytes will be the same."
        ) from None
    if isinstance(request, ASGIRequest):
        return StreamingHttpResponse(
            _pieces(file), content_type="application/gzip", headers=_named(place)
        )
    return FileResponse(
        file, as_attachment=True, filename=place.name, content_type="application/gzip"
    )


def _named(place: Path) -> dict[str, str]:
    return {
        "Content-Disposition": f'attachment; filename="{place.name}"',
        "Content-Length": str(place.stat().st_size),
    }


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    """Yield the file piece by piece, read beside the loop that serves everybody."""
    try:
        while data := await asyncio.to_thread(file.read, _CHUNK):
            yield data
    finally:
        file.close()


@require_safe
@login_required
def manifest(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """What the archive's MANIFEST.json says, but for the digests of single files."""
    found = _built(request, slug, version)
    return HttpResponse(
        found.manifest,
        content_type="application/json",
        headers={
            "Content-Disposition": f'attachment; filename="{found.set.slug}-{found.version}.json"'
        },
    )
