"""What may be dropped after a time or above a size. Each app says what of its own, and how; `clean_up` does it all.

The record, decisions, revisions, outcomes and receipts are never dropped: rules are for what can be made again, or what
nobody asks for after a while.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from workbench.registry import Registry
from workbench.upkeep.disk import size_words

log = logging.getLogger(__name__)
LEFT_ALONE_S = 24 * 3600.0


@dataclass(frozen=True)
class Removed:
    """How many things were removed, and how many bytes they took, as far as is known."""

    count: int = 0
    size: int = 0

    def __add__(self, other: Removed) -> Removed:
        return Removed(self.count + other.count, self.size + other.size)


@dataclass(frozen=True)
class Rule:
    """One kind of thing that goes after a while.

    `things` names it for people, in the plural; `keeps()` says what stays, from the settings ("for 90 days"); `clean(dry)`
    removes what need not stay, or only counts it if `dry`, and returns that. It must be safe beside running work.
    """

    name: str
    things: str
    keeps: Callable[[], str]
    clean: Callable[[bool], Removed]
    order: int = 50


@dataclass(frozen=True)
class Cleaned:
    """What became of one rule; `error` says why it could not be followed."""

    name: str
    things: str
    keeps: str
    removed: Removed
    error: str = ""

    @property
    def words(self) -> str:
        """A sentence about it."""
        if self.error:
            return f"{self.things}: {self.error}"
        if not self.removed.count:
            return f"{self.things}, kept {self.keeps}: nothing to remove"
        size = f", {size_words(self.removed.size)}" if self.removed.size else ""
        return f"{self.things}, kept {self.keeps}: {self.removed.count:,} removed{size}"


rules: Registry[Rule] = Registry("rules of retention")


def clean_up(*, dry: bool = False, tell: Callable[[Cleaned], None]) -> list[Cleaned]:
    """Follow every rule, tell each outcome as it comes, and return them all. A rule that breaks stops no other one."""
    done = []
    for rule in rules:
        try:
            outcome = Cleaned(rule.name, rule.things, rule.keeps(), rule.clean(dry))
        except OSError as error:
            log.exception("the rule %s broke", rule.name)
            words = f"could not be cleaned up ({error.strerror or error})"
            outcome = Cleaned(rule.name, rule.things, rule.keeps(), Removed(), words)
        tell(outcome)
        done.append(outcome)
    return done


def remove_files(paths: Iterable[Path], older_than_s: float, dry: bool) -> Removed:
    """Remove those of `paths`, files or folders, that were last changed so many seconds ago."""
    removed = Removed()
    for path in paths:
        try:
            if time.time() - path.lstat().st_mtime <= older_than_s:
                continue
            size = size_of(path)
            if not dry:
                _remove(path)
        except FileNotFoundError:  # somebody else was faster
            continue
        removed += Removed(1, size)
    return removed


def trim_folders(entries: Iterable[Path], limit: int, dry: bool) -> Removed:
    """Remove the `entries` of a cache that were longest unused until the others take at most `limit` bytes.

    What was used within a day stays in any case: somebody may be working with it.
    """
    known = sorted((_used_at(path), size_of(path), path) for path in entries)
    total = sum(size for _, size, _ in known)
    removed = Removed()
    for used_at, size, path in known:
        if total <= limit or time.time() - used_at < LEFT_ALONE_S:
            break
        if not dry:
            # Renamed first, so that nobody finds half of it.
            gone = path.with_name(f".gone-{path.name}")
            path.rename(gone)
            _remove(gone)
        total -= size
        removed += Removed(1, size)
    return removed


def size_of(path: Path) -> int:
    """Return how many bytes the file `path`, or everything below the folder `path`, takes."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(
        os.lstat(os.path.join(folder, name)).st_size
        for folder, _, names in os.walk(path)
        for name in names
    )


def _used_at(path: Path) -> float:
    stats = [path.lstat()]
    if path.is_dir():
        stats += [each.lstat() for each in path.iterdir()]
    return max(max(stat.st_mtime, stat.st_atime) for stat in stats)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def data_folder() -> Path:
    """Return the data folder."""
    return Path(settings.DATA_DIR)
