"""What the audit adds to the frame, and to what follows from a run."""

from __future__ import annotations

from django.urls import reverse

from adjudication.audits.actions.open_closures import open_closures
from adjudication.audits.actions.repair_finding import settle_repairs
from adjudication.audits.selectors.findings import visible_findings
from adjudication.runs import consequences
from adjudication.runs.models import GradingRun
from workbench.access.objects import Kind, kinds
from workbench.events.telling import Telling, tellings


def register() -> None:
    """Add everything. Called once, when the app starts."""
    consequences.consequences.append(_open)
    consequences.published.append(settle_repairs)
    kinds.add(
        Kind("finding", lambda pk: reverse("audits:by_id", args=[pk]), visible_findings)
    )
    tellings.add(
        Telling("closure.opened", "found {theorem}: {object}"),
        Telling("finding.reopened", "opened {object} again"),
        Telling("finding.triaged", "looked at {object}"),
        Telling("finding.assigned", "gave {object} to {to}"),
        Telling("finding.needs_evidence", "asked for evidence for {object}"),
        Telling("finding.dismissed", "dismissed {object}: {code}"),
        Telling("finding.duplicate", "marked {object} as a duplicate of {of}"),
        Telling("finding.ruled", "ruled on {object}: {category}, {severity}"),
        Telling("finding.snoozed", "snoozed {object} until its spec changes"),
        Telling("finding.woken", "put {object} back into the queue"),
        Telling("repair.linked", "named r{revision} as the repair of {object}"),
        Telling("finding.verified", "verified the repair of {object}"),
        Telling("repair.checked", "checked r{revision} as the repair of {object}"),
    )


def _open(run: GradingRun) -> None:
    open_closures(run)
