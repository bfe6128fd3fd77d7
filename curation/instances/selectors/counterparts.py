"""Which names on one side are the same thing as which on the other."""

from __future__ import annotations

from collections.abc import Iterable

from curation.instances.models import Definition, Link, Revision, Use


def near_links(revision: Revision, definition: Definition) -> list[Link]:
    """Return the links of what `definition` uses or is used by, with definition and item. Two queries."""
    edges = Use.objects.filter(revision=revision)
    around = (
        edges.filter(user=definition)
        .values("used")
        .union(edges.filter(used=definition).values("user"))
    )
    near = Link.objects.filter(
        definition__in=[row["used"] for row in around], rejected=False
    )
    return list(near.select_related("definition", "item"))


def counterparts(
    definition: Definition, own: Iterable[Link], near: Iterable[Link]
) -> list[list[str]]:
    """Return groups of names that stand for one thing: a Lean short name, then the items that it translates.

    `own` are the links of `definition`, `near` those of what is around it. A link to an item that a spec is about is
    not that item by another name.
    """
    names: dict[str, set[str]] = {}
    for translated, link in [
        *((definition, link) for link in own),
        *((link.definition, link) for link in near),
    ]:
        if link.relation != "about":
            names.setdefault(translated.short_name, set()).add(link.item.name)
    return [[name, *sorted(items)] for name, items in sorted(names.items())]
