"""Findings that a person may see."""

from __future__ import annotations

from django.db.models import QuerySet

from adjudication.audits.models import Finding
from curation.instances.models import Instance
from workbench.access.rights import Person


def visible_findings(user: Person) -> QuerySet[Finding]:
    """Return the findings of the instances that `user` may see."""
    return Finding.objects.filter(instance__in=Instance.objects.visible_to(user))
