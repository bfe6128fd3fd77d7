"""The bytes of a release: a tar archive whose content and order depend on nothing but what was frozen. No database.

Paths below `<set>-<version>/`: `MANIFEST.json` (last: digests of everything else), `README.md`, `CHANGELOG.md`,
`instances/<name>/…` (on-disk instance format), `solver/<mode>/<name>/…` (what a solver gets), `licences/<name>/…`,
`specs.jsonl`, `outcomes.jsonl` (scores), `trials.jsonl` (verdicts that are no scores), `receipts/<hash>.json`. Files are sorted, owned by nobody, of mode 0644, and carry the
time at which the release was frozen.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import tempfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from adjudication.grading import overlay
from adjudication.releases.shapes import manifest_of, receipt_of, rows_of
from workbench.content.trees import digest_of_hashes

FORMAT = "proofroom release 1"
MANIFEST = "MANIFEST.json"
OUTCOMES = ("outcomes.jsonl", "trials.jsonl")
SPECS = "specs.jsonl"
_IN_MEMORY = 8 << 20


@dataclass
class Written:
    """What was written: path below the top folder → SHA-256, and the size of all files together in bytes."""

    files: dict[str, str] = field(default_factory=dict)
    size: int = 0


class Bundle:
    """A release under construction. Add files in any number of sorted runs, then `close` with the manifest."""

    def __init__(self, target: IO[bytes], top: str, moment: int) -> None:
        """`target` takes the bytes, `top` is the folder that holds everything, `moment` seconds since 1970."""
        self.written = Written()
        self._top, self._moment = top, moment
        # The header of gzip would carry the file name and the time of writing.
        self._gzip = gzip.GzipFile(
            filename="", mode="wb", fileobj=target, mtime=0, compresslevel=6
        )
        self._tar = tarfile.TarFile(
            fileobj=self._gzip, mode="w", format=tarfile.PAX_FORMAT
        )

    def add(self, path: str, data: bytes) -> None:
        """Add one file. Raises ValueError for a path that is there already."""
        self._put(path, io.BytesIO(data), len(data))
        self.written.files[path] = hashlib.sha256(data).hexdigest()

    def add_tree(self, folder: str, files: Mapping[str, bytes]) -> None:
        """Add a tree of files below `folder`, sorted by path."""
        for path in sorted(files):
            self.add(f"{folder}/{path}", files[path])

    def add_lines(self, path: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add JSON Lines, one object a line, keys sorted. They go through a file where they are many."""
        digest = hashlib.sha256()
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as lines:
            for row in rows:
                line = _line(row)
                digest.update(line)
                lines.write(line)
            size = lines.tell()
            lines.seek(0)
            self._put(path, lines, size)
        self.written.files[path] = digest.hexdigest()

    def _put(self, path: str, data: IO[bytes], size: int) -> None:
        if path in self.written.files:
            raise ValueError(f"{path} is in the release twice")
        entry = tarfile.TarInfo(f"{self._top}/{path}")
        entry.size, entry.mtime, entry.mode = size, self._moment, 0o644
        self._tar.addfile(entry, data)
        self.written.size += size

    def close(self, manifest: Mapping[str, Any]) -> None:
        """Add the manifest, with the digests of all files, and end the archive."""
        document = {
            **manifest,
            "format": FORMAT,
            "files": dict(sorted(self.written.files.items())),
        }
        text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False)
        self.add(MANIFEST, text.encode() + b"\n")
        self._tar.close()
        self._gzip.close()


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n"


@dataclass(frozen=True)
class Checked:
    """What a check of a release found: its manifest, and what is wrong, in words."""

    manifest: Mapping[str, Any]
    wrong: tuple[str, ...]


_MOST_BYTES, _MOST_FILES = 4 << 30, 2_000_000
# Of what is parsed (manifest, outcomes, receipts) altogether, and of one long name: both are held in memory whole.
_MOST_PARSED, _MOST_NAME = 512 << 20, 1 << 16
_CHUNK = 1 << 20
_ATTACHED = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


def verify(path: Path, check_receipt: Any = None) -> Checked:
    """Return what is wrong with the release in `path`, offline: digests, missing and foreign files, trees, and that each
    receipt is about what its outcomes say it is.

    `check_receipt(document)` returns what is wrong with a receipt. Never raises for what the file holds.
    """
    try:
        return _verify(path, check_receipt)
    except (OSError, tarfile.TarError, EOFError, ValueError, RecursionError, zlib.error) as error:  # fmt: skip
        return Checked({}, (f"{path.name} cannot be read as a release: {error}",))
    except (KeyError, TypeError, AttributeError) as error:
        said = f"{path.name} lacks something, or holds something else than a release: {error!r}"
        return Checked({}, (said,))


def _verify(path: Path, check_receipt: Any) -> Checked:
    found: dict[str, str] = {}
    trees: dict[str, dict[str, str]] = {}
    wrong: list[str] = []
    manifest: Mapping[str, Any] = {}
    rows: dict[str, list[Any]] = {}
    scores: set[str] = set()
    receipts: dict[str, Any] = {}
    specs: Counter[str] = Counter()
    tops: set[str] = set()
    for name, digest, data in _members(path):
        top, _, inner = name.partition("/")
        tops.add(top)
        if inner in found:
            wrong.append(f"{inner} is there twice")
        found[inner] = digest
        parts = inner.split("/")
        if parts[0] == "instances" and len(parts) > 2:
            trees.setdefault(parts[1], {})["/".join(parts[2:])] = found[inner]
        if inner == MANIFEST:
            manifest, faults = manifest_of(inner, data)
            wrong += faults
        elif inner == SPECS or inner in OUTCOMES:
            table, faults = rows_of(inner, data)
            wrong += faults
            for row in table:
                if inner == SPECS:
                    specs[row["instance"]] += 1
                else:
                    rows.setdefault(row["receipt"], []).append(row)
                if inner == OUTCOMES[0]:
                    scores.add(row["receipt"])
        elif parts[0] == "receipts":
            receipt, faults = receipt_of(inner, data)
            wrong += faults
            if not faults:
                receipts[parts[-1].removesuffix(".json")] = receipt
    if len(tops) != 1:
        wrong.append(f"expected one top folder, found {len(tops)}")
    if manifest.get("format") != FORMAT:
        return Checked({}, (*wrong, f"it has no {MANIFEST} of the format {FORMAT!r}"))
    wrong += _against_manifest(manifest, found, trees)
    wrong += _members_and_specs(manifest, trees, specs)
    wrong += _receipts(receipts, rows, check_receipt)
    wrong += _places(receipts, rows, trees, scores)
    return Checked(manifest, tuple(wrong))


class _Entry(tarfile.TarInfo):
    """A header whose attachment is small: `tarfile` reads it into memory, however large it says it is."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Entry:
        found = super().frombuf(buf, encoding, errors)
        if found.type in _ATTACHED and found.size > _MOST_NAME:
            raise ValueError(f"it has a name of {found.size:,} bytes")
        return found


def _members(path: Path) -> Iterator[tuple[str, str, bytes]]:
    """Give name, SHA-256 and, of what is parsed, content of each file. Raises ValueError for what no release holds."""
    total = parsed = 0
    with tarfile.open(path, "r:gz", tarinfo=_Entry) as tar:
        for number, entry in enumerate(tar):
            if not entry.isreg() or entry.issparse():
                raise ValueError(f"{entry.name!r} is no plain file")
            if not _below_a_folder(entry.name):
                raise ValueError(f"{entry.name[:200]!r} is no path of a release")
            total += entry.size
            if total > _MOST_BYTES or number > _MOST_FILES:
                raise ValueError("it unpacks to more than 4 GB, or to too many files")
            inner = entry.name.partition("/")[2]
            keep = inner in (MANIFEST, SPECS, *OUTCOMES) or inner.startswith(
                "receipts/"
            )
            parsed += entry.size if keep else 0
            if parsed > _MOST_PARSED:
                raise ValueError(f"{entry.name}: more than 512 MB would be parsed")
            handle = tar.extractfile(entry)
            digest, kept = hashlib.sha256(), []
            while handle and (data := handle.read(_CHUNK)):
                digest.update(data)
                if keep:
                    kept.append(data)
            yield entry.name, digest.hexdigest(), b"".join(kept)


def _below_a_folder(name: str) -> bool:
    """Whether whoever unpacks a file of this name gets it inside a folder of its own, on any system."""
    parts = name.split("/")
    tricks = {"", ".", ".."} & set(parts)
    return len(parts) > 1 and not tricks and not any(c in name for c in "\\\0")


def _against_manifest(
    manifest: Mapping[str, Any],
    found: Mapping[str, str],
    trees: Mapping[str, Mapping[str, str]],
) -> list[str]:
    wrong = []
    expected = manifest.get("files", {})
    for name in sorted(set(expected) | set(found) - {MANIFEST}):
        if name not in found:
            wrong.append(f"{name} is missing")
        elif name not in expected:
            wrong.append(f"{name} is not in the manifest")
        elif expected[name] != found[name]:
            wrong.append(f"{name} was changed")
    for member in manifest.get("instances", ()):
        digest = digest_of_hashes(trees.get(member["name"], {}))
        if digest != member["tree"]:
            wrong.append(
                f"the tree of {member['name']} is not the one that was released"
            )
    return wrong


def _members_and_specs(
    manifest: Mapping[str, Any],
    trees: Collection[str],
    specs: Counter[str],
) -> list[str]:
    """Return which instances are in the archive and not in the manifest, and whose specs are not as many as it says."""
    counts = {member["name"]: member.get("counts", {}).get("specs", 0) for member in manifest.get("instances", ())}  # fmt: skip
    wrong = []
    for name in sorted({*trees, *specs} - set(counts)):
        wrong.append(f"{name} is no instance of the release")
    for name, number in sorted(counts.items()):
        if specs[name] != number:
            wrong.append(
                f"{name}: {SPECS} has {specs[name]} specs, the manifest {number}"
            )
    return wrong


# What a row of outcomes repeats of its receipt, beside the outcome.
_REPEATED = ("route", "statement", "axioms")


def _receipts(
    receipts: Mapping[str, Any], rows: Mapping[str, list[Any]], check_receipt: Any
) -> list[str]:
    wrong = []
    for name, document in sorted(receipts.items()):
        if check_receipt is not None:
            wrong += [
                f"receipt {name[:12]}: {what}" for what in check_receipt(document)
            ]
        if document.get("hash") != name:
            wrong.append(f"receipt {name[:12]} carries another hash")
        if name not in rows:
            wrong.append(f"receipt {name[:12]} is behind no outcome")
    for name, found in sorted(rows.items()):
        said = receipts.get(name, {}).get("specs", ())
        outcomes = {spec["spec"]: spec for spec in said}
        for row in found:
            spec = outcomes.pop(row["spec"], {})
            for key in ("outcome", *_REPEATED):
                if (spec.get(key) or None) != (row.get(key) or None):
                    wrong.append(
                        f"{row['instance']}, {row['spec']}: the {key} is not that of its receipt"
                    )
                    break
        if outcomes:
            wrong.append(
                f"receipt {name[:12]}: {len(outcomes)} of its specs are left out"
            )
    return wrong


def _places(
    receipts: Mapping[str, Any],
    rows: Mapping[str, list[Any]],
    trees: Mapping[str, Mapping[str, str]],
    scores: Collection[str],
) -> list[str]:
    """Return which receipts are about another tree or mode than their rows, or from a Lean that gives no scores."""
    graded = {name: overlay.digest_of_hashes(files) for name, files in trees.items()}
    wrong = []
    for name, document in sorted(receipts.items()):
        for instance, mode in sorted(
            {(row["instance"], row["mode"]) for row in rows.get(name, ())}
        ):
            if document["instance"]["tree"] != graded.get(instance):
                wrong.append(
                    f"receipt {name[:12]} is about other files than those of {instance}"
                )
            if document["mode"] != mode:
                wrong.append(f"receipt {name[:12]} is about another mode than {mode}")
        if name in scores and document["toolchain"]["publishable"] is not True:
            wrong.append(
                f"receipt {name[:12]} is of a trial Lean, and stands among the scores"
            )
    return wrong
