"""Specs of which two proofs cannot both be right. Source: grading.md, "Outcome of a spec" and the claims of each mode.

What a proof is about depends on its mode. In `proof` mode the implementation is the reference; in `codeproof` it is what
the submission brought. So

- `disprove` (proof mode only) contradicts `prove` in proof mode, and no `prove` in codeproof: that is another implementation;
- `unsat` (no implementation at all) contradicts `prove` in either mode, and `sat`;
- `joint_unsat` contradicts proofs of all its specs about one implementation: the reference, by whatever runs, or the one
  of a single codeproof run.

What counts is the newest applied run of each submission on the revision, on the revision's own files: a verdict that a
regrade took back is no evidence any more. What a person merely claims is none either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from adjudication.audits.grouping import JOINT
from adjudication.audits.models import Closure
from adjudication.runs.models import GradingRun, Outcome

PROOF, CODE = "proof", "codeproof"
_SHOWN = 20


@dataclass(frozen=True)
class Contradiction:
    """Two runs that prove what cannot both be true of `specs` (Lean names) on one revision: one of both is wrong."""

    specs: tuple[str, ...]
    words: str
    proved: GradingRun
    refuted: GradingRun

    @property
    def named(self) -> str:
        return ", ".join(self.specs)


@dataclass(frozen=True)
class _Row:
    run: int
    submission: int
    revision: int
    mode: str
    route: str
    spec: int


def contradictions(instance_id: int, revisions: Collection[int]) -> list[Contradiction]:
    """Return what contradicts itself on these revisions of an instance, newest first, at most 20. Four queries."""
    found_there = Closure.objects.filter(
        instance=instance_id, revision__in=revisions
    ).exclude(basis=Closure.UNPROVEN)
    closures = list(
        found_there.select_related("run").prefetch_related("specs").order_by("-pk")
    )
    names = {spec.pk: spec.lean_name for one in closures for spec in one.specs.all()}
    if not names:
        return []
    rows = [_Row(*row) for row in _standing_outcomes(instance_id, revisions, names)]
    found = [*_of_one_spec(rows), *_of_cores(closures, rows)][:_SHOWN]
    keys = {pk for _, _, proof, refuted in found for pk in (proof, refuted)}
    runs = GradingRun.objects.select_related("revision").in_bulk(keys)
    return [
        Contradiction(tuple(sorted(names[pk] for pk in specs)), words, runs[proof], runs[refuted])
        for specs, words, proof, refuted in found
    ]  # fmt: skip


_Found = tuple[Sequence[int], str, int, int]


def _standing_outcomes(
    instance_id: int, revisions: Collection[int], specs: Collection[int]
) -> QuerySet[Outcome, tuple[int, int, int, str, str, int]]:
    applied = GradingRun.objects.applied().filter(
        instance=instance_id, revision__in=revisions, adaptation=None
    )
    newer = applied.filter(
        submission=OuterRef("submission"), revision=OuterRef("revision"), number__gt=OuterRef("number")
    )  # fmt: skip
    standing = applied.filter(~Exists(newer), submission__hidden=False)
    found = Outcome.objects.filter(
        definition__in=specs, outcome="passed", run__in=standing
    ).order_by("-run")
    return found.values_list(
        "run", "run__submission", "run__revision", "run__submission__mode", "route", "definition",
    )  # fmt: skip


def _of_one_spec(rows: list[_Row]) -> Iterator[_Found]:
    places: dict[tuple[int, int], list[_Row]] = defaultdict(list)
    for row in rows:
        places[row.revision, row.spec].append(row)
    for (_, spec), here in places.items():
        of_reference = [
            row for row in here if row.route == "prove" and row.mode == PROOF
        ]
        of_any = [row for row in here if row.route in ("prove", "sat+joint")]
        for route, proofs, words in (
            ("disprove", of_reference, "proved of the reference implementation, and refuted of it"),
            ("unsat", of_any, "shown to hold of no implementation, and yet proved of one"),
        ):  # fmt: skip
            refuting = [row for row in here if row.route == route]
            if proofs and refuting:
                yield (spec,), words, proofs[0].run, refuting[0].run


def _of_cores(closures: list[Closure], rows: list[_Row]) -> Iterator[_Found]:
    words = "shown to contradict each other, and yet all proved of one implementation"
    for closure in closures:
        core = {spec.pk for spec in closure.specs.all()}
        refuting = (
            _refuting_run(closure, core, rows) if closure.route == JOINT else None
        )
        if refuting is None:
            continue
        proofs: dict[object, dict[int, int]] = defaultdict(dict)
        for row in rows:
            if (
                row.revision == closure.revision_id
                and row.route == "prove"
                and row.spec in core
            ):
                # The reference is one implementation for everybody; code is that of its run.
                whose = PROOF if row.mode == PROOF else row.run
                proofs[whose].setdefault(row.spec, row.run)
        for found in proofs.values():
            if found.keys() == core:
                yield sorted(core), words, max(found.values()), refuting
                break


def _refuting_run(closure: Closure, core: set[int], rows: list[_Row]) -> int | None:
    """Return the run in which the submission of a joint closure still holds it, None where it was taken back."""
    if closure.run is None:
        return None
    held = [
        row
        for row in rows
        if row.submission == closure.run.submission_id
        and row.revision == closure.revision_id
        and row.route == "sat+joint"
    ]
    return held[0].run if core <= {row.spec for row in held} else None
