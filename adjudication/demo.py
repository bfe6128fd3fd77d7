"""The demo's gradings: a dozen configurations on the fixture instances, graded for real by the worker that `bin/up` starts.

What each hands in is a full solve of ours from which specs were left out, more of them the weaker the configuration; so
every verdict is a true one of the grader. Times and costs are made up and say so in the submission's `run.json`. When
the gradings are done, the job `demo-audit` does what adjudicators did with the findings that came out; then the canaries are
tried, for real, and `demo-release` publishes a release if they are green.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from django.conf import settings

from adjudication.demo_release import queue_release
from adjudication.grading.intake import Submission as Taken
from adjudication.grading.intake import from_tree
from adjudication.runs.actions.name_configuration import name_configuration
from adjudication.runs.actions.submit_artifact import submit_artifact
from adjudication.standings.actions.import_results import import_results
from adjudication.standings.actions.make_set import make_set
from adjudication.standings.results_csv import read_costs, read_results
from curation.format.archive import Tree, read_directory
from curation.format.artifact import FilledSlot
from curation.format.instance import Instance as FormatInstance
from curation.format.instance import load_files
from curation.instances.models import Instance, Revision
from workbench.access.models import Team, User
from workbench.content.trees import read_tree
from workbench.events.correlation import correlated
from workbench.jobs import submit
from workbench.jobs.models import Job

SET = "Demo set"
MODES = ("proof", "codeproof")
# After whatever a person asks for.
LATER = -5
_LARGE = 40


@dataclass(frozen=True)
class Agent:
    """A made-up configuration: `strength` is the share of specs that it solves, `usd` what a spec costs it."""

    harness: str
    model: str
    effort: str
    strength: float
    usd: float

    @property
    def name(self) -> str:
        return f"{self.harness} {self.model} {self.effort}"


AGENTS = (
    Agent("Lathe", "Orla 3", "high", 1.0, 0.9),
    Agent("Lathe", "Orla 3", "medium", 0.93, 0.42),
    Agent("Lathe", "Orla 3", "low", 0.8, 0.2),
    Agent("Lathe", "Orla mini", "high", 0.62, 0.08),
    Agent("Quill", "Meridian 2", "max", 1.0, 1.3),
    Agent("Quill", "Meridian 2", "high", 0.95, 0.7),
    Agent("Quill", "Meridian 2", "medium", 0.85, 0.31),
    Agent("Quill", "Meridian lite", "high", 0.55, 0.05),
    Agent("Trestle", "Sable 70B", "high", 0.7, 0.11),
    Agent("Trestle", "Sable 70B", "low", 0.45, 0.04),
    Agent("Trestle", "Sable 8B", "high", 0.2, 0.01),
    Agent("by hand", "", "", 0.75, 0.0),
)


def seed_runs(team: Team) -> None:
    """Make the set, the reported results and the submissions of the demo, gradings queued."""
    noor, sol = (User.objects.get(username=name) for name in ("noor", "sol"))
    instances = list(Instance.objects.filter(team=team).order_by("slug"))
    with correlated(uuid4()):
        made = make_set(noor, team, SET, instances)
    with correlated(uuid4()):
        folder = Path(settings.BASE_DIR) / "fixtures" / "results"
        results = read_results((folder / "reported.csv").read_bytes())
        costs = read_costs(
            (folder / "reported-costs.csv").read_bytes(), results.columns
        )
        import_results(noor, team, made.slug, results, costs)
    # The small ones first: a page is full of results after a minute.
    for instance in sorted(
        instances, key=lambda one: one.revisions.get(is_current=True).spec_count
    ):
        revision = instance.revisions.select_related("snapshot", "instance__team").get(
            is_current=True
        )
        for mode in MODES:
            for agent, taken in _handed_in(revision, mode):
                with correlated(uuid4()):
                    configuration = name_configuration(
                        sol, team, agent.harness, agent.model, agent.effort
                    )
                    submit_artifact(
                        sol,
                        configuration,
                        revision,
                        taken,
                        file_name=f"{agent.name}.zip",
                    )
    Job.objects.filter(name="grade", state=Job.QUEUED).update(priority=LATER)
    submit(
        "demo-audit",
        owner=noor,
        team=team,
        args={"team_id": team.pk},
        key=f"demo-audit:{team.pk}",
        priority=LATER - 1,
    )
    queue_release(team, noor, made, LATER - 2)


def _handed_in(revision: Revision, mode: str) -> Iterator[tuple[Agent, Taken]]:
    """Yield what each agent hands in for an instance in a mode: two attempts of most of them at the small ones.

    What goes wrong in every way that a spec can, our half-done submissions, comes from the weakest.
    """
    name = revision.instance.slug
    attempts = (1, 2) if revision.spec_count < _LARGE else (1,)
    loaded = load_files(read_tree(revision.snapshot), name)
    solved = Path(settings.BASE_DIR) / "fixtures" / "submissions" / name / mode
    if not solved.is_dir():
        return
    whole = from_tree(loaded, mode, Tree(name, dict(read_directory(solved).files)))
    for agent in AGENTS:
        for attempt in attempts if agent.strength < 1 else (1,):
            yield agent, _attempt(loaded, whole, agent, attempt)
    half = solved.parent / "partial" / mode
    if half.is_dir():
        weakest = min(AGENTS, key=lambda agent: agent.strength)
        yield (
            weakest,
            from_tree(loaded, mode, Tree(name, dict(read_directory(half).files))),
        )


def _attempt(loaded: FormatInstance, whole: Taken, agent: Agent, attempt: int) -> Taken:
    """Return `whole` without the specs that `agent` does not solve at this attempt."""
    strength = agent.strength + 0.04 * (attempt - 1)
    slots = tuple(
        _without(slot) if _misses(agent, attempt, slot, strength) else slot
        for slot in whole.artifact.slots
    )
    solved = sum(1 for slot in slots if slot.slot.key == "proof" and not slot.is_empty)
    minutes = (
        4
        + 3 * solved * (1.6 - agent.strength)
        + 7 * _share(agent.name, loaded.name, attempt)
    )
    telemetry: dict[str, object] = {
        "elapsed_s": round(60 * minutes),
        "attempt": attempt,
        "of_attempts": 2 if agent.strength < 1 else 1,
        "note": "times and costs of the demo are made up",
    }
    if agent.usd:
        telemetry |= {
            "cost_usd": round(agent.usd * (solved + 2), 2),
            "cost_basis": "estimated",
        }
    artifact = replace(whole.artifact, slots=slots)
    return Taken(artifact, whole.notes, telemetry, whole.witness)


def _misses(agent: Agent, attempt: int, slot: FilledSlot, strength: float) -> bool:
    if slot.slot.key != "proof" or slot.is_empty:
        return False
    return (
        _share(agent.name, slot.slot.file, slot.slot.def_name, attempt // 2) >= strength
    )


def _without(slot: FilledSlot) -> FilledSlot:
    """Return the slot as somebody leaves it who got no further: mostly empty, sometimes with `sorry`."""
    left = ("  sorry",) if _share(slot.slot.def_name) < 0.3 else ("",)
    return replace(slot, body_lines=left)


def _share(*words: object) -> float:
    """Return a number in [0, 1) that depends on `words` alone."""
    text = "\n".join(map(str, words)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:6], "big") / 2**48
