"""What the text of a submission says, before anything is built: grammar and rules, slot by slot, and what they mean for specs."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from adjudication.grading.intake import Submission
from adjudication.grading.jointclaim import JointClaim, read_claim
from adjudication.grading.screen import Hit, Policy, screen
from adjudication.grading.slotgrammar import auxiliary_commands, check_slot
from curation.format.artifact import FilledSlot
from curation.format.entries import Spec, lean_name, module_of
from curation.format.instance import Instance
from curation.format.markers import SOLUTION
from curation.format.slots import IMPL_KEYS, JOINT_NAME, ScheduledSlot, stubs
from workbench.lean.names import Name, parse

_MISSING_FILE = "this file is missing"
_NO_SLOT = ("no such slot in this file", "no such slot in the artifact")


@dataclass(frozen=True, slots=True)
class SlotReport:
    """One slot as submitted: what refuses it (empty for nothing), the rules it hits, auxiliary commands in it."""

    item: FilledSlot
    refused: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    auxiliary: tuple[str, ...] = ()
    is_empty: bool = True
    has_sorry: bool = False

    @property
    def slot(self) -> ScheduledSlot:
        return self.item.slot

    @property
    def filled(self) -> bool:
        """Whether it has a body without `sorry`, decided on tokens."""
        return self.item.found and not self.is_empty and not self.has_sorry


@dataclass(frozen=True, slots=True)
class Obligation:
    """One theorem that could settle a spec: its file, module, name, and the kind of claim."""

    spec: Spec
    kind: str
    file: str
    module: Name
    theorem: Name
    def_name: str


@dataclass(frozen=True)
class Checked:
    """A submission after its text was looked at."""

    instance: Instance
    mode: str
    submission: Submission
    reports: tuple[SlotReport, ...]
    joint: JointClaim | None

    @cached_property
    def by_file(self) -> dict[str, list[SlotReport]]:
        found: dict[str, list[SlotReport]] = {}
        for report in self.reports:
            found.setdefault(report.slot.file, []).append(report)
        return found

    @cached_property
    def void(self) -> tuple[SlotReport, Hit] | None:
        """The first place that refuses the whole run."""
        return next(
            ((r, hit) for r in self.reports for hit in r.hits if hit.effect == "void"),
            None,
        )

    @cached_property
    def obligations(self) -> dict[str, tuple[Obligation, ...]]:
        """Every theorem of the mode, by the full name of its spec."""
        return obligations(self.instance, self.mode)

    def report(self, file: str, key: str, def_name: str = "") -> SlotReport | None:
        """Return the report on a slot, or None if there is no such slot."""
        wanted = (key, def_name)
        return next(
            (
                r
                for r in self.by_file.get(file, ())
                if r.slot[2:4] == wanted and r.slot.prefix != SOLUTION
            ),
            None,
        )

    def serving(self, item: Obligation) -> list[SlotReport]:
        """Return the reports on the slots that a theorem rests on in its own file: of the file, and of the theorem."""
        return [
            report
            for report in self.by_file.get(item.file, ())
            if report.slot.def_name in ("", item.def_name)
        ]

    @cached_property
    def implementation(self) -> list[SlotReport]:
        """The reports on slots outside Proof files."""
        proofs = {item.file for group in self.obligations.values() for item in group}
        proofs.add(self.instance.joint_path)
        return [
            report
            for report in self.reports
            if report.slot.key in IMPL_KEYS and report.slot.file not in proofs
        ]

    @property
    def flags(self) -> list[tuple[SlotReport, Hit]]:
        return [
            (r, hit) for r in self.reports for hit in r.hits if hit.effect == "flag"
        ]


def check(
    instance: Instance, mode: str, submission: Submission, policy: Policy
) -> Checked:
    """Return what the text of a submission says. Raises FormatError for an instance that cannot be rendered."""
    allowed = _importable(instance, mode, policy)
    errors = submission.artifact.file_errors
    reports = tuple(
        _report(item, policy, allowed, errors.get(item.slot.file, ""))
        for item in submission.artifact.slots
    )
    joint = read_claim(instance, submission.artifact) if mode == "codeproof" else None
    return Checked(instance, mode, submission, reports, joint)


def _report(
    item: FilledSlot, policy: Policy, imports: frozenset[str], file_error: str
) -> SlotReport:
    if not item.found:
        # A slot that is not there is not filled; one that could not be read is refused.
        reason = file_error or item.error
        quiet = not reason or reason == _MISSING_FILE or reason in _NO_SLOT
        return SlotReport(item, () if quiet else (reason,))
    key, body = item.slot.key, item.body
    known = _judge_short if len(body) <= _SHORT else _judge
    judged = known(key, body, policy, imports if key == "imports" else frozenset())
    refused = (item.error, *judged.refused) if item.error else judged.refused
    return replace(judged, item=item, refused=refused)


def _judge(key: str, body: str, policy: Policy, imports: frozenset[str]) -> SlotReport:
    """Return the report on a body, whoever's it is."""
    item = FilledSlot(_NOBODY, True, tuple(body.split("\n")))
    if not body.strip():
        return SlotReport(item)
    refused = check_slot(key, body, imports=imports)
    hits = tuple(screen(body, policy)) if key != SOLUTION else ()
    refused += [
        f"line {hit.line}: {hit.found} (rule {hit.rule})"
        for hit in hits
        if hit.effect == "reject"
    ]
    return SlotReport(
        item,
        tuple(refused),
        hits,
        tuple(auxiliary_commands(key, body)),
        item.is_empty,
        item.contains("sorry"),
    )


# Most slots of most submissions hold nothing, or `sorry`.
_SHORT = 40
_NOBODY = ScheduledSlot("", "", "", "")
_judge_short = functools.lru_cache(maxsize=1024)(_judge)


def _importable(instance: Instance, mode: str, policy: Policy) -> frozenset[str]:
    """Return the modules that an `imports` slot may name: of the tree, what the instance imports itself, and the policy's."""
    paths = set(instance.visible_paths)
    paths |= {slot.file for slot in instance.schedule(mode)}
    # Nothing rests on the Joint file, so that it can be built again in other words.
    paths -= {instance.joint_path}
    external = {
        line.module
        for path in instance.visible_paths
        for line in instance.headers[path].imports
    }
    return frozenset(
        {module_of(path) for path in paths} | external | set(policy.imports)
    )


def obligations(instance: Instance, mode: str) -> dict[str, tuple[Obligation, ...]]:
    """Return every theorem of a mode, by the full name of the spec that it could settle."""
    found: dict[str, tuple[Obligation, ...]] = {}
    position = 0
    for package, module in instance.manifest.modules:
        path = instance.proof_path(package, module)
        for spec in instance.specs[position : position + len(module.specs)]:
            found[spec.full_name or spec.name] = tuple(
                Obligation(
                    spec,
                    stub.kind,
                    path,
                    module_name(path),
                    parse(lean_name(stub.name)),
                    stub.name,
                )
                for stub in stubs(mode, spec.name)
            )
        position += len(module.specs)
    return found


def module_name(path: str) -> Name:
    """Return the module of a file as a name: its path without the ending."""
    return tuple(path.removesuffix(".lean").split("/"))


def joint_obligation(instance: Instance) -> tuple[Name, Name]:
    """Return module and name of the theorem of a joint claim."""
    return module_name(instance.joint_path), (JOINT_NAME,)


def hits_with(reports: Iterable[SlotReport], effect: str) -> Sequence[Hit]:
    """Return the hits with an effect in some slots."""
    return [hit for report in reports for hit in report.hits if hit.effect == effect]
