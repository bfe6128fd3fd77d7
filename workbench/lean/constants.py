"""What a compiled module says about one constant, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.lean.names import Name
from workbench.lean.terms import Term

Kind = Literal[
    "axiom", "def", "theorem", "opaque", "quot", "inductive", "constructor", "recursor"
]
Safety = Literal["unsafe", "safe", "partial"]
KINDS: tuple[Kind, ...] = (
    "axiom",
    "def",
    "theorem",
    "opaque",
    "quot",
    "inductive",
    "constructor",
    "recursor",
)
SAFETIES: tuple[Safety, ...] = ("unsafe", "safe", "partial")
OPAQUE_HINT, ABBREV_HINT = -1, -2


@dataclass(frozen=True, slots=True)
class InductiveData:
    """An inductive type: its family (`all`), constructors and counts, as the compiler recorded them."""

    parameters: int
    indices: int
    all: tuple[Name, ...]
    constructors: tuple[Name, ...]
    nested: int
    recursive: bool
    reflexive: bool


@dataclass(frozen=True, slots=True)
class ConstructorData:
    """Constructor number `index` of `inductive`."""

    inductive: Name
    index: int
    parameters: int
    fields: int


@dataclass(frozen=True, slots=True)
class Rule:
    """How a recursor computes on `constructor`, which has `fields` fields."""

    constructor: Name
    fields: int
    right: Term


@dataclass(frozen=True, slots=True)
class RecursorData:
    """A recursor: counts of its arguments, its rules, and whether it computes like K."""

    all: tuple[Name, ...]
    parameters: int
    indices: int
    motives: int
    minors: int
    rules: tuple[Rule, ...]
    k: bool


@dataclass(frozen=True, slots=True)
class QuotData:
    """Which of the four quotient constants (0 type, 1 constructor, 2 lift, 3 induction)."""

    which: int


Data = InductiveData | ConstructorData | RecursorData | QuotData | None


@dataclass(frozen=True, slots=True)
class Constant:
    """One constant. `value` is there for def, theorem and opaque; `data` for the last four kinds.

    `hints` of a def: its reducibility height, `OPAQUE_HINT` or `ABBREV_HINT`; it guides the kernel's search, not its
    verdict. `all` names the mutual block of a def, theorem or opaque.
    """

    name: Name
    kind: Kind
    level_params: tuple[Name, ...]
    type: Term
    value: Term | None = None
    safety: Safety = "safe"
    hints: int = OPAQUE_HINT
    all: tuple[Name, ...] = ()
    data: Data = None

    def terms(self) -> tuple[Term, ...]:
        """Return its type, value and rules: every term that it holds."""
        rules = self.data.rules if isinstance(self.data, RecursorData) else ()
        value = () if self.value is None else (self.value,)
        return (self.type, *value, *(rule.right for rule in rules))

    def mentions(self) -> tuple[Name, ...]:
        """Return the constants that it names outside its terms: family, constructors, inductive type."""
        match self.data:
            case InductiveData():
                return (*self.data.all, *self.data.constructors)
            case ConstructorData():
                return (self.data.inductive,)
            case RecursorData():
                return (*self.data.all, *(rule.constructor for rule in self.data.rules))
        return ()
