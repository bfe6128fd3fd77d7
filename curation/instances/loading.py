"""Find the instances in a folder or an archive, each by itself: one that cannot be read does not stop the others."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from curation.format.archive import Tree, instance_roots, subtree
from curation.format.findings import FormatError
from curation.format.instance import Instance, load
from curation.format.packed import read_archive, read_tree


@dataclass(frozen=True)
class Loaded:
    """One instance found: its name in the archive, and what was loaded or why it was not."""

    name: str
    instance: Instance | None
    error: str


def load_path(path: Path) -> Iterator[Loaded]:
    """Yield the instances in the folder or archive `path`; at least one, if only to say what is wrong."""
    try:
        tree = read_tree(path)
    except FormatError as error:
        yield Loaded(path.name, None, str(error))
        return
    yield from load_tree(tree)


def load_archive(data: bytes, name: str) -> Iterator[Loaded]:
    """Yield the instances in the archive `data`, called `name`; at least one, if only to say what is wrong."""
    try:
        tree = read_archive(io.BytesIO(data), name)
    except FormatError as error:
        yield Loaded(name, None, str(error))
        return
    yield from load_tree(tree)


def load_tree(tree: Tree) -> Iterator[Loaded]:
    """Yield the instances in `tree`, in the order of their folders."""
    roots = list(instance_roots(tree)) or [""]
    for root in roots:
        inner = subtree(tree, root)
        try:
            yield Loaded(inner.name, load(inner), "")
        except FormatError as error:
            yield Loaded(inner.name, None, str(error))
