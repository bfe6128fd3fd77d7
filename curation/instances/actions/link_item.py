"""Link a definition to a source item by hand, or say that they do not belong together. Both stay for good."""

from __future__ import annotations

from django.db import transaction

from curation.instances.contributions import after_links
from curation.instances.models import Definition, Instance, Item, Link
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import CURATE
from workbench.events.log import record


class ForeignItem(Exception):
    """The item belongs to the source of another instance."""


@transaction.atomic
def link_item(
    user: User,
    definition: Definition,
    item: Item,
    *,
    relation: str = "counterpart",
    reason: str = "",
) -> Link:
    """Return the link by hand between `definition` and `item`; a machine's link or a rejection is replaced.

    Raises `AccessDenied`, `ForeignItem`, ValueError for an unknown `relation`.
    """
    if relation not in dict(Link.RELATIONS):
        raise ValueError(
            f"relation is {relation!r}; expected one of {', '.join(dict(Link.RELATIONS))}"
        )
    return _decide(user, definition, item, relation, reason, rejected=False)


@transaction.atomic
def unlink_item(
    user: User, definition: Definition, item: Item, *, reason: str = ""
) -> Link:
    """Return the link marked as rejected: no later import links the two again. Raises as `link_item`."""
    return _decide(user, definition, item, "counterpart", reason, rejected=True)


def _as_of_now(instance: Instance, item: Item) -> Item:
    """Return the same item (file and name) of the current source: a page may be older than the last import."""
    source = instance.revisions.get(is_current=True).source
    if source is None or item.source_id == source.pk:
        return item
    same = source.items.filter(path=item.path, qualified_name=item.qualified_name)
    return same.first() or item


def _decide(
    user: User,
    definition: Definition,
    item: Item,
    relation: str,
    reason: str,
    *,
    rejected: bool,
) -> Link:
    locked = Instance.objects.select_for_update(no_key=True)
    instance = locked.get(pk=definition.instance_id)
    require(user, CURATE, instance)
    if item.source.instance_id != instance.pk:
        raise ForeignItem(f"{item} is not an item of {instance}'s source")
    item = _as_of_now(instance, item)
    link, _ = Link.objects.update_or_create(
        definition=definition,
        item=item,
        defaults={
            "relation": relation,
            "basis": Link.BY_HAND,
            "confidence": "certain",
            "note": "",
            "rejected": rejected,
            "by": user,
        },
    )
    revision = instance.revisions.get(is_current=True)
    for follow in after_links:
        follow(revision, definition)
    verb = "item.unlinked" if rejected else "item.linked"
    name = item.qualified_name
    record(verb, user, definition, reason=reason, item=name, relation=relation)
    return link
