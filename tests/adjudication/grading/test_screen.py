from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudication.grading.screen import (
    RULES,
    Policy,
    Rule,
    _attributes,
    _instances,
    screen,
)
from workbench.lean import lexer
from workbench.lean.lexer import Token

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs" / "rules"

FOUND = [
    ("unsafe", "unsafe def f := 1"),
    ("unsafe", "def f := unsafe (g x)"),
    ("unsafe", "private unsafe def f := 1"),
    ("runtime-attribute", "@[implemented_by g] def f := 1"),
    ("runtime-attribute", "@[simp, implemented_by g] def f := 1"),
    ("runtime-attribute", "@[simp, local implemented_by g] def f := 1"),
    ("runtime-attribute", '@[extern "f"] def f := 1'),
    ("runtime-attribute", "@[csimp] theorem t : f = g := rfl"),
    ("runtime-attribute", "@[export f] def f := 1"),
    ("runtime-attribute", "@[init g] opaque f : Nat"),
    ("runtime-attribute", "attribute [csimp] t"),
    ("runtime-attribute", "attribute [local csimp, simp] t"),
    ("runtime-attribute", "initialize x : Nat ← pure 0"),
    ("runtime-attribute", "builtin_initialize x : Nat ← pure 0"),
    ("instance-oracle", "instance (priority := high) : Decidable P := isTrue trivial"),
    ("instance-oracle", "instance (priority := 5000) : Inhabited A where\n  default := default"),
    ("instance-hollow", "instance : Inhabited A := ⟨default⟩"),
    ("instance-hollow", "instance : Decidable P := Classical.propDecidable _"),
    ("instance-priority", "instance (priority := 5000) : Add A := ⟨fun a b => a.plus b⟩"),
    ("instance-priority", "@[instance 2000] def d : Add A := ⟨plus⟩"),
    ("decidable-asserted", "instance : Decidable (P n) := isTrue (proof_of n)"),
    ("decidable-asserted", "instance : DecidablePred P := isFalse h"),
    ("axiom", "axiom a : False"),
    ("axiom", "private axiom a : False"),
    ("admit", "theorem t : P := by admit"),
    ("option", "set_option debug.skipKernelTC true"),
    ("option", "set_option debug.skipKernelTC true in\ntheorem t : P := x"),
    ("option", "theorem t : P := by\n  set_option compiler.extract_closed false in exact x"),
    ("metaprogram", 'macro "m" : tactic => `(tactic| rfl)'),
    ("metaprogram", 'local macro "m" : term => `(1)'),
    ("metaprogram", "macro_rules | `(x) => `(y)"),
    ("metaprogram", 'syntax "m" : term'),
    ("metaprogram", 'notation "m" => 1'),
    ("metaprogram", 'notation:max "m" => 1'),
    ("metaprogram", 'scoped infixl:65 " ++ " => f'),
    ("metaprogram", 'elab "m" : term => pure x'),
    ("metaprogram", "elab_rules : term | `(x) => pure x"),
    ("metaprogram", "declare_syntax_cat c"),
    ("metaprogram", "simproc s (x) := fun e => pure e"),
    ("attribute", "@[macro foo] def f := 1"),
    ("attribute", "@[command_elab foo] def f := 1"),
    ("attribute", "attribute [tactic foo] f"),
    ("attribute", "@[simp, term_parser] def f := 1"),
    ("elaboration", "run_cmd pure ()"),
    ("elaboration", "theorem t : P := by run_tac pure ()"),
    ("elaboration", "def x := by_elab pure x"),
    ("elaboration", 'def x := include_str "f"'),
    ("elaboration", "def x := eval% 1"),
    ("elaboration", "#eval 1"),
    ("elaboration", "#eval! 1"),
    ("elaboration", "#run_something"),
]  # fmt: skip

NOT_FOUND = [
    "-- unsafe axiom admit",
    "/- @[implemented_by f] -/",
    'def s := "unsafe #eval axiom"',
    "theorem unsafe_is_a_name : True := trivial",
    "def «unsafe» := 1",
    "def axiomatic := 1",
    "theorem no_admittance : True := trivial",
    "export Foo (bar)",
    "@[simp] theorem t : True := trivial",
    "@[simp, reducible] def f := 1",
    "@[local simp ↓] theorem t : True := trivial",
    "attribute [-simp] t",
    "attribute [local instance] t",
    "set_option maxHeartbeats 400000 in\ntheorem t : True := trivial",
    "set_option linter.unusedVariables false",
    "#check 1",
    "#print axioms t",
    "#guard 1 == 1",
    "def prefix := 1\ndef f := prefix",
    "def f (xs syntax : List Nat) := xs",
    "def evaluate (eval : Nat) := eval",
    "instance : Inhabited A := ⟨A.start⟩",
    "instance : Decidable (P n) := decidable_of_iff _ (h n)",
    "instance d (n : Nat) : Decidable (n < 3) :=\n  if h : n < 3 then isTrue h else isFalse h",
    "theorem t : P := by native_decide",
    "theorem initial : True := trivial",
    "theorem t : xs.init = ys := rfl",
]


@pytest.mark.parametrize(("rule", "text"), FOUND)
def test_a_rule_finds_it(rule: str, text: str) -> None:
    assert rule in [hit.rule for hit in screen(text)]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_nothing_is_found_in_honest_text(text: str) -> None:
    assert screen(text) == []


def test_a_hit_says_where_and_what() -> None:
    (hit,) = screen('theorem t : True := trivial\n\n@[extern "f"]\ndef f := 1')
    assert (hit.rule, hit.line, hit.found, hit.effect) == (
        "runtime-attribute",
        3,
        "extern",
        "void",
    )


def test_every_rule_is_found_somewhere_here() -> None:
    assert {rule for rule, _ in FOUND} == set(RULES)


def test_a_policy_may_allow_metaprograms_but_never_what_voids() -> None:
    policy = Policy(reject_metaprograms=False)
    assert screen('macro "m" : term => `(1)', policy) == []
    assert screen("@[macro foo] def f := 1", policy) == []
    assert [h.rule for h in screen("@[implemented_by g] def f := 1", policy)] == [
        "runtime-attribute"
    ]


def test_a_policy_names_its_options() -> None:
    policy = Policy(options=("debug.", "maxRecDepth"))
    assert screen("set_option debug.skipKernelTC true", policy) == []
    assert screen("set_option maxRecDepth 10", policy) == []
    assert [h.rule for h in screen("set_option maxRecDepthX 10", policy)] == ["option"]


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_has_a_page_that_names_its_effect(rule: Rule) -> None:
    text = (PAGES / f"{rule.id}.md").read_text(encoding="utf-8")
    assert f"Rule `{rule.id}`, effect: **{rule.effect}**." in text
    assert all(
        f"**{part}**" in text for part in ("Why.", "What it finds.", "What to do.")
    )


def test_there_is_no_page_without_a_rule() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == {*RULES, "README"}


class Counted(list[Token]):
    """Tokens that count how often one of them is looked at."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.looks += len(found) if isinstance(at, slice) else 1
        return found

    def __iter__(self) -> Iterator[Token]:
        for token in super().__iter__():
            self.looks += 1
            yield token


@pytest.mark.parametrize(
    "shape", ["@[", "attribute [simp, ", "instance : F := ⟨", "instance ", "@[a ("]
)
def test_a_text_of_nothing_but_openings_is_looked_at_a_few_times_only(
    shape: str,
) -> None:
    tokens = Counted(
        t for t in lexer.tokens(shape * 2000) if t.kind != lexer.WHITESPACE
    )
    for rule in (_attributes, _instances):
        tokens.looks = 0
        for _ in rule(tokens):
            pass
        assert tokens.looks < 60 * len(tokens), rule.__name__


def test_what_stands_before_and_in_a_list_within_a_list_is_found() -> None:
    found = screen('@[implemented_by f, simp @[extern "x"]] def a := 1')
    assert {hit.rule for hit in found} == {"runtime-attribute", "attribute"}
    assert [hit.found for hit in found if hit.rule == "runtime-attribute"] == ["implemented_by", "extern"]  # fmt: skip
