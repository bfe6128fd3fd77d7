"""Make a set of instances, and put instances into it or take them out."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from adjudication.standings.cells import rebuild_cells
from adjudication.standings.models import InstanceSet, SetMember
from curation.instances.models import Instance
from workbench.access.models import Team, User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.events.log import record


class BadSet(Exception):
    """The set cannot be made or changed so. The text says why."""


@transaction.atomic
def make_set(
    user: User | None, team: Team, name: str, instances: Iterable[Instance] = ()
) -> InstanceSet:
    """Return a new set of `team` with `instances`. Raises `AccessDenied`, `BadSet`."""
    if user is not None:
        require(user, MAINTAIN, team)
    slug = slugify(name)[:100]
    if not slug:
        raise BadSet(f"{name!r} is no name for a set; expected letters and digits.")
    try:
        with transaction.atomic():
            made = InstanceSet.objects.create(team=team, slug=slug, name=name[:200])
    except IntegrityError:
        raise BadSet(f"There is a set {slug} already.") from None
    record("set.made", user, made)
    put_into_set(user, made, instances)
    return made


@transaction.atomic
def put_into_set(
    user: User | None, found: InstanceSet, instances: Iterable[Instance]
) -> int:
    """Put `instances` into a set and return how many are new in it. Raises `AccessDenied`, `BadSet`.

    A member of that name without an instance (from reported results) gets it, if it has as many specs.
    """
    if user is not None:
        require(user, MAINTAIN, found)
    found = InstanceSet.objects.select_for_update().get(pk=found.pk)
    members = {member.name: member for member in found.members.all()}
    new = 0
    for instance in instances:
        if instance.team_id != found.team_id:
            raise BadSet(f"{instance} belongs to another team.")
        specs = instance.revisions.get(is_current=True).spec_count
        member = members.get(instance.slug)
        if member is None:
            SetMember.objects.create(
                set=found,
                name=instance.slug,
                instance=instance,
                specs=specs,
                track=instance.track,
            )
        elif member.instance_id == instance.pk:
            continue
        elif member.specs != specs:
            raise BadSet(
                f"{member.name} has {member.specs} specs in the set, the instance {specs}."
            )
        else:
            SetMember.objects.filter(pk=member.pk).update(instance=instance)
        new += 1
    if new:
        rebuild_cells(found)
        record("set.filled", user, found, instances=new)
    return new
