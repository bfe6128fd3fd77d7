"""What the instance itself says, read from its own build: expected statements, API constants, trusted axioms. Source: grading.md, step 8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudication.grading.checking import Obligation
from curation.format.instance import Instance
from curation.format.slots import CODEPROOF
from workbench.lean import statements
from workbench.lean.closure import STANDARD_AXIOMS, kernel_names_missing
from workbench.lean.library import Environment
from workbench.lean.names import Name, parse, show
from workbench.lean.statements import Claim, Harness, StatementError
from workbench.lean.terms import Term


class NotGradable(Exception):
    """The instance or this machine cannot grade anything. Says why; no submission is to blame."""


@dataclass(frozen=True)
class Ground:
    """What every comparison of one instance and mode starts from."""

    harness: Harness
    api: frozenset[Name]
    trusted: tuple[str, ...]

    def allowed_axioms(self, environment: Environment) -> frozenset[Name]:
        """Return the axioms that may be used, by the names that the pristine build has for them."""
        return STANDARD_AXIOMS | frozenset(
            name for text in self.trusted for name in resolved(environment, text)
        )


def ground_of(instance: Instance, mode: str) -> Ground:
    """Return what comparisons start from. Raises FormatError for a harness that does not declare what it must.

    API constants are the declarations around `code` slots, in `codeproof` only: those are the values that a submission may choose.
    """
    api: set[Name] = set()
    if mode == CODEPROOF:
        for slot in instance.slots:
            if slot.key == "code" and slot.path in instance.visible_paths:
                around = instance.around(slot)
                if around is not None and around.name:
                    api.add(parse(around.name))
    harness = Harness(parse(instance.repo_impl), parse(instance.canonical))
    return Ground(harness, frozenset(api), instance.manifest.trusted_axioms)


def resolved(environment: Environment, text: str) -> list[Name]:
    """Return the constant that a trusted axiom of the manifest is: by its full name, else by the end of it if that is unique."""
    wanted = parse(text.removeprefix("_root_."))
    if wanted in environment:
        return [wanted]
    found = [
        name
        for name in environment
        if name[-len(wanted) :] == wanted and _is_assumed(environment, name)
    ]
    return found if len(found) == 1 else []


def _is_assumed(environment: Environment, name: Name) -> bool:
    home = environment.home(name)
    return home is not None and home.kind(home.positions[name])[0] in (
        "axiom",
        "opaque",
    )


def expected_of(environment: Environment, ground: Ground, item: Obligation) -> Term:
    """Return what a theorem must state: built out of names, and equal to what the instance's own stub states.

    Raises NotGradable if the two differ or the tree lacks something.
    """
    kinds: dict[str, Claim] = {k: k for k in ("prove", "disprove", "unsat", "sat")}
    spec = parse(item.spec.full_name)
    try:
        term = statements.expected(environment, ground.harness, spec, kinds[item.kind])
    except StatementError as error:
        raise NotGradable(str(error)) from None
    _same_as_stub(environment, item.theorem, term)
    return term


def expected_joint(
    environment: Environment, ground: Ground, theorem: Name, specs: Sequence[Name]
) -> Term:
    """Return what the theorem of a joint claim must state. Raises NotGradable as above."""
    try:
        term = statements.expected_joint(environment, ground.harness, specs)
    except StatementError as error:
        raise NotGradable(str(error)) from None
    _same_as_stub(environment, theorem, term)
    return term


def reduced_joint(
    environment: Environment, full: Term, kept: Sequence[Name | None]
) -> Term:
    """Return the statement of a joint claim with `True` where `kept` has None; `full` is that of the whole claim."""
    bank = environment.bank
    (some,) = bank.spine(full)[1]
    head, (kind, function) = bank.spine(some)
    parts = [
        bank.const(("True",))
        if name is None
        else bank.app(bank.const(name), bank.bvar(0))
        for name in kept
    ]
    body = parts[-1]
    for part in reversed(parts[:-1]):
        body = bank.app(bank.const(("And",)), part, body)
    return bank.app(
        bank.const(("Not",)),
        bank.app(head, kind, bank.lam(bank[function][1], kind, body)),
    )


def _same_as_stub(environment: Environment, theorem: Name, term: Term) -> None:
    stub = environment.find(theorem)
    erased = environment.bank.erased
    if stub is None:
        raise NotGradable(f"the instance's own tree has no {show(theorem)}")
    if stub.kind != "theorem" or stub.level_params or erased(stub.type) != erased(term):
        raise NotGradable(
            f"the instance's own {show(theorem)} does not state what it should; it cannot be graded"
        )


def check_core(environment: Environment) -> None:
    """Raise NotGradable for a library that leaves the kernel's own names to a submission."""
    missing = kernel_names_missing(environment)
    if missing:
        raise NotGradable(
            f"the toolchain's library lacks {', '.join(map(show, missing))}, which the kernel computes by itself"
        )
