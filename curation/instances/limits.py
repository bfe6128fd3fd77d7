"""What the tables can hold of an instance: checked before anything is written, the same on both databases.

SQLite holds any length; PostgreSQL refuses what is longer than its column, in the middle of an import.
"""

from __future__ import annotations

from typing import Any

from django.db import models

from curation.format.findings import FormatError
from curation.format.jsontext import KeyPath, show
from curation.format.manifest import Manifest
from curation.instances.models import (
    Definition,
    Instance,
    Module,
    Placement,
    Revision,
    Source,
)
from curation.instances.reading import Reading

#: How many declarations of one name a file may have: what a small integer holds.
SAME_NAME_AT_MOST = 32_767


def require_storable(reading: Reading) -> None:
    """Raise FormatError, naming key or line, for the first text of `reading` that is too long for its column."""
    manifest = reading.instance.manifest
    for value, model, column, key in _manifest_texts(manifest):
        longest = _longest(model, column)
        if len(value) > longest:
            raise FormatError(
                f"holds {len(value):,} characters; expected at most {longest}",
                path=manifest.path,
                line=manifest.line_of(*key),
                key=show(key),
            )
    names, modules = _longest(Definition, "lean_name"), _longest(Placement, "module")
    for record in reading.definitions:
        for what, value, longest in (
            ("name of this declaration", record.name, names),
            ("module name of this file", record.module, modules),
        ):
            if len(value) > longest:
                raise FormatError(
                    f"the {what} has {len(value):,} characters; expected at most {longest}",
                    path=record.path,
                    line=record.line_start,
                )
        if record.ordinal > SAME_NAME_AT_MOST:
            raise FormatError(
                f"{record.name} is declared more than {SAME_NAME_AT_MOST:,} times",
                path=record.path,
                line=record.line_start,
            )


def _manifest_texts(
    manifest: Manifest,
) -> list[tuple[str, type[models.Model], str, KeyPath]]:
    """Return the texts of the manifest that have a column: text, model, column, key path."""
    source = manifest.source
    found: list[tuple[str, type[models.Model], str, KeyPath]] = [
        (manifest.benchmark_id, Instance, "benchmark_id", ("benchmark_id",)),
        (manifest.root_package, Revision, "root_package", ("root_package",)),
        (manifest.lean_version, Revision, "lean_version", ("lean_version",)),
        (
            " ".join(manifest.modes_supported),
            Revision,
            "modes",
            ("modes_supported",),
        ),
        (source.language, Source, "language", ("source", "language")),
        (source.repo_url, Source, "repository_url", ("source", "repo_url")),
        (source.commit_hash, Source, "commit", ("source", "commit_hash")),
    ]
    for number, package in enumerate(manifest.packages):
        place: KeyPath = ("packages", number)
        found.append((package.name, Module, "package", (*place, "name")))
        found += [
            (module.name, Module, "name", (*place, "modules", position, "name"))
            for position, module in enumerate(package.modules)
        ]
    return found


def _longest(model: type[models.Model], column: str) -> int:
    field: Any = model._meta.get_field(column)
    return int(field.max_length)
