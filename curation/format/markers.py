"""Marker lines of a Lean file: slots and curation notes.

    -- !benchmark @start code def=deposit      opens a slot; the matching @end closes it
    -- !solution @start def=x kind=joint_unsat  the same, for the list of specs of a joint claim
    -- !curation @review …                      a note for curators, one line

A slot is known by prefix, key and `def` within its file; its body is the lines strictly between. Slots do not
nest. A line inside a block comment or a string is no marker, and neither is prose that mentions one.
Source: instance-format.md, "Markers".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from workbench.lean import lexer

BENCHMARK = "benchmark"
SOLUTION = "solution"
FILE_KEYS = ("imports", "global_aux")
DEFINITION_KEYS = ("code", "code_aux", "proof", "proof_aux", "claim")
KEYS = (*FILE_KEYS, *DEFINITION_KEYS)
FIELDS = ("def", "kind", "target")

SlotIdentity = tuple[str, str, str]


class Slot(NamedTuple):
    """A region that a submission may fill. Lines are 1-based and are those of the two markers.

    `start` and `end` are offsets of the whole region with its marker lines, `body_start` and `body_end` of
    the lines between. For `solution` slots the key is `solution`.
    """

    path: str
    prefix: str
    key: str
    def_name: str
    kind: str
    target: str
    start_line: int
    end_line: int
    start: int
    body_start: int
    body_end: int
    end: int

    @property
    def identity(self) -> SlotIdentity:
        """Return what tells it from the other slots of its file."""
        return self.prefix, self.key, self.def_name

    @property
    def label(self) -> str:
        """Return how a person names it: `code def=deposit`."""
        return f"{self.key} def={self.def_name}" if self.def_name else self.key


class CurationLine(NamedTuple):
    """A `-- !curation @kind …` line: its kind, the rest of it, and where it stands."""

    kind: str
    text: str
    line: int
    start: int
    end: int


class MarkerProblem(NamedTuple):
    """Markers that do not fit together. `id` names a kind of finding."""

    id: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class MarkerFile:
    """The markers of one file, in order. With problems, `slots` holds what could be paired."""

    path: str
    slots: tuple[Slot, ...] = ()
    curation: tuple[CurationLine, ...] = ()
    problems: tuple[MarkerProblem, ...] = ()


_MARKER = re.compile(
    r"!(?P<prefix>benchmark|solution|curation)[ \t]+@(?P<word>\S+)(?P<rest>[^\n]*)\n?"
)
# The usual spelling behind `@start` or `@end`; everything else takes the slow way, which can say what is wrong.
_EXACT = re.compile(
    rf" (({'|'.join(FILE_KEYS)})|({'|'.join(DEFINITION_KEYS)}) def=(\S+))(?: kind=(\S+))?(?: target=(\S+))?\r?"
)
_LEAD = re.compile(r"[ \t]*--[ \t]*")
_FIELD = re.compile(r"(\w+)=(\S+)")


class _Marker(NamedTuple):
    """A marker line that can be read. `identity` is that of the slot it belongs to."""

    identity: SlotIdentity
    kind: str
    target: str
    line: int
    start: int
    end: int


def _label(identity: SlotIdentity) -> str:
    prefix, key, name = identity
    text = "!solution" if prefix == SOLUTION else f"!benchmark {key}"
    return f"{text} def={name}" if name else text


class _Reader:
    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.slots: list[Slot] = []
        self.seen: dict[SlotIdentity, int] = {}
        self.curation: list[CurationLine] = []
        self.problems: list[MarkerProblem] = []
        self.open: _Marker | None = None

    def run(self) -> MarkerFile:
        text = self.text
        found: list[tuple[int, re.Match[str]]] = []
        for match in _MARKER.finditer(text):
            start = text.rfind("\n", 0, match.start()) + 1
            if start == 0 and text.startswith("\ufeff"):
                start = 1  # behind a byte order mark
            if _LEAD.fullmatch(text, start, match.start()):
                found.append((start, match))
        hidden = lexer.inside(text, [start for start, _ in found])
        line, counted = 1, 0
        for (start, match), covered in zip(found, hidden, strict=True):
            line += text.count("\n", counted, start)
            counted = start
            if not covered:
                self.read(match, start, line)
        if self.open:
            self.report(
                "marker-unbalanced",
                self.open.line,
                f"{_label(self.open.identity)} is never closed",
            )
        return MarkerFile(
            self.path, tuple(self.slots), tuple(self.curation), tuple(self.problems)
        )

    def report(self, id: str, line: int, message: str) -> None:
        self.problems.append(MarkerProblem(id, line, message))

    def read(self, match: re.Match[str], start: int, line: int) -> None:
        prefix, word, rest = match.groups()
        if prefix == "curation":
            self.curation.append(
                CurationLine(word, rest.strip(), line, start, match.end())
            )
            return
        spelt = self.text[start : match.start("word") - 1].lstrip(" \t")
        if word not in ("start", "end") or spelt != f"-- !{prefix} ":
            shape = " <key>" if prefix == BENCHMARK else ""
            expected = f"expected `-- !{prefix} @start|@end{shape} [field=value …]`"
            self.report(
                "marker-malformed", line, f"cannot read this marker; {expected}"
            )
            return
        exact = _EXACT.fullmatch(rest)
        if exact is not None and prefix == BENCHMARK:
            _, file_key, key, name, kind, target = exact.groups("")
            marker = _Marker(
                (prefix, file_key or key, name), kind, target, line, start, match.end()
            )
        else:
            slow = self.marker(rest.split(), prefix, line, start, match.end())
            if slow is None:
                return
            marker = slow
        if word == "start":
            self.start(marker)
        else:
            self.end(marker)

    def marker(
        self, words: list[str], prefix: str, line: int, start: int, end: int
    ) -> _Marker | None:
        """Return the marker with these words behind `@start` or `@end`, or None after reporting what is wrong."""
        key = SOLUTION
        if prefix == BENCHMARK:
            key, words = (words[0], words[1:]) if words else ("", [])
            if key not in KEYS:
                self.report(
                    "marker-malformed",
                    line,
                    f"unknown key {key!r}; expected one of {', '.join(KEYS)}",
                )
                return None
        fields: dict[str, str] = {}
        for text in words:
            field = _FIELD.fullmatch(text)
            if field is None or field[1] in fields:
                reason = (
                    "field=value" if field is None else f"the field {field[1]} once"
                )
                self.report(
                    "marker-malformed", line, f"cannot read {text!r}; expected {reason}"
                )
                return None
            fields[field[1]] = field[2]
        if key in DEFINITION_KEYS and "def" not in fields:
            self.report("marker-malformed", line, f"a {key} slot needs a def= field")
            return None
        identity = (prefix, key, fields.get("def", ""))
        return _Marker(
            identity, fields.get("kind", ""), fields.get("target", ""), line, start, end
        )

    def start(self, marker: _Marker) -> None:
        if self.open:
            inner, outer = _label(marker.identity), _label(self.open.identity)
            message = f"{inner} opens inside {outer} of line {self.open.line}"
            self.report("marker-nested", marker.line, message)
        self.open = marker

    def end(self, marker: _Marker) -> None:
        opened, self.open = self.open, None
        if opened is None:
            self.report(
                "marker-unbalanced",
                marker.line,
                f"{_label(marker.identity)} closes nothing",
            )
            return
        if opened.identity != marker.identity:
            message = f"{_label(marker.identity)} where {_label(opened.identity)} of line {opened.line} is open"
            self.report("marker-unbalanced", marker.line, message)
            return
        identity, kind, target, line, start, body_start = opened
        earlier = self.seen.setdefault(identity, line)
        if earlier != line:
            self.report(
                "slot-duplicate",
                line,
                f"{_label(identity)} was there before, in line {earlier}",
            )
            return
        ends = (start, body_start, marker.start, marker.end)
        self.slots.append(
            Slot(self.path, *identity, kind, target, line, marker.line, *ends)
        )


_START = "-- !benchmark @start "
_END = "-- !benchmark @end \n"
_ANY = re.compile(r"!(?:benchmark|solution|curation)[ \t]+@")


def _read_plain(path: str, text: str) -> MarkerFile | None:
    """Return the markers of a file in which nothing is unusual, or None for `_Reader` to look closely.

    Every start is followed by its own end, all are spelt as the format spells them and stand at the start of a
    line outside comments and strings, and no other marker is mentioned. This is what an import meets almost
    always; it saves a tenth of loading, and a property test holds both ways to the same answer.
    """
    if "!solution" in text or "!curation" in text:
        return None
    slots: list[Slot] = []
    line, counted, end = 1, 0, 0
    offsets: list[int] = []
    find, count = text.find, text.count
    while (start := find(_START, end)) >= 0:
        exact = _EXACT.match(text, start + len(_START) - 1)
        if exact is None or (start and text[start - 1] != "\n"):
            return None
        said, file_key, key, name, kind, target = exact.groups("")
        body_start = exact.end() + 1
        body_end = find(f"\n-- !benchmark @end {said}", body_start - 1) + 1
        end = body_end + len(said) + len(_END)
        if (
            not body_end
            or text[body_start - 1] != "\n"
            or text[end - 1 : end] not in ("\n", "")
        ):
            return None
        line += count("\n", counted, start)
        end_line = line + 1 + count("\n", body_start, body_end)
        last = min(end, len(text))
        slots.append(
            Slot(
                path,
                BENCHMARK,
                file_key or key,
                name,
                kind,
                target,
                line,
                end_line,
                start,
                body_start,
                body_end,
                last,
            )
        )
        offsets += (start, body_end)
        line, counted = end_line, body_end
    if len(_ANY.findall(text)) != len(offsets) or len(
        {slot[2:4] for slot in slots}
    ) != len(slots):
        return None
    return None if any(lexer.inside(text, offsets)) else MarkerFile(path, tuple(slots))


def read_markers(path: str, text: str) -> MarkerFile:
    """Return the markers of a file. Problems are part of the result; nothing is raised."""
    if _ANY.search(text) is None:
        return MarkerFile(path)
    return _read_plain(path, text) or _Reader(path, text).run()


def read_markers_closely(path: str, text: str) -> MarkerFile:
    """Return what `read_markers` returns, always by the slow way. For the test that compares them."""
    return _Reader(path, text).run()


def body(text: str, slot: Slot) -> str:
    """Return the lines between the markers of `slot`, with their line ends."""
    return text[slot.body_start : slot.body_end]


def rewrite(
    text: str,
    bodies: Mapping[SlotIdentity, str],
    slots: Iterable[Slot],
    drop: Iterable[CurationLine] = (),
) -> str:
    """Return `text` with the bodies of some slots replaced and some curation lines left out.

    A body that does not end a line gets a line end; the rest of the file stays as it is, byte for byte.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    edits: list[tuple[int, int, str]] = []
    for slot in slots:
        replacement = bodies.get(slot.identity)
        if replacement is None:
            continue
        if replacement and not replacement.endswith("\n"):
            replacement += newline
        edits.append((slot.body_start, slot.body_end, replacement))
    for line in drop:
        if not any(start <= line.start < end for start, end, _ in edits):
            edits.append((line.start, line.end, ""))
    pieces: list[str] = []
    position = 0
    for start, end, replacement in sorted(edits):
        pieces += (text[position:start], replacement)
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def write_slot(
    key: str,
    body: str = "",
    *,
    def_name: str = "",
    kind: str = "",
    target: str = "",
    prefix: str = BENCHMARK,
) -> str:
    """Return a slot as text, ending with a line end. `kind` and `target` stand on the start line."""
    name = "" if prefix == SOLUTION else f" {key}"
    name += f" def={def_name}" if def_name else ""
    fields = (f" kind={kind}" if kind else "") + (f" target={target}" if target else "")
    closing = fields if prefix == SOLUTION else ""
    if body and not body.endswith("\n"):
        body += "\n"
    return (
        f"-- !{prefix} @start{name}{fields}\n{body}-- !{prefix} @end{name}{closing}\n"
    )
