"""Safe reading of a directory, tar or zip into a mapping from path to bytes.

Refused, naming the entry: absolute and climbing paths, links, devices, repeated names, NUL and control
characters, and whatever exceeds the limits. Sizes are counted while expanding, never taken from the archive's
own word. A directory is opened without following links, and what changes while it is read is noticed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from curation.format.findings import FormatError

MEGABYTE = 1024 * 1024


class ArchiveError(FormatError):
    """A tree that is not read. `path` names the entry."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read. Sizes in bytes; `ratio` is expanded size over size of the archive, counted from `ratio_from`
    expanded bytes on.

    With `leave_out`, links, special files and files above `file_bytes` are left out and named in `skipped` instead
    of refusing the tree: for upstream repositories, which were not made to be read by us.
    """

    archive_bytes: int = 128 * MEGABYTE
    file_bytes: int = 32 * MEGABYTE
    total_bytes: int = 256 * MEGABYTE
    files: int = 20_000
    depth: int = 24
    ratio: int = 60
    ratio_from: int = 4 * MEGABYTE
    leave_out: bool = False


DEFAULT_LIMITS = Limits()
LONGEST_PATH = 1000
SKIPPED_DIRECTORIES = frozenset(
    (".git", ".hg", ".svn", ".lake", "__pycache__", "__MACOSX")
)


@dataclass(frozen=True)
class Tree:
    """Files of an instance by path, with `/` between the parts. `skipped` are directories left out by name."""

    name: str
    files: Mapping[str, bytes] = field(repr=False)
    skipped: tuple[str, ...] = ()


def unsafe_path(path: str) -> str:
    """Return why `path` cannot name a file inside a tree, or an empty string if it can."""
    if not path:
        return "it is empty"
    if path.startswith("/") or (len(path) > 1 and path[1] == ":"):
        return "it is absolute"
    if "\\" in path:
        return "it holds a backslash"
    if not path.isprintable():
        return "it holds a character that cannot be printed"
    if len(path) > LONGEST_PATH:
        return f"it is longer than {LONGEST_PATH:,} characters"
    for part in path.split("/"):
        if part in ("", ".", ".."):
            return f"{part!r} is not a name" if part else "it has an empty part"
        if len(part.encode("utf-8", "surrogatepass")) > 255:
            return "one of its names is longer than 255 bytes"
    return ""


class Collector:
    """Takes files one by one and holds them to the limits."""

    def __init__(
        self, limits: Limits = DEFAULT_LIMITS, archive_bytes: int | None = None
    ) -> None:
        self.limits = limits
        self.archive_bytes = archive_bytes
        self.files: dict[str, bytes] = {}
        self.total = 0

    def check_name(self, path: str) -> None:
        """Check the name of a file or directory. Raises ArchiveError."""
        reason = unsafe_path(path)
        if reason:
            shown = path if path.isprintable() else ascii(path)
            raise ArchiveError(f"this name is refused: {reason}", path=shown)
        if path.count("/") >= self.limits.depth:
            raise ArchiveError(
                f"lies deeper than {self.limits.depth} directories", path=path
            )

    def claim(self, path: str) -> None:
        """Check the name of the next file. Raises ArchiveError."""
        self.check_name(path)
        if path in self.files:
            raise ArchiveError("this name appears twice", path=path)
        if len(self.files) >= self.limits.files:
            raise ArchiveError(
                f"is one file more than the {self.limits.files:,} that are read",
                path=path,
            )

    def expansion_limit(self) -> int:
        """Return to how many bytes the archive may expand. For a directory, the limit of the whole."""
        if self.archive_bytes is None:
            return self.limits.total_bytes
        return max(self.limits.ratio_from, self.archive_bytes * self.limits.ratio)

    def room(self, path: str) -> int:
        """Return how many bytes the file may have. One more means that a limit is exceeded."""
        room = min(self.limits.file_bytes, self.limits.total_bytes - self.total)
        room = min(room, self.expansion_limit() - self.total)
        return max(room, 0)

    def add(self, path: str, data: bytes) -> None:
        """Keep a file. Raises ArchiveError when it is larger than `room` allowed."""
        if len(data) > self.room(path):
            raise ArchiveError(self.too_large(len(data)), path=path)
        self.files[path] = data
        self.total += len(data)

    def too_large(self, size: int) -> str:
        """Return which limit a file of this size exceeds."""
        limits = self.limits
        if size > limits.file_bytes:
            return f"is larger than {limits.file_bytes:,} bytes"
        if self.total + size > limits.total_bytes:
            return f"brings the tree over {limits.total_bytes:,} bytes"
        return f"expands to more than {limits.ratio} times the size of the archive"


def _unwanted(entry: os.DirEntry[str], limits: Limits) -> bool:
    """Return whether an entry is neither a directory nor a regular file of a size that is read."""
    if entry.is_dir(follow_symlinks=False):
        return False
    return (
        not entry.is_file(follow_symlinks=False)
        or entry.stat(follow_symlinks=False).st_size > limits.file_bytes
        or bool(unsafe_path(entry.name))
    )


def _read_file(
    directory: int, name: str, path: str, collector: Collector
) -> tuple[bytes, os.stat_result]:
    try:
        handle = os.open(
            name,
            os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
            dir_fd=directory,
        )
    except OSError as error:
        raise ArchiveError(f"cannot be read: {error.strerror}", path=path) from None
    try:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise ArchiveError("is not a regular file", path=path)
        room = collector.room(path)
        if before.st_size > room:
            raise ArchiveError(collector.too_large(before.st_size), path=path)
        data = os.read(handle, before.st_size + 1)
        while len(data) < before.st_size and (
            more := os.read(handle, before.st_size + 1 - len(data))
        ):
            data += more
        if len(data) != before.st_size:
            raise ArchiveError("changed while it was read", path=path)
        return data, before
    finally:
        os.close(handle)


def _signature(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class _Walk:
    """One reading of a directory; every directory stays open by descriptor while it is listed."""

    def __init__(self, collector: Collector, skip: frozenset[str]) -> None:
        self.collector = collector
        self.skip = skip
        self.skipped: list[str] = []
        self.seen: list[tuple[str, tuple[int, int, int, int]]] = []

    def run(self, root: Path) -> None:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.directory(handle, "")
            for path, before in self.seen:
                try:
                    now = os.stat(path or ".", dir_fd=handle, follow_symlinks=False)
                except OSError:
                    raise ArchiveError(
                        "went away while the directory was read", path=path
                    ) from None
                if _signature(now) != before:
                    raise ArchiveError(
                        "changed while the directory was read", path=path or "."
                    )
        finally:
            os.close(handle)

    def directory(self, handle: int, prefix: str) -> None:
        self.seen.append((prefix.rstrip("/"), _signature(os.fstat(handle))))
        with os.scandir(handle) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            path = prefix + entry.name
            if self.collector.limits.leave_out and _unwanted(
                entry, self.collector.limits
            ):
                self.skipped.append(path)
            elif entry.is_symlink():
                raise ArchiveError("is a link", path=path)
            elif entry.is_dir(follow_symlinks=False):
                self.enter(handle, entry.name, path)
            else:
                self.collector.claim(path)
                data, status = _read_file(handle, entry.name, path, self.collector)
                self.collector.add(path, data)
                self.seen.append((path, _signature(status)))

    def enter(self, handle: int, name: str, path: str) -> None:
        if name in self.skip:
            self.skipped.append(path)
            return
        if path.count("/") >= self.collector.limits.depth:
            raise ArchiveError(
                f"lies deeper than {self.collector.limits.depth} directories", path=path
            )
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            inner = os.open(name, flags, dir_fd=handle)
        except OSError as error:
            raise ArchiveError(f"cannot be read: {error.strerror}", path=path) from None
        try:
            self.directory(inner, path + "/")
        finally:
            os.close(inner)


def read_directory(
    root: str | Path,
    limits: Limits = DEFAULT_LIMITS,
    skip: frozenset[str] = SKIPPED_DIRECTORIES,
) -> Tree:
    """Return the files under `root`. Raises ArchiveError naming the entry that is not read."""
    root = Path(root)
    walk = _Walk(Collector(limits), skip)
    try:
        walk.run(root)
    except FileNotFoundError:
        raise ArchiveError("does not exist", path=str(root)) from None
    except NotADirectoryError:
        raise ArchiveError("is not a directory", path=str(root)) from None
    except PermissionError:
        raise ArchiveError("may not be read by this process", path=str(root)) from None
    return Tree(root.resolve().name, walk.collector.files, tuple(walk.skipped))


def instance_roots(tree: Tree) -> Iterator[str]:
    """Yield the directories of a tree that hold a manifest, outermost only; "" is the tree itself."""
    roots = sorted(
        path[: -len("manifest.json")]
        for path in tree.files
        if f"/{path}".endswith("/manifest.json")
    )
    last: str | None = None
    for root in roots:
        if last is None or not root.startswith(last):
            last = root
            yield root.rstrip("/")


def subtree(tree: Tree, root: str) -> Tree:
    """Return what lies under one directory of `tree`, with paths from there."""
    if not root:
        return tree
    start = root + "/"
    return Tree(
        root.rsplit("/", 1)[-1],
        {
            path[len(start) :]: data
            for path, data in tree.files.items()
            if path.startswith(start)
        },
        tuple(path[len(start) :] for path in tree.skipped if path.startswith(start)),
    )
