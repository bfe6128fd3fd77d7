"""A snoozed finding wakes when what its specs mean changes. Follows each new revision."""

from __future__ import annotations

from adjudication.audits.actions.settle_finding import meaning_of
from adjudication.audits.models import Finding
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.events.log import record


def wake_findings(by: User | None, revision: Revision) -> None:
    """Put the snoozed findings of the instance of `revision` back into the queue whose specs mean something else now."""
    snoozed = (
        Finding.objects.select_for_update(no_key=True)
        .filter(instance=revision.instance_id)
        .exclude(snoozed_hash="")
        .order_by("pk")
    )
    for finding in snoozed:
        if meaning_of(finding) == finding.snoozed_hash:
            continue
        finding.snoozed_hash = ""
        finding.save(update_fields=["snoozed_hash"])
        record("finding.woken", by, finding, implicit=True, revision=revision.number)
