"""What boards add to the pages of an instance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.urls import reverse

from adjudication.runs.models import GradingRun
from adjudication.standings.selectors.dashboard import dashboard
from curation.instances.contributions import Tab
from curation.instances.models import Revision

DRAWN = 12


def grades_tab(revision: Revision) -> Iterable[Tab]:
    """Return the tab of an instance, with the number of its current runs. One query."""
    number = GradingRun.objects.filter(
        instance=revision.instance_id, is_current=True, submission__hidden=False
    ).count()
    url = reverse("grades:instance", args=[revision.instance.slug])
    yield Tab("grades", "Grades", url, number)


def grades_panel(revision: Revision) -> dict[str, Any] | None:
    """Return what the overview shows of the grades; nothing where none is. One query, six where something moved."""
    dash = dashboard(revision, rows=DRAWN)
    return {"dash": dash} if dash.runs else None
