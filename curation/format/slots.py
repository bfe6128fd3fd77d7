"""The schedule: which slots a submission may fill, in each mode.

It is the union of what the manifest lists and what the markers say: some instances have code slots for helpers
that `apis[]` does not name. Source: instance-format.md, "Two modes" and oddity 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from curation.format.findings import FormatError
from curation.format.markers import BENCHMARK, SOLUTION, Slot
from workbench.lean.declarations import name_parts

PROOF = "proof"
CODEPROOF = "codeproof"
MODES = (PROOF, CODEPROOF)
IMPL_KEYS = ("imports", "global_aux", "code_aux", "code")
JOINT_NAME = "joint_unsatisfiability"
JOINT_KIND = "joint_unsat"

KINDS_OF_MODE: dict[str, tuple[str, ...]] = {
    PROOF: ("prove", "disprove"),
    CODEPROOF: ("prove", "unsat", "sat"),
}


class ScheduledSlot(NamedTuple):
    """A slot that a submission may fill, named as in artifact.json. `kind` and `target` are for proofs."""

    file: str
    prefix: str
    key: str
    def_name: str
    kind: str = ""
    target: str = ""


class Stub(NamedTuple):
    """A theorem to be generated: its name, kind (`prove`, `disprove`, `unsat`, `sat`) and the spec it is about."""

    name: str
    kind: str
    spec: str


def check_mode(mode: str) -> None:
    """Raise FormatError for a mode that does not exist."""
    if mode not in MODES:
        raise FormatError(f"unknown mode {mode!r}; expected one of {', '.join(MODES)}")


def _split(spec: str) -> tuple[str, str]:
    """Return the namespace with its dot and the last part, without `spec_` and without `«»`."""
    parts = name_parts(spec)
    last = parts[-1].strip("«»")
    return "".join(f"{part}." for part in parts[:-1]), last.removeprefix(
        "spec_"
    ) or last


def bare_name(spec: str) -> str:
    """Return the name of a spec without `spec_`: `spec_x` → `x`, `A.spec_x` → `A.x`."""
    return "".join(_split(spec))


def stubs(mode: str, spec: str) -> tuple[Stub, ...]:
    """Return the stubs of one spec in a mode: `spec_x` → `prove_x` …, `A.spec_x` → `A.prove_x` …."""
    check_mode(mode)
    namespace, last = _split(spec)
    return tuple(
        [Stub(f"{namespace}{kind}_{last}", kind, spec) for kind in KINDS_OF_MODE[mode]]
    )


def impl_slots(slots: Iterable[Slot]) -> Iterator[ScheduledSlot]:
    """Yield the slots of Impl files that `codeproof` opens: exactly those with markers."""
    for slot in slots:
        if slot.prefix == BENCHMARK and slot.key in IMPL_KEYS:
            yield ScheduledSlot(slot.path, slot.prefix, slot.key, slot.def_name)


def proof_slots(file: str, mode: str, specs: Iterable[str]) -> Iterator[ScheduledSlot]:
    """Yield the slots of one generated Proof file, in the order in which they stand in it."""
    yield ScheduledSlot(file, BENCHMARK, "imports", "")
    yield ScheduledSlot(file, BENCHMARK, "global_aux", "")
    for spec in specs:
        for stub in stubs(mode, spec):
            yield ScheduledSlot(file, BENCHMARK, "proof_aux", stub.name)
            yield ScheduledSlot(file, BENCHMARK, "proof", stub.name, stub.kind, spec)


def joint_slots(file: str) -> Iterator[ScheduledSlot]:
    """Yield the slots of the generated Joint file."""
    yield ScheduledSlot(file, BENCHMARK, "imports", "")
    yield ScheduledSlot(file, BENCHMARK, "global_aux", "")
    yield ScheduledSlot(file, SOLUTION, SOLUTION, JOINT_NAME, JOINT_KIND)
    for key in ("proof_aux", "claim", "proof"):
        kind = "" if key == "proof_aux" else JOINT_KIND
        yield ScheduledSlot(file, BENCHMARK, key, JOINT_NAME, kind)
