"""The file of a backup: a gzipped tar, whose last member is a manifest with the SHA-256 of each of the others.

    database.sqlite3 | tables/NAME.copy …     the database
    data/PATH …                               the data folder, without what can be made again
    manifest.json                             format, version, when, which database, the head of the record, members

A file that was cut short has no manifest; one that was changed does not agree with it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

FORMAT = "proofroom-backup-1"
MANIFEST = "manifest.json"
_CHUNK = 1 << 20
_LARGEST_MANIFEST = 256 << 20


class BadBackup(Exception):
    """The file is no backup, or not a whole one. The text says what was expected."""


@dataclass
class Manifest:
    """What a backup says of itself. `migrations` are (app, name); `tables` and `rows` are empty for SQLite."""

    made_at: str
    version: str
    database: str
    head: str
    migrations: list[list[str]]
    tables: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    format: str = FORMAT


class Writer:
    """Adds members to a backup that is being written."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.members: dict[str, str] = {}
        self.size = 0

    def add(self, name: str, path: Path) -> None:
        """Add the file `path` under `name`. A file that is gone meanwhile is left out."""
        try:
            with path.open("rb") as file:
                info = self._tar.gettarinfo(arcname=name, fileobj=file)
                info.uid = info.gid = 0
                info.uname = info.gname = ""
                # What is appended while it is read does not belong to it.
                reader = _Digested(file, info.size)
                self._tar.addfile(info, reader)
        except FileNotFoundError:
            return
        self.members[name] = reader.digest.hexdigest()
        self.size += info.size


class _Digested:
    """Reads `size` bytes of a file, and digests them on the way."""

    def __init__(self, file: Any, size: int) -> None:
        self._file, self._left = file, size
        self.digest = hashlib.sha256()

    def read(self, number: int = -1) -> bytes:
        number = self._left if number < 0 else min(number, self._left)
        data: bytes = self._file.read(number)
        self._left -= len(data)
        self.digest.update(data)
        return data


@contextmanager
def writing(target: Path, manifest: Manifest) -> Iterator[Writer]:
    """Write the backup `target`; the manifest is completed and added at the end. Nothing half-done keeps its name."""
    draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as raw:  # fmt: skip
            with gzip.GzipFile("", "wb", compresslevel=3, fileobj=raw) as packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:  # fmt: skip
                writer = Writer(tar)
                yield writer
                manifest.members = writer.members
                _add_manifest(tar, manifest)
            raw.flush()
            os.fsync(raw.fileno())
        os.rename(draft, target)
    finally:
        draft.unlink(missing_ok=True)


def _add_manifest(tar: tarfile.TarFile, manifest: Manifest) -> None:
    import io

    text = json.dumps(asdict(manifest), indent=1, sort_keys=True).encode()
    info = tarfile.TarInfo(MANIFEST)
    info.size, info.mode = len(text), 0o600
    tar.addfile(info, io.BytesIO(text))


def unpack(source: Path, folder: Path) -> Manifest:
    """Write the members of the backup `source` below `folder`, and return its manifest. Raises `BadBackup`."""
    try:
        with tarfile.open(source, "r:gz") as tar:
            found, text = _extract(tar, folder)
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadBackup(
            f"{source} is not a whole backup: {error or 'it was cut short'}."
        ) from None
    manifest = _manifest(source, text)
    if manifest.members != found:
        wrong = sorted(
            name
            for name in {*manifest.members, *found}
            if manifest.members.get(name) != found.get(name)
        )
        raise BadBackup(
            f"{source}: {wrong[0]} is not what the manifest says; the file was damaged or changed."
        )
    return manifest


def _extract(tar: tarfile.TarFile, folder: Path) -> tuple[dict[str, str], bytes]:
    found: dict[str, str] = {}
    text = b""
    for info in tar:
        parts = PurePosixPath(info.name).parts
        if not info.isreg() or not parts or ".." in parts or info.name.startswith("/"):
            raise BadBackup(f"{info.name!r} does not belong into a backup.")
        reader = tar.extractfile(info)
        assert reader is not None
        if info.name == MANIFEST:
            text = reader.read(_LARGEST_MANIFEST)
            continue
        target = folder.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        digest = hashlib.sha256()
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:  # fmt: skip
            while chunk := reader.read(_CHUNK):
                digest.update(chunk)
                out.write(chunk)
        os.utime(target, (info.mtime, info.mtime))
        found[info.name] = digest.hexdigest()
    return found, text


def _manifest(source: Path, text: bytes) -> Manifest:
    if not text:
        raise BadBackup(
            f"{source} has no {MANIFEST}: it is no backup, or was cut short."
        )
    try:
        document = json.loads(text)
        manifest = Manifest(**document)
    except (ValueError, TypeError) as error:
        raise BadBackup(f"{source}: {MANIFEST} cannot be read ({error}).") from None
    if manifest.format != FORMAT:
        raise BadBackup(
            f"{source} has the format {manifest.format!r}; expected {FORMAT!r}."
        )
    return manifest
