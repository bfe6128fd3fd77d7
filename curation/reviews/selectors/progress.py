"""How far the review of an instance is: per stage, module and person. Each number is that of the list it links to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Min, Q
from django.urls import reverse

from curation.instances.contributions import Blocker
from curation.instances.models import Definition, Revision
from curation.reviews.models import QueueEntry, Review
from curation.reviews.selectors.queue import NO_MODULE, held
from workbench.ui.parts import Step
from workbench.ui.templatetags.ui import plural

_SPECS = (Definition.SPEC, Definition.SPEC_HELPER)
EVERY_STATE = [state for state, _ in QueueEntry.STATES]
_BAR = 120  # pixels


@dataclass(frozen=True)
class Count4:
    """How many definitions are approved, wait (never approved, or dropped), and are sent back; exempt ones apart."""

    approved: int
    open: int
    dropped: int
    sent_back: int
    exempt: int

    @property
    def total(self) -> int:
        """All that need a review."""
        return self.approved + self.open + self.dropped + self.sent_back

    def words(self) -> str:
        return (
            f"{self.approved} approved, {self.dropped} dropped, {self.sent_back} sent back, "
            f"{self.open} to review"
        )

    def bar(self) -> list[tuple[str, float, float]]:
        """Return (class, x, width) of the parts of a bar of 120 pixels, with a gap of one between them."""
        parts = [
            ("f-full", self.approved),
            ("f-warn", self.dropped),
            ("f-bad", self.sent_back),
            ("f-part", self.open),
        ]
        found, x = [], 0.0
        for name, number in parts:
            if number:
                width = _BAR * number / self.total
                found.append((name, round(x, 1), round(max(width - 1, 1), 1)))
                x += width
        return found


@dataclass(frozen=True)
class ModuleProgress:
    """One module: its counts, and the list behind each."""

    name: str
    count: Count4
    specs: int
    list_url: str
    approved_url: str
    open_url: str
    dropped_url: str
    sent_back_url: str


@dataclass(frozen=True)
class PersonProgress:
    """One person: how many definitions they approved (standing), were given, and read now, with the lists."""

    username: str
    approved: int
    given: int
    reading: int
    approved_url: str
    given_url: str
    reading_url: str


@dataclass(frozen=True)
class StageProgress:
    """One stage of the work, in one line: how much of how much, with the list."""

    name: str
    part: int
    whole: int
    words: str
    url: str


def queue_url(slug: str, **filters: str | Iterable[str]) -> str:
    """Return the address of the queue cut to instance `slug` and `filters`."""
    pairs: list[tuple[str, str]] = [("instance", slug)]
    for key, value in filters.items():
        values = [value] if isinstance(value, str) else list(value)
        pairs += [(key, one) for one in values]
    return f"{reverse('reviews:queue')}?{urlencode(pairs)}"


def _counts() -> dict[str, Count]:
    open_ones = Q(state=QueueEntry.OPEN)
    return {
        "approved": Count("pk", filter=Q(state=QueueEntry.APPROVED)),
        "open": Count("pk", filter=open_ones & Q(dropped=False)),
        "dropped": Count("pk", filter=open_ones & Q(dropped=True)),
        "sent_back": Count("pk", filter=Q(state=QueueEntry.SENT_BACK)),
        "exempt": Count("pk", filter=Q(state=QueueEntry.EXEMPT)),
    }


def _count4(row: Mapping[str, Any]) -> Count4:
    return Count4(
        row["approved"], row["open"], row["dropped"], row["sent_back"], row["exempt"]
    )


def modules(revision: Revision) -> list[ModuleProgress]:
    """Return the modules in the order of the files. One query."""
    slug = revision.instance.slug
    rows = (
        QueueEntry.objects.filter(instance=revision.instance_id)
        .values("module")
        .annotate(
            **_counts(),
            specs=Count("pk", filter=Q(kind=Definition.SPEC)),
            first=Min("placement__position"),
        )
        .order_by("first")
    )
    found = []
    for row in rows:
        module = row["module"] or NO_MODULE
        found.append(
            ModuleProgress(
                row["module"],
                _count4(row),
                row["specs"],
                queue_url(slug, module=module, state=EVERY_STATE),
                queue_url(slug, module=module, state=QueueEntry.APPROVED),
                queue_url(slug, module=module, dropped="no"),
                queue_url(slug, module=module, dropped="yes"),
                queue_url(slug, module=module, state=QueueEntry.SENT_BACK),
            )
        )
    return found


def total(revision: Revision, *kinds: str, without: Iterable[str] = ()) -> Count4:
    """Return the counts of the whole instance, or of `kinds` (or all but `without`) alone. One query."""
    rows = QueueEntry.objects.filter(instance=revision.instance_id)
    if kinds:
        rows = rows.filter(kind__in=kinds)
    return _count4(rows.exclude(kind__in=list(without)).aggregate(**_counts()))


def people(revision: Revision) -> list[PersonProgress]:
    """Return who approved, was given or reads definitions of the instance, most approvals first. Three queries."""
    slug = revision.instance.slug
    entries = QueueEntry.objects.filter(instance=revision.instance_id)
    waiting = entries.filter(state=QueueEntry.OPEN)
    approved = dict(
        Review.objects.filter(
            definition__queue_entry__in=entries, standing=True, decision=Review.APPROVE
        )
        .order_by()
        .values_list("reviewer__username")
        .annotate(number=Count("pk"))
    )
    given = dict(
        waiting.filter(assignee__isnull=False)
        .values_list("assignee__username")
        .annotate(number=Count("pk"))
    )
    reading = dict(
        waiting.filter(held())
        .values_list("holder__username")
        .annotate(number=Count("pk"))
    )
    names = sorted(
        {*approved, *given, *reading}, key=lambda name: (-approved.get(name, 0), name)
    )
    return [
        PersonProgress(
            name,
            approved.get(name, 0),
            given.get(name, 0),
            reading.get(name, 0),
            queue_url(slug, by=name, state=EVERY_STATE),
            queue_url(slug, assignee=name),
            queue_url(slug, holder=name),
        )
        for name in names
    ]


def stages(revision: Revision, count: Count4) -> list[StageProgress]:
    """Return how far import, translation and review are; `count` is that of the whole instance. No query."""
    slug = revision.instance.slug
    base = queue_url(slug, state=EVERY_STATE)
    whole = count.total + count.exempt
    translated = [state for state in EVERY_STATE if state != QueueEntry.SENT_BACK]
    awaited = plural(count.sent_back, "new version")
    approved = f"approved, {count.exempt} need none" if count.exempt else "approved"
    return [
        StageProgress("import", whole, whole, f"read from r{revision.number}", base),
        # Not “translate”: the rail says that of what was approved, specs apart.
        StageProgress(
            "versions",
            whole - count.sent_back,
            whole,
            f"{awaited} awaited" if count.sent_back else "no new version awaited",
            queue_url(slug, state=translated),
        ),
        StageProgress(
            "review",
            count.approved,
            count.total,
            approved,
            queue_url(slug, state=QueueEntry.APPROVED),
        ),
    ]


def steps(revision: Revision) -> dict[str, Step]:
    """Return the stages of the rail that the review knows of. Two queries."""
    slug = revision.instance.slug
    parts = {
        "translate": (total(revision, without=_SPECS), "definition"),
        "spec-write": (total(revision, *_SPECS), "spec"),
    }
    found = {}
    for name, (count, word) in parts.items():
        kinds = [
            kind
            for kind, _ in Definition.KINDS
            if (kind in _SPECS) == (name == "spec-write") and kind != Definition.HARNESS
        ]
        if not count.total:
            found[name] = Step(name, "na", f"no {word} needs a review")
            continue
        if count.approved == count.total:
            tone = "ok"
        elif count.dropped or count.sent_back:
            tone = "warn"
        else:
            tone = "run" if count.approved else "off"
        found[name] = Step(
            name,
            tone,
            f"{count.approved} of {count.total} approved",
            url=queue_url(slug, kind=kinds, state=QueueEntry.APPROVED),
        )
    return found


def blockers(revision: Revision) -> list[Blocker]:
    """Return what the review still owes before the instance can ship. One query."""
    slug = revision.instance.slug
    count = total(revision)
    found = []
    if count.dropped:
        what = f"{plural(count.dropped, 'approval')} taken away by a change"
        url = queue_url(slug, dropped="yes")
        found.append(
            Blocker("warn", "dropped", what, f"Review {count.dropped} again", url)
        )
    if count.sent_back:
        what = f"{plural(count.sent_back, 'definition')} sent back: a new version is awaited"
        url = queue_url(slug, state=QueueEntry.SENT_BACK)
        found.append(Blocker("warn", "sent back", what, "See the requests", url))
    if count.open:
        what = f"{plural(count.open, 'definition')} still to be read and approved"
        url = queue_url(slug, dropped="no")
        found.append(Blocker("warn", "not reviewed", what, f"Review {count.open}", url))
    return found
