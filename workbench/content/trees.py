"""Store and read trees of files.

The digest of a tree is the SHA-256 over `<sha256 of the file> <path>\\n` for every path in sorted order of its
UTF-8 bytes. It depends on nothing else: not on times, owners, modes or the order of reading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from django.db import IntegrityError, transaction

from workbench.content.models import Blob, Entry, Snapshot

_BATCH = 400


def tree_digest(files: Mapping[str, bytes]) -> str:
    """Return the digest of the tree `files` (path → bytes)."""
    return digest_of_hashes(
        {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    )


def digest_of_hashes(hashes: Mapping[str, str]) -> str:
    """Return the digest of the tree whose files have these SHA-256 (path → hex)."""
    lines = (
        f"{hashes[path]} {path}\n"
        for path in sorted(hashes, key=lambda path: path.encode())
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@transaction.atomic
def store_tree(files: Mapping[str, bytes]) -> Snapshot:
    """Store `files` (path → bytes) and return their snapshot; a tree that is already here is not stored again."""
    hashes = {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    digest = digest_of_hashes(hashes)
    found = Snapshot.objects.filter(digest=digest).first()
    if found is not None:
        return found
    store_blobs({hashes[path]: data for path, data in files.items()})
    try:
        with transaction.atomic():
            snapshot = Snapshot.objects.create(
                digest=digest,
                file_count=len(files),
                total_size=sum(map(len, files.values())),
            )
    except IntegrityError:  # another process stored the same tree meanwhile
        return Snapshot.objects.get(digest=digest)
    Entry.objects.bulk_create(
        (
            Entry(snapshot=snapshot, path=path, blob_id=sha256)
            for path, sha256 in hashes.items()
        ),
        batch_size=_BATCH,
    )
    return snapshot


def store_blobs(blobs: Mapping[str, bytes]) -> None:
    """Store `blobs` (sha256 → bytes), leaving those that are already here alone."""
    known: set[str] = set()
    wanted = sorted(
        blobs
    )  # one order for everybody, so that two imports cannot deadlock
    for start in range(0, len(wanted), _BATCH):
        known.update(
            Blob.objects.filter(sha256__in=wanted[start : start + _BATCH]).values_list(
                "sha256", flat=True
            )
        )
    Blob.objects.bulk_create(
        (
            Blob(sha256=key, size=len(blobs[key]), data=blobs[key])
            for key in wanted
            if key not in known
        ),
        batch_size=_BATCH,
        ignore_conflicts=True,
    )


def read_tree(snapshot: Snapshot) -> dict[str, bytes]:
    """Return every file of `snapshot` (path → bytes), in the order of paths."""
    rows = snapshot.entries.order_by("path").values_list("path", "blob__data")
    return {path: bytes(data) for path, data in rows}


def read_file(snapshot: Snapshot, path: str) -> bytes | None:
    """Return the bytes of `path` in `snapshot`, or None where there is no such file."""
    data = Blob.objects.filter(
        pk__in=snapshot.entries.filter(path=path).values("blob_id")
    ).values_list("data", flat=True)
    found = data.first()
    return None if found is None else bytes(found)
