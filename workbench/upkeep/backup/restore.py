"""Put a backup back, and say whether what is there then is whole."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from workbench.events.log import broken_links, missing_mark, record
from workbench.events.models import Head
from workbench.jobs.models import WorkerRow
from workbench.jobs.selectors import live_workers
from workbench.registry import Registry
from workbench.upkeep.backup import tables
from workbench.upkeep.backup.archive import BadBackup, Manifest, unpack
from workbench.upkeep.disk import demand_room

_MADE_AT_ONCE = ("secret-key",)
MOST_TOLD = 100


class CannotRestore(Exception):
    """The backup does not fit here, or something is in the way. Nothing was changed. The text says what to do."""


@dataclass(frozen=True)
class RestoreCheck:
    """What else must hold after a restore: `check()` returns a sentence for each thing that does not, and how many it saw."""

    name: str
    check: Callable[[], tuple[int, list[str]]]
    order: int = 50


restore_checks: Registry[RestoreCheck] = Registry("checks after a restore")


@dataclass(frozen=True)
class Restored:
    """What was put back, what was checked (name → number of things), and what is wrong, if anything."""

    made_at: str
    head: str
    database: str
    files: int
    checked: dict[str, int]
    wrong: list[str]
    set_aside: list[str] = field(default_factory=list)


def restore(source: Path, *, replace: bool = False) -> Restored:
    """Put the backup `source` back and return how it came out.

    What is here already is only touched with `replace`; then files are set aside, and so is an SQLite database, but the
    tables of PostgreSQL are dropped. Raises `CannotRestore` and `BadBackup` before anything is changed.
    """
    data = Path(settings.DATA_DIR)
    demand_room(source.stat().st_size)
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=data) as name:
        folder = Path(name)
        manifest = unpack(source, folder)
        _demand_fit(source, manifest, folder)
        was_empty = not tables.has_tables()
        _demand_free(folder, was_empty, replace)
        aside = data / f"set-aside-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
        moved = _put_files_back(folder / "data", data, aside)
        if connection.vendor == "sqlite":
            moved += _put_sqlite_back(
                folder / tables.SQLITE, None if was_empty else aside
            )
        else:
            connection.close()
            tables.empty_postgres()
            tables.load_postgres(folder, manifest.tables, manifest.migrations)
    WorkerRow.objects.all().delete()
    files = sum(name.startswith("data/") for name in manifest.members)
    checked, wrong = _verified(manifest)
    with transaction.atomic():
        head, _ = Head.objects.get_or_create(pk=1)
        record("backup.restored", None, head, head=manifest.head, made_at=manifest.made_at, wrong=len(wrong))  # fmt: skip
    return Restored(
        manifest.made_at, manifest.head, manifest.database, files, checked, wrong, moved
    )


def _demand_fit(source: Path, manifest: Manifest, folder: Path) -> None:
    here = "SQLite" if connection.vendor == "sqlite" else "PostgreSQL"
    if manifest.database != here:
        raise CannotRestore(
            f"{source} is of a {manifest.database} database, and DATABASE_URL names a {here} one. Name one of the same kind."
        )
    if unknown := tables.unknown_migrations(manifest.migrations):
        raise CannotRestore(
            f"{source} is of a newer version of the workbench than this one (it has {unknown[0]}). Get that version first."
        )
    if here == "SQLite" and not tables.intact_sqlite(folder / tables.SQLITE):
        raise BadBackup(f"{source}: the database in it is damaged.")


def _demand_free(folder: Path, was_empty: bool, replace: bool) -> None:
    if not was_empty:
        if not replace:
            raise CannotRestore(
                "The database is not empty. With --replace what is in it goes; take a backup of it first."
            )
        try:
            up = live_workers().count()
        except DatabaseError:  # not a database of ours
            up = 0
        connection.close()
        if up:
            raise CannotRestore(
                f"{up} workers are up (or were until a moment ago). Stop web and workers first, then wait half a minute."
            )
    there = sorted(_in_the_way(folder / "data", Path(settings.DATA_DIR)))
    if there and not replace:
        raise CannotRestore(
            f"The data folder already has {there[0]}. With --replace it is set aside."
        )


def _in_the_way(kept: Path, data: Path) -> list[str]:
    names = (
        [name for name in os.listdir(kept) if (data / name).exists()]
        if kept.is_dir()
        else []
    )
    return [name for name in names if name not in _MADE_AT_ONCE]


def _put_files_back(kept: Path, data: Path, aside: Path) -> list[str]:
    moved = []
    for name in sorted(os.listdir(kept)) if kept.is_dir() else []:
        if (data / name).exists():
            aside.mkdir(mode=0o700, exist_ok=True)
            (data / name).rename(aside / name)
            moved.append(str(aside / name))
        (kept / name).rename(data / name)
    return [path for path in moved if Path(path).name not in _MADE_AT_ONCE]


def _put_sqlite_back(kept: Path, aside: Path | None) -> list[str]:
    """Put the copy in the place of the database, which is moved to `aside`; None: there was nothing in it."""
    connection.close()
    database = Path(str(connection.settings_dict["NAME"]))
    moved = []
    if aside is None:
        for ending in ("-wal", "-shm", ""):
            database.with_name(database.name + ending).unlink(missing_ok=True)
    elif database.exists():
        aside.mkdir(mode=0o700, exist_ok=True)
        # Its write-ahead log belongs to it by its name: all of it moves, the log first.
        for ending in ("-wal", "-shm", ""):
            part = database.with_name(database.name + ending)
            if part.exists():
                shutil.move(part, aside / part.name)
        moved.append(str(aside / database.name))
    database.parent.mkdir(parents=True, exist_ok=True)
    draft = database.with_name(f".{database.name}.restored")
    shutil.copyfile(kept, draft)
    os.chmod(draft, 0o600)
    draft.rename(database)
    call_command("migrate", interactive=False, verbosity=0)
    return moved


def _verified(manifest: Manifest) -> tuple[dict[str, int], list[str]]:
    """Check the record, and what apps want checked."""
    wrong = [*broken_links()][:MOST_TOLD]
    if cut := missing_mark(manifest.head):
        wrong.append(cut)
    checked = {"events": int(manifest.head.partition(":")[0])}
    for each in restore_checks:
        number, found = each.check()
        checked[each.name] = number
        wrong += found[:MOST_TOLD]
    return checked, wrong
