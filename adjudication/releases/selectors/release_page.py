"""What the page of a release shows: how far it is, what blocks it, what its verdicts are worth."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count

from adjudication.releases.canaries import Tried
from adjudication.releases.content import no_score, waivers_of
from adjudication.releases.gate import Open, number
from adjudication.releases.models import Release, Waiver
from adjudication.runs.models import GradingRun
from workbench.jobs.models import Job
from workbench.ui.parts import Step
from workbench.ui.templatetags.ui import plural
from workbench.ui.times import when_words


@dataclass
class Group:
    """A blocker, as it stands on one revision or many: on which it is open, and who signed for the others."""

    key: str
    tone: str
    kind: str
    what: str
    standing: list[Open] = field(default_factory=list)
    signed: dict[int, tuple[Waiver, list[Open]]] = field(default_factory=dict)

    @property
    def signatures(self) -> list[tuple[Waiver, list[Open]]]:
        """Who signed, with the revisions that one signature is for."""
        return list(self.signed.values())


def groups(found: Sequence[Open]) -> list[Group]:
    """Return the blockers by what they say, open ones first. A signature given at once for many is one."""
    by_key: dict[str, Group] = {}
    first: dict[tuple[str, str, int], int] = {}
    for one in found:
        group = by_key.setdefault(
            one.key,
            Group(one.key, one.blocker.tone, one.blocker.kind, one.blocker.what),
        )
        if one.waiver is None:
            group.standing.append(one)
            continue
        same = (one.key, one.waiver.reason, one.waiver.by_id)
        pk = first.setdefault(same, one.waiver.pk)
        group.signed.setdefault(pk, (one.waiver, []))[1].append(one)
    tones = {"bad": 0, "warn": 1}
    return sorted(
        by_key.values(),
        key=lambda group: (not group.standing, tones.get(group.tone, 2), group.what),
    )


@dataclass(frozen=True)
class Verdicts:
    """How many runs of a release are scores, and why the others are none: (words, runs)."""

    scores: int
    trials: Sequence[tuple[str, int]]

    @property
    def total(self) -> int:
        """All of them."""
        return self.scores + sum(number for _, number in self.trials)


def verdicts(release: Release) -> Verdicts:
    """Return what the runs of `release` are worth. One query."""
    rows = (
        release.runs.order_by()
        .values("publishable", "toolchain", "sandbox")
        .annotate(number=Count("pk", distinct=True))
    )
    counts: Counter[str] = Counter()
    for row in rows:
        run = GradingRun(
            publishable=row["publishable"],
            toolchain=row["toolchain"],
            sandbox=row["sandbox"],
        )
        counts[no_score(release, run)] += row["number"]
    scores = counts.pop("", 0)
    return Verdicts(scores, counts.most_common())


def rail(
    release: Release, found: Sequence[Open], graders: Sequence[Tried]
) -> list[Step]:
    """Return the way of a release: frozen, gate, built, canaries, published. No query but for its job."""
    steps = [
        ("Frozen", "ok", when_words(release.frozen_at)),
        ("Gate", *_gate(release, found)),
        ("Built", *_built(release)),
        ("Canaries", *_canaries(graders)),
        ("Published", *_published(release)),
    ]
    due = next((name for name, tone, _ in steps if tone != "ok"), "")
    return [Step(name, tone, note, name == due) for name, tone, note in steps]


def _gate(release: Release, found: Sequence[Open]) -> tuple[str, str]:
    standing = [one for one in found if one.waiver is None]
    if standing:
        return "bad", f"{plural(number(standing), 'blocker')} open"
    signed = len(found) if release.open else len(waivers_of(release))
    return "ok", f"{plural(signed, 'waiver')} signed" if signed else "nothing blocks"


def _built(release: Release) -> tuple[str, str]:
    job = release.job
    if job is not None and job.is_open:
        return "run", "waits for a worker" if job.state == Job.QUEUED else "being built"
    if not release.archive_digest:
        if job is not None and job.state != Job.DONE:
            return "bad", f"the last build is {job.state}"
        return "off", "not built"
    if release.builds > 1:
        return "ok", f"{release.builds} times, equal bytes"
    return "ok", "once, verified"


def _canaries(graders: Sequence[Tried]) -> tuple[str, str]:
    left = [one for one in graders if not one.green]
    if not left:
        return "ok", "green"
    red = any(one.badge is not None for one in left)
    return ("bad", "failed") if red else ("off", "not tried")


def _published(release: Release) -> tuple[str, str]:
    if release.state == Release.RETRACTED and release.retracted_at:
        return "bad", f"retracted {when_words(release.retracted_at)}"
    if release.state == Release.PUBLISHED and release.published_at:
        return "ok", when_words(release.published_at)
    return "off", "not yet"


def manifest_of(release: Release) -> dict[str, Any]:
    """Return the manifest of what was built; empty before that. No query."""
    found = json.loads(release.manifest) if release.manifest else {}
    return found if isinstance(found, dict) else {}
