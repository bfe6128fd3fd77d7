"""The outer form of a compiled Lean file: header, objects, pointers. Nothing of what the file holds is run.

Format facts (Lean 4.35, format version 2): 96 bytes of header, then the objects that Lean's compaction wrote, each
after everything it points to, the last being the root. All positions here count words of eight bytes from the
start of the file. `Image` is the file mapped into memory; making one checks every object (see docs/developer/reader.md).
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import mmap
import os
from array import array
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from workbench.lean.layouts import begins_like_one, layout_of, refusal

HEADER_WORDS = 12
PART_ALIGNMENT = 1 << 16
PART_SUFFIXES = ("", ".server", ".private")
_LARGEST_CONSTRUCTOR = 244
ARRAY, SCALAR_ARRAY, STRING, BIG_NUMBER, THUNK = 246, 248, 249, 250, 251
SMALL_NAT = 1 << 63

# Private, at exactly that address, over what lies there.
_OVER = mmap.MAP_PRIVATE | 0x10
_mmap = ctypes.CDLL(None, use_errno=True).mmap
_mmap.restype = ctypes.c_void_p
_mmap.argtypes = (
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
)  # fmt: skip

# Marks of a word: the start of an object, and whether a later object points to it.
START, REFERENCED = 1, 2


class OleanError(Exception):
    """A file that Lean's compiler cannot have written, or a form of it that this reader does not know.

    `offset` is in bytes from the start of the file, -1 when it concerns the whole file.
    """

    def __init__(self, label: str, reason: str, offset: int = -1) -> None:
        self.label, self.reason, self.offset = label, reason, offset
        super().__init__(
            f"{label}: {reason}"
            if offset < 0
            else f"{label}: {reason} (at byte {offset})"
        )


class Image:
    """One validated compiled file.

    `root` is the word where its module data start (those of the last part, which has all; `roots` has that of each), `lean` the version that wrote it, `digest` the SHA-256 of its
    bytes (all parts as they lie in memory), `trusted` whether an earlier check was relied on.
    """

    __slots__ = (
        "base",
        "data",
        "digest",
        "label",
        "lean",
        "marks",
        "parts",
        "root",
        "roots",
        "starts",
        "trusted",
        "words",
    )

    def __init__(
        self,
        label: str,
        parts: Sequence[memoryview],
        *,
        checked: Container[str] = (),
        joined: memoryview | None = None,
    ) -> None:
        """`parts` is one file, or the three of a module-system module in the order that Lean maps them.

        `joined` are these three as they lie in memory, if they lie there already. Bytes whose digest is in `checked` are taken for good without looking at each object again.
        """
        self.label = label
        self.parts = len(parts)
        versions = [_check_header(label, part) for part in parts]
        self.lean = versions[0]
        starts = _part_starts(label, parts)
        self.data = parts[0] if self.parts == 1 else joined or _join(parts, starts)
        self.words = self.data.cast("Q")
        self.base = self.words[10]
        self.starts = array("I")
        self.digest = hashlib.sha256(self.data).hexdigest()
        self.trusted = self.digest in checked
        if self.trusted:
            self.roots = [self.index(self.words[(at >> 3) + 11]) for at in starts]
        else:
            self.marks = bytearray(len(self.words))
            self.roots = [
                self._root_of(start >> 3, (start + len(part)) >> 3)
                for start, part in zip(starts, parts, strict=True)
            ]
            del self.marks
        self.root = self.roots[-1]

    def error(self, word: int, reason: str) -> OleanError:
        """Return (not raise) the error that names `word` of this file."""
        return OleanError(self.label, reason, word * 8)

    def string(self, word: int) -> str:
        """Return the string object at `word`."""
        return str(self.string_bytes(word), "utf-8")

    def string_bytes(self, word: int) -> bytes:
        """Return the UTF-8 bytes of the string object at `word`."""
        start = word * 8 + 32
        return bytes(self.data[start : start + self.words[word + 1] - 1])

    def big_number(self, word: int) -> int:
        """Return the number stored as a big number at `word`, which may be negative."""
        size = self.words[word + 1] >> 32
        negative = size >= 1 << 31
        size = (1 << 32) - size if negative else size
        value = int.from_bytes(
            self.data[(word + 3) * 8 : (word + 3 + size) * 8], "little"
        )
        return -value if negative else value

    def tag(self, word: int) -> int:
        """Return the tag of the object at `word`: a constructor's number, or one of the kinds above."""
        return self.words[word] >> 56

    def fields(self, word: int) -> list[int]:
        """Return the pointer fields of a constructor, array or thunk as they are stored (odd: a scalar)."""
        header = self.words[word]
        tag = header >> 56
        if tag <= _LARGEST_CONSTRUCTOR:
            return self.words[word + 1 : word + 1 + (header >> 48 & 255)].tolist()
        if tag == ARRAY:
            return self.words[word + 3 : word + 3 + self.words[word + 1]].tolist()
        return [self.words[word + 1]] if tag == THUNK else []

    def index(self, pointer: int) -> int:
        """Return the word that an even pointer of this file leads to."""
        return (pointer - self.base) >> 3

    def _root_of(self, first: int, end: int) -> int:
        """Check the objects of the part that starts at word `first`; return its root. Raises `OleanError`."""
        pointer = self.words[first + 11]
        last = self._scan(first + HEADER_WORDS, end)
        if pointer & 7 or self.index(pointer) != last:
            raise self.error(
                first + 11, "the root pointer does not lead to the last object"
            )
        if self.marks[last] != START:
            raise self.error(last, "an object points to the root")
        if self.marks.count(START, first, end) != 1:
            raise self.error(
                self.marks.index(START, first, end), "nothing points to this object"
            )
        return last

    def _scan(self, first: int, end: int) -> int:
        """Check every object between two words; return where the last one starts. Raises `OleanError`."""
        words, marks, base, seen = self.words, self.marks, self.base, self.starts.append
        at = last = first
        try:
            while at < end:
                header = words[at]
                tag = header >> 56
                if tag <= _LARGEST_CONSTRUCTOR:
                    size = header >> 32 & 0xFFFF
                    after = at + (size >> 3)
                    count = header >> 48 & 255
                    pointers: Sequence[int] = words[at + 1 : at + 1 + count]
                    if header & 0x7FFFFFFFF or size < 8 + count * 8:
                        raise self.error(at, "wrong object header")
                elif tag == ARRAY:
                    count = words[at + 1]
                    after = at + 3 + count
                    pointers = words[at + 3 : after]
                    if header != 0xF6_00_0001_00000000 or words[at + 2] != count:
                        raise self.error(at, "wrong array header")
                else:
                    after, pointers = self._other(at, end)
                if after > end:
                    raise self.error(at, "object reaches past the end of the file")
                for pointer in pointers:
                    if not pointer & 1:
                        target = pointer - base
                        # Only words before this one can carry a mark, so a set mark proves the pointer good.
                        if target & 7 or target <= 0 or not marks[target >> 3]:
                            raise self.error(
                                at, "pointer to something that is not an earlier object"
                            )
                        marks[target >> 3] = START | REFERENCED
                marks[at] = START
                seen(at)
                last, at = at, after
        except (IndexError, OverflowError):
            raise self.error(at, "pointer or size out of range") from None
        if last == at:
            raise OleanError(self.label, "no objects")
        return last

    def _other(self, at: int, end: int) -> tuple[int, Sequence[int]]:
        """Return where the object at `at`, neither constructor nor array, ends, and its pointers."""
        words, header = self.words, self.words[at]
        tag = header >> 56
        if tag == STRING:
            return self._string_end(at, end), ()
        if tag == BIG_NUMBER:
            return self._big_number_end(at, end), ()
        if tag == SCALAR_ARRAY:
            width = header >> 48 & 255
            size = words[at + 1] * width
            after = at + 3 + ((size + 7) >> 3)
            if (
                width not in (1, 2, 4, 8)
                or header & 0xFFFFFFFFFFFF != 1 << 32
                or words[at + 2] != words[at + 1]
            ):
                raise self.error(at, "wrong scalar array header")
            if after <= end and any(self.data[(at + 3) * 8 + size : after * 8]):
                raise self.error(at, "padding is not zero")
            return after, ()
        if tag == THUNK:
            if header & 0xFFFFFFFF or words[at + 2]:
                raise self.error(at, "wrong thunk")
            return at + 3, words[at + 1 : at + 2]
        raise self.error(at, f"objects with tag {tag} cannot be stored")

    def _string_end(self, at: int, end: int) -> int:
        words = self.words
        size, length = words[at + 1], words[at + 3]
        after = at + 4 + ((size + 7) >> 3)
        if words[at] != 0xF9_00_0001_00000000 or words[at + 2] != size or not size:
            raise self.error(at, "wrong string header")
        if after > end:
            raise self.error(at, "string reaches past the end of the file")
        start = at * 8 + 32
        if any(self.data[start + size - 1 : after * 8]):
            raise self.error(at, "string is not closed by zeros")
        try:
            text = str(self.data[start : start + size - 1], "utf-8")
        except UnicodeDecodeError:
            raise self.error(at, "string is not UTF-8") from None
        if len(text) != length:
            raise self.error(
                at, f"string of {len(text)} characters says it has {length}"
            )
        return after

    def _big_number_end(self, at: int, end: int) -> int:
        words = self.words
        size = words[at + 1] >> 32
        size = (1 << 32) - size if size >= 1 << 31 else size
        after = at + 3 + size
        if not size or after > end:
            raise self.error(
                at, "big number without digits or past the end of the file"
            )
        if words[at] != 0xFA << 56 | (24 + 8 * size & 0xFFFF) << 32:
            raise self.error(at, "wrong header of a big number")
        if (
            words[at + 1] & 0xFFFFFFFF != size
            or words[at + 2] != self.base + (at + 3) * 8
            or not words[after - 1]
        ):
            raise self.error(at, "big number is not in canonical form")
        return after


def _check_header(label: str, data: memoryview) -> str:
    """Return the Lean version in a part's header. Raises `OleanError` naming what it found and what it knows."""
    if len(data) < HEADER_WORDS * 8 + 8 or len(data) % 8:
        raise OleanError(label, f"{len(data)} bytes are not a whole compiled file")
    header = bytes(data[:88])
    if not begins_like_one(header):
        raise OleanError(
            label, "not a compiled Lean file: it does not start with “olean”", 0
        )
    layout = layout_of(header)
    if layout is None:
        raise OleanError(label, refusal(header), 5)
    base = int.from_bytes(data[80:88], "little")
    if base % PART_ALIGNMENT or base >= 1 << 47:
        raise OleanError(label, f"impossible base address {base:#x}", 80)
    return layout.lean


def _part_starts(label: str, parts: Sequence[memoryview]) -> list[int]:
    """Return where each part starts when all are mapped one after the other, as their base addresses must say."""
    if len(parts) not in (1, len(PART_SUFFIXES)):
        raise OleanError(
            label,
            f"a module has one file or {len(PART_SUFFIXES)} parts, not {len(parts)}",
        )
    starts, base = _starts(map(len, parts)), int.from_bytes(parts[0][80:88], "little")
    for start, part in zip(starts, parts, strict=True):
        same = part[:80] == parts[0][:80]
        if not same or int.from_bytes(part[80:88], "little") != base + start:
            raise OleanError(
                label,
                "the parts do not follow one another: they are not of one compilation",
                80,
            )
    return starts


def _starts(sizes: Iterable[int]) -> list[int]:
    starts, end = [], 0
    for size in sizes:
        starts.append(end)
        end += (size + PART_ALIGNMENT - 1) // PART_ALIGNMENT * PART_ALIGNMENT
    return starts


def _join(parts: Sequence[memoryview], starts: Sequence[int]) -> memoryview:
    joined = bytearray(starts[-1] + len(parts[-1]))
    for start, part in zip(starts, parts, strict=True):
        joined[start : start + len(part)] = part
    return memoryview(bytes(joined))


def open_image(path: Path, *, label: str = "", checked: Container[str] = ()) -> Image:
    """Return the validated image of the file at `path`, mapped and not read into memory.

    A module-system module is read with its `.server` and `.private` parts when they lie beside it. Raises `OleanError`
    for an empty or malformed file and `OSError` for one that cannot be opened. The files must not change while
    the image is in use (frozen files are made read-only first).
    """
    label = label or path.name
    paths = [path.with_name(path.name + suffix) for suffix in PART_SUFFIXES]
    if not all(part.exists() for part in paths[1:]):
        return Image(label, [_map(label, path)], checked=checked)
    joined, parts = _map_together(label, paths)
    return Image(label, parts, checked=checked, joined=joined)


def _map(label: str, path: Path) -> memoryview:
    with path.open("rb") as file:
        try:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except ValueError:
            raise OleanError(label, "the file is empty") from None


def _map_together(
    label: str, paths: Sequence[Path]
) -> tuple[memoryview, list[memoryview]]:
    """Return files mapped one behind the other, as Lean maps the parts of a module, and each of them; nothing is copied."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(path.open("rb")) for path in paths]
        sizes = [os.fstat(file.fileno()).st_size for file in files]
        if not all(sizes):
            raise OleanError(label, "the file is empty")
        starts = _starts(sizes)
        # The region is ours: files laid over it go when it goes.
        region = mmap.mmap(-1, starts[-1] + sizes[-1])
        address = ctypes.addressof(ctypes.c_char.from_buffer(region))
        for file, start, size in zip(files, starts, sizes, strict=True):
            place = address + start
            laid = _mmap(place, size, mmap.PROT_READ, _OVER, file.fileno(), 0)
            if laid != place:
                raise OSError(ctypes.get_errno(), f"{label}: its parts cannot be mapped")  # fmt: skip
    data = memoryview(region).toreadonly()
    parts = [data[start : start + size] for start, size in zip(starts, sizes, strict=True)]  # fmt: skip
    return data, parts
