"""Take in a submission: an artifact.json, a filled folder, or an archive of one. Source: grading.md, steps 1 and 2."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudication.grading.adapting import renamed_path
from curation.format.archive import Limits, Tree, subtree
from curation.format.artifact import (
    ARTIFACT_NAME,
    Artifact,
    FilledSlot,
    extract,
    read_artifact,
)
from curation.format.findings import FormatError
from curation.format.instance import Instance
from curation.format.packed import read_tree
from curation.format.slots import ScheduledSlot

RUN_NAME, WITNESS_NAME = "run.json", "witness.json"
# A filled instance is text: the largest of the public corpus has 2.9 MB with everything.
LIMITS = Limits(
    archive_bytes=32 << 20, file_bytes=8 << 20, total_bytes=64 << 20, files=5_000
)
_NUMBERS = ("elapsed_s", "budget_s", "cost_usd", "tokens", "attempt", "of_attempts")


@dataclass(frozen=True)
class Submission:
    """What was handed in: every scheduled slot once, and what else was noticed.

    `notes` are sentences for people. `telemetry` is what `run.json` says, unchecked but for its types; `witness` what
    `witness.json` holds, unread: people are shown it, no verdict depends on it.
    """

    artifact: Artifact
    notes: tuple[str, ...] = ()
    telemetry: Mapping[str, Any] = field(default_factory=dict)
    witness: bytes | None = None


def take_in(instance: Instance, mode: str, path: Path) -> Submission:
    """Return what `path` submits for `instance` in `mode`.

    Raises FormatError (ArchiveError for a tree that is not read) for input that is no submission of this instance and mode.
    """
    if path.suffix == ".json" and path.is_file():
        if path.stat().st_size > LIMITS.file_bytes:
            raise FormatError(
                f"has more than {LIMITS.file_bytes:,} bytes", path=path.name
            )
        return from_artifact(instance, mode, path.read_bytes())
    return from_tree(instance, mode, read_tree(path, LIMITS))


def from_tree(instance: Instance, mode: str, tree: Tree) -> Submission:
    """Return what a tree submits: its artifact.json if it has one, else the slots of its files."""
    tree = _at_root(instance, tree)
    telemetry = _telemetry(tree.files.get(RUN_NAME))
    witness = tree.files.get(WITNESS_NAME)
    raw = tree.files.get(ARTIFACT_NAME)
    if raw is not None:
        found = from_artifact(instance, mode, raw)
        return Submission(found.artifact, found.notes, telemetry, witness)
    schedule = {slot.file for slot in instance.schedule(mode)}
    files: dict[str, bytes] = {}
    for path, data in tree.files.items():
        name = _name_here(path, schedule)
        if name in files or (name != path and name in tree.files):
            raise FormatError(f"is one file with {name}, which is there too", path=path)
        files[name] = data
    if not schedule & files.keys():
        expected = ", ".join(sorted(schedule)[:3])
        raise FormatError(f"holds none of the files with slots ({expected}, …)")
    artifact = extract(instance, mode, files)
    notes = [f"{extra}: not a slot of this mode, left out" for extra in artifact.extras]
    notes += [
        f"{path}: {reason}" for path, reason in sorted(artifact.file_errors.items())
    ]
    return Submission(artifact, tuple(notes), telemetry, witness)


def _at_root(instance: Instance, tree: Tree) -> Tree:
    """Return the tree itself, or its only top folder when the files of the instance lie in that."""
    tops = {path.split("/", 1)[0] for path in tree.files}
    inside = len(tops) == 1 and not any("/" not in path for path in tree.files)
    known = {
        slot.file for mode in ("proof", "codeproof") for slot in instance.schedule(mode)
    }
    if inside and not known & tree.files.keys():
        return subtree(tree, tops.pop())
    return tree


def from_artifact(instance: Instance, mode: str, raw: bytes) -> Submission:
    """Return what an artifact.json submits. Raises FormatError, also for another instance or mode."""
    given = read_artifact(raw)
    expected = instance.manifest.benchmark_id
    if given.benchmark_id != expected:
        raise FormatError(
            f"expected {expected!r}, found {given.benchmark_id!r}",
            path=ARTIFACT_NAME,
            key="benchmark_id",
        )
    if given.mode != mode:
        raise FormatError(
            f"expected {mode!r}, found {given.mode!r}", path=ARTIFACT_NAME, key="mode"
        )
    schedule = instance.schedule(mode)
    names = {slot.file for slot in schedule}
    slots: dict[tuple[str, str, str, str], FilledSlot] = {}
    for item in given.slots:
        key = (_name_here(item.slot.file, names), *item.slot[1:4])
        if key in slots:
            raise FormatError(f"a slot of {key[0]} is there under both names of the file", path=ARTIFACT_NAME, key=item.slot.file)  # fmt: skip
        slots[key] = item
    known = {slot[:4] for slot in schedule}
    extras = [
        f"{key[0]}: {' '.join(filter(None, key[2:]))}"
        for key in slots
        if key not in known
    ]
    notes = [f"{extra}: not a slot of this mode, left out" for extra in extras]
    taken = tuple(_matched(slot, slots.get(slot[:4])) for slot in schedule)
    errors = dict(given.file_errors)
    return Submission(
        Artifact(given.benchmark_id, mode, taken, (*given.extras, *extras), errors),
        tuple(notes),
    )


def _name_here(path: str, known: set[str]) -> str:
    """Return `path` as the instance calls it: what was written before it was adapted goes to the file that adapting renamed."""
    renamed = renamed_path(path)
    return renamed if path not in known and renamed in known else path


def _matched(slot: ScheduledSlot, given: FilledSlot | None) -> FilledSlot:
    if given is None:
        return FilledSlot(slot, False, error="no such slot in the artifact")
    wrong = [
        f"{name} is {actual}, expected {expected}"
        for name, actual, expected in (
            ("kind", given.slot.kind, slot.kind),
            ("target", given.slot.target, slot.target),
        )
        if actual and expected and actual != expected
    ]
    error = "; ".join([*([given.error] if given.error and given.found else []), *wrong])
    if not given.found:
        error = error or given.error or "not found by whoever made the artifact"
    return FilledSlot(
        slot,
        given.found,
        given.body_lines,
        given.actual_fields,
        given.start_line,
        given.end_line,
        error,
        given.data,
    )


def _telemetry(raw: bytes | None) -> Mapping[str, Any]:
    """Return what a `run.json` says. Raises FormatError naming the key for a wrong type."""
    if raw is None:
        return {}
    try:
        document = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON: {error}", path=RUN_NAME) from None
    if not isinstance(document, dict):
        raise FormatError("expected an object", path=RUN_NAME)
    for key in _NUMBERS:
        value = document.get(key)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float)
        ):
            raise FormatError("expected a number", path=RUN_NAME, key=key)
    if document.get("cost_basis") not in (None, "telemetry", "estimated"):
        raise FormatError(
            "expected telemetry or estimated", path=RUN_NAME, key="cost_basis"
        )
    return document


def slot_digest(artifact: Artifact) -> str:
    """Return the SHA-256 (hex) of all bodies in the order of the schedule, by which equal submissions are known."""
    total = hashlib.sha256()
    for item in artifact.slots:
        for part in (*item.slot[:4], item.body):
            data = part.encode()
            total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


def idempotency_key(
    slots: str, revision: str, mode: str, configuration: str = ""
) -> str:
    """Return the key under which one submission is known: slots, revision (a digest), mode and configuration."""
    text = json.dumps([slots, revision, mode, configuration])
    return hashlib.sha256(text.encode()).hexdigest()
