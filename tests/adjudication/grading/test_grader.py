"""Submissions of the fixtures through everything, on a real Lean in a real sandbox; and what a machine can do wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import DOUBLE, proof, shared, submission
from adjudication.grading.canaries.honest import HONEST, LIMIT, NEVER
from adjudication.grading.canaries.run import ALL
from adjudication.grading.decide import Verdict, decide
from adjudication.grading.grader import Case, Grader, grade
from adjudication.grading.intake import Submission, from_tree, take_in
from adjudication.grading.pristine import NotGradable
from adjudication.grading.receipt import make, verify
from curation.format.archive import Tree
from curation.format.instance import Instance, load_directory, load_files
from curation.format.render import render
from workbench.lean.replay import Replay
from workbench.lean.replay_plan import Plan
from workbench.lean.sandbox.choose import choose

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
ROUTES = {
    ("ivalset", "proof"): {"disprove": {"spec_add_count", "spec_overlaps_iff"}},
    ("ivalset", "codeproof"): {"sat+joint": {"spec_add_mem", "spec_add_count"}},
    ("ringbuf", "proof"): {"disprove": {"spec_empty_capacity", "spec_overwrite_keeps"}},
    ("ringbuf", "codeproof"): {
        "unsat": {"spec_empty_capacity"},
        "sat+joint": {"spec_overwrite_full", "spec_overwrite_keeps"},
    },
    ("kvlog", "proof"): {
        "disprove": {
            "spec_room_append",
            "spec_usage_full",
            "spec_delete_appends",
            "spec_compact_shrinks",
        }
    },
    ("kvlog", "codeproof"): {
        "unsat": {"spec_compact_shrinks"},
        "sat+joint": {"spec_delete_appends", "spec_delete_absent"},
    },
    ("abacus", "proof"): {
        "disprove": {"spec_put_grows", "spec_apply_div", "spec_peak_bound"}
    },
    ("abacus", "codeproof"): {
        "unsat": {"spec_peak_bound"},
        "sat+joint": {"spec_put_keeps_length", "spec_put_grows"},
    },
}
STANDARD_AXIOMS = {"propext", "Classical.choice", "Quot.sound"}
#: Which specs lean on an axiom that the manifest trusts.
TRUSTED: dict[str, dict[str, set[str]]] = {
    "ivalset": {},
    "ringbuf": {},
    "kvlog": {"Kvlog.Spec.spec_image_new": {"Kvlog.crc_empty"}},
    "abacus": {},
}
#: How the specs of half-done submissions of `kvlog` end; the others are unfilled.
PARTIAL = {
    "proof": {
        "passed": "new_wf append_full append_overrun usage_full get_view contains_view "
        "put_get delete_appends",
        "overfilled": "new_view",
        "sorry": "append_view",
        "tainted": "room_append",
        "build_error": "append_durable",
    },
    "codeproof": {
        "passed": "get_view put_get put_other commit_durable commit_pending image_new "
        "recover_torn compact_length compact_shrinks",
        "unpaired_sat": "delete_absent",
        "build_error": "live_keys_once",
    },
}
CANARIES = {canary.id: canary for canary in ALL}

pytestmark = pytest.mark.lean


def graded(
    grader: Grader, handed_in: Submission, mode: str = "proof"
) -> tuple[Case, Verdict]:
    case = grade(grader, ground.instance(), mode, handed_in)
    return case, decide(case)


def outcomes(verdict: Verdict) -> dict[str, str]:
    return {s.spec.removeprefix("Tiny.Spec.spec_"): s.outcome for s in verdict.specs}


@pytest.mark.parametrize(("name", "mode"), ROUTES)
def test_a_full_solve_passes_by_the_routes_that_the_fixture_names(
    grader: Grader, name: str, mode: str
) -> None:
    instance = load_directory(FIXTURES / "instances" / name)
    handed_in = take_in(instance, mode, FIXTURES / "submissions" / name / mode)
    case = grade(grader, instance, mode, handed_in)
    verdict = decide(case)
    assert verdict.full_solve, [
        (s.spec, s.outcome, s.detail) for s in verdict.specs if not s.passed
    ]
    by_route: dict[str, set[str]] = {}
    for spec in verdict.specs:
        by_route.setdefault(spec.route, set()).add(spec.spec.rsplit(".", 1)[-1])
        assert {light.state for light in spec.lights.values()} == {"green"}
    by_route.pop("prove")
    assert by_route == ROUTES[name, mode]
    assert verdict.alarms == ()
    named = {s.spec: set(s.axioms) - STANDARD_AXIOMS for s in verdict.specs}
    assert {spec: axioms for spec, axioms in named.items() if axioms} == TRUSTED[name]
    assert verify(make(case, verdict)) == []


@pytest.mark.parametrize("mode", PARTIAL)
def test_a_half_done_submission_ends_in_what_became_of_each_spec(
    grader: Grader, mode: str
) -> None:
    instance = load_directory(FIXTURES / "instances" / "kvlog")
    half = FIXTURES / "submissions" / "kvlog" / "partial" / mode
    verdict = decide(grade(grader, instance, mode, take_in(instance, mode, half)))
    ended: dict[str, set[str]] = {}
    for spec in verdict.specs:
        bare = spec.spec.removeprefix("Kvlog.Spec.spec_")
        ended.setdefault(spec.outcome, set()).add(bare)
    unfilled = ended.pop("unfilled")
    assert ended == {how: set(names.split()) for how, names in PARTIAL[mode].items()}
    assert len(unfilled) == 30 - sum(map(len, ended.values()))
    assert not verdict.full_solve


@pytest.mark.parametrize("mode", ["proof", "codeproof"])
def test_untouched_stubs_are_unfilled_and_everything_that_applies_is_green(
    grader: Grader, mode: str
) -> None:
    case, verdict = graded(
        grader, submission(replace(HONEST[0], mode=mode, bodies={})), mode
    )
    assert set(outcomes(verdict).values()) == {"unfilled"}
    for spec in verdict.specs:
        states = {name: light.state for name, light in spec.lights.items()}
        assert states == {
            "built": "green",
            "statement": "off",
            "axioms": "off",
            "replay": "off",
            "sandbox": "green",
        }
    assert case.replays == []


def test_the_same_submission_gives_the_same_bytes_everywhere(grader: Grader) -> None:
    receipts = []
    for _ in range(2):
        case, verdict = graded(grader, submission(CANARIES["neighbours"]))
        receipts.append(make(case, verdict))
    one, two = receipts
    assert one["submission"] == two["submission"]
    # Whether the kernel was asked just now or before is the one thing that may differ.
    asked = [
        json.dumps(r["specs"]).replace(" kernel, before", " kernel") for r in receipts
    ]
    assert asked[0] == asked[1]
    hashes = [
        {m: v["sha256"] for m, v in r["modules"]["graded"].items()} for r in receipts
    ]
    assert hashes[0] == hashes[1]


def test_what_a_submission_does_to_frozen_files_is_not_even_looked_at(
    grader: Grader,
) -> None:
    instance = ground.instance()
    tree = render(instance, "proof")
    tree[ground.CORE] = tree[ground.CORE].replace(b"fun n => n + n", b"fun n => 3")
    tree[ground.PROOF] = tree[ground.PROOF].replace(
        b"theorem prove_never : _root_.Tiny.Spec.spec_never _root_.canonical := by\n",
        b"theorem prove_never : True := by\n",
    )
    text = tree[ground.PROOF].decode()
    start = text.index("-- !benchmark @start proof def=prove_never")
    tree[ground.PROOF] = (
        text[:start] + text[start:].replace("  sorry", "  rfl", 1)
    ).encode()

    _, verdict = graded(grader, from_tree(instance, "proof", Tree("s", tree)))
    assert outcomes(verdict)["never"] == "build_error"


class TestCaches:
    def test_frozen_modules_are_reused_and_what_holds_slots_is_not(
        self, grader: Grader
    ) -> None:
        graded(grader, submission(CANARIES["neighbours"]))
        case, _ = graded(grader, submission(CANARIES["neighbours"]))
        assert case.graded is not None
        built = case.graded.results.keys() - case.graded.reused
        assert built == {"Tiny.Proof.Core"}

    def test_downstream_of_an_implementation_everything_is_built_fresh(
        self, grader: Grader
    ) -> None:
        canary = CANARIES["unused-instance"]
        case, _ = graded(grader, submission(canary), "codeproof")
        assert case.graded is not None
        assert case.graded.reused == set()

    def test_a_scope_keeps_what_its_own_submissions_built(
        self, grader: Grader, tmp_path: Path
    ) -> None:
        mine = replace(grader, scope="mine", cache=tmp_path)
        _, first = graded(mine, submission(CANARIES["neighbours"]))
        again, second = graded(mine, submission(CANARIES["neighbours"]))
        assert again.graded is not None
        assert "Tiny.Proof.Core" in again.graded.reused
        assert outcomes(first) == outcomes(second)
        other, _ = graded(
            replace(mine, scope="other"), submission(CANARIES["neighbours"])
        )
        assert other.graded is not None
        assert "Tiny.Proof.Core" not in other.graded.reused

    def test_a_module_that_was_changed_in_the_cache_is_built_again(
        self, grader: Grader, tmp_path: Path
    ) -> None:
        mine = replace(grader, cache=tmp_path)
        _, verdict = graded(mine, submission(CANARIES["neighbours"]))
        for file in (tmp_path / "modules").rglob("module.olean"):
            file.write_bytes(file.read_bytes()[:-8] + b"\0" * 8)
        _, again = graded(mine, submission(CANARIES["neighbours"]))
        assert outcomes(again) == outcomes(verdict)
        assert outcomes(again)["double"] == "passed"


class Silent:
    """A double for a kernel that crashes."""

    name = "silent"

    def replay(self, plan: Plan) -> Replay:
        return Replay(self.name, declined="it ended with code -11")


class Unasked:
    """A double for a kernel that accepts less than it was asked about."""

    name = "lazy"

    def replay(self, plan: Plan) -> Replay:
        return Replay(self.name, frozenset(list(plan.names())[:1]))


class TestDoubt:
    def verdict(self, grader: Grader) -> Verdict:
        return graded(grader, submission(CANARIES["neighbours"]))[1]

    def test_without_an_answer_of_the_kernel_nothing_passes(
        self, grader: Grader
    ) -> None:
        verdict = self.verdict(replace(grader, kernels=[Silent()]))
        assert outcomes(verdict)["double"] == "unconfirmed"
        assert "it ended with code -11" in verdict.specs[0].detail

    def test_a_second_kernel_must_answer_too(self, grader: Grader) -> None:
        verdict = self.verdict(replace(grader, kernels=[*grader.kernels, Silent()]))
        assert outcomes(verdict)["double"] == "unconfirmed"

    def test_a_kernel_that_was_not_asked_about_everything_confirms_nothing(
        self, grader: Grader
    ) -> None:
        verdict = self.verdict(replace(grader, kernels=[Unasked()]))
        assert outcomes(verdict)["double"] == "unconfirmed"

    def test_without_any_kernel_nothing_passes(self, grader: Grader) -> None:
        verdict = self.verdict(replace(grader, kernels=[]))
        assert outcomes(verdict)["double"] == "unconfirmed"

    def test_without_a_sandbox_every_verdict_says_so(self, grader: Grader) -> None:
        verdict = self.verdict(replace(grader, sandbox=choose("none")))
        assert outcomes(verdict)["double"] == "passed"
        light = verdict.specs[0].lights["sandbox"]
        assert (light.state, light.reason) == ("off", "no sandbox, by explicit setting")


class TestAlarm:
    def test_a_spec_that_is_proved_and_refuted_is_an_alarm(
        self, grader: Grader
    ) -> None:
        """The instance itself is made inconsistent here; nothing that a submission does can get so far."""
        files = dict(ground.instance().files)
        files[ground.CORE] = files[ground.CORE].replace(
            b"/-- A bound. -/", b"axiom lie : False\n/-- A bound. -/"
        )
        manifest = json.loads(files["manifest.json"])
        manifest["trusted_axioms"] = ["Tiny.lie"]
        files["manifest.json"] = json.dumps(manifest).encode()
        instance = load_files(files, "inconsistent")
        bodies = {
            **proof("never", "  exact Tiny.lie.elim"),
            **proof("never", NEVER, kind="disprove"),
        }
        handed_in = submission(replace(CANARIES["both"], bodies=bodies))
        verdict = decide(grade(grader, instance, "proof", handed_in))
        assert outcomes(verdict)["never"] == "overfilled"
        assert verdict.alarms == (
            "Tiny.Spec.spec_never is settled by prove and by disprove",
        )


class TestNotGradable:
    def changed(self, path: str, old: str, new: str) -> Instance:
        files = dict(ground.instance().files)
        assert old.encode() in files[path]
        files[path] = files[path].replace(old.encode(), new.encode())
        return load_files(files, "changed")

    @pytest.mark.parametrize(
        ("path", "old", "new", "said"),
        [
            ("Tiny/Spec/More.lean", "∃ k", "∃ k : Nonsense", "own Tiny.Spec.More does not build"),
            ("Tiny/Spec/More.lean", "def spec_even", "abbrev spec_odd", "spec_even of module More is not declared"),
            ("Tiny/Harness.lean", "def canonical", "def canon", "canonical"),
            ("Tiny/Spec/More.lean", "(impl : RepoImpl)", "(impl : RepoImpl) (n : Nat)", "does not build"),
            ("Tiny/Spec/More.lean", "def spec_even (impl : RepoImpl) : Prop", "theorem spec_even (impl : RepoImpl) : True := trivial\ndef other (impl : RepoImpl) : Prop", "does not build"),
        ],
    )  # fmt: skip
    def test_an_instance_that_is_wrong_in_itself_blames_no_submission(
        self, grader: Grader, path: str, old: str, new: str, said: str
    ) -> None:
        handed_in = submission(replace(HONEST[0], bodies=proof("double", DOUBLE)))
        with pytest.raises(NotGradable, match=said):
            grade(grader, self.changed(path, old, new), "proof", handed_in)


class TestSalvage:
    def test_an_error_outside_the_slots_of_specs_blames_the_whole_module(
        self, grader: Grader
    ) -> None:
        bodies: Mapping[tuple[str, str, str], str] = {
            **shared("theorem broken : False := rfl"),
            **proof("double", DOUBLE),
        }
        _, verdict = graded(grader, submission(replace(HONEST[0], bodies=bodies)))
        assert outcomes(verdict)["double"] == "build_error"

    def test_what_rests_on_a_broken_lemma_falls_with_it_and_nothing_else(
        self, grader: Grader
    ) -> None:
        bodies = {
            **proof("double", DOUBLE, "theorem wrong : (1 : Nat) = 2 := rfl"),
            **proof("weight", "  intro n\n  have := wrong\n  rfl"),
            **proof("limit", LIMIT),
        }
        _, verdict = graded(grader, submission(replace(HONEST[0], bodies=bodies)))
        found = outcomes(verdict)
        assert (found["double"], found["weight"], found["limit"]) == (
            "build_error",
            "build_error",
            "passed",
        )


class TestConfirmedBefore:
    def test_the_kernel_is_not_asked_twice_about_the_same_bytes(
        self, grader: Grader, tmp_path: Path
    ) -> None:
        mine = replace(grader, cache=tmp_path)
        first, _ = graded(mine, submission(CANARIES["neighbours"]))
        again, verdict = graded(mine, submission(CANARIES["neighbours"]))
        assert [replay.kernel for replay in first.replays] == [grader.kernels[0].name]
        assert [replay.kernel for replay in again.replays] == [
            f"{grader.kernels[0].name}, before"
        ]
        assert outcomes(verdict)["double"] == "passed"

    def test_another_kernel_is_asked_all_the_same(
        self, grader: Grader, tmp_path: Path
    ) -> None:
        mine = replace(grader, cache=tmp_path)
        graded(mine, submission(CANARIES["neighbours"]))
        both = replace(mine, kernels=[*grader.kernels, Silent()])
        assert (
            outcomes(graded(both, submission(CANARIES["neighbours"]))[1])["double"]
            == "unconfirmed"
        )

    def test_what_was_rejected_is_asked_again(
        self, grader: Grader, tmp_path: Path
    ) -> None:
        canary = CANARIES["kernel-skipped"]
        mine = replace(grader, cache=tmp_path, policy=canary.policy)
        for _ in range(2):
            case, verdict = graded(mine, submission(canary))
            assert outcomes(verdict)["never"] == "kernel_rejected"
            assert case.replays[0].rejected
