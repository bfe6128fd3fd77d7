"""Where a person may report a wrong spec."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from adjudication.audits.actions.claim_finding import RIGHTS
from curation.instances.models import Instance
from workbench.access.rights import Person


def claimable_instances(user: Person) -> QuerySet[Instance]:
    """Return the instances of which `user` may report specs. One query."""
    found = Q()
    for right in sorted(RIGHTS):
        found |= Q(pk__in=Instance.objects.visible_to(user, right).values("pk"))
    return Instance.objects.filter(found).order_by("slug")


def may_claim_somewhere(user: Person) -> bool:
    """Return whether there is such an instance. One query."""
    return claimable_instances(user).exists()
