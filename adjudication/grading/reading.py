"""Read the frozen modules of a grading, side by side: the instance's own and the graded ones. Source: grading.md, step 7."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from adjudication.grading.building import Built, Graph
from adjudication.grading.cache import Marks
from adjudication.grading.pristine import NotGradable
from adjudication.grading.version import grader_digest
from workbench.lean.library import READER, Environment, Library, LibraryError
from workbench.lean.module import Module
from workbench.lean.names import Name, is_auxiliary, show
from workbench.lean.olean import OleanError
from workbench.lean.terms import Bank
from workbench.lean.toolchain import Toolchain


class CheckedFiles:
    """Digests of library files that passed every check of this reader, kept in a file so that the next process need not check again."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def load(self) -> set[str]:
        """Return the digests, none if the file is missing or of another reader."""
        try:
            document = json.loads(self.file.read_text(encoding="utf-8"))
            if document["reader"] == READER:
                return set(map(str, document["checked"]))
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return set()

    def save(self, checked: Iterable[str]) -> None:
        """Keep digests, by one rename."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        draft.write_text(
            json.dumps({"reader": READER, "checked": sorted(checked)}), encoding="utf-8"
        )
        os.replace(draft, self.file)


def read_core(toolchain: Toolchain, known: CheckedFiles, *graphs: Graph) -> Library:
    """Return what the modules of `graphs` import of the toolchain's library and packages, and all below it.

    Raises NotGradable if it cannot be read.
    """
    library = Library(Bank())
    library.checked |= (before := known.load())
    try:
        library.load_below(toolchain.library(), _outside(graphs))
    except (OleanError, LibraryError, OSError) as error:
        raise NotGradable(f"the toolchain's library: {error}") from None
    if library.checked != before:
        known.save(library.checked)
    return library


def _outside(graphs: Iterable[Graph]) -> list[Name]:
    """Return the modules that those of `graphs` import and that are not among them; `Init`, which need not be written, is one."""
    found = {"Init"}
    for graph in graphs:
        for module in graph.order:
            found.update(name for name in graph.imports[module] if name not in graph.paths)  # fmt: skip
    return [tuple(name.split(".")) for name in sorted(found)]


@dataclass
class Reading:
    """Both builds, read. `refused` says why a graded module is not believed; it is then in no environment."""

    shared: Library
    pristine: Library
    graded: Library
    refused: dict[str, str] = field(default_factory=dict)

    def environment(self, module: Name) -> Environment:
        """Return what a graded module sees. Raises LibraryError."""
        return self.graded.environment(module)


class CheckedModules:
    """Modules that passed every check of this very reader, by their bytes: nobody's file is checked twice."""

    def __init__(self, folder: Path) -> None:
        self.marks = Marks(folder)

    def load(self, library: Library, name: Name, path: Path, digest: str) -> Module:
        """Read a module that was frozen with `digest` (which its bytes must have to be spared). Raises OleanError, LibraryError, OSError."""
        if digest and self._key(digest) in self.marks:
            library.checked.add(digest)
        module = library.load(name, path)
        if module.digest == digest and digest:
            self.marks.add(self._key(digest))
        return module

    def _key(self, digest: str) -> str:
        return hashlib.sha256(f"{grader_digest()} {digest}".encode()).hexdigest()


def read_own(
    core: Library, pristine: Built, private: frozenset[str], known: CheckedModules
) -> Reading:
    """Return the instance's own build, read; the graded one is still to come, over the modules outside `private`.

    Raises NotGradable if it cannot be read.
    """
    shared = Library(core.bank, core)
    own, theirs = Library(core.bank, shared), Library(core.bank, shared)
    for module in sorted(pristine.files):
        _load_own(own if module in private else shared, module, pristine, known)
    return Reading(shared, own, theirs)


def read_graded(
    reading: Reading,
    graded: Built,
    private: frozenset[str],
    apart: str,
    known: CheckedModules,
) -> None:
    """Read the graded build beside the instance's own; modules outside `private` are the same in both and read once.

    The module `apart` (a joint claim, on which nothing rests) is left for later. Raises NotGradable for a frozen module that cannot
    be read.
    """
    for module in sorted(graded.files):
        if module not in private:
            if reading.shared.find(tuple(module.split("."))) is None:
                _load_own(reading.shared, module, graded, known)
        elif module != apart:
            file, digest = graded.files[module], graded.digests[module]
            reason = load_frozen(reading.graded, module, file, digest, known)
            if reason:
                reading.refused[module] = reason


def _load_own(
    library: Library, module: str, built: Built, known: CheckedModules
) -> None:
    """Read a module of the instance itself. Raises NotGradable if it is not the one that was built."""
    digest = built.digests[module]
    try:
        found = known.load(
            library, tuple(module.split(".")), built.files[module], digest
        )
    except (OleanError, LibraryError, OSError) as error:
        raise NotGradable(f"the instance's own tree: {error}") from None
    if digest and found.digest != digest:
        raise NotGradable(
            f"{module} changed after its box was closed: this machine is not safe"
        )


def load_frozen(
    library: Library,
    module: str,
    path: Path,
    digest: str,
    known: CheckedModules | None = None,
) -> str:
    """Read a module that a submission had a hand in; return why it is refused, or nothing."""
    name = tuple(module.split("."))
    try:
        if known is None:
            read_module = library.load(name, path)
        else:
            read_module = known.load(library, name, path, digest)
    except OleanError as error:
        return f"no compiler writes such a file: {error}"
    except (LibraryError, OSError) as error:
        return str(error)
    if digest and read_module.digest != digest:
        return "the file changed after its box was closed"
    return ""


def swallowed(reading: Reading, module: str) -> list[str]:
    """Return the constants of a frozen text that its graded module lacks: somebody's text has swallowed them.

    What the compiler makes by itself comes and goes with bodies and does not count.
    """
    name = tuple(module.split("."))
    ours, theirs = reading.pristine.find(name), reading.graded.find(name)
    if ours is None or theirs is None:
        return []
    return [
        show(constant)
        for constant in ours.names
        if constant not in theirs.positions and not _made_by_compiler(constant)
    ]


def _made_by_compiler(name: Name) -> bool:
    return is_auxiliary(name) or any(
        isinstance(component, int) or component.startswith("_") for component in name
    )
