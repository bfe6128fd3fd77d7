"""What a submission is: the slots of a schedule, as filled.

Either read from an artifact.json, or cut out of a filled tree. Nothing is decided here: a slot that is missing,
there twice, or has other fields than the schedule says is recorded as such. Source: instance-format.md,
"artifact.json"; grading.md, steps 1 and 2.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curation.format.findings import FormatError
from curation.format.instance import Instance
from curation.format.markers import Slot, SlotIdentity, body, read_markers
from curation.format.slots import MODES, ScheduledSlot
from workbench.lean import lexer

ARTIFACT_NAME = "artifact.json"
_WORDS = {
    "sorry": "contains_sorry",
    "axiom": "contains_axiom",
    "admit": "contains_admit",
}


@dataclass(frozen=True, slots=True)
class FilledSlot:
    """One scheduled slot as submitted. Lines are 1-based and are those of the markers, 0 when it was not found.

    `error` says why it cannot be used, and is empty otherwise. `data` holds unknown keys of an artifact.json.
    """

    slot: ScheduledSlot
    found: bool
    body_lines: tuple[str, ...] = ()
    actual_fields: tuple[tuple[str, str], ...] = ()
    start_line: int = 0
    end_line: int = 0
    error: str = ""
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def body(self) -> str:
        """Return the text between the markers, without the line end of its last line."""
        return "\n".join(self.body_lines)

    @property
    def body_hash(self) -> str:
        """Return the SHA-1 of the joined lines, by which artifacts compare bodies; no protection against anybody."""
        return hashlib.sha1(self.body.encode(), usedforsecurity=False).hexdigest()

    @property
    def is_empty(self) -> bool:
        """Return whether the body holds nothing but comments and white space."""
        spans = lexer.spans(self.body)
        return not lexer.mask(self.body, spans).strip() and all(
            kind in lexer.COMMENTS for kind, _, _ in spans
        )

    def contains(self, word: str) -> bool:
        """Return whether the body holds `word` as a token: not in comments, strings or longer names."""
        body = self.body
        # Most bodies do not mention the word at all: looking at every token would take most of the time of a submission.
        return word in body and any(
            token.text == word
            for token in lexer.tokens(body)
            if token.kind in (lexer.KEYWORD, lexer.COMMAND, lexer.IDENTIFIER)
        )


@dataclass(frozen=True, slots=True)
class Artifact:
    """A submission: every scheduled slot once, in the order of the schedule, and what else was there.

    `extras` are slots outside the schedule, as `file: label`; `file_errors` say by file why its slots are not known.
    """

    benchmark_id: str
    mode: str
    slots: tuple[FilledSlot, ...]
    extras: tuple[str, ...] = ()
    file_errors: Mapping[str, str] = field(default_factory=dict)


def extract(instance: Instance, mode: str, tree: Mapping[str, bytes]) -> Artifact:
    """Return what a filled tree submits. Raises FormatError for an unknown mode, never for what the tree holds."""
    schedule = instance.schedule(mode)
    scheduled = {(slot.file, slot.prefix, slot.key, slot.def_name) for slot in schedule}
    errors: dict[str, str] = {}
    extras: list[str] = []
    read: dict[str, tuple[str, dict[SlotIdentity, Slot]]] = {}
    for path in dict.fromkeys(slot.file for slot in schedule):
        text = _text(tree, path, errors)
        if text is not None:
            markers = read_markers(path, text)
            if markers.problems:
                errors[path] = "; ".join(
                    f"line {p.line}: {p.message}" for p in markers.problems
                )
            # Of several slots with one identity the reader keeps the first, and says so among the problems.
            read[path] = text, {slot.identity: slot for slot in markers.slots}
            extras += (
                f"{path}: {slot.label}"
                for slot in markers.slots
                if (path, *slot.identity) not in scheduled
            )
    slots = tuple(
        _filled(slot, read.get(slot.file), errors.get(slot.file, ""))
        for slot in schedule
    )
    return Artifact(instance.manifest.benchmark_id, mode, slots, tuple(extras), errors)


def _text(tree: Mapping[str, bytes], path: str, errors: dict[str, str]) -> str | None:
    data = tree.get(path)
    if data is None:
        errors[path] = "this file is missing"
        return None
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        errors[path] = f"is not UTF-8 (byte {error.start})"
        return None


def _filled(
    slot: ScheduledSlot,
    read: tuple[str, Mapping[SlotIdentity, Slot]] | None,
    file_error: str,
) -> FilledSlot:
    if read is None or file_error:
        return FilledSlot(slot, False, error=file_error)
    text, slots = read
    item = slots.get((slot.prefix, slot.key, slot.def_name))
    if item is None:
        return FilledSlot(slot, False, error="no such slot in this file")
    fields = tuple(
        (name, value)
        for name, value in (
            ("def", item.def_name),
            ("kind", item.kind),
            ("target", item.target),
        )
        if value
    )
    wrong = [
        f"{name} is {actual or 'missing'}, expected {expected}"
        for name, actual, expected in (
            ("kind", item.kind, slot.kind),
            ("target", item.target, slot.target),
        )
        if expected and actual != expected
    ]
    lines = (
        body(text, item).removesuffix("\n").split("\n")
        if item.body_end > item.body_start
        else []
    )
    return FilledSlot(
        slot,
        True,
        tuple(lines),
        fields,
        item.start_line,
        item.end_line,
        "; ".join(wrong),
    )


def write_artifact(artifact: Artifact) -> bytes:
    """Return the submission as artifact.json. Same submission, same bytes."""
    document = {
        "benchmark_id": artifact.benchmark_id,
        "mode": artifact.mode,
        "slots": [_entry(item) for item in artifact.slots],
        "extras": list(artifact.extras),
        "file_errors": dict(sorted(artifact.file_errors.items())),
    }
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _entry(item: FilledSlot) -> dict[str, Any]:
    slot = item.slot
    return {
        **item.data,
        "file": slot.file,
        "prefix": slot.prefix,
        "key": slot.key,
        "def_name": slot.def_name or None,
        "expected_kind": slot.kind or None,
        "expected_target": slot.target or None,
        "found": item.found,
        "body_lines": list(item.body_lines),
        "body_hash": item.body_hash,
        "is_empty": item.is_empty,
        **{key: item.contains(word) for word, key in _WORDS.items()},
        "actual_fields": dict(item.actual_fields),
        "start_line": item.start_line or None,
        "end_line": item.end_line or None,
        "error": item.error or None,
    }


_KNOWN = frozenset(
    ("file", "prefix", "key", "def_name", "expected_kind", "expected_target", "found", "body_lines", "body_hash", "is_empty",
     *_WORDS.values(), "actual_fields", "start_line", "end_line", "error")
)  # fmt: skip
_MISSING = object()
_NO_LINE = re.compile("[\r\n\0\ud800-\udfff]")


def read_artifact(raw: bytes, path: str = ARTIFACT_NAME) -> Artifact:
    """Return the submission in an artifact.json.

    Hashes and the other derived values are worked out again from the lines, never believed. Raises FormatError
    naming the key for a wrong type, an unknown mode, and a slot that is there twice.
    """
    try:
        document = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON: {error}", path=path) from None
    if not isinstance(document, dict):
        raise FormatError("expected an object", path=path)
    mode = _get(document, "mode", str, path, "mode")
    if mode not in MODES:
        raise FormatError(
            f"expected one of {', '.join(MODES)}, found {mode!r}", path=path, key="mode"
        )
    slots: list[FilledSlot] = []
    seen: set[tuple[str, str, str, str]] = set()
    for index, entry in enumerate(_get(document, "slots", list, path, "slots")):
        item = _read_slot(entry, path, f"slots[{index}]")
        identity = item.slot[:4]
        if identity in seen:
            raise FormatError(
                "this slot was there before", path=path, key=f"slots[{index}]"
            )
        seen.add(identity)
        slots.append(item)
    return Artifact(
        _get(document, "benchmark_id", str, path, "benchmark_id"),
        mode,
        tuple(slots),
        tuple(
            str(extra) for extra in _get(document, "extras", list, path, "extras", [])
        ),
        {
            str(key): str(value)
            for key, value in _get(
                document, "file_errors", dict, path, "file_errors", {}
            ).items()
        },
    )


def _read_slot(entry: object, path: str, key: str) -> FilledSlot:
    if not isinstance(entry, dict):
        raise FormatError("expected an object", path=path, key=key)

    def text(name: str, default: object = _MISSING) -> str:
        return str(_get(entry, name, str, path, f"{key}.{name}", default))

    def number(name: str) -> int:
        value: int = _get(entry, name, int, path, f"{key}.{name}", 0)
        return value

    lines: Sequence[object] = _get(
        entry, "body_lines", list, path, f"{key}.body_lines", []
    )
    for line in lines:
        if not isinstance(line, str) or _NO_LINE.search(line):
            raise FormatError(
                "expected single lines", path=path, key=f"{key}.body_lines"
            )
    fields: dict[str, object] = _get(
        entry, "actual_fields", dict, path, f"{key}.actual_fields", {}
    )
    slot = ScheduledSlot(
        text("file"),
        text("prefix"),
        text("key"),
        text("def_name", ""),
        text("expected_kind", ""),
        text("expected_target", ""),
    )
    return FilledSlot(
        slot,
        bool(_get(entry, "found", bool, path, f"{key}.found")),
        tuple(str(line) for line in lines),
        tuple((str(name), str(value)) for name, value in fields.items()),
        number("start_line"),
        number("end_line"),
        text("error", ""),
        {name: value for name, value in entry.items() if name not in _KNOWN},
    )


def _get(
    data: Mapping[str, Any],
    name: str,
    kind: type,
    path: str,
    key: str,
    default: Any = _MISSING,
) -> Any:
    value = data.get(name)
    if value is None and default is not _MISSING:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        found = "nothing" if value is None else type(value).__name__
        raise FormatError(
            f"expected {kind.__name__}, found {found}", path=path, key=key
        )
    return value
