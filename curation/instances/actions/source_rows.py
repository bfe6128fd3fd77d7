"""Settle which source a revision comes from, its items, and the links to its definitions. Part of an import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from curation.instances.models import (
    Definition,
    Item,
    Link,
    LinkGap,
    Revision,
    Source,
)
from curation.instances.reading import Reading, SourceReading, read_source
from curation.sources.items import SourceItem
from curation.sources.licences import licence_in
from curation.sources.registry import language
from workbench.content.models import Snapshot
from workbench.content.trees import read_tree, store_tree

_BATCH = 500
MOST_CANDIDATES = 12
ItemKey = tuple[str, str, str, int, int]
DefinitionKey = tuple[str, str, int]


@dataclass(frozen=True)
class SourceChange:
    """The source of a revision, and how many definitions are linked or could not be."""

    source: Source | None
    linked: int
    unlinked: int


def settle_source(
    revision: Revision, reading: Reading, files: Mapping[str, bytes] | None
) -> SourceChange:
    """Give `revision` its source, items and links. `files` None: those of the source it had, if the pin is the same.

    What a person linked or rejected stays; a machine's links are made anew.
    """
    previous = revision.source or (revision.parent.source if revision.parent else None)
    source = _source(revision, previous, reading, files)
    revision.source = source
    if source is None or source.snapshot is None:
        revision.save(update_fields=["source"])
        return SourceChange(source, 0, 0)
    found = read_source(reading, read_tree(source.snapshot) if files is None else files)
    items = _items(source, found)
    if source.partly_read != found.partly:
        source.partly_read = found.partly
        source.save(update_fields=["partly_read"])
    if previous is not None and previous.pk != source.pk:
        _carry_decisions(previous, source)
    linked, unlinked = _write_links(revision, source, found, items)
    revision.item_count = len(items)
    revision.save(update_fields=["source", "item_count"])
    return SourceChange(source, linked, unlinked)


def _source(
    revision: Revision,
    previous: Source | None,
    reading: Reading,
    files: Mapping[str, bytes] | None,
) -> Source | None:
    named = reading.instance.manifest.source
    known = language(named.language)
    licence = licence_in(reading.instance.files) or licence_in(files or {})
    pin = {
        "repository_url": named.repo_url,
        "commit": named.commit_hash,
        "paths": "\n".join(named.paths),
        "language": known.id if known else named.language.lower(),
    }
    snapshot: Snapshot | None = store_tree(files) if files is not None else None
    if previous is not None and all(
        getattr(previous, key) == value for key, value in pin.items()
    ):
        if snapshot is None or previous.snapshot_id == snapshot.pk:
            return previous
        if previous.snapshot_id is None:
            previous.snapshot = snapshot
            previous.licence = licence
            previous.save(update_fields=["snapshot", "licence"])
            return previous
    if snapshot is None and not any(pin.values()):
        return None
    return Source.objects.create(
        instance=revision.instance,
        track=known.track if known else 2,
        licence=licence,
        snapshot=snapshot,
        **pin,
    )


def _key(item: Item | SourceItem) -> ItemKey:
    return item.path, item.qualified_name, item.kind, item.line_start, item.line_end


def _items(source: Source, found: SourceReading) -> dict[ItemKey, Item]:
    """Return the items of `source` by key; written once, since a source's files never change."""
    known = {_key(row): row for row in source.items.defer("doc", "signature")}
    if known:
        return known
    scope = frozenset(found.inventory.preferred)
    made = {
        _key(item): Item(
            source=source,
            kind=item.kind[:32],
            category=item.category,
            name=item.name[:300],
            qualified_name=item.qualified_name[:500],
            path=item.path,
            line_start=item.line_start,
            line_end=item.line_end,
            signature=item.signature.replace("\0", "\ufffd"),
            doc=item.doc.replace("\0", "\ufffd"),
            is_test=item.is_test,
            in_scope=not scope or item.path in scope,
        )
        for item in found.inventory.items
    }
    Item.objects.bulk_create(made.values(), batch_size=_BATCH)
    return made


def _carry_decisions(previous: Source, source: Source) -> None:
    """Repeat on `source` what people decided about the same items (file and name) of `previous`."""
    items = {(row.path, row.qualified_name): row for row in source.items.all()}
    made = [
        Link(
            definition_id=link.definition_id,
            item=items[link.item.path, link.item.qualified_name],
            relation=link.relation,
            basis=link.basis,
            confidence=link.confidence,
            rejected=link.rejected,
            by_id=link.by_id,
        )
        for link in Link.objects.filter(
            item__source=previous, basis=Link.BY_HAND
        ).select_related("item")
        if (link.item.path, link.item.qualified_name) in items
    ]
    Link.objects.bulk_create(made, ignore_conflicts=True)


def _write_links(
    revision: Revision,
    source: Source,
    found: SourceReading,
    items: Mapping[ItemKey, Item],
) -> tuple[int, int]:
    """Write the machine's links; return how many definitions have a link now and how many lack one."""
    Link.objects.filter(item__source=source).exclude(basis=Link.BY_HAND).delete()
    decided = set(
        Link.objects.filter(item__source=source, basis=Link.BY_HAND).values_list(
            "definition_id", "item_id"
        )
    )
    definitions = {
        (row.path, row.lean_name, row.ordinal): row.pk
        for row in Definition.objects.filter(instance=revision.instance)
    }
    made: dict[tuple[int, int], Link] = {}
    for link in (*found.linking.links, *found.linking.about):
        pair = (
            definitions[found.refs[id(link.definition)].key],
            items[_key(link.item)].pk,
        )
        if pair not in decided:
            made.setdefault(
                pair,
                Link(
                    definition_id=pair[0],
                    item_id=pair[1],
                    relation=link.relation,
                    basis=link.basis,
                    confidence=link.confidence,
                    note=link.note,
                ),
            )
    Link.objects.bulk_create(made.values(), batch_size=_BATCH)
    _write_gaps(source, found, items, definitions)
    standing = Link.objects.filter(item__source=source, rejected=False).values(
        "definition_id"
    )
    wanted = revision.placements.exclude(
        kind__in=(Definition.HARNESS, Definition.SIGNATURE)
    )
    linked = wanted.filter(definition__in=standing).count()
    return linked, wanted.count() - linked


def _write_gaps(
    source: Source,
    found: SourceReading,
    items: Mapping[ItemKey, Item],
    definitions: Mapping[DefinitionKey, int],
) -> None:
    """Write why a definition has no link, and what a person may choose from."""
    LinkGap.objects.filter(source=source).delete()
    open_ones = (*found.linking.ambiguous, *found.linking.unlinked)
    gaps = [
        LinkGap(
            source=source,
            definition_id=definitions[found.refs[id(one.definition)].key],
            code=one.code,
            reason=one.reason,
        )
        for one in open_ones
    ]
    LinkGap.objects.bulk_create(gaps, batch_size=_BATCH)
    choice = LinkGap.candidates.through
    choice.objects.bulk_create(
        (
            choice(linkgap_id=gap.pk, item_id=items[_key(candidate)].pk)
            for gap, one in zip(gaps, open_ones, strict=True)
            for candidate in dict.fromkeys(one.candidates[:MOST_CANDIDATES])
        ),
        batch_size=_BATCH,
    )
