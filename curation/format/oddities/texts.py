"""Encoding, line ends, invisible characters, and file names that do not travel."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from curation.format.findings import Finding, finding
from curation.format.instance import Instance
from workbench.code import confusables

LARGE = 256 * 1024
MOST_LOOK_ALIKES = 10
_MARK = b"\xef\xbb\xbf"
_INVISIBLE = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]"
)
# Aux is reserved by Lean 4.35; the rest by Windows.
_RESERVED = re.compile(r"(aux|con|nul|prn|com[0-9]|lpt[0-9])(\.[^/]*)?", re.IGNORECASE)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def line_ends_and_marks(instance: Instance) -> Iterator[Finding]:
    """CR LF and byte order marks, in text files of any kind."""
    for path, data in instance.files.items():
        if data.startswith(_MARK):
            yield finding("text-bom", path, "the file starts with a byte order mark", 1)
        if b"\r\n" in data:
            ends, all_ends = data.count(b"\r\n"), data.count(b"\n")
            yield finding(
                "text-crlf", path, f"{ends} of {all_ends} lines end with CR LF"
            )


def not_utf8(instance: Instance) -> Iterator[Finding]:
    """Files that are not text as we know it. Lean files and the manifest were refused before."""
    for path, data in instance.files.items():
        if path in instance.texts or data.isascii():
            continue
        try:
            data.decode()
        except UnicodeDecodeError as error:
            yield finding("file-not-utf8", path, f"byte {error.start} is not UTF-8")


def odd_characters(instance: Instance) -> Iterator[Finding]:
    """Tabs in Lean code, text that is not in normal form C, invisible characters."""
    for path, text in instance.texts.items():
        if "\t" in text:
            position = instance.scan(path).code.find("\t")
            if position >= 0:
                yield finding(
                    "text-tabs",
                    path,
                    "Lean does not accept tab characters",
                    _line(text, position),
                )
        if text.isascii():
            continue
        if not unicodedata.is_normalized("NFC", text):
            line = next(
                number
                for number, content in enumerate(text.split("\n"), 1)
                if not unicodedata.is_normalized("NFC", content)
            )
            yield finding(
                "text-not-nfc", path, "this line is not in normal form C", line
            )
        match = _INVISIBLE.search(text, 1 if text.startswith("\ufeff") else 0)
        if match:
            yield finding(
                "text-bidi",
                path,
                f"U+{ord(match.group()):04X} cannot be seen",
                _line(text, match.start()),
            )


def look_alikes(instance: Instance) -> Iterator[Finding]:
    """Characters that pass for others, as the code panes mark them; the first few of each file."""
    for path, text in instance.texts.items():
        if text.isascii():
            continue
        suspicious = (
            one
            for one in confusables.scan(text)
            if one.level == "warn" and one.kind != "not-nfc"
        )
        for one in islice(suspicious, MOST_LOOK_ALIKES):
            where = f"column {one.column}: {one.words}"
            yield finding("text-confusable", path, where, one.line)


def large_files(instance: Instance) -> Iterator[Finding]:
    """Lean files of unusual size."""
    for path in instance.texts:
        size = len(instance.files[path])
        if size > LARGE:
            yield finding("file-large", path, f"{size:,} bytes")


def file_names(instance: Instance) -> Iterator[Finding]:
    """Names that another file system would change, merge or refuse."""
    folded: dict[str, str] = {}
    for path in sorted(instance.files):
        if not path.isascii() and not unicodedata.is_normalized("NFC", path):
            yield finding(
                "path-not-nfc", path, "the name of this file is not in normal form C"
            )
        other = folded.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if other != path:
            yield finding(
                "path-case-collision",
                path,
                f"differs from {other} only in case or normal form",
            )
        if path.endswith(".lean") and _RESERVED.fullmatch(path.rsplit("/", 1)[-1]):
            yield finding(
                "module-name-reserved",
                path,
                "some systems refuse a module of this name",
            )


CHECKS = (
    line_ends_and_marks,
    not_utf8,
    odd_characters,
    look_alikes,
    large_files,
    file_names,
)
