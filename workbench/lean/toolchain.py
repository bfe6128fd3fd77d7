"""One interface to a Lean that can compile a tree of modules, whichever way that Lean was installed.

What a compiler prints about a tree that holds a submission is a hint, never evidence: verdicts are read from the
compiled terms (design: grading). Here the text serves people who write Lean.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from workbench.lean.replay import Replayer, Run, run_unboxed
from workbench.lean.sandbox.box import Sandbox

Severity = Literal["error", "warning", "information"]
Outcome = Literal[
    "built", "failed", "blocked", "crashed", "cancelled",
    "time", "output", "cpu", "memory", "threads", "file", "disk",
]  # fmt: skip


class ToolchainMissing(Exception):
    """This machine cannot run that Lean. The message says why and what to do about it."""


class CoreBroken(Exception):
    """The library that comes with a toolchain did not compile: the installation is damaged. Names the module."""


@dataclass(frozen=True)
class Diagnostic:
    """One message of Lean. `line` counts from 1, `column` from 0 in code points, both as Lean prints them.

    `kind` is Lean's own (`hasSorry`, `Tactic.unsolvedGoals`, …), empty where it gives none, and `output` for text
    that was not one of Lean's messages (then the line is 0).
    """

    file: str
    line: int
    column: int
    severity: Severity
    kind: str
    message: str

    @property
    def has_sorry(self) -> bool:
        """Whether Lean says that a declaration uses `sorry`, which is a warning and not an error for it."""
        return self.kind == "hasSorry"


@dataclass(frozen=True)
class ModuleResult:
    """What became of one module. `seconds` is wall clock, `peak_kib` the largest resident set of its process.

    `outcome`: built; failed (errors); blocked (an import of it was not built, `blocked_by` says which); crashed
    (ended by a signal, named in a diagnostic); cancelled; else the limit that it hit (cpu, memory, threads, file and disk in a
    box only). `sha256` (hex) is the hash of the module that a box made, as it was taken out; empty without a box.
    """

    module: str
    file: str
    outcome: Outcome
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0
    peak_kib: int = 0
    blocked_by: tuple[str, ...] = ()
    sha256: str = ""

    @property
    def ok(self) -> bool:
        """Whether Lean wrote the module. A module with `sorry` or axioms is ok in this sense."""
        return self.outcome == "built"

    @property
    def has_sorry(self) -> bool:
        return any(diagnostic.has_sorry for diagnostic in self.diagnostics)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(
            diagnostic
            for diagnostic in self.diagnostics
            if diagnostic.severity == "error"
        )


@dataclass(frozen=True)
class Build:
    """The results of one build in the order in which modules can be compiled; `seconds` is its wall clock."""

    out: Path
    modules: Mapping[str, ModuleResult] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether every module was built."""
        return all(result.ok for result in self.modules.values())

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(
            diagnostic
            for result in self.modules.values()
            for diagnostic in result.diagnostics
        )


@dataclass(frozen=True)
class Limits:
    """Limits of one module: wall-clock seconds, bytes it may print, bytes of the largest file it may write,
    and the memory in MiB at which Lean itself gives up (`-M`, a soft limit)."""

    seconds: float = 120.0
    output_bytes: int = 4 << 20
    file_bytes: int = 512 << 20
    memory_mib: int = 4096


class Toolchain(Protocol):
    """A Lean that is there. Finding it raises ToolchainMissing."""

    @property
    def kind(self) -> str:
        """Return `pocket` or `elan`. Verdicts of a pocket Lean are labelled and never published as scores."""

    @property
    def version(self) -> str:
        """Return Lean's version, for example `4.35.0`."""

    @property
    def digest(self) -> str:
        """Return a hash of what decides about compiled bytes: compiler and library."""

    def library(self) -> Sequence[Path]:
        """Return the directories with compiled library modules, compiled first where that is still to be done."""

    def kernels(self, run: Run = run_unboxed) -> Sequence[Replayer]:
        """Return the kernels that it has for replay, none if it has none; `run` runs their processes."""

    def build(
        self,
        root: Path,
        out: Path,
        *,
        modules: Sequence[str] | None = None,
        path: Sequence[Path] = (),
        options: Mapping[str, str] | None = None,
        jobs: int = 1,
        limits: Limits | None = None,
        cancel: threading.Event | None = None,
        report: Callable[[ModuleResult], None] | None = None,
        sandbox: Sandbox | None = None,
    ) -> Build:
        """Compile the Lean files below `root` (or `modules` and what they import) into `out`, in import order.

        `path` adds directories with compiled modules; `options` are Lean's (`-D`); `jobs` modules are compiled at
        a time; `report` is called from the building threads, one call at a time, as modules end. Compiled files of
        a module are removed before it is compiled, so none in `out` is older than its source. With a `sandbox` each module is
        compiled in a box of its own, with one writable folder, and taken out read-only when nothing of the box is left. Raises
        TreeError for a tree that has no order (cycle, no files), ToolchainMissing, CoreBroken, BoxBroken.
        """
