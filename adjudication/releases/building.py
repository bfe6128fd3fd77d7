"""Build the archive of a frozen release, beside its final place, and keep its digest."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from adjudication.releases.content import Watch, manifest_text, write_release
from adjudication.releases.models import Release


@dataclass(frozen=True)
class Built:
    """An archive: where it is, its SHA-256, its size in bytes, and the manifest in it."""

    path: Path
    digest: str
    size: int
    manifest: dict[str, Any]


def build_archive(release: Release, path: Path, watch: Watch) -> Built:
    """Return what was written to `path`; a file that was there is replaced only by a whole one. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft-{os.getpid()}")
    try:
        with draft.open("wb") as target:
            _, manifest = write_release(release, target, watch)
            target.flush()
            os.fsync(target.fileno())
        with draft.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = draft.stat().st_size
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return Built(path, digest, size, manifest)


def place_of(release: Release) -> Path:
    """Return where the data folder keeps the archive of `release`."""
    return (
        Path(settings.DATA_DIR)
        / "releases"
        / f"{release.set.slug}-{release.version}.tar.gz"
    )


def keep(release: Release, built: Built) -> Release:
    """Write into the row what was built. Part of a job or command, in its transaction."""
    release.archive = built.path.name
    release.archive_digest = built.digest
    release.archive_size = built.size
    release.manifest = manifest_text(built.manifest)
    if release.state == Release.DRAFT:
        release.state = Release.BUILT
    release.save(
        update_fields=["archive", "archive_digest", "archive_size", "manifest", "state"]
    )
    return release
