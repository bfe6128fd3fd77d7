"""Specs with what they are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from curation.instances.models import Definition, Link, Placement, Revision, Use
from curation.instances.selectors.definitions import standing_links_of


@dataclass(frozen=True)
class SpecRow:
    """One spec, the APIs it mentions, and its upstream counterparts."""

    placement: Placement
    apis: list[Definition]
    links: list[Link]


def spec_rows(revision: Revision, specs: Sequence[Placement]) -> list[SpecRow]:
    """Return `specs` with their APIs and links. Two queries."""
    apis: dict[int, list[Definition]] = defaultdict(list)
    uses = Use.objects.filter(
        revision=revision,
        user__in=[row.definition_id for row in specs],
        used__placements__revision=revision,
        used__placements__kind=Definition.API,
    ).select_related("used")
    for use in uses.order_by("used__lean_name"):
        apis[use.user_id].append(use.used)
    links = standing_links_of(row.definition_id for row in specs)
    return [
        SpecRow(row, apis[row.definition_id], links.get(row.definition_id, []))
        for row in specs
    ]
