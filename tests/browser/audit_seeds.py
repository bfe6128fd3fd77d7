"""A refuted spec, put into the site from outside the browser (`site.seed`)."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse

from curation.instances.models import Definition, Instance, Placement
from tests.adjudication.runs.made import make_configuration, make_run, make_submission


@transaction.atomic
def refute(slug: str) -> str:
    """Have a run refute the first spec of an instance; return the address of the finding."""
    instance = Instance.objects.get(slug=slug)
    revision = instance.revisions.get(is_current=True)
    spec = Placement.objects.filter(revision=revision, kind=Definition.SPEC).first()
    assert spec is not None
    agent = make_configuration(instance.team, "journey")
    run = make_run(
        make_submission(revision, agent),
        {spec.definition.lean_name: "passed:disprove"},
    )
    return reverse("audits:finding", args=[slug, run.closures.get().finding.number])
