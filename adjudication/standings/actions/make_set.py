"""Make a set of instances, and put instances into it or take them out."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from adjudication.standings.cells import rebuild_cells
from adjudication.standings.models import RESERVED, Cell, InstanceSet, SetMember
from curation.instances.locks import hold_instances
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
    if slug in RESERVED:
        raise BadSet(f"{slug!r} is a word of our addresses; name the set otherwise.")
    instances = list(instances)
    hold_instances(instance.pk for instance in instances)
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
    found = InstanceSet.objects.select_for_update(no_key=True).get(pk=found.pk)
    instances = list(instances)
    held = found.members.values_list("instance", flat=True)
    hold_instances([*held, *(instance.pk for instance in instances)])
    members = {member.name: member for member in found.members.all()}
    new = 0
    for instance in instances:
        if instance.team_id != found.team_id:
            raise BadSet(f"{instance} belongs to another team.")
        current = instance.revisions.get(is_current=True)
        specs = current.spec_count
        member = members.get(instance.slug)
        if member is None:
            SetMember.objects.create(
                set=found,
                name=instance.slug,
                instance=instance,
                specs=specs,
                revision=current.number,
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


@transaction.atomic
def take_out_of_set(user: User | None, found: InstanceSet, member: SetMember) -> bool:
    """Take an instance out of a set and return whether its place is gone. Raises `AccessDenied`.

    A place with reported counts stays, without its instance: what somebody reported is not deleted.
    """
    if user is not None:
        require(user, MAINTAIN, found)
    found = InstanceSet.objects.select_for_update(no_key=True).get(pk=found.pk)
    hold_instances([member.instance_id])
    held = SetMember.objects.filter(pk=member.pk, set=found).first()
    if held is None:
        return True
    reported = held.cells.filter(basis=Cell.REPORTED).exists()
    if reported:
        held.cells.filter(basis=Cell.VERIFIED).delete()
        held.instance = None
        held.save(update_fields=["instance"])
    else:
        held.delete()
    record("set.emptied", user, found, member=held.name, reported=reported)
    return not reported


@transaction.atomic
def set_policy(
    user: User | None,
    found: InstanceSet,
    *,
    name: str,
    description: str,
    choice: str,
    needs_sandbox: bool,
) -> InstanceSet:
    """Return the set with another name, description or policy; its cells follow the policy. Raises `AccessDenied`, `BadSet`."""
    if user is not None:
        require(user, MAINTAIN, found)
    name = " ".join(name.replace("\0", "").split())
    if not name or len(name) > 200:
        raise BadSet("A set needs a name of at most 200 characters.")
    if choice not in dict(InstanceSet.CHOICES):
        raise BadSet(
            f"{choice[:40]!r} is no policy; expected {' or '.join(dict(InstanceSet.CHOICES))}."
        )
    locked = InstanceSet.objects.select_for_update(no_key=True).get(pk=found.pk)
    wanted = {
        "name": name,
        "description": description.replace("\0", "").strip()[:5000],
        "choice": choice,
        "needs_sandbox": needs_sandbox,
    }
    changed = [key for key, value in wanted.items() if getattr(locked, key) != value]
    if not changed:
        return locked
    for key in changed:
        setattr(locked, key, wanted[key])
    locked.save(update_fields=changed)
    if "choice" in changed:
        rebuild_cells(locked)
    record(
        "set.changed",
        user,
        locked,
        changed=changed,
        choice=choice,
        needs_sandbox=needs_sandbox,
    )
    return locked
