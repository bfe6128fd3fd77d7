"""What the page of a run shows: lights, modules and specs, from its outcomes and its receipt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudication.grading.outcomes import LIGHTS, PRECEDENCE
from adjudication.runs.models import GradingRun, Outcome
from curation.instances.models import Definition, Placement

_QUIET = {"passed": "ok", "unfilled": "off"}
_UNSURE = ("declined", "unconfirmed", "unpaired_sat")
# Problems first, then what nobody filled, then what passed.
_RANK = {"unfilled": 1, "passed": 2}
_NO_LIGHT = {"running": ("run", "running"), "queued": ("off", "not begun")}
_NO_LOG = "No log is kept of this run."
_WORDS = {
    "built": ("built", "not built"),
    "statement": ("same", "changed"),
    "axioms": ("allowed", "not allowed"),
    "replay": ("accepted", "not accepted"),
    "sandbox": ("held", "not proven"),
}


def tone_of(outcome: str) -> str:
    """Return the tone of an outcome: ok, off, warn for what gives no answer, bad for the rest."""
    return _QUIET.get(outcome) or ("warn" if outcome in _UNSURE else "bad")


@dataclass(frozen=True)
class LightSummary:
    """One light over all specs of a run."""

    name: str
    tone: str
    word: str
    note: str


@dataclass(frozen=True)
class Cell:
    """One light of one spec."""

    tone: str
    word: str


@dataclass(frozen=True)
class SpecRow:
    """One spec of a run."""

    outcome: Outcome
    module: str
    tone: str
    cells: Sequence[Cell]
    opened: bool = False


@dataclass(frozen=True)
class ModuleRow:
    """One module of the graded tree."""

    name: str
    tone: str
    outcome: str
    seconds: float
    reused: bool
    specs: int
    diagnostics: Sequence[str]


@dataclass(frozen=True)
class Empty:
    """What stands where a run has no modules, log, specs or receipt: each says why, and whether it is still to come."""

    modules: str
    log: str
    specs: str
    receipt: str
    receipt_word: str


def receipt_of(run: GradingRun) -> dict[str, Any] | None:
    """Return the receipt of a run, None before its verdict. One query."""
    if run.receipt_id is None:
        return None
    assert run.receipt is not None
    document: dict[str, Any] = json.loads(bytes(run.receipt.data))
    return document


def modules_of_specs(run: GradingRun) -> dict[str, str]:
    """Return spec → its module, as the revision that was graded against has them. One query."""
    placed = Placement.objects.filter(revision=run.revision_id, kind=Definition.SPEC)
    return dict(placed.values_list("definition__lean_name", "module"))


def light_summaries(run: GradingRun, outcomes: Iterable[Outcome]) -> list[LightSummary]:
    """Return the five lights of a run over its specs; before its verdict they wait, without one they stay dark."""
    if not run.done:
        tone, word = _NO_LIGHT.get(run.state, ("na", "no verdict"))
        return [LightSummary(name, tone, word, "") for name in LIGHTS]
    outcomes = list(outcomes)
    void = any(outcome.outcome == "void" for outcome in outcomes)
    letters = Counter(
        (name, letter)
        for outcome in outcomes
        for name, letter in zip(LIGHTS, outcome.lights, strict=False)
    )
    return [
        _summary(run, name, letters[name, "g"], letters[name, "r"], void)
        for name in LIGHTS
    ]


def _summary(
    run: GradingRun, name: str, green: int, red: int, void: bool
) -> LightSummary:
    asked = green + red
    specs = "spec" if asked == 1 else "specs"
    if name == "sandbox" and not run.sandbox_holds:
        return LightSummary(name, "warn", "not proven", run.sandbox or "none")
    if red:
        return LightSummary(
            name, "bad", "failed", f"{red} of {asked} {specs}: {_WORDS[name][1]}"
        )
    if green:
        note = (
            run.sandbox
            if name == "sandbox"
            else f"{green} of {asked} {specs}: {_WORDS[name][0]}"
        )
        return LightSummary(name, "ok", "passed", note)
    why = "the run is void" if void else "no spec got this far"
    return LightSummary(name, "na", "not reached", why)


def empty_words(run: GradingRun, receipt: Mapping[str, Any] | None) -> Empty:
    """Return what to say where there is nothing to show, by the state of the run."""
    if receipt is not None:
        rule = receipt["verdict"]["void_rule"]
        built = f"Nothing was built: the run is void by the rule “{rule}”." if rule else "Nothing had to be built."  # fmt: skip
        return Empty(built, _NO_LOG, "No spec has this outcome.", "", "kept")
    if run.done or not run.under_way:
        return Empty(
            "Without a verdict nothing of what was built is kept.",
            _NO_LOG,
            "The run ended without a verdict, so no spec has an outcome.",
            "Without a verdict there is no receipt.",
            "none",
        )
    return Empty(
        "The modules of the graded tree will be here.",
        "What the grader does will be told here, line by line.",
        "The outcome of every spec will be here when the run ends, all at once.",
        "A receipt is written with the verdict.",
        "written at the end",
    )


def told_of(receipt: Mapping[str, Any] | None, spec: str) -> Mapping[str, Any]:
    """Return what the receipt says of `spec`; receipts written before say less."""
    rows = receipt["specs"] if receipt else ()
    return next((row for row in rows if row["spec"] == spec), {})


def spec_rows(
    outcomes: Iterable[Outcome], modules: Mapping[str, str], *, wanted: str, opened: str
) -> list[SpecRow]:
    """Return a row for each outcome called `wanted` (all for ""), problems first; `opened` is the spec whose row is open."""
    rows = [
        SpecRow(
            outcome,
            modules.get(outcome.spec.rpartition(".")[2], "")
            or modules.get(outcome.spec, ""),
            tone_of(outcome.outcome),
            [
                _cell(name, letter)
                for name, letter in zip(
                    LIGHTS[1:4], outcome.lights[1:4].ljust(3, "-"), strict=True
                )
            ],
            outcome.spec == opened,
        )
        for outcome in outcomes
        if wanted in ("", outcome.outcome) or outcome.spec == opened
    ]
    return sorted(
        rows, key=lambda row: (_RANK.get(row.outcome.outcome, 0), row.outcome.position)
    )


def _cell(name: str, letter: str) -> Cell:
    good, bad = _WORDS[name]
    return {"g": Cell("ok", good), "r": Cell("bad", bad)}.get(
        letter, Cell("na", "not reached")
    )


def outcome_counts(outcomes: Iterable[Outcome]) -> list[tuple[str, int]]:
    """Return outcome → how many, in the order of precedence, passed first."""
    counts = Counter(outcome.outcome for outcome in outcomes)
    order = ["passed", *(name for name in PRECEDENCE if name != "passed")]
    return [(name, counts[name]) for name in order if counts[name]]


def _built(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return tone and words of a module. One from which slots had to be taken was not built as it was handed in."""
    if found["outcome"] != "built":
        return "bad", found["outcome"]
    if emptied := len(found.get("emptied", ())):
        return "warn", f"built without {emptied} {'slot' if emptied == 1 else 'slots'}"
    return "ok", "built"


def module_rows(
    receipt: Mapping[str, Any] | None, modules: Mapping[str, str]
) -> list[ModuleRow]:
    """Return the modules of the graded tree as the receipt has them: what failed first, then by time."""
    if receipt is None:
        return []
    specs = Counter(modules.values())
    rows = [
        ModuleRow(
            name,
            *_built(found),
            found["seconds"],
            found["reused"],
            specs[name.rpartition(".")[2]] if ".Proof." in f".{name}." else 0,
            found["diagnostics"],
        )
        for name, found in receipt["modules"]["graded"].items()
    ]
    order = ("bad", "warn", "ok")
    return sorted(
        rows, key=lambda row: (order.index(row.tone), row.reused, -row.seconds)
    )
