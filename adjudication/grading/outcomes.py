"""The words of a verdict: outcomes and their precedence, routes, lights, and Vero's ten names. Source: grading.md, "Outcome of a spec"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

Outcome = Literal[
    "void",
    "impl_broken",
    "unfilled",
    "overfilled",
    "tainted",
    "declined",
    "build_error",
    "statement_changed",
    "sorry",
    "axiom",
    "kernel_rejected",
    "unpaired_sat",
    "unconfirmed",
    "passed",
]
# The first that applies is the outcome: the type lists them in that order.
PRECEDENCE: tuple[Outcome, ...] = get_args(Outcome)
Route = Literal["", "prove", "disprove", "unsat", "sat+joint"]
ROUTES: tuple[Route, ...] = ("prove", "disprove", "unsat", "sat+joint")
LIGHTS = ("built", "statement", "axioms", "replay", "sandbox")
NEEDED_LIGHTS = ("built", "statement", "axioms", "replay")

GREEN, RED, OFF = "green", "red", "off"


@dataclass(frozen=True, slots=True)
class Light:
    """One light: green, red, or off, which means that it does not apply or is not available here. `reason` says why."""

    state: str
    reason: str = ""

    @property
    def green(self) -> bool:
        return self.state == GREEN


NOT_REACHED = Light(OFF, "not reached")


@dataclass(frozen=True, slots=True)
class SpecVerdict:
    """What became of one spec. `route` is that of the slot that was filled, also when it did not pass.

    `detail` is one sentence for a person; `axioms` are those below the theorem; `statement` is the hash of what had to be proved.
    `expected`, `found`, `uses` and `more_uses` are what people may want to read of the theorem (evidence.py, `Told`).
    """

    spec: str
    outcome: Outcome
    route: Route = ""
    detail: str = ""
    lights: dict[str, Light] = field(default_factory=dict)
    theorem: str = ""
    statement: str = ""
    axioms: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    expected: str = ""
    found: str = ""
    uses: tuple[str, ...] = ()
    more_uses: int = 0

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"


VERO_NAMES = (
    "passed",
    "unfilled",
    "overfilled",
    "slot_body_tainted",
    "unsafe_keyword",
    "impl_oracle",
    "build_error",
    "sorry_leaked",
    "axiom_leaked",
    "unpaired_sat",
)
_TO_VERO: dict[Outcome, str] = {
    "unfilled": "unfilled",
    "overfilled": "overfilled",
    "tainted": "slot_body_tainted",
    "sorry": "sorry_leaked",
    "axiom": "axiom_leaked",
    "unpaired_sat": "unpaired_sat",
    "passed": "passed",
}
_FROM_VERO: dict[str, Outcome] = {
    **{name: outcome for outcome, name in _TO_VERO.items()},
    "unsafe_keyword": "void",
    "impl_oracle": "void",
    "build_error": "build_error",
}


def to_vero(outcome: Outcome, rule: str = "") -> tuple[str, str]:
    """Return Vero's name for an outcome, and the detail field that keeps what the name does not say.

    `rule` is the screen rule of a void run.
    """
    if outcome == "void":
        return ("unsafe_keyword" if rule == "unsafe" else "impl_oracle"), rule
    name = _TO_VERO.get(outcome, "build_error")
    return name, "" if name != "build_error" or outcome == "build_error" else outcome


def from_vero(name: str, detail: str = "") -> Outcome:
    """Return the outcome that one of Vero's names stands for. Raises ValueError for a name that is none.

    `detail`, as `to_vero` writes it, tells apart what Vero calls `build_error`.
    """
    if name not in _FROM_VERO:
        raise ValueError(f"{name!r}; expected one of {', '.join(VERO_NAMES)}")
    if (
        name == "build_error"
        and detail in PRECEDENCE
        and detail not in _TO_VERO
        and detail != "void"
    ):
        return PRECEDENCE[PRECEDENCE.index(detail)]
    return _FROM_VERO[name]
