"""Comparison of constants that no compiler at hand writes: renamed levels, forged families, other projections."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.workbench.lean import made
from workbench.lean.closure import closure_of
from workbench.lean.compare import Comparison, Difference
from workbench.lean.constants import Constant, InductiveData, RecursorData, Rule
from workbench.lean.library import Environment, Library
from workbench.lean.terms import Bank


@pytest.fixture
def bank() -> Bank:
    return Bank()


def environment(bank: Bank, constants: list[Constant]) -> Environment:
    library = Library(bank)
    library.add(made.module_of(bank, "M", constants))
    return library.environment(("M",))


def compared(
    bank: Bank, ours: list[Constant], theirs: list[Constant], name: str = "t"
) -> Difference | None:
    return Comparison(environment(bank, ours), environment(bank, theirs)).constants(
        (name,), (name,)
    )


def definition(bank: Bank, name: str, value: int, **more: object) -> Constant:
    return Constant((name,), "def", (), bank.sort(bank.zero()), value, **more)  # type: ignore[arg-type]


class TestHeads:
    def test_a_theorem_with_universe_levels_is_found(self, bank: Bank) -> None:
        honest = made.constants(bank)
        forged = [*honest[:-1], replace(honest[-1], level_params=(("u",),))]
        comparison = Comparison(environment(bank, honest), environment(bank, forged))
        found = comparison.theorem(("t",), ("M",), honest[-1].type)
        assert found == Difference("t has universe levels")

    @pytest.mark.parametrize("safety", ["unsafe", "partial"])
    def test_another_safety_is_found(self, bank: Bank, safety: str) -> None:
        honest = definition(bank, "t", bank.sort(bank.zero()))
        found = compared(bank, [honest], [replace(honest, safety=safety)])  # type: ignore[arg-type]
        assert found == Difference(f"it was safe and is {safety}", ("t",))

    def test_an_axiom_where_a_theorem_was_is_found(self, bank: Bank) -> None:
        honest = made.constants(bank)[-1]
        found = compared(bank, [honest], [replace(honest, kind="axiom", value=None)])
        assert found == Difference("it was a theorem and is a axiom", ("t",))

    def test_another_height_is_no_difference(self, bank: Bank) -> None:
        honest = definition(bank, "t", bank.sort(bank.zero()), hints=1)
        assert compared(bank, [honest], [replace(honest, hints=7)]) is None

    def test_another_proof_of_the_same_is_no_difference(self, bank: Bank) -> None:
        honest = made.constants(bank)
        other = [*honest[:-1], replace(honest[-1], value=bank.const(("elsewhere",)))]
        assert compared(bank, honest, other) is None


class TestAuxiliaries:
    def matcher(
        self, bank: Bank, name: tuple[str, ...], level: str, body: int = 0
    ) -> Constant:
        u = bank.param((level,))
        kind = bank.pi(("α",), bank.sort(u), bank.sort(u))
        value = bank.lam(
            ("α",), bank.sort(u), bank.bvar(0) if not body else bank.sort(bank.zero())
        )
        return Constant(name, "def", ((level,),), kind, value)

    def user(self, bank: Bank, matcher: tuple[str, ...]) -> Constant:
        return definition(bank, "t", bank.const(matcher, [bank.zero()]))

    def test_a_matcher_under_another_name_and_level_passes(self, bank: Bank) -> None:
        ours = [
            self.matcher(bank, ("f", "match_1"), "u"),
            self.user(bank, ("f", "match_1")),
        ]
        theirs = [
            self.matcher(bank, ("g", "match_3"), "v"),
            self.user(bank, ("g", "match_3")),
        ]
        assert compared(bank, ours, theirs) is None

    def test_a_matcher_that_computes_differently_is_found(self, bank: Bank) -> None:
        ours = [
            self.matcher(bank, ("f", "match_1"), "u"),
            self.user(bank, ("f", "match_1")),
        ]
        theirs = [
            self.matcher(bank, ("f", "match_1"), "u", body=1),
            self.user(bank, ("f", "match_1")),
        ]
        found = compared(bank, ours, theirs)
        assert found is not None
        assert found.path == ("t", "value", "f.match_1", "value", "under fun α")

    @pytest.mark.parametrize("kind", ["axiom", "opaque"])
    def test_only_what_has_a_value_can_go_by_another_name(
        self, bank: Bank, kind: str
    ) -> None:
        prop = bank.sort(bank.zero())
        value = None if kind == "axiom" else prop

        def build(name: tuple[str, ...]) -> list[Constant]:
            return [Constant(name, kind, (), prop, value), self.user_of(bank, name)]  # type: ignore[arg-type]

        found = compared(bank, build(("f", "_proof_1")), build(("f", "_proof_2")))
        assert found is not None
        assert found.reason == "f._proof_1 became f._proof_2"

    def user_of(self, bank: Bank, name: tuple[str, ...]) -> Constant:
        return definition(bank, "t", bank.const(name))

    def test_a_helper_in_the_place_of_a_matcher_is_found(self, bank: Bank) -> None:
        ours = [
            self.matcher(bank, ("f", "match_1"), "u"),
            self.user(bank, ("f", "match_1")),
        ]
        theirs = [self.matcher(bank, ("evil",), "u"), self.user(bank, ("evil",))]
        found = compared(bank, ours, theirs)
        assert found is not None
        assert found.reason == "f.match_1 became evil"


class TestTerms:
    def two(self, bank: Bank, ours: int, theirs: int) -> Difference | None:
        others = [
            Constant((name,), "axiom", (), bank.sort(bank.zero()))
            for name in ("c", "d", "S")
        ]
        return compared(
            bank,
            [*others, definition(bank, "t", ours)],
            [*others, definition(bank, "t", theirs)],
        )

    def test_another_projection_is_found(self, bank: Bank) -> None:
        c = bank.const(("c",))
        found = self.two(
            bank, bank.intern((11, ("S",), 0, c)), bank.intern((11, ("S",), 1, c))
        )
        assert found == Difference("field 0 of S became field 1 of S", ("t", "value"))

    def test_another_level_is_found(self, bank: Bank) -> None:
        one = bank.succ(bank.zero())
        found = self.two(
            bank, bank.const(("c",), [one]), bank.const(("c",), [bank.succ(one)])
        )
        assert found == Difference("c is used at other universe levels", ("t", "value"))

    def test_another_value_of_a_let_is_found(self, bank: Bank) -> None:
        c, d = bank.const(("c",)), bank.const(("d",))
        found = self.two(
            bank, bank.intern((8, ("x",), c, c, c)), bank.intern((8, ("x",), c, d, c))
        )
        assert found == Difference("c became d", ("t", "value", "value of let x"))

    def test_other_binder_names_and_infos_pass(self, bank: Bank) -> None:
        c = bank.const(("c",))
        assert self.two(bank, bank.lam(("x",), c, c), bank.lam(("y",), c, c, 3)) is None

    def test_the_argument_that_changed_is_named(self, bank: Bank) -> None:
        c, d = bank.const(("c",)), bank.const(("d",))
        found = self.two(bank, bank.app(c, d, c, c), bank.app(c, d, c, d))
        assert found == Difference("c became d", ("t", "value", "argument 3 of c"))

    def test_a_text_that_looks_like_a_number_is_no_number(self, bank: Bank) -> None:
        assert self.two(bank, bank.intern((9, "1")), bank.intern((9, 1))) is not None

    def test_a_walk_that_failed_leaves_nothing_taken_for_equal(
        self, bank: Bank
    ) -> None:
        c, d = bank.const(("c",)), bank.const(("d",))
        ours, theirs = definition(bank, "t", c), definition(bank, "t", d)
        others = [
            Constant((name,), "axiom", (), bank.sort(bank.zero()))
            for name in ("c", "d")
        ]
        comparison = Comparison(
            environment(bank, [*others, ours]), environment(bank, [*others, theirs])
        )
        assert comparison.constants(("t",), ("t",)) is not None
        assert comparison.constants(("t",), ("t",)) is not None


class TestFamilies:
    def family(
        self, bank: Bank, *, fields: int = 1, right: int = 0, reflexive: bool = False
    ) -> list[Constant]:
        base = made.constants(bank)[:3]
        data = base[0].data
        assert isinstance(data, InductiveData)
        base[0] = replace(base[0], data=replace(data, reflexive=reflexive))
        prop, c = bank.sort(bank.zero()), bank.const(made.ZERO)
        rules = (
            Rule(made.ZERO, 0, c),
            Rule(made.SUCC, fields, bank.sort(right) if right else c),
        )
        recursor = RecursorData((made.NAT,), 0, 0, 1, 2, rules, False)
        user = definition(bank, "t", bank.const(made.ZERO))
        return [
            *base,
            Constant((*made.NAT, "rec"), "recursor", (), prop, data=recursor),
            user,
        ]

    def test_an_equal_family_passes(self, bank: Bank) -> None:
        assert compared(bank, self.family(bank), self.family(bank)) is None

    def test_a_flag_of_the_type_counts(self, bank: Bank) -> None:
        found = compared(bank, self.family(bank), self.family(bank, reflexive=True))
        assert found is not None
        assert found.reason == "the data of the inductive are others"

    def test_a_rule_of_the_recursor_counts_when_only_a_constructor_is_used(
        self, bank: Bank
    ) -> None:
        found = compared(
            bank, self.family(bank), self.family(bank, right=bank.succ(bank.zero()))
        )
        assert found is not None
        assert found.path[-2:] == ("Nat.rec", "rule for Nat.succ")

    def test_the_fields_of_a_rule_count(self, bank: Bank) -> None:
        found = compared(bank, self.family(bank), self.family(bank, fields=2))
        assert found is not None
        assert found.reason == "the recursor has rules for other constructors"

    def test_a_missing_constant_is_named_with_its_build(self, bank: Bank) -> None:
        found = compared(bank, self.family(bank), self.family(bank)[1:])
        assert found is not None
        assert found.reason == "the graded build has no Nat"


class TestAxioms:
    def axioms(self, bank: Bank, type_: int, kind: str = "axiom") -> list[Constant]:
        value = bank.const(("Classical", "choice")) if kind != "axiom" else None
        trusted = Constant(("trusted",), kind, (), type_, value)  # type: ignore[arg-type]
        return [
            trusted,
            Constant(("t",), "theorem", (), type_, bank.const(("trusted",))),
        ]

    def forbidden(
        self, bank: Bank, ours: list[Constant], theirs: list[Constant], *allowed: str
    ) -> list[str]:
        graded = environment(bank, theirs)
        comparison = Comparison(environment(bank, ours), graded)
        names = {(name,) for name in allowed}
        return [
            reason
            for _, reason in comparison.forbidden_axioms(
                closure_of(graded, ("t",)), names
            )
        ]

    def test_an_allowed_axiom_of_the_pristine_build_passes(self, bank: Bank) -> None:
        honest = self.axioms(bank, bank.sort(bank.zero()))
        assert self.forbidden(bank, honest, honest, "trusted") == []

    def test_another_axiom_is_forbidden(self, bank: Bank) -> None:
        honest = self.axioms(bank, bank.sort(bank.zero()))
        assert self.forbidden(bank, honest, honest) == [
            "trusted is not among the axioms allowed"
        ]

    def test_an_allowed_name_with_another_type_is_forbidden(self, bank: Bank) -> None:
        honest = self.axioms(bank, bank.sort(bank.zero()))
        forged = self.axioms(bank, bank.sort(bank.succ(bank.zero())))
        (reason,) = self.forbidden(bank, honest, forged, "trusted")
        assert "not the axiom of the pristine build" in reason

    def test_an_allowed_axiom_about_an_api_is_forbidden_whatever_the_api_is(
        self, bank: Bank
    ) -> None:
        prop, api = bank.sort(bank.zero()), ("api",)
        defined = Constant(api, "def", (), prop, bank.const(("True",)))
        honest = [*self.axioms(bank, bank.const(api)), defined]
        graded = environment(bank, honest)
        closure = closure_of(graded, ("t",))
        for apis, reasons in (((), []), ((api,), ["trusted speaks of api"])):
            comparison = Comparison(environment(bank, honest), graded, frozenset(apis))
            found = comparison.forbidden_axioms(closure, {("trusted",)})
            assert [reason.split(",")[0] for _, reason in found] == reasons

    def test_an_allowed_name_that_was_no_axiom_before_is_forbidden(
        self, bank: Bank
    ) -> None:
        prop = bank.sort(bank.zero())
        (reason,) = self.forbidden(
            bank, self.axioms(bank, prop, "theorem"), self.axioms(bank, prop), "trusted"
        )
        assert "it was a theorem and is a axiom" in reason
