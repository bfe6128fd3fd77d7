"""Build the archive of a frozen release, check it, and keep it with its digest."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from adjudication.grading.receipt import verify as verify_receipt
from adjudication.releases.bundle import verify
from adjudication.releases.content import Watch, manifest_text, write_release
from adjudication.releases.models import Release


class NotKept(Exception):
    """What was built cannot be kept. The text says why."""


@dataclass(frozen=True)
class Built:
    """An archive: where it is, its SHA-256, its size in bytes, the manifest in it, and a mark of the rows it came from."""

    path: Path
    digest: str
    size: int
    manifest: dict[str, Any]
    rows: str


def build_archive(release: Release, path: Path, watch: Watch) -> Built:
    """Return what was written to `path`. Raises OSError."""
    rows = rows_mark(release)
    with path.open("wb") as target:
        _, manifest = write_release(release, target, watch)
        target.flush()
        os.fsync(target.fileno())
    return Built(path, digest_of(path), path.stat().st_size, manifest, rows)


def check(built: Built) -> None:
    """Check an archive as whoever gets it will, offline. Raises `NotKept`."""
    wrong = verify(built.path, verify_receipt).wrong
    if wrong:
        raise NotKept(
            f"What was built does not verify, {len(wrong)} faults; the first: {wrong[0]}."
        )


def rows_mark(release: Release) -> str:
    """Return a mark of the rows that an archive is made of: it changes when it is frozen again or a waiver is signed. Two queries."""
    member = release.members.aggregate(last=Max("pk"))["last"]
    waiver = release.waivers.aggregate(last=Max("pk"))["last"]
    return f"{member or 0}.{waiver or 0}"


def place_of(release: Release) -> Path:
    """Return where the data folder keeps the archive of `release`: what was built where its row says, else where it will be."""
    return folder() / (release.archive or _own_place(release))


def _own_place(release: Release) -> str:
    """Return a place that no other release has. By its name alone, `b-1.0` of the set `a` would have that of `1.0` of `a-b`."""
    return f"{release.set.slug}/{release.set.slug}-{release.version}.tar.gz"


def folder() -> Path:
    """Return the folder of archives, made if it is new."""
    found = Path(settings.DATA_DIR) / "releases"
    found.mkdir(parents=True, exist_ok=True)
    return found


def keep(release: Release, built: Built) -> Release:
    """Put what was built in its place and into the row, locked by the caller. Part of a job or command, in its transaction.

    Raises `NotKept` where it is not what was built before, or was made of rows that have changed: then nothing is touched.
    """
    if rows_mark(release) != built.rows:
        raise NotKept(
            f"{release} was frozen again, or a blocker signed for, while it was built. Build it again."
        )
    if release.archive_digest and release.archive_digest != built.digest:
        raise NotKept(
            f"{release} came out differently: {built.digest[:12]}, before {release.archive_digest[:12]}. "
            "What was built before stays."
        )
    release.archive = _own_place(release)
    place = place_of(release)
    place.parent.mkdir(exist_ok=True)
    built.path.replace(place)
    release.archive_digest = built.digest
    release.archive_size = built.size
    release.manifest = manifest_text(built.manifest)
    release.builds += 1
    release.built_at = timezone.now()
    if release.state == Release.DRAFT:
        release.state = Release.BUILT
    release.save()
    return release


def archive_fault(release: Release) -> list[str]:
    """Return what is wrong with the archive in the data folder, as one sentence at most."""
    place = place_of(release)
    if not place.is_file():
        return [f"{place.name} is not in the data folder. Build {release} again."]
    if digest_of(place) != release.archive_digest:
        return [f"{place.name} is not what was built. Build {release} again."]
    return []


def archives() -> tuple[int, list[str]]:
    """Return how many releases are built, and a sentence for each whose archive is not there as it was. Asked after a restore."""
    built = Release.objects.exclude(archive_digest="").select_related("set")
    found = list(built.defer("manifest", "changelog").order_by("pk"))
    return len(found), [words for one in found for words in archive_fault(one)]


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
