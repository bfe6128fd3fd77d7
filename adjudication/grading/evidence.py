"""One theorem of a graded build: is it the statement, what does it rest on, and does the kernel accept it? Source: grading.md, steps 8 to 10."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from adjudication.grading.cache import Marks
from adjudication.grading.outcomes import GREEN, NOT_REACHED, RED, Light, Outcome
from adjudication.grading.pristine import Ground
from adjudication.grading.version import grader_digest
from workbench.lean.closure import Closure, closure_of
from workbench.lean.compare import Comparison
from workbench.lean.library import Environment, Library, LibraryError
from workbench.lean.module import Module
from workbench.lean.names import Name, is_auxiliary, show
from workbench.lean.pretty import Shown, pretty
from workbench.lean.replay import Replay, Replayer
from workbench.lean.replay_plan import plan_replay
from workbench.lean.terms import Term

# Of one theorem, in a receipt and on a page.
MOST_CHARACTERS, MOST_USES = 4_000, 20


@dataclass(frozen=True, slots=True)
class Told:
    """What people may want to read of a theorem; nothing is decided by it.

    `expected` and `found` are both statements as printed, empty where they are the same; `expected` alone is empty where they read
    the same and differ in what they name. `uses` are the constants that
    statement and proof name, those of the instance first; `more` are left out.
    """

    expected: str = ""
    found: str = ""
    uses: tuple[str, ...] = ()
    more: int = 0


@dataclass
class Evidence:
    """What is known of one theorem. `failure` is the outcome that it earns so far, empty while it could still pass."""

    module: Name
    theorem: Name
    failure: Outcome | None = None
    detail: str = ""
    lights: dict[str, Light] = field(default_factory=dict)
    axioms: tuple[str, ...] = ()
    closure: Closure | None = None
    told: Told = field(default_factory=Told)

    def fail(self, outcome: Outcome, light: str, detail: str) -> Evidence:
        self.failure, self.detail = outcome, detail
        self.lights[light] = Light(RED, detail)
        return self

    @property
    def could_pass(self) -> bool:
        return self.failure is None

    @property
    def holds(self) -> bool:
        """Whether everything was shown: statement, axioms, and replay."""
        return self.could_pass and all(
            self.lights.get(name, NOT_REACHED).green
            for name in ("built", "statement", "axioms", "replay")
        )


def examine(
    ground: Ground,
    pristine: Environment,
    graded: Environment,
    theorem: Name,
    expected: Term,
) -> Evidence:
    """Return what terms say about a theorem of a built module; replay is still to come."""
    evidence = Evidence(graded.target, theorem)
    evidence.lights["built"] = Light(GREEN)
    comparison = Comparison(pristine, graded, ground.api)
    difference = comparison.theorem(theorem, graded.target, expected)
    evidence.told = _told(pristine, graded, theorem, expected, difference is None)
    if difference is not None:
        return evidence.fail("statement_changed", "statement", str(difference))
    evidence.lights["statement"] = Light(GREEN)
    closure = evidence.closure = closure_of(graded, theorem)
    evidence.axioms = tuple(show(use.name) for use in closure.axioms)
    if closure.missing:
        names = ", ".join(map(show, closure.missing[:3]))
        return evidence.fail(
            "declined", "axioms", f"it uses constants that are nowhere: {names}"
        )
    if closure.has_sorry:
        return evidence.fail("sorry", "axioms", _below(graded, closure, "sorryAx"))
    forbidden = comparison.forbidden_axioms(closure, ground.allowed_axioms(pristine))
    if forbidden:
        return evidence.fail("axiom", "axioms", forbidden[0][1])
    for kind, unchecked in (("unsafe", closure.unsafe), ("partial", closure.partial)):
        if unchecked:
            return evidence.fail(
                "axiom",
                "axioms",
                f"it rests on the {kind} constant {show(unchecked[0])}",
            )
    for name in closure.opaque:
        if comparison.constants(name, name) is not None:
            return evidence.fail(
                "axiom",
                "axioms",
                f"it rests on the opaque constant {show(name)}, whose value nobody can see",
            )
    evidence.lights["axioms"] = Light(GREEN)
    return evidence


def _told(
    pristine: Environment,
    graded: Environment,
    theorem: Name,
    expected: Term,
    same: bool,
) -> Told:
    """Return what is kept for people of a theorem that is there or not."""
    names = _uses(graded, theorem)
    uses, more = tuple(names[:MOST_USES]), max(0, len(names) - MOST_USES)
    constant = graded.find(theorem)
    if same or constant is None:
        return Told(uses=uses, more=more)
    found = ""
    for shown in Shown:  # more of it, until one sees a difference
        texts = [
            pretty(where.bank, term, where.find, shown=shown)[:MOST_CHARACTERS]
            for where, term in ((pristine, expected), (graded, constant.type))
        ]
        if texts[0] != texts[1]:
            return Told(texts[0], texts[1], uses, more)
        found = found or texts[1]
    # The two differ in a constant that they name.
    return Told("", found, uses, more)


def _uses(environment: Environment, theorem: Name) -> list[str]:
    """Return what a theorem names, through what the compiler made of its parts; constants of its own instance first."""
    found: set[Name] = set()
    parts, todo = {theorem}, [theorem]
    while todo:
        for name in environment.uses(todo.pop()):
            if name in parts:
                continue
            if is_auxiliary(name) and environment.find(name) is not None:
                parts.add(name)
                todo.append(name)
            else:
                found.add(name)

    def order(name: Name) -> tuple[bool, str]:
        home = environment.home(name)
        own = home is not None and home.name[:1] == environment.target[:1]
        return not own, show(name)

    return [show(name) for name in sorted(found, key=order)]


def _below(environment: Environment, closure: Closure, what: str) -> str:
    """Return where `sorry` comes in: the constants of the closure that use it directly."""
    users = sorted(
        show(name) for name in closure.constants if (what,) in environment.uses(name)
    )
    return f"`sorry` is used by {', '.join(users[:3])}"


class _Joined(Library):
    """A library in which the anonymous module imports several modules, so that they are replayed in one go."""

    def __init__(self, library: Library, targets: Sequence[Name]) -> None:
        super().__init__(library.bank, library)
        self._targets = targets

    def closure(self, target: Name) -> list[Module]:
        if target:
            return super().closure(target)
        found: dict[Name, Module] = {}
        for name in self._targets:
            found |= {module.name: module for module in super().closure(name)}
        return list(found.values())


class Confirmed:
    """What kernels confirmed before, kept in a folder: files named by a hash of grader, toolchain, kernels, theorems, and all
    bytes that these rest on."""

    def __init__(self, folder: Path, toolchain: str) -> None:
        self.marks = Marks(folder)
        self.toolchain = toolchain

    def key(
        self, kernels: Sequence[Replayer], library: Library, group: Sequence[Evidence]
    ) -> str:
        """Return the key (hex) of the theorems `group`, all of one module."""
        theorems = sorted(repr(item.theorem) for item in group)
        names = [kernel.name for kernel in kernels]
        machine = [grader_digest(), self.toolchain, names]
        text = json.dumps([*machine, library.key(group[0].module), theorems])
        return hashlib.sha256(text.encode()).hexdigest()


def replay_all(
    kernels: Sequence[Replayer],
    library: Library,
    candidates: Iterable[Evidence],
    confirmed: Confirmed | None = None,
) -> list[Replay]:
    """Ask every kernel about the theorems that could still pass, and set their light and failure.

    `library` holds their modules. What was `confirmed` before, byte for byte, is not asked again. The rest is replayed together;
    modules that cannot stand beside each other (they may define different things under one name) each by themselves.
    """
    waiting: dict[Name, list[Evidence]] = {}
    for item in candidates:
        if item.could_pass and item.closure:
            waiting.setdefault(item.module, []).append(item)
    keys: dict[Name, str] = {}
    answers: list[Replay] = []
    for module in list(waiting) if confirmed and kernels else ():
        assert confirmed is not None
        keys[module] = confirmed.key(kernels, library, waiting[module])
        if keys[module] in confirmed.marks:
            known = waiting.pop(module)
            below = frozenset().union(
                *(e.closure.constants for e in known if e.closure)
            )
            replays = [Replay(f"{kernel.name}, before", below) for kernel in kernels]
            for evidence in known:
                _judge(evidence, replays)
            answers += replays
    # Each kernel works on one plan at a time; meanwhile the next is written.
    with ThreadPoolExecutor(max(1, len(kernels))) as pool:
        asked = []
        for environment, group in _groups(library, waiting):
            plan = plan_replay(environment, [item.theorem for item in group])
            waited = [pool.submit(kernel.replay, plan) for kernel in kernels]
            asked.append((environment, group, waited))
        for environment, group, waited in asked:
            replays = [answer.result() for answer in waited]
            answers += replays
            if len(group) > 1 and any(r.whole and r.rejected for r in replays):
                answers += _one_by_one(kernels, environment, group)
                continue
            for evidence in group:
                _judge(evidence, replays)
    for module, group in waiting.items():
        if confirmed and module in keys and all(item.holds for item in group):
            confirmed.marks.add(keys[module])
    return answers


def _one_by_one(
    kernels: Sequence[Replayer], environment: Environment, group: Sequence[Evidence]
) -> list[Replay]:
    """Ask about each theorem by itself: a kernel that refused them as a whole has not said which it meant."""
    answers = []
    for evidence in group:
        plan = plan_replay(environment, [evidence.theorem])
        replays = [kernel.replay(plan) for kernel in kernels]
        _judge(evidence, replays)
        answers += replays
    return answers


def _groups(
    library: Library, waiting: Mapping[Name, list[Evidence]]
) -> list[tuple[Environment, list[Evidence]]]:
    everything = [item for group in waiting.values() for item in group]
    if not everything:
        return []
    try:
        return [(Environment(_Joined(library, list(waiting)), ()), everything)]
    except LibraryError:
        return [
            (library.environment(module), group) for module, group in waiting.items()
        ]


def _judge(evidence: Evidence, replays: Sequence[Replay]) -> None:
    assert evidence.closure is not None
    names = ", ".join(replay.kernel for replay in replays)
    for replay in replays:
        if replay.declined:
            evidence.fail(
                "unconfirmed", "replay", f"{replay.kernel}: {replay.declined}"
            )
            return
        refused = sorted(
            evidence.closure.constants & replay.rejected.keys(),
            # What uses a refused constant is refused too, for an unknown one: say what came first.
            key=lambda name: (replay.rejected[name] == "unknown constant", show(name)),
        )
        if refused:
            first = refused[0]
            what = (
                f"{show(evidence.theorem)} or something below it"
                if replay.whole
                else show(first)
            )
            evidence.fail(
                "kernel_rejected",
                "replay",
                f"{replay.kernel} refuses {what}: {replay.rejected[first]}",
            )
            return
        if not replay.confirms(evidence.closure):
            left = sorted(evidence.closure.constants - replay.accepted, key=show)
            evidence.fail(
                "unconfirmed",
                "replay",
                f"{replay.kernel} was not asked about {show(left[0])}",
            )
            return
    if not replays:
        evidence.fail("unconfirmed", "replay", "no kernel is configured")
        return
    evidence.lights["replay"] = Light(GREEN, names)
