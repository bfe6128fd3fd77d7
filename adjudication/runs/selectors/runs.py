"""Lists of runs and of submissions: their filters as the address holds them, facets with counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Count, Q, QuerySet
from django.http import QueryDict

from adjudication.runs.models import MODES, GradingRun, Submission
from adjudication.runs.models.run import RunQuerySet
from adjudication.runs.selectors.visible import visible_runs, visible_submissions
from workbench.access.rights import Person
from workbench.jobs.models import Job
from workbench.ui.parts import Facet, facet

_OPEN = Q(receipt_hash="")
STATES = {
    Job.QUEUED: _OPEN & Q(job__state=Job.QUEUED),
    Job.RUNNING: _OPEN & Q(job__state=Job.RUNNING),
    Job.DONE: ~_OPEN,
    Job.FAILED: _OPEN
    & (Q(job=None) | Q(job__state=Job.FAILED) | Q(job__state=Job.DONE)),
    Job.DECLINED: _OPEN & Q(job__state=Job.DECLINED),
    Job.CANCELLED: _OPEN & Q(job__state=Job.CANCELLED),
}
SOLVED = {
    "full": Q(full_solve=True),
    "near": ~_OPEN & Q(full_solve=False, passed_count__gt=0),
    "nothing": ~_OPEN & Q(passed_count=0),
}
_SOLVED_WORDS = {"full": "full solve", "near": "some specs", "nothing": "no spec"}
_WHICH = {"current": Q(is_current=True), "other": Q(is_current=False)}
_WHICH_WORDS = {"current": "counts for scores", "other": "does not count"}
MODE_WORDS = dict(MODES)
_RETIRED = {"retired": Q(hidden=True)}


@dataclass(frozen=True)
class RunFilter:
    """The filters of the list of runs. Unknown values find nothing, and can be taken off."""

    instances: list[str] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    configurations: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    solved: list[str] = field(default_factory=list)
    which: list[str] = field(default_factory=list)

    @classmethod
    def from_query(cls, query: QueryDict) -> RunFilter:
        return cls(
            query.getlist("instance"),
            query.getlist("mode"),
            query.getlist("configuration"),
            query.getlist("state"),
            query.getlist("solved"),
            query.getlist("which"),
        )

    def conditions(self) -> dict[str, Q]:
        """Return one condition a facet; together they cut the list."""
        found = {}
        if self.instances:
            found["instance"] = Q(instance__slug__in=self.instances)
        if self.modes:
            found["mode"] = Q(submission__mode__in=self.modes)
        if self.configurations:
            found["configuration"] = Q(
                submission__configuration__slug__in=self.configurations
            )
        for name, chosen, known in (
            ("state", self.states, STATES),
            ("solved", self.solved, SOLVED),
            ("which", self.which, _WHICH),
        ):
            if chosen:
                found[name] = _any(known, chosen)
        return found


def _any(known: dict[str, Q], chosen: list[str]) -> Q:
    total = Q(pk__in=[])
    for name in chosen:
        total |= known.get(name, Q(pk__in=[]))
    return total


def listed_runs(user: Person, wanted: RunFilter, *, without: str = "") -> RunQuerySet:
    """Return the runs that `user` sees and `wanted` lets through; `without` leaves one facet out, to count its choices."""
    rows = visible_runs(user).shown()
    for name, condition in wanted.conditions().items():
        if name != without:
            rows = rows.filter(condition)
    return rows.select_related(
        "submission__configuration", "instance", "revision", "job"
    )


def run_facets(user: Person, wanted: RunFilter) -> list[Facet]:
    """Return the facets, each counted under the other filters. Six queries."""

    def counted(name: str, path: str) -> list[tuple[str, int]]:
        rows = listed_runs(user, wanted, without=name).order_by(path)
        return list(rows.values_list(path).annotate(number=Count("pk")))

    def cases(name: str, known: dict[str, Q]) -> list[tuple[str, int]]:
        rows = listed_runs(user, wanted, without=name)
        counts = rows.aggregate(
            **{key: Count("pk", filter=case) for key, case in known.items()}
        )
        return [(key, counts[key]) for key in known]

    return [
        facet(
            "state",
            "State",
            cases("state", STATES),
            wanted.states,
            tones=Job.TONES,
            several=True,
        ),
        facet(
            "solved",
            "Solved",
            cases("solved", SOLVED),
            wanted.solved,
            labels=_SOLVED_WORDS,
            several=True,
        ),
        facet(
            "which",
            "Result",
            cases("which", _WHICH),
            wanted.which,
            labels=_WHICH_WORDS,
            several=True,
        ),
        facet(
            "mode",
            "Mode",
            counted("mode", "submission__mode"),
            wanted.modes,
            labels=MODE_WORDS,
            several=True,
        ),
        facet(
            "instance",
            "Instance",
            counted("instance", "instance__slug"),
            wanted.instances,
            several=True,
        ),
        facet(
            "configuration",
            "Configuration",
            counted("configuration", "submission__configuration__slug"),
            wanted.configurations,
            several=True,
        ),
    ]


@dataclass(frozen=True)
class SubmissionFilter:
    """The filters of the list of submissions. A submission's state is that of its first grading."""

    instances: list[str] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    configurations: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)

    @classmethod
    def from_query(cls, query: QueryDict) -> SubmissionFilter:
        return cls(
            query.getlist("instance"),
            query.getlist("mode"),
            query.getlist("configuration"),
            query.getlist("state"),
            query.getlist("retired"),
        )

    def conditions(self) -> dict[str, Q]:
        """Return one condition a facet."""
        found = {}
        if self.instances:
            found["instance"] = Q(instance__slug__in=self.instances)
        if self.modes:
            found["mode"] = Q(mode__in=self.modes)
        if self.configurations:
            found["configuration"] = Q(configuration__slug__in=self.configurations)
        if self.states:
            runs = GradingRun.objects.filter(_any(STATES, self.states), number=1)
            found["state"] = Q(pk__in=runs.values("submission"))
        if self.retired:
            found["retired"] = _any(_RETIRED, self.retired)
        return found


def listed_submissions(
    user: Person, wanted: SubmissionFilter, *, without: str = ""
) -> QuerySet[Submission]:
    """Return the submissions that `user` sees and `wanted` lets through; retired ones only where it asks for them."""
    rows = visible_submissions(user)
    if not wanted.retired and without != "retired":
        rows = rows.filter(hidden=False)
    for name, condition in wanted.conditions().items():
        if name != without:
            rows = rows.filter(condition)
    return rows.select_related("configuration", "instance", "revision", "submitter")


def submission_facets(user: Person, wanted: SubmissionFilter) -> list[Facet]:
    """Return the facets, each counted under the other filters. Five queries."""

    def counted(name: str, path: str) -> list[tuple[str, int]]:
        rows = listed_submissions(user, wanted, without=name).order_by(path)
        return list(rows.values_list(path).annotate(number=Count("pk")))

    rows = listed_submissions(user, wanted, without="state")
    first = GradingRun.objects.filter(number=1, submission__in=rows.order_by())
    states = first.aggregate(
        **{name: Count("pk", filter=case) for name, case in STATES.items()}
    )
    retired = listed_submissions(user, wanted, without="retired").filter(hidden=True)
    return [
        facet(
            "state",
            "First grading",
            [(name, states[name]) for name in STATES],
            wanted.states,
            tones=Job.TONES,
            several=True,
        ),
        facet(
            "mode",
            "Mode",
            counted("mode", "mode"),
            wanted.modes,
            labels=MODE_WORDS,
            several=True,
        ),
        facet(
            "instance",
            "Instance",
            counted("instance", "instance__slug"),
            wanted.instances,
            several=True,
        ),
        facet(
            "configuration",
            "Configuration",
            counted("configuration", "configuration__slug"),
            wanted.configurations,
            several=True,
        ),
        facet(
            "retired",
            "Retired",
            [("retired", retired.count())],
            wanted.retired,
            several=True,
        ),
    ]
