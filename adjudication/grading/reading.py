"""Read the frozen modules of a grading, side by side: the instance's own and the graded ones. Source: grading.md, step 7."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from adjudication.grading.building import Built
from adjudication.grading.pristine import NotGradable
from workbench.lean.library import READER, Environment, Library, LibraryError
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


def read_core(toolchain: Toolchain, known: CheckedFiles) -> Library:
    """Return the toolchain's own library. Raises NotGradable if it cannot be read."""
    library = Library(Bank())
    library.checked |= (before := known.load())
    try:
        for root in toolchain.library():
            library.load_tree(root)
    except (OleanError, LibraryError, OSError) as error:
        raise NotGradable(f"the toolchain's library: {error}") from None
    if library.checked != before:
        known.save(library.checked)
    return library


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


def read(
    core: Library, pristine: Built, graded: Built, private: frozenset[str], apart: str
) -> Reading:
    """Return both builds, read; modules outside `private` are the same in both and read once.

    The graded module `apart` (a joint claim, on which nothing rests) is left for later. Raises NotGradable if the instance's own
    build cannot be read.
    """
    shared = Library(core.bank, core)
    own = Library(core.bank, shared)
    theirs = Library(core.bank, shared)
    frozen = {
        module: path
        for module, path in (*graded.files.items(), *pristine.files.items())
        if module not in private
    }
    try:
        for module, path in frozen.items():
            _load_own(
                shared,
                module,
                path,
                pristine.digests.get(module) or graded.digests[module],
            )
        for module in sorted(pristine.files.keys() & private):
            _load_own(own, module, pristine.files[module], pristine.digests[module])
    except (OleanError, LibraryError, OSError) as error:
        raise NotGradable(f"the instance's own tree: {error}") from None
    reading = Reading(shared, own, theirs)
    for module in sorted(graded.files.keys() & private - {apart}):
        reason = load_frozen(
            theirs, module, graded.files[module], graded.digests[module]
        )
        if reason:
            reading.refused[module] = reason
    return reading


def _load_own(library: Library, module: str, path: Path, digest: str) -> None:
    """Read a module of the instance itself. Raises NotGradable if it is not the one that was built."""
    found = library.load(tuple(module.split(".")), path)
    if digest and found.digest != digest:
        raise NotGradable(
            f"{module} changed after its box was closed: this machine is not safe"
        )


def load_frozen(library: Library, module: str, path: Path, digest: str) -> str:
    """Read a module that a submission had a hand in; return why it is refused, or nothing."""
    try:
        read_module = library.load(tuple(module.split(".")), path)
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
