"""What the evidence means: the outcome, route and lights of every spec, and alarms. Source: grading.md, "Outcome of a spec" and "Lights"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudication.grading.checking import Checked, Obligation, SlotReport, hits_with
from adjudication.grading.evidence import Evidence, Told
from adjudication.grading.grader import Case
from adjudication.grading.judge import Ruling
from adjudication.grading.outcomes import (
    GREEN,
    LIGHTS,
    NEEDED_LIGHTS,
    NOT_REACHED,
    OFF,
    PRECEDENCE,
    RED,
    Light,
    Outcome,
    Route,
    SpecVerdict,
)
from workbench.lean.names import show
from workbench.lean.toolchain import ModuleResult

_ROUTE: Mapping[str, Route] = {
    "prove": "prove",
    "disprove": "disprove",
    "unsat": "unsat",
    "sat": "sat+joint",
}
_LIMITS = ("time", "output", "cpu", "memory", "threads", "file", "disk")
# Pairs of claims about one spec that cannot both be true of one implementation.
_OPPOSED = (("prove", "disprove"), ("prove", "unsat"), ("sat", "unsat"))


@dataclass(frozen=True)
class Verdict:
    """The outcome of every spec of an instance, in its order. `alarms` are contradictions that were proved: look at once.

    `flags` ask a person about what no rule can settle; `rulings` are what a judge said about them. `joint` says what became of a
    joint claim.
    """

    specs: tuple[SpecVerdict, ...]
    void_rule: str = ""
    alarms: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    joint: Mapping[str, object] = field(default_factory=dict)
    rulings: tuple[Ruling, ...] = ()

    @property
    def full_solve(self) -> bool:
        """Whether every spec passed, by any route."""
        return bool(self.specs) and all(spec.passed for spec in self.specs)


def decide(case: Case) -> Verdict:
    """Return the verdict on a case. Nothing is read or run any more."""
    decider = _Decider(case)
    checked = case.checked
    specs = tuple(
        decider.spec(name, group) for name, group in checked.obligations.items()
    )
    return Verdict(
        specs,
        decider.void_rule,
        tuple(_alarms(case)),
        tuple(
            _place(r) + f", line {hit.line}: {hit.found} (rule {hit.rule})"
            for r, hit in checked.flags
        ),
        checked.submission.notes,
        _joint_document(case),
        case.rulings,
    )


def _joint_document(case: Case) -> Mapping[str, object]:
    joint = case.joint
    if joint is None:
        return {}
    return {
        "specs": [spec.full_name for spec in joint.claim.specs],
        "holds": joint.holds,
        "core": list(joint.core) if joint.holds else [],
        "detail": joint.why_not(),
        "axioms": list(joint.evidence.axioms) if joint.evidence else [],
    }


def _alarms(case: Case) -> list[str]:
    def holds(name: str, kind: str) -> bool:
        evidence = case.evidence.get((name, kind))
        return evidence is not None and evidence.holds

    found = []
    for name in case.checked.obligations:
        for one, other in _OPPOSED:
            if holds(name, one) and holds(name, other):
                found.append(f"{name} is settled by {one} and by {other}")
    joint = case.joint
    if joint is not None and joint.holds:
        proved = [s.full_name for s in joint.claim.specs if holds(s.full_name, "prove")]
        if len(proved) == len(joint.claim.specs):
            found.append(
                f"{', '.join(proved)} are proved, and that they cannot all hold"
            )
    return found


def _place(report: SlotReport) -> str:
    slot = report.slot
    return f"{slot.file}: {slot.key}" + (
        f" def={slot.def_name}" if slot.def_name else ""
    )


class _Decider:
    """Works out specs one by one; what holds for the whole run is worked out once."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.checked: Checked = case.checked
        self.void_rule, self.void = self._void()
        self.broken = "" if self.void else self._broken_implementation()
        self.impl_taint = hits_with(self.checked.implementation, "taint")
        self.sandbox = self._sandbox_light()

    def _void(self) -> tuple[str, str]:
        """Return the rule that refuses the whole run and where it applies, both empty if none does.

        A judge can only refuse: what it calls honest is decided as if nobody had been asked.
        """
        if self.checked.void is not None:
            report, hit = self.checked.void
            where = f"{_place(report)}, line {hit.line}"
            return hit.rule, f"{where}: {hit.found} (rule {hit.rule})"
        for ruling in self.case.rulings:
            if ruling.opinion == "cheat":
                said = f"{ruling.model} calls it a cheat: {ruling.reasoning}"
                rule = ruling.question.rules[0]
                return rule, f"{ruling.place}: {said} (rule {rule})"
        return "", ""

    def _sandbox_light(self) -> Light:
        chosen = self.case.grader.sandbox
        if self.case.graded is None:
            return NOT_REACHED
        if chosen.proven:
            return Light(GREEN, chosen.sandbox.words)
        if chosen.sandbox.name == "none":
            return Light(OFF, "no sandbox, by explicit setting")
        return Light(RED, f"{chosen.sandbox.words}: not proven to hold here")

    def _broken_implementation(self) -> str:
        for report in self.checked.implementation:
            if report.refused:
                return f"{_place(report)}: {report.refused[0]}"
        graded = self.case.graded
        if graded is None:
            return ""
        proofs = {o.file for group in self.checked.obligations.values() for o in group}
        proofs.add(self.checked.instance.joint_path)
        for module, why in graded.graph.unordered.items():
            if graded.graph.paths.get(module) not in proofs:
                return why
        for module, result in graded.results.items():
            if graded.graph.paths[module] in proofs:
                continue
            if not result.ok:
                return f"{module}: {_said(result)}"
            if module in self.case.swallowed:
                return f"{module}: its frozen {self.case.swallowed[module]} is gone"
        return ""

    def spec(self, name: str, group: tuple[Obligation, ...]) -> SpecVerdict:
        filled = [o for o in group if self._report(o).filled]
        chosen = filled[0] if len(filled) == 1 else None
        evidence = self.case.evidence.get((name, chosen.kind)) if chosen else None
        findings = self._findings(name, group, filled, evidence)
        outcome = min(findings, key=PRECEDENCE.index)
        lights = self._lights(group, evidence)
        if outcome == "passed" and not all(lights[n].green for n in NEEDED_LIGHTS):
            # Nothing passes by omission: what was not shown is not known.
            outcome, findings["unconfirmed"] = "unconfirmed", "a light is missing"
        told = evidence.told if evidence else Told()
        return SpecVerdict(
            spec=name,
            outcome=outcome,
            route=_ROUTE[chosen.kind] if chosen else "",
            detail=findings[outcome],
            lights=lights,
            theorem=show(chosen.theorem) if chosen else "",
            statement=self.case.statements.get(".".join(map(str, chosen.theorem)), "")
            if chosen
            else "",
            axioms=evidence.axioms if evidence else (),
            flags=tuple(
                hit.rule
                for o in filled
                for hit in hits_with(self.checked.serving(o), "flag")
            ),
            expected=told.expected,
            found=told.found,
            uses=told.uses,
            more_uses=told.more,
        )

    def _report(self, item: Obligation) -> SlotReport:
        report = self.checked.report(item.file, "proof", item.def_name)
        assert report is not None, f"the schedule lacks {item.def_name}"
        return report

    def _findings(
        self,
        name: str,
        group: tuple[Obligation, ...],
        filled: list[Obligation],
        evidence: Evidence | None,
    ) -> dict[Outcome, str]:
        """Return every outcome that applies, with its sentence."""
        if self.void:
            return {"void": self.void}
        found: dict[Outcome, str] = {}
        if self.broken:
            found["impl_broken"] = self.broken
        unread = [r for r in map(self._report, group) if r.refused and not r.item.found]
        if unread and not filled:
            found["build_error"] = f"{_place(unread[0])}: {unread[0].refused[0]}"
            return found
        if not filled:
            found["unfilled"] = "no slot of it is filled"
            return found
        if len(filled) > 1:
            found["overfilled"] = (
                f"{' and '.join(o.def_name for o in filled)} are filled"
            )
            return found
        item = filled[0]
        taint = [*hits_with(self.checked.serving(item), "taint"), *self.impl_taint]
        if taint:
            found["tainted"] = f"{taint[0].found} (rule {taint[0].rule})"
        found |= self._built(item)
        if evidence is None:
            found.setdefault("unconfirmed", "nothing was examined")
        elif evidence.failure is not None:
            found[evidence.failure] = evidence.detail
        elif not evidence.holds:
            found["unconfirmed"] = "it was not replayed"
        if item.kind == "sat":
            found |= self._pairing(name)
        return found or {"passed": ""}

    def _built(self, item: Obligation) -> dict[Outcome, str]:
        """Return what is wrong with the slots and the module of a theorem."""
        for report in self.checked.serving(item):
            if report.refused:
                return {"build_error": f"{_place(report)}: {report.refused[0]}"}
        emptied = self.case.emptied.get((item.file, item.def_name))
        if emptied is not None:
            return {
                "build_error": f"{emptied.file}:{emptied.line}: {emptied.message[:2000]}"
            }
        graded = self.case.graded
        module = ".".join(map(str, item.module))
        if graded is None:
            return {"unconfirmed": "nothing was built"}
        if module in graded.graph.unordered:
            return {"build_error": graded.graph.unordered[module]}
        result = graded.results.get(module)
        if result is None:
            return {"build_error": "its module was not built"}
        if not result.ok:
            outcome: Outcome = (
                "declined" if result.outcome in _LIMITS else "build_error"
            )
            return {outcome: _said(result)}
        if self.case.reading is not None and module in self.case.reading.refused:
            return {"declined": self.case.reading.refused[module]}
        if module in self.case.swallowed:
            return {"build_error": f"the frozen {self.case.swallowed[module]} is gone"}
        return {}

    def _pairing(self, name: str) -> dict[Outcome, str]:
        joint = self.case.joint
        if joint is None:
            return {"unpaired_sat": "there is no joint claim"}
        named = [spec.full_name for spec in joint.claim.specs]
        if not joint.holds:
            why = joint.why_not()
            if (
                joint.evidence is not None
                and joint.evidence.failure == "unconfirmed"
                and name in named
            ):
                return {"unconfirmed": f"the joint claim: {why}"}
            return {"unpaired_sat": f"the joint claim does not hold: {why}"}
        if name not in named:
            return {"unpaired_sat": "the joint claim does not name it"}
        if name not in joint.core:
            return {"unpaired_sat": "the joint claim holds without it"}
        rest = [other for other in joint.core if other != name]
        if not self._met_together(rest):
            said = ", ".join(rest)
            return {"unpaired_sat": f"nothing shows that {said} can be met without it: prove {'it' if len(rest) == 1 else 'them'}, or `sat` of a pair"}  # fmt: skip
        return {}

    def _met_together(self, names: list[str]) -> bool:
        """Return whether it is proved that one implementation meets all of `names`.

        Only then is a spec that cannot hold beside them at fault: a script can mention a spec that it does not need, and
        beside one that nothing meets every spec is in conflict.
        """

        def holds(name: str, kind: str) -> bool:
            evidence = self.case.evidence.get((name, kind))
            return evidence is not None and evidence.holds

        return all(holds(name, "prove") for name in names) or (
            len(names) == 1 and holds(names[0], "sat")
        )

    def _lights(
        self, group: tuple[Obligation, ...], evidence: Evidence | None
    ) -> dict[str, Light]:
        lights = dict.fromkeys(LIGHTS, NOT_REACHED)
        lights["built"] = self._built_light(group)
        if evidence is not None:
            lights |= {
                k: v
                for k, v in evidence.lights.items()
                if k != "built" or v.state == RED
            }
        elif self.case.graded is not None and not self.broken:
            lights |= dict.fromkeys(
                ("statement", "axioms", "replay"), Light(OFF, "nothing to check")
            )
        lights["sandbox"] = self.sandbox
        return lights

    def _built_light(self, group: tuple[Obligation, ...]) -> Light:
        if self.case.graded is None:
            return NOT_REACHED
        if self.broken:
            return Light(RED, self.broken)
        for item in group:
            wrong = self._built(item) if self._report(item).filled else {}
            if wrong:
                return Light(RED, next(iter(wrong.values())))
        module = ".".join(map(str, group[0].module))
        result = self.case.graded.results.get(module)
        return (
            Light(GREEN)
            if result is not None and result.ok
            else Light(RED, "its module does not build")
        )


def _said(result: ModuleResult) -> str:
    """Return in one line why a module is not there: a limit, the first error, or what blocks it."""
    if result.outcome in _LIMITS:
        return f"limit: {result.outcome}"
    if result.blocked_by:
        return f"blocked by {', '.join(result.blocked_by)}"
    if result.errors:
        error = result.errors[0]
        place = f"{error.file}:{error.line}: " if error.line else ""
        return place + error.message.split("\n", 1)[0][:300]
    return result.outcome
