"""Which Leans' compiled files are read: those on whose files every check of the reader was tested.

A version that is not here is refused, however alike its files may look: a field that moved would make the reader see another
term than the kernel. How one is added: docs/developer/reader.md, "Versions".
"""

from __future__ import annotations

from dataclasses import dataclass

# Bit 0 of the flags: big numbers as the GMP library keeps them.
GMP = 1
HEADER_BYTES = 88
_MARK = b"olean"


@dataclass(frozen=True, slots=True)
class Layout:
    """What the header of a version's files must say. `tested` names the Lean whose files were read, and how many of what."""

    lean: str
    format: int
    flags: int
    tested: str


LAYOUTS: tuple[Layout, ...] = (
    Layout(
        "4.35.0",
        2,
        GMP,
        "the pocket core and all fixtures, modules in one file and in three parts; rebuilt files read back by Lean itself",
    ),
)
TESTED_LEAN = tuple(layout.lean for layout in LAYOUTS)


def layout_of(header: bytes) -> Layout | None:
    """Return the layout that a header of 88 bytes belongs to, None for one that is not known."""
    lean = version_of(header)
    for layout in LAYOUTS:
        if (lean, header[5], header[6]) == (layout.lean, layout.format, layout.flags):
            return layout
    return None


def version_of(header: bytes) -> str:
    """Return the Lean version in a header; formats before 2 do not have it there: empty."""
    if header[5] < 2:
        return ""
    return header[7:40].rstrip(b"\0").decode("ascii", "replace")


def begins_like_one(data: bytes) -> bool:
    """Return whether a file begins as compiled files do."""
    return data[:5] == _MARK


def refusal(header: bytes) -> str:
    """Return the message about a header of no known layout: what it says, and what is known."""
    lean = version_of(header)
    by = f"by Lean {lean!r}" if lean else "by another Lean"
    known = ", ".join(
        f"{layout.lean} (format version {layout.format}, flags {layout.flags})"
        for layout in LAYOUTS
    )
    return (
        f"written {by} in format version {header[5]}, flags {header[6]}; "
        f"this reader was tested on Lean {known}"
    )
