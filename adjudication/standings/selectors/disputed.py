"""Which specs of a set an open finding is about."""

from __future__ import annotations

from django.db.models import Count

from adjudication.audits.models import Closure
from adjudication.audits.states import CLOSED
from adjudication.standings.models import InstanceSet


def disputed_specs(found: InstanceSet) -> dict[int, int]:
    """Return by instance how many of its specs the closures of open findings name. One query."""
    inside = found.members.exclude(instance=None).order_by().values("instance")
    rows = (
        Closure.objects.filter(instance__in=inside)
        .exclude(finding__state__in=CLOSED)
        .order_by()
        .values("instance")
        .annotate(number=Count("specs", distinct=True))
    )
    return {row["instance"]: row["number"] for row in rows if row["number"]}
