"""Safe reading of .tar, .tar.gz, .tar.xz and .zip, by what they hold and not by their name.

Nothing is written to disk. Expanded bytes are counted as they come, headers included, so an archive that
expands without end is stopped at the limit; what an archive says about itself is only used to refuse early.
"""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from curation.format.archive import (
    DEFAULT_LIMITS,
    SKIPPED_DIRECTORIES,
    ArchiveError,
    Collector,
    Limits,
    Tree,
    read_directory,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_SUFFIXES = (".tar.gz", ".tar.xz", ".tgz", ".txz", ".tar", ".zip")
_CHUNK = 256 * 1024


class _Counted(io.RawIOBase):
    """A readable stream that stops when it has given more than it may."""

    def __init__(self, stream: IO[bytes], limit: int, message: str) -> None:
        self.stream = stream
        self.left = limit
        self.message = message

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        data = self.stream.read(min(len(view), _CHUNK))
        self.left -= len(data)
        if self.left < 0:
            raise ArchiveError(self.message)
        view[: len(data)] = data
        return len(data)


class _TarInfo(tarfile.TarInfo):
    """A header that knows the difference between the end of an archive and the end of the bytes.

    After the first header, `tarfile` takes one that is cut or damaged for the end: half an archive would be read.
    """

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Any:
        try:
            return super().fromtarfile(archive)
        except tarfile.EmptyHeaderError:  # type: ignore[attr-defined]  # missing in typeshed
            raise ArchiveError("the archive ends too early") from None
        except tarfile.TruncatedHeaderError:  # type: ignore[attr-defined]  # missing in typeshed
            if archive.offset == 0:
                raise
            raise ArchiveError("the archive ends too early") from None
        except tarfile.InvalidHeaderError:  # type: ignore[attr-defined]  # missing in typeshed
            if archive.offset == 0:
                raise
            raise ArchiveError(
                f"the archive is damaged: no header at byte {archive.offset:,}"
            ) from None


def archive_name(name: str) -> str:
    """Return the name of an archive without directories and known endings."""
    name = name.replace("\\", "/").rsplit("/", 1)[-1]
    for suffix in _SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def _clean(name: str) -> str:
    while name.startswith("./"):
        name = name[2:]
    return name.rstrip("/") if name != "/" else name


class _Unpacker:
    """What tar and zip have in common: names, kinds and amounts of entries."""

    def __init__(self, limits: Limits, archive_bytes: int) -> None:
        self.collector = Collector(limits, archive_bytes)
        self.limits = limits
        self.entries = 0
        self.skipped: dict[str, None] = {}

    def wants(self, name: str, *, directory: bool) -> str | None:
        """Return the path of the next entry if it is to be read. Raises ArchiveError for a bad one."""
        self.entries += 1
        if self.entries > 2 * self.limits.files:
            raise ArchiveError(
                f"is one entry more than the {2 * self.limits.files:,} that are read",
                path=name,
            )
        path = _clean(name)
        if directory and path in ("", "."):
            return None
        parts = path.split("/")
        for index, part in enumerate(parts):
            if part in SKIPPED_DIRECTORIES and (directory or index < len(parts) - 1):
                self.skipped["/".join(parts[: index + 1])] = None
                return None
        if directory:
            self.collector.check_name(path)
            return None
        self.collector.claim(path)
        return path

    def leaves_out(self, name: str, *, regular: bool, size: int) -> bool:
        """Return whether an entry that is no directory is passed over, and note it if so."""
        limits = self.limits
        if limits.leave_out and (not regular or size > limits.file_bytes):
            self.skipped[_clean(name)] = None
            return True
        return False

    def take(self, path: str, stream: IO[bytes]) -> None:
        """Read one file, no further than one byte over what it may have."""
        pieces: list[bytes] = []
        left = self.collector.room(path) + 1
        while left > 0 and (data := stream.read(min(left, _CHUNK))):
            pieces.append(data)
            left -= len(data)
        self.collector.add(path, b"".join(pieces))

    def tree(self, name: str) -> Tree:
        files = self.collector.files
        for path in files:
            parent = path
            while "/" in parent:
                parent = parent.rsplit("/", 1)[0]
                if parent in files:
                    raise ArchiveError("is a file and a directory at once", path=parent)
        return Tree(name, files, tuple(self.skipped))


def _read_tar(stream: IO[bytes], unpacker: _Unpacker) -> None:
    limits = unpacker.limits
    headers = 4 * 512 * unpacker.limits.files
    limit = min(
        limits.total_bytes + headers, unpacker.collector.expansion_limit() + headers
    )
    counted = io.BufferedReader(
        _Counted(stream, limit, "the archive expands to more than is read")
    )
    with tarfile.open(fileobj=counted, mode="r|", tarinfo=_TarInfo) as archive:
        for member in archive:
            archive.members = []  # type: ignore[attr-defined]  # it would keep every header
            regular = member.isreg() and not member.issparse()
            if not member.isdir() and unpacker.leaves_out(
                member.name, regular=regular, size=member.size
            ):
                continue
            if member.issym() or member.islnk():
                raise ArchiveError("is a link", path=member.name)
            if not member.isdir() and not regular:
                raise ArchiveError("is not a regular file", path=member.name)
            path = unpacker.wants(member.name, directory=member.isdir())
            if path is None:
                continue
            if member.size > unpacker.collector.room(path):
                raise ArchiveError(unpacker.collector.too_large(member.size), path=path)
            content = archive.extractfile(member)
            if content is not None:
                unpacker.take(path, content)
                if len(unpacker.collector.files[path]) != member.size:
                    raise ArchiveError("the archive ends too early", path=path)


def _read_zip(stream: BinaryIO, data_entries: int, unpacker: _Unpacker) -> None:
    if data_entries > 4 * unpacker.limits.files:
        raise ArchiveError(f"the archive lists {data_entries:,} entries")
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            name = info.orig_filename
            if info.filename != name:
                raise ArchiveError(
                    "this name is refused: it holds a NUL character", path=ascii(name)
                )
            kind = stat.S_IFMT(info.external_attr >> 16)
            if not info.is_dir() and unpacker.leaves_out(
                name, regular=kind in (0, stat.S_IFREG), size=info.file_size
            ):
                continue
            if kind == stat.S_IFLNK:
                raise ArchiveError("is a link", path=name)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise ArchiveError("is not a regular file", path=name)
            if info.flag_bits & 1:
                raise ArchiveError("is encrypted", path=name)
            path = unpacker.wants(name, directory=info.is_dir())
            if path is None:
                continue
            if info.file_size > unpacker.collector.room(path):
                raise ArchiveError(
                    unpacker.collector.too_large(info.file_size), path=path
                )
            with archive.open(info) as content:
                unpacker.take(path, content)


_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RecursionError,
    ValueError,
    OverflowError,
)


def read_archive(stream: BinaryIO, name: str, limits: Limits = DEFAULT_LIMITS) -> Tree:
    """Return the files of a tar or zip. `stream` must be seekable; it is not closed.

    `name` is what the archive is called; its ending is not trusted. Raises ArchiveError naming the entry.
    """
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    if size > limits.archive_bytes:
        raise ArchiveError(
            f"the archive is larger than {limits.archive_bytes:,} bytes", path=name
        )
    magic = stream.read(6)
    stream.seek(0)
    unpacker = _Unpacker(limits, size)
    try:
        if magic.startswith(b"PK"):
            entries = _count(stream, b"PK\x01\x02")
            _read_zip(stream, entries, unpacker)
        elif magic.startswith(b"\x1f\x8b"):
            with gzip.GzipFile(fileobj=stream) as expanded:
                _read_tar(cast(IO[bytes], expanded), unpacker)
        elif magic.startswith(b"\xfd7zXZ\x00"):
            with lzma.LZMAFile(stream) as expanded:
                _read_tar(cast(IO[bytes], expanded), unpacker)
        else:
            _read_tar(stream, unpacker)
        return unpacker.tree(archive_name(name))
    except ArchiveError as error:
        if error.path:
            raise
        raise ArchiveError(error.reason, path=name) from None
    except _BROKEN as error:
        reason = (
            "nested too deeply"
            if isinstance(error, RecursionError)
            else str(error) or type(error).__name__
        )
        raise ArchiveError(
            f"is no .tar, .tar.gz, .tar.xz or .zip that can be read: {reason}",
            path=name,
        ) from None


def _count(stream: BinaryIO, mark: bytes) -> int:
    total, tail = 0, b""
    while data := stream.read(_CHUNK):
        total += (tail + data).count(mark)
        tail = data[-len(mark) + 1 :]
    stream.seek(0)
    return total


def read_tree(path: str | Path, limits: Limits = DEFAULT_LIMITS) -> Tree:
    """Return the files of a directory or an archive. Raises ArchiveError."""
    path = Path(path)
    if path.is_dir():
        return read_directory(path, limits)
    with suppress(OSError):
        if not path.is_file() and path.exists():
            raise ArchiveError("is neither a directory nor a file", path=str(path))
    try:
        with path.open("rb") as stream:
            return read_archive(stream, path.name, limits)
    except OSError as error:
        raise ArchiveError(
            f"cannot be read: {error.strerror}", path=str(path)
        ) from None
