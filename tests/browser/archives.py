"""Archives of the fixture instances under other names, made when a journey needs them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from playwright.sync_api import FilePayload

from workbench.setup.places import ROOT

FIXTURES = ROOT / "fixtures"


def files_below(folder: Path) -> dict[str, bytes]:
    """Return the files of `folder` by their path in it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def instance(benchmark_id: str, fixture: str = "ivalset") -> dict[str, bytes]:
    """Return the files of a fixture instance that calls itself `benchmark_id`."""
    files = files_below(FIXTURES / "instances" / fixture)
    manifest = json.loads(files["manifest.json"])
    manifest["benchmark_id"] = benchmark_id
    return {**files, "manifest.json": json.dumps(manifest, indent=2).encode()}


def upstream(fixture: str = "ivalset") -> dict[str, bytes]:
    """Return the source files of a fixture instance."""
    return files_below(FIXTURES / "sources" / fixture)


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return `files` one folder down."""
    return {f"{folder}/{path}": data for path, data in files.items()}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return `files` as a zip."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return stream.getvalue()


def many(benchmark_ids: Iterable[str]) -> tuple[FilePayload, FilePayload]:
    """Return an archive with an instance a name and one with their sources, as the file fields of the page take them."""
    instances: dict[str, bytes] = {}
    sources: dict[str, bytes] = {}
    for name in benchmark_ids:
        instances |= below(name, instance(name))
        sources |= below(name, upstream())
    return payload("instances.zip", instances), payload("sources.zip", sources)


def payload(name: str, files: Mapping[str, bytes]) -> FilePayload:
    """Return a zip of `files` as a file field takes it."""
    return {"name": name, "mimeType": "application/zip", "buffer": zipped(files)}
