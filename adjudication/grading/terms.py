"""What the definitions of an instance compile to, read from the build of its own files in which no submission has a hand.

Only of modules whose text, with that of all they import, is what the instance itself says: not of those whose reference
bodies were taken out for `codeproof`, nor of generated ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudication.grading.building import Built, Graph, Workshop, build, graph_of
from adjudication.grading.lean import demand_lean
from adjudication.grading.pristine import NotGradable
from adjudication.grading.reading import (
    CheckedFiles,
    CheckedModules,
    Reading,
    read_core,
    read_own,
)
from adjudication.grading.watching import Modules, Watch, unwatched
from curation.format.findings import FormatError
from curation.format.instance import Instance
from curation.format.render import frozen
from curation.format.slots import PROOF
from workbench.lean.fingerprint import CircularDefinitions
from workbench.lean.imports import TreeError, module_name
from workbench.lean.library import LibraryError
from workbench.lean.names import Name, parse
from workbench.lean.olean import OleanError
from workbench.lean.sandbox.box import BoxBroken
from workbench.lean.termhash import term_hashes
from workbench.lean.toolchain import CoreBroken, ToolchainMissing

Key = tuple[str, str]
"""The path of a file, and the full name of what it declares."""


@dataclass(frozen=True)
class BuiltTerms:
    """What a build of all visible files told: hashes as of `compiled_terms`, and the paths of files that were not built."""

    terms: Mapping[Key, str]
    failed: tuple[str, ...]


def compiled_terms(
    instance: Instance, graph: Graph, reading: Reading, wanted: Iterable[Key]
) -> dict[Key, str]:
    """Return the hash of what each of `wanted` compiles to, "" where its term does not say what it means.

    `graph` and `reading` are of the build without a submission. What it has not built or has edited is left out, what a
    compiled file does not hold under its name, and everything where the compiled files contradict each other: the verdict
    says so where it matters.
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


def build_terms(
    workshop: Workshop,
    cache: Path,
    instance: Instance,
    wanted: Iterable[Key],
    watch: Watch = unwatched,
) -> BuiltTerms:
    """Return what a build of all visible files of `instance` tells, in a sandbox, without any submission.

    Raises NotGradable where the instance or this machine allows no build at all.
    """
    try:
        demand_lean(workshop.toolchain, instance)
        tree = frozen(instance, PROOF)
        paths = [path for path in sorted(instance.visible_paths) if path in tree]
        graph = graph_of(tree, paths)
        with TemporaryDirectory(prefix="terms-") as folder:
            watched = replace(workshop, watched=Modules(watch))
            built = build(watched, graph, Path(folder).resolve())
            core = read_core(
                workshop.toolchain, CheckedFiles(cache / "checked.json"), graph
            )
            known = CheckedModules(cache / "checked")
            reading = read_own(core, built, frozenset(), known)
            terms = compiled_terms(instance, graph, reading, wanted)
            return BuiltTerms(terms, _failed(paths, built))
    except (FormatError, TreeError) as error:
        raise NotGradable(str(error)) from None
    except (BoxBroken, CoreBroken, ToolchainMissing) as error:
        raise NotGradable(f"this machine cannot build it: {error}") from None


def _failed(paths: Iterable[str], built: Built) -> tuple[str, ...]:
    """Return which of the files were not built, also those that nothing imports and those with an import cycle."""
    done = {built.graph.paths[module] for module in built.files}
    return tuple(path for path in paths if path not in done)


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
