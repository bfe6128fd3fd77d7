"""Compile a tree along its import graph, each module in a box of its own, and freeze what comes out. Source: grading.md, step 6."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adjudication.grading.cache import ModuleCache, module_keys
from adjudication.grading.watching import Modules
from curation.format.render import FileTree
from workbench.lean.imports import (
    TreeError,
    header_imports,
    in_import_order,
    module_name,
)
from workbench.lean.sandbox.box import Sandbox
from workbench.lean.toolchain import Limits, ModuleResult, Toolchain

_LAKEFILE = "lakefile.lean"
BUILD_LIMITS = Limits()


@dataclass(frozen=True)
class Workshop:
    """What compiles: a toolchain, a sandbox, and caches for modules without slots below them and, if there is one, for the rest."""

    toolchain: Toolchain
    sandbox: Sandbox
    shared: ModuleCache
    scoped: ModuleCache | None = None
    limits: Limits = BUILD_LIMITS
    options: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1
    watched: Modules | None = None


@dataclass(frozen=True)
class Graph:
    """The Lean modules of a tree: their paths, texts and imports; `order` is one in which the wanted ones can be built.

    `unordered` says of wanted modules why they have no place in it (an import cycle).
    """

    paths: Mapping[str, str]
    texts: Mapping[str, bytes]
    imports: Mapping[str, Sequence[str]]
    order: tuple[str, ...]
    unordered: Mapping[str, str]

    def above(self, modules: Collection[str]) -> frozenset[str]:
        """Return `modules` and all that import one of them, directly or not."""
        found = set(modules)
        grown = True
        while grown:
            more = {
                name
                for name, imported in self.imports.items()
                if name not in found and found.intersection(imported)
            }
            found |= more
            grown = bool(more)
        return frozenset(found)


@dataclass(frozen=True)
class Built:
    """Frozen modules of a tree. `files` and `digests` (SHA-256, hex) hold those that were built, `results` all that were tried.

    `seconds` is the wall clock while compilers ran; `reused` are modules that came out of a cache.
    """

    graph: Graph
    out: Path
    results: Mapping[str, ModuleResult]
    files: Mapping[str, Path]
    digests: Mapping[str, str]
    reused: frozenset[str]
    seconds: float


def graph_of(tree: FileTree, wanted: Iterable[str]) -> Graph:
    """Return the graph of a tree; `wanted` are paths of files that have to be compiled."""
    paths = {
        module_name(Path(path)): path
        for path in sorted(tree)
        if path.endswith(".lean") and path != _LAKEFILE
    }
    texts = {name: tree[path] for name, path in paths.items()}
    imports = {name: header_imports(data.decode()) for name, data in texts.items()}
    order: dict[str, None] = {}
    unordered: dict[str, str] = {}
    for path in wanted:
        module = module_name(Path(path))
        try:
            order.update(dict.fromkeys(in_import_order([module], imports)))
        except TreeError as error:
            unordered[module] = str(error)
    return Graph(paths, texts, imports, tuple(order), unordered)


def build(
    workshop: Workshop,
    graph: Graph,
    folder: Path,
    *,
    private: Collection[str] = (),
    only: Collection[str] | None = None,
) -> Built:
    """Compile the modules of `graph` in order into `folder`, taking from the caches what is there.

    Modules of `private`, below which a slot is, never touch the shared cache. `only` limits what is compiled; the rest of the
    order must then be in `folder` already. Raises BoxBroken, CoreBroken, ToolchainMissing, OSError.
    """
    seconds = 0.0
    source, out = folder / "source", folder / "out"
    source.mkdir(parents=True, exist_ok=True)
    out.mkdir(exist_ok=True)
    keys = module_keys(
        graph.order,
        graph.imports,
        graph.texts,
        workshop.toolchain.digest + library_digest(workshop.toolchain),
        workshop.options,
    )
    results: dict[str, ModuleResult] = {}
    todo: list[str] = []
    for module in graph.order:
        if only is not None and module not in only:
            continue
        cache = workshop.scoped if module in private else workshop.shared
        kept = cache.find(keys[module]) if cache else None
        if kept is None:
            todo.append(module)
            _write(source / graph.paths[module], graph.texts[module])
        else:
            _write(_compiled(out, module), kept.file.read_bytes())
            results[module] = kept.result
    reused = frozenset(results)
    if workshop.watched:
        workshop.watched.begin(len(todo), len(reused), folder.name)
    if todo:
        build = workshop.toolchain.build(
            source,
            out,
            modules=todo,
            options=workshop.options,
            jobs=workshop.jobs,
            limits=workshop.limits,
            report=workshop.watched.ended if workshop.watched else None,
            sandbox=workshop.sandbox,
        )
        results.update(build.modules)
        seconds = build.seconds
        shutil.rmtree(source)
    for module in todo:
        cache = workshop.scoped if module in private else workshop.shared
        if cache and results[module].ok:
            cache.keep(keys[module], _compiled(out, module), results[module])
    files = {
        module: _compiled(out, module)
        for module, result in results.items()
        if result.ok
    }
    digests = {module: results[module].sha256 for module in files}
    return Built(graph, out, results, files, digests, reused, seconds)


def library_digest(toolchain: Toolchain) -> str:
    """Return what tells one compiled library of a toolchain from another: the names of its folders, made of hashes."""
    return " ".join(path.name for path in toolchain.library())


def _compiled(out: Path, module: str) -> Path:
    target = out.joinpath(*module.split("."))
    return target.with_name(target.name + ".olean")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
