"""Submissions to the small fixtures that are half done, each outcome with its reason. Every outcome there is occurs here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from adjudication.grading.decide import Verdict, decide
from adjudication.grading.grader import MODULE_LIMITS, Grader, grade
from adjudication.grading.intake import take_in
from adjudication.grading.outcomes import PRECEDENCE, SpecVerdict
from adjudication.grading.receipt import make, verify
from adjudication.grading.screen import Policy
from adjudication.grading.screenwords import ALLOWED_OPTIONS
from curation.format.instance import load_directory
from workbench.lean.toolchain import Limits

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
# A policy that lets an option through by which a proof skips Lean's kernel: what comes of it is the replay's to find.
LAX = Policy(options=(*ALLOWED_OPTIONS, "debug.skipKernelTC"))
ALL = "all"


@dataclass(frozen=True)
class Partial:
    """A folder below `submissions/<instance>/partial`, and what becomes of specs (short names): outcome and words of the reason.

    Specs that are not named are `unfilled`; `all` stands for every one of them.
    """

    instance: str
    folder: str
    mode: str
    expected: Mapping[str, tuple[str, str]]
    policy: Policy = field(default_factory=Policy)
    limits: Limits = MODULE_LIMITS
    void_rule: str = ""


PARTIALS = (
    Partial(
        "ivalset",
        "proof",
        "proof",
        {
            "add_empty": ("passed", ""),
            "add_mem": ("overfilled", "prove_add_mem and disprove_add_mem are filled"),
            "add_wf": ("sorry", "`sorry` is used by add_apart"),
            "add_count": ("build_error", "Ivalset/Proof/Core.lean:"),
            "discard_mem": ("tainted", "rule admit"),
            "discard_wf": ("kernel_rejected", "refuses anything"),
            "contains_mem": ("axiom", "the opaque constant hidden"),
            "overlaps_iff": ("passed", ""),
            "of_pairs_mem": ("statement_changed", ""),
        },
        policy=LAX,
    ),
    Partial(
        "ivalset",
        "codeproof",
        "codeproof",
        {
            "add_empty": ("unpaired_sat", "there is no joint claim"),
            "contains_mem": ("passed", ""),
            "overlaps_iff": ("passed", ""),
        },
    ),
    Partial(
        "ivalset",
        "void",
        "codeproof",
        {ALL: ("void", "implemented_by (rule runtime-attribute)")},
        void_rule="runtime-attribute",
    ),
    Partial(
        "ivalset",
        "broken",
        "codeproof",
        {ALL: ("impl_broken", "Ivalset.Impl.Core: Ivalset/Impl/Core.lean:")},
    ),
    Partial(
        "ivalset",
        "endless",
        "proof",
        {"contains_mem": ("declined", "limit: time")},
        limits=Limits(seconds=4),
    ),
    Partial(
        "ringbuf",
        "proof",
        "proof",
        {
            "empty_contents": ("passed", ""),
            "empty_capacity": ("overfilled", "prove_empty_capacity and disprove_"),
            "push_contents": ("sorry", "`sorry` is used by push_spec"),
            "pop_contents": ("tainted", "rule axiom"),
            "peek_pop": ("passed", ""),
            "slot_bound": ("build_error", "omega"),
            "overwrite_keeps": ("passed", ""),
        },
    ),
    Partial(
        "ringbuf",
        "codeproof",
        "codeproof",
        {
            "empty_contents": ("passed", ""),
            "empty_capacity": ("passed", ""),
            "push_contents": (
                "statement_changed",
                "became Ringbuf.lost (at Ringbuf.Spec.spec_push_contents › value › "
                "under fun impl › under ∀ r › under ∀ r' › under ∀ x › under ∀ a✝ ›",
            ),
            "overwrite_keeps": ("unpaired_sat", "the joint claim does not hold"),
        },
    ),
    Partial(
        "ringbuf",
        "void",
        "codeproof",
        {ALL: ("void", "unsafe (rule unsafe)")},
        void_rule="unsafe",
    ),
)


def graded(grader: Grader, case: Partial) -> Verdict:
    """Grade a case and check its receipt."""
    instance = load_directory(FIXTURES / "instances" / case.instance)
    folder = FIXTURES / "submissions" / case.instance / "partial" / case.folder
    grader = replace(grader, policy=case.policy, limits=case.limits)
    found = grade(grader, instance, case.mode, take_in(instance, case.mode, folder))
    verdict = decide(found)
    receipt = make(found, verdict)
    assert verify(receipt) == []
    emptied = {
        (slot, receipt["modules"]["graded"][module]["outcome"])
        for module, one in receipt["modules"]["graded"].items()
        for slot in one["emptied"]
    }
    assert emptied == {(name, "built") for _, name in found.emptied}
    return verdict


@pytest.mark.lean
@pytest.mark.parametrize("case", PARTIALS, ids=lambda c: f"{c.instance}-{c.folder}")
def test_each_spec_ends_as_expected_for_the_reason_expected(
    grader: Grader, case: Partial
) -> None:
    verdict = graded(grader, case)
    specs = {spec.spec.rsplit("spec_", 1)[-1]: spec for spec in verdict.specs}
    assert case.expected.keys() <= {*specs, ALL}
    wanted = {
        name: case.expected.get(name, case.expected.get(ALL, ("unfilled", "")))
        for name in specs
    }
    assert {name: spec.outcome for name, spec in specs.items()} == {
        name: outcome for name, (outcome, _) in wanted.items()
    }
    for name, (_, reason) in wanted.items():
        assert reason in specs[name].detail, name
        readable(specs[name])
    assert verdict.void_rule == case.void_rule
    assert verdict.alarms == ()


def readable(spec: SpecVerdict) -> None:
    """What people read of a theorem is there: what it uses, and both statements where they differ."""
    if spec.passed or spec.outcome == "statement_changed":
        assert spec.uses, spec.spec
        assert spec.theorem not in spec.uses
    if spec.outcome == "statement_changed":
        # One reads as expected: a constant that its spec names became another.
        alike = spec.spec == "Ringbuf.Spec.spec_push_contents"
        assert bool(spec.expected) != alike, spec.spec
        assert spec.found not in ("", spec.expected)
    else:
        assert spec.expected == spec.found == ""


@pytest.mark.lean
def test_without_a_kernel_what_would_have_passed_is_unconfirmed(grader: Grader) -> None:
    verdict = graded(replace(grader, kernels=[]), PARTIALS[0])
    outcomes = {spec.spec.removeprefix("spec_"): spec.outcome for spec in verdict.specs}
    assert outcomes["add_empty"] == outcomes["overlaps_iff"] == "unconfirmed"
    assert outcomes["contains_mem"] == "axiom"
    assert "passed" not in outcomes.values()


def test_every_outcome_occurs() -> None:
    found = {outcome for case in PARTIALS for outcome, _ in case.expected.values()}
    assert found | {"unfilled", "unconfirmed"} == set(PRECEDENCE)


def test_every_half_done_submission_of_the_small_instances_is_graded_here() -> None:
    there = {
        (name, folder.name)
        for name in ("ivalset", "ringbuf")
        for folder in (FIXTURES / "submissions" / name / "partial").iterdir()
    }
    assert there == {(case.instance, case.folder) for case in PARTIALS}
