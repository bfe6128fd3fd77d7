"""Write what was read in an instance as the rows of a revision. Part of an import, never called alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curation.instances.meaning import (
    beside_term,
    meanings,
    own_hash,
    unseen_hashes,
)
from curation.instances.models import (
    Definition,
    Module,
    Placement,
    Reliance,
    Revision,
    RevisionFinding,
    Translation,
    Use,
)
from curation.instances.reading import DefinitionRecord, Reading
from workbench.access.models import User

_BATCH = 500
Key = tuple[str, str, int]


@dataclass(frozen=True)
class Differences:
    """How many definitions a revision added, changed and removed against its parent."""

    added: int
    changed: int
    removed: int


def write_rows(
    user: User | None, revision: Revision, reading: Reading, *, origin: str = "import"
) -> Differences:
    """Write modules, definitions, translations, placements, uses and findings of `revision`; return what differs.

    Texts that are new come from `user`, by way of `origin`.
    """
    _write_modules(revision, reading)
    _write_findings(revision, reading)
    records = reading.definitions
    definitions = _definitions(revision, records)
    translations, changed = _translations(user, definitions, records, origin)
    own = {
        number: own_hash(record.text, record.around)
        for number, record in enumerate(records)
    }
    relied_on = _relied_on(reading)
    means = meanings(own, relied_on)
    beside = unseen_hashes(
        {
            number: beside_term(
                record.name, record.keyword, record.text, record.around, means[number]
            )
            for number, record in enumerate(records)
        },
        relied_on,
    )
    Placement.objects.bulk_create(
        (
            Placement(
                revision=revision,
                definition=definitions[record.key],
                translation=translations[record.key],
                kind=record.kind,
                module=record.module,
                line_start=record.line_start,
                line_end=record.line_end,
                position=position,
                own_hash=own[position],
                meaning_hash=means[position],
                unseen_hash=beside[position],
            )
            for position, record in enumerate(records)
        ),
        batch_size=_BATCH,
    )
    Use.objects.bulk_create(
        (
            Use(
                revision=revision,
                user=definitions[records[use.user].key],
                used=definitions[records[use.used].key],
                through_impl=use.through_impl,
                indirect=use.indirect,
            )
            for use in reading.uses
        ),
        batch_size=_BATCH,
    )
    Reliance.objects.bulk_create(
        (
            Reliance(
                revision=revision,
                user=definitions[records[user].key],
                used=definitions[records[used].key],
            )
            for user, used in reading.unsaid
        ),
        batch_size=_BATCH,
    )
    return _differences(revision, definitions, changed)


def _write_modules(revision: Revision, reading: Reading) -> None:
    Module.objects.bulk_create(
        Module(
            revision=revision,
            position=position,
            name=module.name,
            package=package.name,
            impl_path=module.impl or "",
            spec_path=module.spec or "",
            api_count=len(module.apis),
            spec_count=len(module.specs),
        )
        for position, (package, module) in enumerate(reading.instance.manifest.modules)
    )


def _write_findings(revision: Revision, reading: Reading) -> None:
    RevisionFinding.objects.bulk_create(
        (
            RevisionFinding(
                revision=revision,
                code=finding.id,
                severity=finding.severity,
                path=finding.path,
                line=finding.line,
                message=finding.message,
            )
            for finding in reading.findings
        ),
        batch_size=_BATCH,
    )


def _definitions(
    revision: Revision, records: Sequence[DefinitionRecord]
) -> dict[Key, Definition]:
    """Return the definitions by key, the missing ones made."""
    rows = (
        Definition.objects.filter(instance=revision.instance)
        if revision.number > 1
        else ()
    )
    found = {(row.path, row.lean_name, row.ordinal): row for row in rows}
    made = [
        Definition(
            instance=revision.instance,
            path=record.path,
            lean_name=record.name,
            ordinal=record.ordinal,
        )
        for record in records
        if record.key not in found
    ]
    Definition.objects.bulk_create(made, batch_size=_BATCH)
    found.update({(row.path, row.lean_name, row.ordinal): row for row in made})
    return found


def _translations(
    user: User | None,
    definitions: dict[Key, Definition],
    records: Sequence[DefinitionRecord],
    origin: str,
) -> tuple[dict[Key, Translation], set[int]]:
    """Return the translation of each record, new versions made where the text differs, and what got one anew."""
    wanted = {definitions[record.key].pk for record in records}
    known = Translation.objects.filter(
        is_current=True, definition__in=definitions.values()
    ).defer("text")
    if len(definitions) > 500:  # a long list of ids costs more than the whole instance
        instance = next(iter(definitions.values())).instance_id
        known = Translation.objects.filter(
            is_current=True, definition__instance=instance
        ).defer("text")
    current = {row.definition_id: row for row in known if row.definition_id in wanted}
    made: dict[Key, Translation] = {}
    kept: dict[Key, Translation] = {}
    changed: set[int] = set()
    for record in records:
        definition = definitions[record.key]
        before = current.get(definition.pk)
        if before is not None and before.text_hash == record.text_hash:
            kept[record.key] = before
            continue
        if before is not None:
            changed.add(definition.pk)
        made[record.key] = Translation(
            definition=definition,
            number=before.number + 1 if before else 1,
            lean_keyword=record.keyword,
            text=record.text,
            text_hash=record.text_hash,
            doc=record.doc,
            signature=record.signature,
            origin=origin,
            author=user,
        )
    for start in range(0, len(changed), _BATCH):
        some = sorted(changed)[start : start + _BATCH]
        Translation.objects.filter(definition__in=some, is_current=True).update(
            is_current=False
        )
    Translation.objects.bulk_create(made.values(), batch_size=_BATCH)
    return {**kept, **made}, changed


def _relied_on(reading: Reading) -> dict[int, list[int]]:
    """Return what each definition relies on, named or not."""
    found: dict[int, list[int]] = {}
    for use in reading.uses:
        if not use.indirect:
            found.setdefault(use.user, []).append(use.used)
    for user, used in reading.unsaid:
        found.setdefault(user, []).append(used)
    return found


def _differences(
    revision: Revision, definitions: dict[Key, Definition], changed: set[int]
) -> Differences:
    rows = Placement.objects.filter(revision=revision).exclude(kind=Definition.HARNESS)
    now = set(rows.values_list("definition_id", flat=True))
    before: set[int] = set()
    if revision.parent_id is not None:
        old = Placement.objects.filter(revision=revision.parent_id).exclude(
            kind=Definition.HARNESS
        )
        before = set(old.values_list("definition_id", flat=True))
    differences = Differences(
        len(now - before), len(changed & now & before), len(before - now)
    )
    Revision.objects.filter(pk=revision.pk).update(
        definition_count=len(now),
        added=differences.added,
        changed=differences.changed,
        removed=differences.removed,
    )
    revision.definition_count = len(now)
    return differences
