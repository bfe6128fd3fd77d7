"""What the page of a finding shows: the rail of its states, the closure that is open, its specs and witness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from adjudication.audits.models import Closure, Finding, Merge, TurningPoint
from adjudication.audits.selectors.findings import TONES
from adjudication.audits.witness import Witness, read_witness
from adjudication.grading.outcomes import LIGHTS
from curation.instances.models import Placement
from workbench.code.cache import highlighted
from workbench.code.pane import Pane, build_pane
from workbench.ui.parts import Step

_LIGHT_TONES = {"g": ("ok", "green"), "r": ("bad", "red")}
_MOST_SPECS = 6
# The way of a finding that is right, and what each state waits for.
_WAY = {
    Finding.NEW: "",
    Finding.TRIAGED: "nobody has looked yet",
    Finding.CONFIRMED: "needs a ruling",
    Finding.REPAIR_DRAFTED: "needs a revision",
    Finding.REPAIRED: "closures are checked",
    Finding.VERIFIED: "somebody else looks",
    Finding.RELEASED: "with a release",
}
_ASIDE = (Finding.NEEDS_EVIDENCE, Finding.REJECTED, Finding.DUPLICATE)


@dataclass(frozen=True)
class ShownClosure:
    """A row of the closures: `lights` as (tone, words), none for what no machine checked."""

    closure: Closure
    lights: Sequence[tuple[str, str]]
    chosen: bool
    merged: str = ""

    @property
    def greens(self) -> int:
        return sum(tone == "ok" for tone, _ in self.lights)

    @property
    def tone(self) -> str:
        if not self.lights:
            return "warn"
        return "ok" if self.greens == len(LIGHTS) else "bad" if any(tone == "bad" for tone, _ in self.lights) else "off"  # fmt: skip

    @property
    def words(self) -> str:
        return f"{self.greens} of {len(LIGHTS)} green"


@dataclass(frozen=True)
class Opened:
    """The closure whose proof and witness are shown."""

    closure: Closure
    proof: Pane | None
    witness: Witness | None


def rail(finding: Finding, points: Sequence[TurningPoint]) -> list[Step]:
    """Return the states on the way of a finding, with who and when; a state aside of it where it is in one."""
    reached = {point.after: point for point in sorted(points, key=lambda one: one.pk)}
    names = dict(Finding.STATES)
    way = list(_WAY)
    at = way.index(finding.state) if finding.state in way else 1
    if finding.state in _ASIDE:
        at = 2
        # What was dismissed or merged goes nowhere from there, unless it is put back.
        rest = way[2:] if finding.state == Finding.NEEDS_EVIDENCE else []
        way = [*way[:2], finding.state, *rest]
    steps = []
    for index, state in enumerate(way):
        point = reached.get(state)
        past = index <= at
        if state == Finding.NEW:
            note = _day(finding.opened_at)
        elif past and point is not None:
            who = point.by.username if point.by else "the system"
            note = f"{_day(point.created_at)} · {who}"
        else:
            note = _WAY.get(state, "")
        tone = TONES[state] if index == at else "ok" if past else "off"
        steps.append(Step(names[state], tone, note, index == at))
    return steps


def _day(moment: object) -> str:
    local = timezone.localtime(moment)  # type: ignore[arg-type]  # every row has its time
    return f"{local.day} {local:%b %H:%M}"


def shown_closures(
    closures: Sequence[Closure], chosen: Closure | None, merges: Sequence[Merge]
) -> list[ShownClosure]:
    """Return the rows of the closures; `merges` are those that brought some of them."""
    brought = {
        closure.pk: f"{merge.by.username} merged F-{merge.finding.number} into this"
        for merge in merges
        for closure in merge.closures.all()
    }
    return [
        ShownClosure(
            closure,
            _lights(closure) if closure.is_proved else [],
            closure == chosen,
            brought.get(closure.pk, ""),
        )
        for closure in closures
    ]


def reasons(rows: Sequence[ShownClosure]) -> list[tuple[list[Closure], str]]:
    """Return why closures are in their finding, each reason once with its closures, in the order of the rows."""
    found: dict[str, list[Closure]] = {}
    for row in rows:
        because = row.closure.grouped_because
        why = f"{because}; {row.merged}" if row.merged else because
        found.setdefault(why, []).append(row.closure)
    return [(closures, why) for why, closures in found.items()]


def chosen_closure(closures: Sequence[Closure], asked: int | None) -> Closure | None:
    """Return the closure that the address names, else the first that a machine checked, with a witness if there is one."""
    named = [closure for closure in closures if closure.pk == asked]
    proved = [closure for closure in closures if closure.is_proved]
    witnessed = [closure for closure in proved if closure.witness]
    return next(iter([*named, *witnessed, *proved, *closures]), None)


def opened(closure: Closure) -> Opened:
    """Return the proof and the witness of a closure, ready to be shown."""
    name = f"Proof of {closure.theorem}" if closure.is_proved else "Claimed proof, not checked"  # fmt: skip
    pane = _pane(closure.proof, f"proof{closure.pk}", name) if closure.proof else None
    return Opened(closure, pane, read_witness(closure.witness))


def spec_panes(closures: Sequence[Closure]) -> tuple[list[tuple[Placement, Pane]], int]:
    """Return the specs as the newest revision with a closure has them, and how many more there are. One query."""
    if not closures:
        return [], 0
    last = max(closures, key=lambda closure: closure.revision.number)
    placed = Placement.objects.filter(
        revision=last.revision_id, definition__closures__in=list(closures)
    )
    rows = list(
        placed.select_related("definition", "translation", "revision")
        .distinct()
        .order_by("position")
    )
    panes = [
        (row, _pane(row.translation.text, f"spec{row.pk}", f"Spec {row.definition}"))
        for row in rows[:_MOST_SPECS]
    ]
    return panes, max(0, len(rows) - _MOST_SPECS)


def _pane(text: str, key: str, label: str) -> Pane:
    return build_pane(highlighted(text, "lean4"), key=key, label=label)


def _lights(closure: Closure) -> list[tuple[str, str]]:
    """Return (tone, words) of each light. What no light says is “not known”, never green."""
    found = []
    letters = closure.lights.ljust(len(LIGHTS), "-")
    for name, letter in zip(LIGHTS, letters, strict=True):
        tone, word = _LIGHT_TONES.get(letter, ("off", "not known"))
        found.append((tone, f"{name} {word}"))
    return found
