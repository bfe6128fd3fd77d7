"""Which names on one side are the same thing as which on the other."""

from __future__ import annotations

from curation.instances.models import Definition, Link, Revision, Use


def counterparts(
    revision: Revision, definition: Definition, links: list[Link]
) -> list[list[str]]:
    """Return groups of names that stand for one thing: a Lean short name, then the items that it translates.

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
    own = [(definition, link) for link in links]
    others = [
        (link.definition, link) for link in near.select_related("definition", "item")
    ]
    for translated, link in [*own, *others]:
        if (
            link.relation == "about"
        ):  # a spec on that item, not the item by another name
            continue
        names.setdefault(translated.short_name, set()).add(link.item.name)
    return [[name, *sorted(items)] for name, items in sorted(names.items())]
