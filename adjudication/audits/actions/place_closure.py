"""Into which finding a closure goes: by the rule, unless people said otherwise. Part of an act that holds the instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudication.audits.grouping import Group
from adjudication.audits.models import Closure, Finding, NotSame
from curation.instances.models import Definition, Instance

SAID = "said to be "
_MOST_NAMED = 200  # characters


@dataclass(frozen=True)
class Placed:
    """The finding of a closure, and why it is that one in words."""

    finding: Finding
    because: str


def place_closure(
    instance: Instance,
    group: Group,
    *,
    route: str,
    specs: Sequence[Definition],
    proof_hash: str,
) -> Placed:
    """Return the finding for a closure of `group`, made if there is none yet.

    A proof that somebody split from the group stays where it was put; a finding that was merged leads to the other one.
    `proof_hash` is "" where no text of the proof is known, by which nothing is recognised.
    """
    parted = (
        NotSame.objects.filter(
            group_key=group.key,
            closure__instance=instance,
            closure__route=route,
            closure__proof_hash=proof_hash or "-",
        )
        .select_related("closure__finding", "by")
        .order_by("-pk")
        .first()
    )
    if parted is not None:
        found = _held(parted.closure.finding_id)
        return Placed(found, f"{parted.by.username} set this very proof apart")
    first = (
        Finding.objects.filter(instance=instance, group_key=group.key)
        .order_by("pk")
        .first()
    )
    if first is None:
        made = make_finding(instance, group.key, group.rule, route=route, specs=specs)
        return Placed(made, group.because)
    found = _held(first.pk)
    if not found.closures.exclude(run=None).exists() and found.closures.exists():
        # A claim until now: this closure proves it.
        found.title = title_of(route, specs)
        found.save(update_fields=["title"])
    if found.pk != first.pk:
        return Placed(found, f"{group.because}; F-{first.number} was merged into this")
    return Placed(found, group.because)


def make_finding(
    instance: Instance,
    key: str,
    rule: str,
    *,
    route: str,
    specs: Sequence[Definition],
    claimed: bool = False,
) -> Finding:
    """Return a new finding of `instance` with the next number; its title says where it is only `claimed`."""
    last = Finding.objects.filter(instance=instance).order_by("-number").first()
    return Finding.objects.create(
        instance=instance,
        number=last.number + 1 if last else 1,
        route=route,
        title=title_of(route, specs, SAID if claimed else ""),
        rule=rule,
        group_key=key,
        severity="high" if route != "unsat" else "medium",
    )


def title_of(route: str, specs: Sequence[Definition], said: str = "") -> str:
    """Return the title of a finding: its specs, and what was found of them."""
    shown = ", ".join(spec.short_name for spec in specs)
    words = dict(Closure.ROUTES)[route]
    return f"{shown[:_MOST_NAMED]}: {said}{words}"


def say_what_is_proved(finding: Finding) -> None:
    """Have the title of `finding` say "said to be" exactly where none of its closures proves it: after closures moved.

    A proof of another spec or route, which was merged into it, does not prove what its title says.
    """
    words = dict(Closure.ROUTES)[finding.route]
    head = finding.title.removesuffix(f": {words}").removesuffix(f": {SAID}{words}")
    named = head.split(", ") if len(head) < _MOST_NAMED else head.split(", ")[:-1]
    closures = list(finding.closures.prefetch_related("specs"))
    proved = any(
        closure.is_proved
        and closure.route == finding.route
        and {spec.short_name for spec in closure.specs.all()} >= set(named)
        for closure in closures
    )
    title = f"{head}: {words if proved or not closures else SAID + words}"
    if title != finding.title:
        Finding.objects.filter(pk=finding.pk).update(title=title)
        finding.title = title


def _held(pk: int) -> Finding:
    """Return a finding locked, or the one into which it was merged, however often."""
    rows = Finding.objects.select_for_update(of=("self",), no_key=True)
    found = rows.select_related("instance__team").get(pk=pk)
    seen = {pk}
    while found.state == Finding.DUPLICATE and found.duplicate_of_id is not None:
        if found.duplicate_of_id in seen:
            break
        seen.add(found.duplicate_of_id)
        found = rows.select_related("instance__team").get(pk=found.duplicate_of_id)
    return found
