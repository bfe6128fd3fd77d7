"""Everything below a constant, by terms: which axioms it rests on, and what in it the kernel has not checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.lean.decode import LITERAL_NAMES
from workbench.lean.library import Environment
from workbench.lean.names import Name, show
from workbench.lean.terms import Term

SORRY: Name = ("sorryAx",)
STANDARD_AXIOMS: frozenset[Name] = frozenset(
    {("propext",), ("Classical", "choice"), ("Quot", "sound")}
)

# What Lean's kernel computes or builds by name, whatever their definitions say. A library that lacks one leaves
# the name to a submission; a submission must not declare one.
KERNEL_NAMES: frozenset[Name] = frozenset(
    {
        ("Nat", operation)
        for operation in [
            "add",
            "sub",
            "mul",
            "div",
            "mod",
            "gcd",
            "beq",
            "ble",
            "land",
            "lor",
            "xor",
            "shiftLeft",
            "shiftRight",
            "pow",
            "log2",
        ]
    }
    | {
        ("Nat",),
        ("Nat", "zero"),
        ("Nat", "succ"),
        ("Bool",),
        ("Bool", "true"),
        ("Bool", "false"),
    }
    | {
        ("String",),
        ("String", "ofList"),
        ("Char",),
        ("Char", "ofNat"),
        ("List",),
        ("List", "nil"),
        ("List", "cons"),
    }
    | {
        ("Quot",),
        ("Quot", "mk"),
        ("Quot", "lift"),
        ("Quot", "ind"),
        ("Eq",),
        ("Eq", "refl"),
    }
    | {("eagerReduce",)}
)

# A literal uses its type; what the kernel unfolds it to may be named otherwise in another version of the library.
_UNFOLDED: frozenset[Name] = frozenset().union(*LITERAL_NAMES)


@dataclass(frozen=True, slots=True)
class AxiomUse:
    """An axiom in a closure, with the type that it has there and the module that declares it."""

    name: Name
    type: Term
    module: Name


@dataclass(frozen=True, slots=True)
class Closure:
    """All constants below a root, the root included.

    `axioms`, `unsafe`, `partial` and `opaque` are sorted by name; `missing` are names that nothing in the environment
    defines (a closure with any is not one that a compiler can have made).
    """

    root: Name
    constants: frozenset[Name]
    axioms: tuple[AxiomUse, ...]
    unsafe: tuple[Name, ...]
    partial: tuple[Name, ...]
    opaque: tuple[Name, ...]
    missing: tuple[Name, ...]

    @property
    def has_sorry(self) -> bool:
        """Whether `sorry` is below the root."""
        return SORRY in self.constants


def reachable(
    environment: Environment, roots: Iterable[Name], *, proofs: bool = True
) -> set[Name]:
    """Return `roots` and all names that they use, directly or not, defined or not.

    Without `proofs` only the statement of a theorem is followed: to what uses it, one proof is as good as another.
    """

    def uses(name: Name) -> Iterable[Name]:
        home = None if proofs else environment.home(name)
        if home is None or home.kind(home.positions[name])[0] != "theorem":
            return environment.uses(name)
        return environment.bank.constants(home.constant(home.positions[name]).type)

    found = set(roots)
    stack = list(found)
    while stack:
        for name in uses(stack.pop()):
            if name not in found:
                found.add(name)
                stack.append(name)
    return found


def closure_of(environment: Environment, root: Name) -> Closure:
    """Return everything below `root` in `environment`. Raises `KeyError` if `root` is not in it."""
    if root not in environment:
        raise KeyError(show(root))
    names = reachable(environment, [root])
    names -= {
        name for name in _UNFOLDED - {("Nat",), ("String",)} if name not in environment
    }
    axioms: list[AxiomUse] = []
    flagged: dict[str, list[Name]] = {"unsafe": [], "partial": [], "opaque": []}
    missing: list[Name] = []
    for name in sorted(names, key=sorting_key):
        home = environment.home(name)
        if home is None:
            missing.append(name)
            continue
        kind, safety = home.kind(home.positions[name])
        if kind == "axiom":
            constant = home.constant(home.positions[name])
            axioms.append(AxiomUse(name, constant.type, home.name))
        if safety != "safe":
            flagged[safety].append(name)
        if kind == "opaque":
            flagged["opaque"].append(name)
    lists = {flag: tuple(found) for flag, found in flagged.items()}
    return Closure(
        root, frozenset(names), tuple(axioms), missing=tuple(missing), **lists
    )


def kernel_names_missing(environment: Environment) -> list[Name]:
    """Return the names that the kernel treats by itself and the environment lacks."""
    return sorted(KERNEL_NAMES - set(environment), key=sorting_key)


def kernel_names_declared(names: Iterable[Name]) -> list[Name]:
    """Return those of `names` that the kernel treats by itself."""
    return sorted(KERNEL_NAMES.intersection(names), key=sorting_key)


def sorting_key(name: Name) -> tuple[tuple[bool, str | int], ...]:
    """Return a key that orders any names, numbers before text within a component."""
    return tuple((isinstance(component, str), component) for component in name)
