"""The sample instance from end to end: statement, axioms and replay of each of its theorems, over the reference and in codeproof form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.workbench.lean.builds import core_library
from workbench.lean.closure import STANDARD_AXIOMS, closure_of
from workbench.lean.compare import Comparison
from workbench.lean.library import Environment, Library
from workbench.lean.names import Name
from workbench.lean.pocket.toolchain import PocketToolchain, find_wheel
from workbench.lean.replay import LeanKernel
from workbench.lean.replay_plan import plan_replay
from workbench.lean.statements import Harness, expected, expected_joint
from workbench.lean.terms import Term

pytestmark = pytest.mark.lean

SAMPLE = Path(__file__).parent / "pocket" / "sample"
HARNESS = Harness(("RepoImpl",), ("canonical",))
API = frozenset(
    ("Ledger", name)
    for name in [
        "find",
        "remove",
        "put",
        "deposit",
        "withdraw",
        "total",
        "owners",
        "richest",
        "count",
    ]
)
CLAIM = re.compile(r"theorem ((prove|disprove|unsat|sat)_(\w+))")


def theorems() -> list[tuple[str, Name, str, Name]]:
    """Module, theorem, claim and spec of every proof in the sample."""
    found: list[tuple[str, Name, str, Name]] = []
    for path in sorted((SAMPLE / "Ledger" / "Proof").glob("*.lean")):
        for match in CLAIM.finditer(path.read_text()):
            found.append((path.stem, (match[1],), match[2], (f"spec_{match[3]}",)))
    return found


class Built:
    """One form of the sample, built and read."""

    def __init__(self, pocket: PocketToolchain, root: Path, out: Path) -> None:
        build = pocket.build(root, out)
        assert build.ok, [str(d) for d in build.diagnostics if d.severity == "error"]
        core = core_library(pocket)
        self.library = Library(core.bank, core)
        self.library.load_tree(out)

    def environment(self, module: str) -> Environment:
        return self.library.environment(("Ledger", "Proof", module))


@pytest.fixture(scope="module")
def full(pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(pocket, SAMPLE, tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="module")
def emptied(pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The codeproof form: `sorry` bodies, and stubs in the place of proofs."""
    root = tmp_path_factory.mktemp("emptied-src")
    for path in SAMPLE.rglob("*.lean"):
        if path.name == "Test.lean":
            continue
        text = re.sub(
            r"(@start code def=\w+\n).*?(-- !benchmark @end)",
            r"\1  sorry\n\2",
            path.read_text(),
            flags=re.DOTALL,
        )
        text = (
            "\n".join(
                line for line in text.splitlines() if line != "import Ledger.Test"
            )
            + "\n"
        )
        if path.parent.name == "Proof":
            head = text[: text.index("theorem")]
            stubs = re.findall(
                r"theorem (?:prove|disprove|unsat|joint)\w+ : [^=]*?(?= := by\n)", text
            )
            text = head + "".join(f"{stub} := sorry\n" for stub in stubs)
        target = root / path.relative_to(SAMPLE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return Built(pocket, root, tmp_path_factory.mktemp("emptied"))


def wanted(environment: Environment, claim: str, spec: Name) -> Term:
    return expected(environment, HARNESS, spec, claim)  # type: ignore[arg-type]


class TestSample:
    def test_there_are_proofs_of_every_kind(self) -> None:
        assert {claim for _, _, claim, _ in theorems()} == {
            "prove",
            "disprove",
            "unsat",
        }
        assert len(theorems()) >= 11

    @pytest.mark.parametrize("form", ["full", "emptied"])
    def test_every_theorem_says_what_its_stub_says(
        self, form: str, full: Built, emptied: Built
    ) -> None:
        pristine = full if form == "full" else emptied
        for module, theorem, claim, spec in theorems():
            ours, theirs = pristine.environment(module), full.environment(module)
            comparison = Comparison(
                ours, theirs, API if form == "emptied" else frozenset()
            )
            difference = comparison.theorem(
                theorem, ("Ledger", "Proof", module), wanted(ours, claim, spec)
            )
            assert difference is None, (theorem, str(difference))

    def test_without_the_exception_for_apis_the_changed_bodies_are_found(
        self, full: Built, emptied: Built
    ) -> None:
        ours, theirs = emptied.environment("Account"), full.environment("Account")
        claim = wanted(ours, "prove", ("spec_find_remove",))
        found = Comparison(ours, theirs).theorem(
            ("prove_find_remove",), ("Ledger", "Proof", "Account"), claim
        )
        assert found is not None
        assert found.path[:3] == (
            "argument 1 of spec_find_remove",
            "canonical",
            "value",
        )

    def test_the_joint_claim(self, full: Built) -> None:
        environment = full.environment("Joint")
        claim = expected_joint(
            environment, HARNESS, [("spec_count_le_length",), ("spec_count_positive",)]
        )
        comparison = Comparison(environment, environment)
        assert (
            comparison.theorem(
                ("joint_unsat_count",), ("Ledger", "Proof", "Joint"), claim
            )
            is None
        )

    def test_axioms_are_the_standard_ones_and_stubs_have_sorry(
        self, full: Built, emptied: Built
    ) -> None:
        for module, theorem, _, _ in theorems():
            environment = full.environment(module)
            closure = closure_of(environment, theorem)
            assert not closure.has_sorry
            assert (
                closure.unsafe,
                closure.partial,
                closure.opaque,
                closure.missing,
            ) == ((), (), (), ())
            comparison = Comparison(environment, environment)
            assert comparison.forbidden_axioms(closure, STANDARD_AXIOMS) == []
            assert closure_of(emptied.environment(module), theorem).has_sorry

    def test_the_kernel_confirms_all_of_them(self, full: Built) -> None:
        kernel = LeanKernel(find_wheel().library, "pocket")
        for module in sorted({module for module, *_ in theorems()}):
            environment = full.environment(module)
            roots = [theorem for where, theorem, _, _ in theorems() if where == module]
            replay = kernel.replay(plan_replay(environment, roots))
            for root in roots:
                assert replay.confirms(closure_of(environment, root)), (root, replay)
