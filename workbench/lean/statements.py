"""The term that the theorem of a stub must prove, built out of names and of nothing that a submission wrote.

Source: the instance format. For a spec `S`, the implementation type `RepoImpl` and the reference `canonical`:
prove `S canonical` · disprove `¬ S canonical` · unsat `¬ ∃ impl : RepoImpl, S impl` · sat `∃ impl : RepoImpl, S impl` ·
joint `¬ ∃ impl : RepoImpl, S₁ impl ∧ S₂ impl ∧ …` in the order given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.lean.library import Environment
from workbench.lean.names import Name, show
from workbench.lean.terms import L_PARAM, SORT, Bank, Level, Term

Claim = Literal["prove", "disprove", "unsat", "sat"]
_NOT: Name = ("Not",)
_AND: Name = ("And",)
_EXISTS: Name = ("Exists",)
_BINDER: Name = ("impl",)


class StatementError(Exception):
    """The pristine tree does not hold what a statement is made of. Names the constant and what was expected of it."""


@dataclass(frozen=True, slots=True)
class Harness:
    """The full names of the type of implementations and of the reference, as the pristine build resolves them."""

    implementation: Name
    canonical: Name


def expected(
    environment: Environment, harness: Harness, spec: Name, claim: Claim
) -> Term:
    """Return the statement of `claim` about `spec`. Raises `StatementError`."""
    bank = environment.bank
    _require_def(environment, spec)
    if claim in ("prove", "disprove"):
        _require_def(environment, harness.canonical)
        applied = bank.app(bank.const(spec), bank.const(harness.canonical))
        return applied if claim == "prove" else _negated(bank, applied)
    some = _some(environment, harness, [spec])
    return some if claim == "sat" else _negated(bank, some)


def expected_joint(
    environment: Environment, harness: Harness, specs: Sequence[Name]
) -> Term:
    """Return the statement that no implementation meets all `specs`. Raises `StatementError`, also for fewer than two."""
    if len(set(specs)) < 2 or len(set(specs)) != len(specs):
        raise StatementError(
            f"a joint claim names at least two distinct specs, not {', '.join(map(show, specs)) or 'none'}"
        )
    for spec in specs:
        _require_def(environment, spec)
    return _negated(environment.bank, _some(environment, harness, specs))


def _some(environment: Environment, harness: Harness, specs: Sequence[Name]) -> Term:
    """Return `∃ impl, S₁ impl ∧ …`, at the level of the implementation type."""
    bank = environment.bank
    kind = bank.const(harness.implementation)
    impl = bank.bvar(0)
    body = bank.app(bank.const(specs[-1]), impl)
    for spec in reversed(specs[:-1]):
        body = bank.app(bank.const(_AND), bank.app(bank.const(spec), impl), body)
    level = _sort_of(environment, harness.implementation)
    return bank.app(bank.const(_EXISTS, [level]), kind, bank.lam(_BINDER, kind, body))


def _negated(bank: Bank, term: Term) -> Term:
    return bank.app(bank.const(_NOT), term)


def _require_def(environment: Environment, name: Name) -> None:
    constant = environment.find(name)
    if constant is None:
        raise StatementError(f"{show(name)} is not in the pristine tree")
    if constant.kind != "def" or constant.level_params:
        levels = ", with universe levels" if constant.level_params else ""
        raise StatementError(
            f"{show(name)} is a {constant.kind}{levels}; expected a def without universe levels"
        )


def _sort_of(environment: Environment, name: Name) -> Level:
    """Return `l` where the type of implementations has type `Sort l`."""
    constant = environment.find(name)
    if constant is None:
        raise StatementError(f"{show(name)} is not in the pristine tree")
    node = environment.bank[constant.type]
    if (
        constant.kind != "inductive"
        or node[0] != SORT
        or environment.bank[node[1]][0] == L_PARAM
    ):
        raise StatementError(f"{show(name)} is not a structure without parameters")
    level: Level = node[1]
    return level
