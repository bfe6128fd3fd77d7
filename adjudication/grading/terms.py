"""What the definitions of an instance compile to, read from the build of its own files in which no submission has a hand.

Only of modules whose text, with that of all they import, is what the instance itself says: not of those whose reference
bodies were taken out for `codeproof`, nor of generated ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudication.grading.building import Graph
from adjudication.grading.reading import Reading
from curation.format.instance import Instance
from curation.format.render import frozen
from curation.format.slots import PROOF
from workbench.lean.fingerprint import CircularDefinitions
from workbench.lean.imports import module_name
from workbench.lean.library import LibraryError
from workbench.lean.names import Name, parse
from workbench.lean.olean import OleanError
from workbench.lean.termhash import term_hashes

Key = tuple[str, str]
"""The path of a file, and the full name of what it declares."""


def compiled_terms(
    instance: Instance, graph: Graph, reading: Reading, wanted: Iterable[Key]
) -> dict[Key, str]:
    """Return the hash of what each of `wanted` compiles to, "" where its term does not say what it means.

    `graph` and `reading` are of the build without a submission. What it has not built or has edited is left out, and
    everything where the compiled files contradict each other: the verdict says so where it matters.
    """
    as_written = _as_written(instance, graph)
    keys: dict[tuple[Name, Name], Key] = {}
    for path, name in wanted:
        module = module_name(Path(path))
        if module in as_written:
            keys[_name(module), _parsed(name)] = path, name
    own = frozenset(map(_name, graph.paths))
    try:
        found = dict(term_hashes(reading.pristine, own, keys))
    except (CircularDefinitions, LibraryError, OleanError):
        return {}
    return {keys[place]: term_hash for place, term_hash in found.items()}


def _as_written(instance: Instance, graph: Graph) -> frozenset[str]:
    """Return the modules whose text is the instance's own, with all that they import of it."""
    texts = frozen(instance, PROOF)
    edited = {
        module
        for module, path in graph.paths.items()
        if texts.get(path) != graph.texts[module]
    }
    return frozenset(graph.paths) - graph.above(edited)


def _name(module: str) -> Name:
    return tuple(module.split("."))


def _parsed(name: str) -> Name:
    """Return the name that a definition is called by; that of an anonymous one is none that a compiler makes."""
    try:
        return parse(name)
    except ValueError:
        return (name,)
