"""Say how many approvals a kind of definition needs in an instance."""

from __future__ import annotations

from django.db import transaction

from curation.instances.models import Definition, Instance
from curation.reviews.entries import refresh_entries
from curation.reviews.models import QueueEntry, ReviewPolicy
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.events.log import record

#: What needs approval at all.
REVIEWED_KINDS = {
    kind: words for kind, words in Definition.KINDS if kind != Definition.HARNESS
}


@transaction.atomic
def set_policy(
    person: User, instance: Instance, kind: str, approvals: int
) -> ReviewPolicy:
    """Return the policy: definitions of `kind` in `instance` need so many `approvals`, none, one or two.

    What waits and what is approved follows at once. Raises `AccessDenied`, ValueError.
    """
    if kind not in REVIEWED_KINDS:
        raise ValueError(
            f"kind is {kind!r}; expected one of {', '.join(REVIEWED_KINDS)}"
        )
    if approvals not in range(ReviewPolicy.MOST + 1):
        raise ValueError(f"approvals is {approvals}; expected 0, 1 or 2")
    current = Instance.objects.select_for_update(no_key=True).get(pk=instance.pk)
    require(person, MAINTAIN, current)
    policy, _ = ReviewPolicy.objects.get_or_create(instance=current, kind=kind)
    before = policy.approvals
    if before == approvals:
        return policy
    policy.approvals = approvals
    policy.save(update_fields=["approvals"])
    of_kind = QueueEntry.objects.filter(instance=current, kind=kind)
    refresh_entries(of_kind.values_list("definition_id", flat=True))
    record("policy.set", person, current, kind=kind, approvals=approvals, before=before)
    return policy
