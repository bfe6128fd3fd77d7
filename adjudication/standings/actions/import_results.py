"""Import reported results: counts that somebody published, without proofs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from adjudication.runs.actions.name_configuration import BadName, name_configuration
from adjudication.runs.models import Configuration
from adjudication.standings.cells import rebuild_cells
from adjudication.standings.models import (
    RESERVED,
    Cell,
    InstanceSet,
    ReportedSpend,
    SetMember,
)
from adjudication.standings.results_csv import Column, Results, Row, TableError
from curation.instances.models import Instance, Revision
from workbench.access.models import Team, User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.events.log import record


@dataclass(frozen=True)
class Reported:
    """What an import did: cells written, and the set that holds them. `made` is whether the set is new."""

    set: InstanceSet
    made: bool
    cells: int
    members: int


@transaction.atomic
def import_results(
    user: User | None,
    team: Team,
    name: str,
    results: Results,
    costs: Mapping[str, Decimal] | None = None,
) -> Reported:
    """Return what importing `results` into the set `name` did; reported cells of the same places are replaced.

    A set that is there already keeps its members: a table with other instances or other denominators is refused.
    Raises `AccessDenied`, TableError.
    """
    if user is not None:
        require(user, MAINTAIN, team)
    board, made = _set(team, name)
    members = _members(board, results, made)
    agents = {
        column.key: _configuration(user, team, column) for column in results.columns
    }
    modes = {column.key: column.mode for column in results.columns}
    for key, agent in agents.items():
        board.cells.filter(
            configuration=agent, mode=modes[key], basis=Cell.REPORTED
        ).delete()
    cells = Cell.objects.bulk_create(
        (
            Cell(
                set=board,
                member=members[row.name],
                configuration=agents[key],
                mode=modes[key],
                basis=Cell.REPORTED,
                passed=passed,
                specs=row.specs,
            )
            for row in results.rows
            for key, passed in row.passed.items()
        ),
        batch_size=500,
    )
    for key, cost in (costs or {}).items():
        ReportedSpend.objects.update_or_create(
            set=board,
            configuration=agents[key],
            mode=modes[key],
            defaults={"cost_usd": cost},
        )
    record("results.imported", user, board, cells=len(cells), rows=len(results.rows))
    return Reported(board, made, len(cells), len(members))


def _configuration(user: User | None, team: Team, column: Column) -> Configuration:
    """Return the configuration of a column: as boards print it, "harness / model / effort", it is the one that is graded."""
    parts = column.name.split(" / ")
    if len(parts) > 3:
        raise TableError(
            f"line 1, column {column.key}: expected at most harness / model / effort"
        )
    try:
        return name_configuration(user, team, *parts)
    except BadName as error:
        raise TableError(f"line 1, column {column.key}: {error}") from None


def _set(team: Team, name: str) -> tuple[InstanceSet, bool]:
    slug = slugify(name)[:100]
    if not slug:
        raise TableError(f"{name!r} is no name for a set; expected letters and digits")
    if slug in RESERVED:
        raise TableError(f"{slug!r} is a word of our addresses; name the set otherwise")
    known = InstanceSet.objects.select_for_update(no_key=True).filter(slug=slug).first()
    if known is None:
        try:
            with transaction.atomic():
                made = InstanceSet.objects.create(team=team, slug=slug, name=name[:200])
        except IntegrityError:
            raise TableError(
                f"somebody else made the set {slug} just now; import again"
            ) from None
        return made, True
    if known.team_id != team.pk:
        raise TableError(f"the set {slug} belongs to another team")
    return known, False


def _members(board: InstanceSet, results: Results, made: bool) -> dict[str, SetMember]:
    if made:
        _make_members(board, results)
    members = {member.name: member for member in board.members.all()}
    for row in results.rows:
        member = members.get(row.name)
        if member is None:
            raise TableError(
                f"line {row.line}, column instance: {row.name} is no instance of the set {board.slug}"
            )
        if member.specs != row.specs:
            raise TableError(
                f"line {row.line}, column specs: {row.name} has {row.specs} specs in the table, {member.specs} in the set {board.slug}"
            )
    return members


def _make_members(board: InstanceSet, results: Results) -> None:
    """Make the places of a new set, each with the instance of the team that is called so and has as many specs.

    What was graded of those instances counts on the board at once.
    """
    names = {row.name: slugify(row.name) for row in results.rows}
    known = Instance.objects.filter(
        team=board.team, slug__in={*names, *names.values()}, hidden=False
    )
    instances = {row.slug: row for row in known}
    current = {
        revision.instance_id: revision
        for revision in Revision.objects.filter(instance__in=known, is_current=True)
    }
    taken: dict[int, Row] = {}
    members = []
    for row in results.rows:
        instance = instances.get(names[row.name]) or instances.get(row.name)
        if instance is not None:
            if other := taken.get(instance.pk):
                raise TableError(
                    f"line {row.line}, column instance: {row.name} is the instance {instance.slug}, which is in line {other.line} as {other.name}"
                )
            taken[instance.pk] = row
            if current[instance.pk].spec_count != row.specs:
                instance = None  # the table is of another version
        members.append(
            SetMember(
                set=board,
                name=row.name,
                track=row.track,
                specs=row.specs,
                instance=instance,
            )
        )
    SetMember.objects.bulk_create(members, batch_size=500)
    if taken:
        rebuild_cells(board)
