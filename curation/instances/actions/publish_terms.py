"""Publish what the definitions of a revision compile to. Called by whoever built its files, inside their transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

from curation.instances.contributions import after_terms
from curation.instances.locks import hold_instances
from curation.instances.meaning import Under
from curation.instances.models import (
    DefinitionTerm,
    Revision,
    TermBuild,
)
from curation.instances.selectors.terms import Key, definitions_by_key
from workbench.events.log import record

_BATCH = 500


@dataclass(frozen=True)
class Compiled:
    """What was read out of a build of the revision's own files. `terms` has hashes by path and Lean name.

    "" stands for a definition whose term does not say what it means (workbench/lean/termhash.py); of one that did not
    compile nothing is said. `failed` are the files that were not built, None where not all were tried.
    """

    toolchain_kind: str
    toolchain_version: str
    toolchain_digest: str
    grader_digest: str
    scheme: str
    terms: Mapping[Key, str]
    failed: tuple[str, ...] | None = None

    @property
    def under(self) -> Under:
        return self.toolchain_digest, self.scheme


def publish_terms(revision: Revision, compiled: Compiled) -> int:
    """Return how many definitions of `revision` got a term that no build had told before; decisions follow.

    Only of modules whose text is that of the revision may anything be told: the caller answers for that. The instance
    is locked here, queue entries and the record after it (see deciding.py), so nothing of these may be locked before.
    """
    assert connection.in_atomic_block
    hold_instances([revision.instance_id])
    told = _told(revision, compiled.under)
    known = definitions_by_key(revision)
    new: dict[int, str] = {}
    otherwise: list[str] = []
    for key, term_hash in compiled.terms.items():
        pk = known.get(key)
        if pk is None or term_hash in told.get(pk, ()):
            continue
        new[pk] = term_hash
        if pk in told:
            otherwise.append(key[1])
    failed = "\n".join(compiled.failed or ())
    moved = _take_back_failed(revision, compiled, failed)
    if not new and not moved:
        return 0
    build, _ = TermBuild.objects.get_or_create(
        revision=revision,
        toolchain_digest=compiled.toolchain_digest,
        scheme=compiled.scheme,
        grader_digest=compiled.grader_digest,
        defaults={
            "toolchain_kind": compiled.toolchain_kind,
            "toolchain": f"{compiled.toolchain_kind} {compiled.toolchain_version}",
        },
    )
    if compiled.failed is not None:
        build.failed = failed
        build.save(update_fields=["failed"])
    DefinitionTerm.objects.bulk_create(
        (
            DefinitionTerm(build=build, definition_id=pk, term_hash=term_hash)
            for pk, term_hash in sorted(new.items())
        ),
        batch_size=_BATCH,
    )
    if new:
        for follow in after_terms:
            follow(revision)
    record(
        "terms.published",
        None,
        revision,
        implicit=True,
        toolchain=build.toolchain,
        definitions=len(new),
        unsaid=sum(not term_hash for term_hash in new.values()),
        otherwise=sorted(otherwise),
        failed=list(compiled.failed or ()),
    )
    return len(new)


def _take_back_failed(revision: Revision, compiled: Compiled, failed: str) -> bool:
    """Return whether a build of all files says otherwise of them than the last one; its word is taken back then."""
    if compiled.failed is None:
        return False
    earlier = TermBuild.objects.filter(revision=revision).exclude(failed="")
    if set(earlier.values_list("failed", flat=True)) == {failed} - {""}:
        return False
    earlier.update(failed="")
    return True


def _told(revision: Revision, under: Under) -> dict[int, set[str]]:
    """Return by definition the hashes that builds under this toolchain and scheme told."""
    rows = DefinitionTerm.objects.filter(
        build__revision=revision,
        build__toolchain_digest=under[0],
        build__scheme=under[1],
    )
    found: dict[int, set[str]] = {}
    for pk, term_hash in rows.values_list("definition_id", "term_hash"):
        found.setdefault(pk, set()).add(term_hash)
    return found
