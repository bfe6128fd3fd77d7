"""Files of a revision and of its source: the tree, one file, its bytes, and the archive of all."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from curation.format.findings import FormatError
from curation.format.instance import load_files
from curation.format.render import render as render_view
from curation.format.slots import MODES
from curation.instances.models import Revision
from curation.instances.selectors.files import file_rows, source_rows
from curation.instances.views.pages import InstancePage, instance_page
from curation.instances.views.panes import (
    FileSide,
    asked_window,
    lean_side,
    source_side,
)
from workbench.access.rights import get_visible_or_404
from workbench.content.trees import read_file, read_tree
from workbench.numbers import whole_number


def asked_revision(request: HttpRequest, page: InstancePage) -> Revision:
    """Return the revision that `?r=` names, the current one without it. Raises `BadRequest`, `Http404`."""
    given = request.GET.get("r")
    if given is None or given == str(page.revision.number):
        return page.revision
    number = whole_number(given, digits=9)
    if number is None:
        raise BadRequest(f"r={given[:40]!r}: expected the number of a revision.")
    rows = page.instance.revisions.select_related(
        "instance__team", "source__snapshot", "snapshot"
    )
    return get_visible_or_404(rows, number=number)


@require_safe
@login_required
def files(request: HttpRequest, slug: str) -> HttpResponse:
    """The files of a revision, and those of its source."""
    page = instance_page(request, slug, "files")
    revision = asked_revision(request, page)
    return render(
        request,
        "instances/files.html",
        page.context(
            shown=revision, rows=file_rows(revision), source_rows=source_rows(revision)
        ),
    )


def _file_page(
    request: HttpRequest,
    slug: str,
    path: str,
    tab: str,
    side_of: Callable[[Revision, str], FileSide],
) -> HttpResponse:
    page = instance_page(request, slug, tab)
    revision = asked_revision(request, page)
    side = side_of(revision, path)
    window = asked_window(request)
    if window is not None and request.headers.get("HX-Request"):
        return render(
            request, "instances/window.html", {"pane": side.fragment(*window)}
        )
    pane = None if side.binary else side.pane([window[0]] if window else ())
    return render(
        request,
        "instances/file.html",
        page.context(shown=revision, side=side, pane=pane, is_source=tab == "source"),
    )


@require_safe
@login_required
def file(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """One file of a revision; with `lines` and `within` under htmx, a piece of it."""
    return _file_page(request, slug, path, "files", lean_side)


@require_safe
@login_required
def source_file(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """One file of the source; with `lines` and `within` under htmx, a piece of it."""
    return _file_page(request, slug, path, "source", source_side)


def _plain(data: bytes | None, path: str) -> HttpResponse:
    """Untrusted bytes, served so that no browser runs or renders them."""
    if data is None:
        raise Http404(f"There is no file {path}.")
    response = HttpResponse(data, content_type="text/plain; charset=utf-8")
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["Content-Disposition"] = (
        "inline" if b"\0" not in data[:8192] else "attachment"
    )
    return response


@require_safe
@login_required
def raw(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """The bytes of a file of a revision."""
    page = instance_page(request, slug, "files")
    return _plain(read_file(asked_revision(request, page).snapshot, path), path)


@require_safe
@login_required
def source_raw(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """The bytes of a file of the source."""
    page = instance_page(request, slug, "source")
    source = asked_revision(request, page).source
    if source is None or source.snapshot is None:
        raise Http404("The source files of this instance were not given.")
    return _plain(read_file(source.snapshot, path), path)


@require_safe
@login_required
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """All files of a revision as a .tar.gz whose bytes depend on the files alone."""
    page = instance_page(request, slug, "files")
    revision = asked_revision(request, page)
    name = f"{page.instance.slug}-r{revision.number}"
    return _download(name, read_tree(revision.snapshot))


@require_safe
@login_required
def solver(request: HttpRequest, slug: str, mode: str) -> HttpResponse:
    """What a solver sees of a revision in `mode`, as a .tar.gz."""
    page = instance_page(request, slug, "files")
    revision = asked_revision(request, page)
    if mode not in MODES:
        raise Http404(f"There is no mode {mode[:40]}; there are {', '.join(MODES)}.")
    try:
        files = render_view(
            load_files(read_tree(revision.snapshot), page.instance.slug), mode
        )
    except FormatError as error:
        messages.error(request, f"{revision} cannot be rendered: {error}")
        return redirect("instances:files", page.instance.slug)
    name = f"{page.instance.slug}-r{revision.number}-{mode}"
    return _download(name, files)


def _download(name: str, files: dict[str, bytes]) -> HttpResponse:
    response = HttpResponse(_archive(name, files), content_type="application/gzip")
    response["Content-Disposition"] = f'attachment; filename="{name}.tar.gz"'
    return response


def _archive(name: str, files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path, data in files.items():
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()
