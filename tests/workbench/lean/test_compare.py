"""The comparison rules, on builds by a real Lean: what an attacker changes is found for the right reason, honest work passes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.workbench.lean.builds import environment_of
from workbench.lean.closure import closure_of
from workbench.lean.compare import Comparison, Difference
from workbench.lean.library import Environment
from workbench.lean.names import Name
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.statements import Harness, StatementError, expected, expected_joint

pytestmark = pytest.mark.lean

HARNESS = Harness(("RepoImpl",), ("canonical",))
API: frozenset[Name] = frozenset({("Shop", "price")})
IMPL = """
namespace Shop
inductive Kind where
  | small | large
  deriving DecidableEq
abbrev PriceSig := Kind → Nat → Nat
{aux}
def price : PriceSig :=
  {price}
class Scale where
  factor : Nat
{instance}
def Kind.size : Kind → Nat
  | .small => 1
  | .large => 2
def rank (k : Kind) (n : Nat) : Nat :=
  match k, n with
  | .small, _ => 0
  | .large, n + 1 => n
  | .large, 0 => 1
def half (n : Nat) (h : n < 10) : Fin 10 := ⟨n, h⟩
end Shop
structure RepoImpl where
  price : Shop.PriceSig
def canonical : RepoImpl where
  price := Shop.price
"""
SPEC = """
import Impl
open Shop
def scaled [s : Scale] (n : Nat) : Nat := s.factor * n
def spec_mono (impl : RepoImpl) : Prop := ∀ n : Nat, impl.price .small n ≤ impl.price .large n
def spec_scaled (impl : RepoImpl) : Prop := ∀ k n, impl.price k n ≤ scaled n + k.size + rank k n
def spec_size (impl : RepoImpl) : Prop := ∀ n, (half 3 (by decide)).val ≤ impl.price .large n + 3
def spec_none (impl : RepoImpl) : Prop := impl.price .small 0 = 0 ∧ impl.price .small 0 = 1
"""
PROOF = """
import Spec
theorem prove_mono : spec_mono canonical := {mono}
theorem disprove_mono : ¬ spec_mono canonical := sorry
theorem prove_scaled : spec_scaled canonical := sorry
theorem prove_size : spec_size canonical := sorry
theorem unsat_none : ¬ ∃ impl : RepoImpl, spec_none impl := sorry
theorem sat_mono : ∃ impl : RepoImpl, spec_mono impl := sorry
theorem joint : ¬ ∃ impl : RepoImpl, spec_mono impl ∧ spec_size impl ∧ spec_none impl := sorry
"""
INSTANCE = "instance : Scale := ⟨3⟩"


def sources(
    *, price: str = "fun k n => k.ctorIdx + n", aux: str = "", instance: str = INSTANCE,
    spec: str = SPEC, mono: str = "sorry", proof: str = PROOF, before: str = "",
) -> dict[str, str]:  # fmt: skip
    return {
        "Impl": IMPL.format(price=price, aux=aux, instance=instance),
        "Spec": before + spec,
        "Proof": proof.replace("{mono}", mono),
    }


@pytest.fixture(scope="module")
def pristine(
    pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """The codeproof form: the API's body is `sorry`."""
    return environment_of(
        pocket, sources(price="sorry"), tmp_path_factory.mktemp("pristine")
    )


class Rebuilt:
    """Builds a changed tree and compares one theorem of it with what the pristine build expects."""

    def __init__(
        self, pocket: PocketToolchain, pristine: Environment, folder: Path
    ) -> None:
        self.pocket, self.pristine, self.folder = pocket, pristine, folder

    def __call__(
        self, changed: Mapping[str, str], theorem: str = "prove_scaled", spec: str = "spec_scaled",
        api: frozenset[Name] = API,
    ) -> Difference | None:  # fmt: skip
        graded = environment_of(self.pocket, changed, self.folder)
        self.graded = graded
        wanted = expected(self.pristine, HARNESS, (spec,), "prove")
        return Comparison(self.pristine, graded, api).theorem(
            (theorem,), ("Proof",), wanted
        )


@pytest.fixture
def rebuilt(pocket: PocketToolchain, pristine: Environment, tmp_path: Path) -> Rebuilt:
    return Rebuilt(pocket, pristine, tmp_path)


class TestExpectedStatements:
    @pytest.mark.parametrize(
        ("theorem", "spec", "claim"),
        [
            ("prove_mono", "spec_mono", "prove"),
            ("disprove_mono", "spec_mono", "disprove"),
            ("unsat_none", "spec_none", "unsat"),
            ("sat_mono", "spec_mono", "sat"),
        ],
    )
    def test_they_are_the_terms_that_lean_elaborates(
        self, pristine: Environment, theorem: str, spec: str, claim: str
    ) -> None:
        stub = pristine.find((theorem,))
        assert stub is not None
        built = expected(pristine, HARNESS, (spec,), claim)  # type: ignore[arg-type]
        assert pristine.bank.erased(built) == pristine.bank.erased(stub.type)

    def test_a_joint_claim_is_the_conjunction_in_the_order_given(
        self, pristine: Environment
    ) -> None:
        stub = pristine.find(("joint",))
        assert stub is not None
        erased = pristine.bank.erased
        names = [("spec_mono",), ("spec_size",), ("spec_none",)]
        assert erased(expected_joint(pristine, HARNESS, names)) == erased(stub.type)
        assert erased(expected_joint(pristine, HARNESS, names[::-1])) != erased(
            stub.type
        )

    @pytest.mark.parametrize(
        "names", [[], [("spec_mono",)], [("spec_mono",), ("spec_mono",)]]
    )
    def test_a_joint_claim_names_two_distinct_specs(
        self, pristine: Environment, names: list[Name]
    ) -> None:
        with pytest.raises(StatementError, match="at least two distinct specs"):
            expected_joint(pristine, HARNESS, names)

    def test_an_unknown_spec_is_named(self, pristine: Environment) -> None:
        with pytest.raises(
            StatementError, match="spec_other is not in the pristine tree"
        ):
            expected(pristine, HARNESS, ("spec_other",), "prove")


class TestHonestWork:
    def test_another_body_of_an_api_passes(self, rebuilt: Rebuilt) -> None:
        assert rebuilt(sources(price="fun _ n => n + n")) is None

    def test_a_helper_before_the_api_passes(self, rebuilt: Rebuilt) -> None:
        helper = "def help : Nat → Nat\n  | 0 => 1\n  | n + 1 => n"
        assert rebuilt(sources(price="fun _ n => help n", aux=helper)) is None

    def test_matchers_that_frozen_code_comes_to_share_pass(
        self, rebuilt: Rebuilt
    ) -> None:
        helper = (
            "def first (k : Kind) (n : Nat) : Nat := match k, n with\n"
            "  | .small, _ => 5\n  | .large, n + 1 => n + n\n  | .large, 0 => 7"
        )
        assert rebuilt(sources(price="fun k n => first k n", aux=helper)) is None
        assert ("Shop", "rank", "match_1") not in rebuilt.graded

    def test_a_new_instance_that_no_spec_uses_passes(self, rebuilt: Rebuilt) -> None:
        helper = "class Other where\n  n : Nat\ninstance : Other := ⟨1⟩"
        assert rebuilt(sources(price="fun _ n => n", aux=helper)) is None

    def test_a_helper_with_the_short_name_of_a_frozen_one_passes(
        self, rebuilt: Rebuilt
    ) -> None:
        helper = "def Mine.rank (n : Nat) : Nat := n"
        assert rebuilt(sources(price="fun _ n => Mine.rank n", aux=helper)) is None

    def test_a_statement_with_a_proof_inside_passes(self, rebuilt: Rebuilt) -> None:
        assert rebuilt(sources(price="fun _ n => n"), "prove_size", "spec_size") is None

    def test_reference_against_itself_passes_without_any_api(
        self, rebuilt: Rebuilt
    ) -> None:
        assert rebuilt(sources(price="sorry"), api=frozenset()) is None


class TestAttacks:
    def differs(self, difference: Difference | None, reason: str, *path: str) -> None:
        assert difference is not None
        assert reason in difference.reason
        for step in path:
            assert step in difference.path

    def test_an_instance_that_takes_a_frozen_automatic_name_is_found(
        self, rebuilt: Rebuilt
    ) -> None:
        changed = sources(
            price="fun _ n => n", instance="instance instScale : Scale := ⟨0⟩"
        )
        self.differs(
            rebuilt(changed), "literal 3 became literal 0", "Shop.instScale", "value"
        )

    def test_an_instance_of_higher_priority_is_found(self, rebuilt: Rebuilt) -> None:
        changed = sources(
            instance=INSTANCE + "\ninstance (priority := high) mine : Scale := ⟨3⟩"
        )
        self.differs(
            rebuilt(changed), "Shop.instScale became Shop.mine", "spec_scaled", "value"
        )

    def test_a_frozen_helper_redefined_is_found(self, rebuilt: Rebuilt) -> None:
        changed = sources()
        changed["Impl"] = changed["Impl"].replace("| .large => 2", "| .large => 200")
        self.differs(rebuilt(changed), "literal 2 became literal 200")

    def test_a_frozen_helper_in_another_module_is_found(self, rebuilt: Rebuilt) -> None:
        size = "def Kind.size : Kind → Nat\n  | .small => 1\n  | .large => 2\n"
        changed = sources()
        moved = changed["Impl"].replace(size, "")
        changed = {
            "Impl": moved,
            "Extra": f"import Impl\nnamespace Shop\n{size}end Shop\n",
            **changed,
        }
        changed["Impl"] = moved
        changed["Spec"] = changed["Spec"].replace("import Impl", "import Extra")
        self.differs(rebuilt(changed), "Shop.Kind.size moved from module Impl to Extra")

    def test_a_changed_branch_of_a_matcher_is_found(self, rebuilt: Rebuilt) -> None:
        changed = sources()
        changed["Impl"] = changed["Impl"].replace(
            "| .large, n + 1 => n\n", "| .large, n + 1 => n + 2\n"
        )
        assert rebuilt(changed) is not None

    def test_an_opaque_api_is_found(self, rebuilt: Rebuilt) -> None:
        changed = sources()
        changed["Impl"] = changed["Impl"].replace("def price", "opaque price")
        self.differs(
            rebuilt(changed), "the API Shop.price is a opaque in the graded build"
        )

    def test_an_unsafe_helper_behind_an_api_is_in_the_closure(
        self, rebuilt: Rebuilt
    ) -> None:
        helper = "@[implemented_by Nat.succ] opaque hidden (n : Nat) : Nat"
        assert rebuilt(sources(price="fun _ n => hidden n", aux=helper)) is None
        assert ("Shop", "hidden") in closure_of(
            rebuilt.graded, ("prove_scaled",)
        ).opaque

    def test_another_statement_under_the_name_is_found(self, rebuilt: Rebuilt) -> None:
        proof = PROOF.replace(
            "prove_scaled : spec_scaled canonical",
            "prove_scaled : spec_scaled canonical ∨ True",
        )
        self.differs(rebuilt(sources(proof=proof)), "spec_scaled became Or")

    def test_an_extra_hypothesis_is_found(self, rebuilt: Rebuilt) -> None:
        proof = PROOF.replace(
            "theorem prove_scaled", "theorem prove_scaled (h : False)"
        )
        self.differs(rebuilt(sources(proof=proof)), "became a ∀")

    def test_an_axiom_is_no_theorem(self, rebuilt: Rebuilt) -> None:
        proof = PROOF.replace(
            "theorem prove_scaled : spec_scaled canonical := sorry",
            "axiom prove_scaled : spec_scaled canonical",
        )
        self.differs(
            rebuilt(sources(proof=proof)), "prove_scaled is a axiom, not a theorem"
        )

    def test_a_theorem_in_another_module_is_found(self, rebuilt: Rebuilt) -> None:
        line = "theorem prove_scaled : spec_scaled canonical := sorry\n"
        changed = sources(proof=PROOF.replace(line, ""))
        changed["Spec"] += line
        self.differs(rebuilt(changed), "prove_scaled is in module Spec, not in Proof")

    def test_a_name_with_a_dot_in_it_is_not_the_theorem(self, rebuilt: Rebuilt) -> None:
        proof = PROOF.replace("theorem prove_scaled", "theorem «prove_scaled.»")
        self.differs(rebuilt(sources(proof=proof)), "there is no prove_scaled")

    def test_a_shadowed_spec_is_found(self, rebuilt: Rebuilt) -> None:
        proof = PROOF.replace(
            "theorem prove_scaled",
            "namespace N\ndef spec_scaled (_ : RepoImpl) : Prop := True\nend N\nopen N in\ntheorem prove_scaled",
        ).replace(
            "spec_scaled canonical := sorry", "N.spec_scaled canonical := trivial"
        )
        self.differs(rebuilt(sources(proof=proof)), "spec_scaled became N.spec_scaled")

    def test_another_reference_is_found(self, rebuilt: Rebuilt) -> None:
        changed = sources()
        changed["Impl"] = changed["Impl"].replace(
            "price := Shop.price", "price := fun _ _ => 0"
        )
        self.differs(
            rebuilt(changed), "Shop.price became a function", "canonical", "value"
        )
