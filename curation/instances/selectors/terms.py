"""What the compiled terms of a revision say, as far as it was built."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Max

from curation.instances.meaning import Under
from curation.instances.models import (
    Definition,
    DefinitionTerm,
    Placement,
    Revision,
    TermBuild,
)

Key = tuple[str, str]
"""How a build names a definition: the path of its file and its full Lean name."""


@dataclass(frozen=True)
class Compilation:
    """How many of a revision's definitions Lean was seen to compile, and which files it was seen to refuse.

    `total` are all of them, those of the harness too; `by_toolchain` (its name, how many) is what each told of.
    """

    told: int
    total: int
    failed: tuple[str, ...] = ()
    by_toolchain: tuple[tuple[str, int], ...] = ()

    @property
    def left(self) -> int:
        """How many definitions no build has told of."""
        return self.total - self.told

    @property
    def partly(self) -> bool:
        """Whether another build may tell more."""
        return self.left > 0 or bool(self.failed)


def compilation(revision: Revision) -> Compilation:
    """Return how much of `revision` was compiled: by the toolchain that told of most, not by several together. Two queries."""
    rows = list(
        TermBuild.objects.filter(revision=revision)
        .values("toolchain", "toolchain_digest")
        .annotate(told=Count("terms__definition", distinct=True), refused=Max("failed"))
        .order_by("toolchain", "toolchain_digest")
    )
    told = max((row["told"] for row in rows), default=0)
    refused = sorted(
        {path for row in rows for path in row["refused"].split("\n") if path}
    )
    return Compilation(
        told,
        revision.placements.count(),
        tuple(refused),
        tuple((row["toolchain"], row["told"]) for row in rows),
    )


def terms_of(
    revision: Revision, only: Definition | None = None
) -> dict[int, dict[Under, DefinitionTerm]]:
    """Return by definition the term that tells what it means, for each toolchain and scheme. One query.

    A definition that builds of one toolchain tell differently is left out there, and so is one whose term does not say it.
    """
    rows = DefinitionTerm.objects.filter(build__revision=revision)
    if only is not None:
        rows = rows.filter(definition=only)
    told: dict[tuple[int, Under], list[DefinitionTerm]] = defaultdict(list)
    for row in rows.select_related("build").order_by("pk"):
        told[row.definition_id, row.build.under].append(row)
    found: dict[int, dict[Under, DefinitionTerm]] = defaultdict(dict)
    for (definition, under), several in told.items():
        if len({row.term_hash for row in several}) == 1 and several[0].term_hash:
            found[definition][under] = several[0]
    return dict(found)


def definitions_by_key(revision: Revision) -> dict[Key, int]:
    """Return the definitions of `revision` that a build can name. One query.

    Names that a file has twice are left out: a build could not tell which is meant.
    """
    rows = Placement.objects.filter(revision=revision).values_list(
        "definition__path", "definition__lean_name", "definition_id"
    )
    found: dict[Key, int] = {}
    twice: set[Key] = set()
    for path, name, pk in rows:
        if (path, name) in found:
            twice.add((path, name))
        found[path, name] = pk
    return {key: pk for key, pk in found.items() if key not in twice}


def untold(revision: Revision, under: Under) -> set[Key]:
    """Return which definitions of `revision` no build under this toolchain and scheme has told of. Two queries."""
    told = set(
        DefinitionTerm.objects.filter(
            build__revision=revision,
            build__toolchain_digest=under[0],
            build__scheme=under[1],
        ).values_list("definition_id", flat=True)
    )
    return {key for key, pk in definitions_by_key(revision).items() if pk not in told}
