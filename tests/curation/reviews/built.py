"""Builds of the tiny instance with made-up terms, and texts of its helper that compile to the same or to something else."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from curation.instances.actions.publish_terms import Compiled, publish_terms
from curation.instances.models import Revision
from tests.curation.reviews.made import CONS_LINE

#: `cons` with another name for its variable, and as something else.
RENAMED = CONS_LINE.replace("n :: xs", "m :: xs").replace("(n :", "(m :")
OTHER = CONS_LINE.replace("n :: xs", "xs ++ [n]")
SAME: Mapping[str, str] = {}


def build(
    revision: Revision,
    terms: Mapping[str, str] = SAME,
    *,
    kind: str = "pocket",
    grader: str = "grader",
) -> int:
    """Publish made-up terms of all definitions of `revision`: those of its names, but for `terms` by name."""
    placed = revision.placements.select_related("definition")
    told = {
        (row.definition.path, name): terms.get(name, f"term of {name}")
        for row in placed
        if (name := row.definition.lean_name)
    }
    compiled = Compiled(kind, "4.35.0", f"digest of {kind}", grader, "scheme", told)
    with transaction.atomic():
        return publish_terms(revision, compiled)
