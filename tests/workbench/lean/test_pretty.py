from __future__ import annotations

import pytest

from tests.workbench.lean.builds import environment_of, name_of
from workbench.lean.library import Environment
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.pretty import ELLIPSIS, Shown, pretty
from workbench.lean.terms import INSTANCE, Bank

TEXT = """
structure P where
  first : Nat
  second : List Nat
class Scale (α : Type) where
  by_ : Nat → α → α
instance one : Scale Nat := ⟨fun n m => n * m⟩
instance (priority := high) two : Scale Nat := ⟨fun n m => n + m⟩
def scaled (n : Nat) : Nat := Scale.by_ n 3
abbrev a1 : Prop := ∀ (p q : P), p.first + 2 ≤ q.first → ¬ (p = q ∨ q.second = [1] ++ p.second)
abbrev a2 : Prop := ∃ n : Nat, n ∈ [1, 2] ∧ (n == 2) = true
abbrev a3 : Nat → Nat := fun n => if n < 3 then n - 1 else n * (n + 1)
abbrev a4 : Prop := ∀ n : Nat, ∀ m : Nat, n = m
abbrev a5 : Prop := ∀ (f : Nat → Nat) (n : Nat), f (f n) = n
abbrev a6 : Prop := ∀ {α : Type} [DecidableEq α] (x y : α), x = y ∨ x ≠ y
abbrev a7 : Prop := ∀ n : Nat, (fun n => n + n) n = n
abbrev a8 : Nat × String := (3, "a\\n\\"b\\"")
"""


@pytest.mark.lean
class TestCompiledTerms:
    @pytest.fixture(scope="class")
    @classmethod
    def environment(
        cls, pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory
    ) -> Environment:
        return environment_of(pocket, {"M": TEXT}, tmp_path_factory.mktemp("pretty"))

    def value(self, environment: Environment, name: str, **more: object) -> str:
        constant = environment.find(name_of(name))
        assert constant is not None
        assert constant.value is not None
        return pretty(environment.bank, constant.value, environment.find, **more)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            (
                "a1",
                "∀ (p q : P), p.first + 2 ≤ q.first → ¬(p = q ∨ q.second = 1 :: [] ++ p.second)",
            ),
            ("a2", "∃ n : Nat, n ∈ 1 :: 2 :: [] ∧ (n == 2) = Bool.true"),
            ("a3", "fun n => if n < 3 then n - 1 else n * (n + 1)"),
            ("a4", "∀ (n m : Nat), n = m"),
            ("a5", "∀ (f : Nat → Nat) (n : Nat), f (f n) = n"),
            ("a6", "∀ {α : Type} [inst : DecidableEq α] (x y : α), x = y ∨ x ≠ y"),
            ("a7", "∀ (n : Nat), (fun n₁ => n₁ + n₁) n = n"),
            ("a8", '(3, "a\\n\\"b\\"")'),
        ],
    )
    def test_they_read_as_they_were_written(
        self, environment: Environment, name: str, text: str
    ) -> None:
        assert self.value(environment, name, width=200) == text

    def test_an_instance_that_was_swapped_is_seen_on_demand(
        self, environment: Environment
    ) -> None:
        assert self.value(environment, "scaled") == "fun n => Scale.by_ n 3"
        shown = self.value(environment, "scaled", shown=Shown.INSTANCES)
        assert "Scale.by_ [two] n" in shown

    def test_everything_is_seen_on_demand(self, environment: Environment) -> None:
        shown = self.value(environment, "a2", shown=Shown.ALL, width=500)
        assert (
            "@Exists.{1} Nat (fun (n : Nat) => And (@Membership.mem.{0, 0} Nat" in shown
        )

    def test_lines_are_broken_at_the_width(self, environment: Environment) -> None:
        lines = self.value(environment, "a1", width=40).splitlines()
        assert len(lines) > 1
        assert max(map(len, lines)) <= 48

    def test_every_type_of_the_core_is_printed(self, environment: Environment) -> None:
        for module in environment.modules[:4]:
            for constant in module.constants():
                text = pretty(environment.bank, constant.type, environment.find)
                assert text
                assert "#" not in text.replace("#eval", "") or "«" in text


class TestMadeTerms:
    def test_a_term_of_exponential_size_ends_with_an_ellipsis(self) -> None:
        bank = Bank()
        term = bank.const(("c",))
        for _ in range(100):
            term = bank.app(term, term)
        text = pretty(bank, term)
        assert ELLIPSIS in text
        assert len(text) < 400_000

    def test_a_deep_term_ends_with_an_ellipsis(self) -> None:
        bank = Bank()
        term = c = bank.const(("c",))
        for _ in range(5000):
            term = bank.app(c, term)
        assert ELLIPSIS in pretty(bank, term)

    def test_names_cannot_forge_lines_or_turn_the_text(self) -> None:
        bank = Bank()
        term = bank.pi(
            ("x\n: True",), bank.const(("a\u202eb",)), bank.bvar(0), INSTANCE
        )
        text = pretty(bank, term)
        assert "\n" not in text
        assert "\u202e" not in text

    def test_a_name_with_a_dot_is_told_from_a_path(self) -> None:
        bank = Bank()
        assert pretty(bank, bank.const(("a.b",))) != pretty(
            bank, bank.const(("a", "b"))
        )

    def test_control_characters_in_strings_are_escaped(self) -> None:
        bank = Bank()
        assert (
            pretty(bank, bank.intern((9, "\x1b[31m\u200b"))) == '"\\u001b[31m\\u200b"'
        )

    @pytest.mark.parametrize(
        ("build", "text"),
        [
            (lambda b: b.sort(b.zero()), "Prop"),
            (lambda b: b.sort(b.succ(b.zero())), "Type"),
            (lambda b: b.sort(b.succ(b.succ(b.zero()))), "Type 1"),
            (lambda b: b.sort(b.succ(b.param(("u",)))), "Type u"),
            (lambda b: b.sort(b.param(("u",))), "Sort u"),
            (
                lambda b: b.sort(
                    b.intern((18, b.succ(b.param(("u",))), b.param(("v",))))
                ),
                "Sort (max (u+1) v)",
            ),
        ],
    )
    def test_sorts(self, build: object, text: str) -> None:
        bank = Bank()
        assert pretty(bank, build(bank)) == text  # type: ignore[operator]
