"""What the audit adds to the frame, and to what follows from a run."""

from __future__ import annotations

from django.urls import reverse

from adjudication.audits import panels
from adjudication.audits.actions.open_closures import open_closures
from adjudication.audits.actions.repair_finding import settle_repairs
from adjudication.audits.actions.wake_findings import wake_findings
from adjudication.audits.selectors.findings import visible_findings
from adjudication.audits.undoing import all_undoers
from adjudication.runs import consequences
from adjudication.runs.models import GradingRun
from curation.instances import contributions
from curation.reviews.undo import undoers
from workbench.access.objects import Kind, kinds
from workbench.events.telling import Telling, tellings
from workbench.ui.keymap import GO, Key, keymap
from workbench.ui.navigation import Entry, navigation
from workbench.ui.panels import Panel, home_panels


def register() -> None:
    """Add everything. Called once, when the app starts."""
    consequences.consequences.append(_open)
    consequences.published.append(settle_repairs)
    navigation.add(Entry("Audit", "audits:list", order=45, count=panels.waiting))
    keymap.add(Key("g u", "audit queue", GO, "go", "audits:list", order=34))
    home_panels.add(Panel("Audit", "audits/home_panel.html", panels.home_panel, 35))
    contributions.tabs.append(panels.audit_tab)
    contributions.blockers.append(panels.blockers)
    contributions.definition_panels.append(
        contributions.DefinitionPanel(
            "audit", "audits/spec_panel.html", panels.spec_panel
        )
    )
    contributions.after_revision.append(wake_findings)
    undoers.add(*all_undoers())
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
        Telling("finding.merged", "merged {object} into {into}"),
        Telling("finding.apart", "took {object} and {of} apart again"),
        Telling("finding.split", "split {object} from {of}"),
        Telling("finding.claimed", "said by hand that a spec is wrong: {object}"),
        Telling("finding.ruled", "ruled on {object}: {category}, {severity}"),
        Telling("finding.snoozed", "snoozed {object} until its spec changes"),
        Telling("finding.woken", "put {object} back into the queue"),
        Telling("repair.linked", "named r{revision} as the repair of {object}"),
        Telling("finding.verified", "verified the repair of {object}"),
        Telling("repair.declared", "said that r{revision} repairs {object}, unchecked"),
        Telling("repair.checked", "checked r{revision} as the repair of {object}"),
    )


def _open(run: GradingRun) -> None:
    # What is proved of an adaptation is proved with another library: it says nothing for certain about the revision.
    if run.adaptation_id is None:
        open_closures(run)
