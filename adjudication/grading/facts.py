"""What is shown beside a verdict and never decides one: is an API computable, and is its algorithm another than the reference's?

Source: grading.md, "Lights". Only `codeproof` has APIs whose values a submission chooses.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from adjudication.grading.checking import Checked, SlotReport, module_name
from adjudication.grading.overlay import is_taken
from adjudication.grading.reading import Reading
from curation.format.markers import BENCHMARK
from curation.format.slots import CODEPROOF
from workbench.lean import lexer
from workbench.lean.closure import reachable
from workbench.lean.library import Environment, LibraryError
from workbench.lean.names import Name, parse, show
from workbench.lean.olean import OleanError

CHOICE: Name = ("Classical", "choice")


@dataclass(frozen=True, slots=True)
class ApiFact:
    """One API. `computable` is None where its module cannot be read; `by` are the names that lead from it to a choice.

    `changed` says whether its body differs from the reference in more than comments and white space, `diff` how (unified).
    """

    name: str
    file: str
    computable: bool | None
    by: tuple[str, ...] = ()
    changed: bool = False
    diff: str = ""


def facts(checked: Checked, reading: Reading | None) -> tuple[ApiFact, ...]:
    """Return what there is to say of every API with a slot, in the order of the schedule. `reading` is None when nothing was built."""
    if checked.mode != CODEPROOF:
        return ()
    return tuple(
        _fact(checked, report, reading)
        for report in checked.reports
        if report.slot.key == "code" and report.slot.prefix == BENCHMARK
    )


def _fact(checked: Checked, report: SlotReport, reading: Reading | None) -> ApiFact:
    slot, instance = report.slot, checked.instance
    own = instance.slot(slot.file, "code", slot.def_name)
    around = None if own is None else instance.around(own)
    name = around.name if around is not None and around.name else slot.def_name
    reference = (
        ""
        if own is None
        else instance.texts[slot.file][own.body_start : own.body_end].rstrip("\n")
    )
    body = report.item.body if is_taken(report) else ""
    changed = bool(body) and _tokens(body) != _tokens(reference)
    by = None if reading is None else _choice(reading, module_name(slot.file), name)
    return ApiFact(
        name,
        slot.file,
        None if by is None else not by,
        tuple(map(show, by or ())),
        changed,
        _diff(reference, body) if changed else "",
    )


def _tokens(text: str) -> list[str]:
    skipped = (lexer.WHITESPACE, *lexer.COMMENTS)
    return [t.text for t in lexer.tokens(text) if t.kind not in skipped]


def _diff(reference: str, body: str) -> str:
    lines = difflib.unified_diff(
        reference.splitlines(), body.splitlines(), "reference", "submitted", lineterm=""
    )
    return "\n".join(lines)


def _choice(reading: Reading, module: Name, name: str) -> list[Name] | None:
    """Return how an API's value comes to a choice, nothing if it does not, None if nobody can say."""
    try:
        environment = reading.environment(module)
        root = parse(name)
        if root not in environment:
            return None
        return path_to_choice(environment, root)
    except (LibraryError, OleanError, ValueError):
        return None


def path_to_choice(environment: Environment, root: Name) -> list[Name]:
    """Return the names from `root` to `Classical.choice` through values of definitions, nothing if there is no such way.

    Types and proofs do not run, so what they use does not count; what an opaque constant does is its own affair.
    """
    if CHOICE not in reachable(environment, [root]):
        return []
    before: dict[Name, Name] = {}
    todo, seen = [root], {root}
    while todo:
        name = todo.pop()
        for used in sorted(_run_by(environment, name), key=show):
            if used in seen:
                continue
            seen.add(used)
            before[used] = name
            if used == CHOICE:
                return _way(before, root)
            todo.append(used)
    return []


def _run_by(environment: Environment, name: Name) -> Iterable[Name]:
    constant = environment.find(name)
    if constant is None or constant.kind != "def" or constant.value is None:
        return ()
    return environment.bank.constants(constant.value)


def _way(before: dict[Name, Name], root: Name) -> list[Name]:
    way = [CHOICE]
    while way[-1] != root:
        way.append(before[way[-1]])
    return way[::-1]
