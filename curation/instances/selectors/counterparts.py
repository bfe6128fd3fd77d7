"""Which names on one side are the same thing as which on the other."""

from __future__ import annotations

from curation.instances.models import Definition, Link, Revision, Use


def counterparts(
    revision: Revision, definition: Definition, links: list[Link]
) -> dict[str, list[str]]:
    """Return the names of the items by the Lean short name that translates them.

    Covers `definition` and what it uses or is used by. One query.
    """
    edges = Use.objects.filter(revision=revision)
    around = (
        edges.filter(user=definition)
        .values("used")
        .union(edges.filter(used=definition).values("user"))
    )
    near = Link.objects.filter(
        definition__in=[row["used"] for row in around], rejected=False
    )
    names: dict[str, set[str]] = {}
    for link in [*links, *near.select_related("definition", "item")]:
        if (
            link.relation == "about"
        ):  # a spec on that item, not the item under another name
            continue
        names.setdefault(link.definition.short_name, set()).add(link.item.name)
    return {name: sorted(others) for name, others in sorted(names.items())}
