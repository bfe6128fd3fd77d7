"""From the bytes of a source file to text, with a named problem where it is not plain UTF-8."""

from __future__ import annotations

import codecs
import re

from curation.sources.items import Problem

#: Above this a file is named and not read: no person wrote it, and its syntax tree would take
#: a hundred times as much memory.
MAX_FILE_BYTES = 3_000_000

# PEP 263: the encoding stands in a comment on one of the first two lines.
_CODING = re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")


def decode(path: str, data: bytes) -> tuple[str | None, list[Problem]]:
    """Return the text of `data` and what was wrong with it; no text if it cannot be source.

    A byte order mark is dropped without a word. What is not UTF-8 is read by its declared
    encoding (PEP 263), else as Latin-1, so that line numbers stay right.
    """
    if len(data) > MAX_FILE_BYTES:
        message = f"{len(data):,} bytes; at most {MAX_FILE_BYTES:,} are read"
        return None, [Problem("too-large", path, 0, message)]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decode_utf16(path, data)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return None, [
            Problem("binary", path, line, "a NUL byte: this is not source text")
        ]
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8"), []
    except UnicodeDecodeError as error:
        return _decode_other(path, data, error)


def _decode_utf16(path: str, data: bytes) -> tuple[str | None, list[Problem]]:
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        message = "a UTF-16 byte order mark, but not UTF-16 text; expected UTF-8"
        return None, [Problem("binary", path, 1, message)]
    return text, [
        Problem("utf-16", path, 1, "UTF-16 text; expected UTF-8. It was read as UTF-16")
    ]


def _decode_other(
    path: str, data: bytes, error: UnicodeDecodeError
) -> tuple[str, list[Problem]]:
    line = data.count(b"\n", 0, error.start) + 1
    declared = _CODING.match(data)
    if declared:
        name = declared.group(1).decode("ascii", "replace")
        try:
            return data.decode(name), []
        except (LookupError, UnicodeError):
            pass
    byte = data[error.start]
    message = f"byte 0x{byte:02x} is not UTF-8; the file was read as Latin-1"
    return data.decode("latin-1"), [Problem("not-utf-8", path, line, message)]
