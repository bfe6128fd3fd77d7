"""Make a backup while everything runs."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction

from workbench.events.log import record
from workbench.events.models import Head
from workbench.upkeep.backup import tables
from workbench.upkeep.backup.archive import Manifest, Writer, writing

# What can be made again, belongs to one moment, or is the database itself.
LEFT_OUT = ("cache", "scratch", "static", "logs", "backups", "up.lock")
_LEFT_OUT_PREFIXES = ("set-aside-", ".")


@dataclass(frozen=True)
class Made:
    """A backup that was made: its file, the head of the record in it, and how much is in it."""

    file: str
    head: str
    database: str
    members: int
    size: int


def make_backup(target: Path) -> Made:
    """Write a backup of the database and the data folder into `target`, which must not be there, and return what it is.

    The database is that of one moment; files of the data folder, which are only ever added, may be a little newer.
    Raises `FileExistsError` and other `OSError`s.
    """
    if target.exists():
        raise FileExistsError(17, "is there already", str(target))
    kind = "SQLite" if connection.vendor == "sqlite" else "PostgreSQL"
    manifest = Manifest(
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        version=_version(),
        database=kind,
        head="",
        migrations=[],
    )
    with (
        tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as name,
        writing(target, manifest) as writer,
    ):
        (_add_sqlite if kind == "SQLite" else _add_postgres)(
            writer, manifest, Path(name)
        )
        for path in data_files():
            relative = path.relative_to(settings.DATA_DIR)
            writer.add(f"data/{relative.as_posix()}", path)
    made = Made(
        str(target), manifest.head, kind, len(manifest.members), target.stat().st_size
    )
    with transaction.atomic():
        head, _ = Head.objects.get_or_create(pk=1)
        record("backup.made", None, head, head=manifest.head, members=made.members)
    return made


def _add_sqlite(writer: Writer, manifest: Manifest, folder: Path) -> None:
    copy = tables.dump_sqlite(folder)
    manifest.head, manifest.migrations = tables.look_into_sqlite(copy)
    writer.add(tables.SQLITE, copy)


def _add_postgres(writer: Writer, manifest: Manifest, folder: Path) -> None:
    with closing(tables.PostgresDump()) as dump:
        manifest.head, manifest.migrations = dump.head(), dump.migrations()
        manifest.tables = dump.tables
        for table in dump.tables:
            path = folder / "table.copy"
            manifest.rows[table] = dump.dump(table, path)
            writer.add(f"tables/{table}.copy", path)
            path.unlink()


def data_files() -> Iterator[Path]:
    """Yield the files of the data folder that a backup holds, in order."""
    root = Path(settings.DATA_DIR)
    database = str(connection.settings_dict["NAME"])
    for folder, folders, names in os.walk(root):
        if Path(folder) == root:
            folders[:] = [name for name in folders if not _left_out(name)]
            names = [name for name in names if not _left_out(name)]
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if not str(path).startswith(database) and stat.S_ISREG(
                path.lstat().st_mode
            ):
                yield path


def _left_out(name: str) -> bool:
    return name in LEFT_OUT or name.startswith(_LEFT_OUT_PREFIXES)


def _version() -> str:
    try:
        return metadata.version("proofroom")
    except metadata.PackageNotFoundError:
        return "checkout"
