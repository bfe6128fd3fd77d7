"""One toolchain of elan: its own `lean`, started module by module as pocket Lean is; its library and packages, read only."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from workbench.lean import child
from workbench.lean.build import Compiler, build_tree
from workbench.lean.elan.checker import LeanChecker
from workbench.lean.elan.digest import header_of, toolchain_digest
from workbench.lean.elan.found import version_in
from workbench.lean.layouts import TESTED_LEAN
from workbench.lean.replay import LeanKernel, Replayer, Run, run_unboxed
from workbench.lean.sandbox.box import Sandbox
from workbench.lean.sandbox.system import system_paths
from workbench.lean.toolchain import Build, Limits, ModuleResult, ToolchainMissing

VERSION = re.compile(r"Lean \(version (\d+\.\d+\.\d+[^,\s)]*)")
_SHARED = "libleanshared.so"


class ElanToolchain:
    """The toolchain in the folder `root`. `packages` are folders with compiled packages, `cache` is where hashes of files are kept."""

    kind = "elan"

    def __init__(
        self, root: Path, cache: Path, *, packages: Sequence[Path] = ()
    ) -> None:
        """Raise ToolchainMissing if `root` has no `lean`, or a library that is no folder."""
        self.name = root.name
        self.root = root.resolve()
        self.packages = [path.resolve() for path in packages]
        self._cache = cache
        self._lean = self.root / "bin" / "lean"
        for path in (self._lean, self.root / "lib" / "lean", *self.packages):
            if not path.exists():
                raise ToolchainMissing(
                    f"{path} is not there. Remedy: elan toolchain install, or another WORKBENCH_LEAN_TOOLCHAINS"
                )

    @functools.cached_property
    def version(self) -> str:
        """Return the version that `lean` itself gives. Raises ToolchainMissing, also if its folder is named after another."""
        try:
            ended = child.run(
                [str(self._lean), "--version"],
                cwd=self.root,
                env={},
                seconds=60.0,
                output_bytes=1 << 16,
            )
        except OSError as error:
            raise ToolchainMissing(f"{self._lean} does not start: {error}") from None
        said = ended.output.decode("utf-8", "replace").strip()
        found = VERSION.match(said)
        if ended.code != 0 or found is None:
            raise ToolchainMissing(
                f"{self._lean} does not start: {said[:300] or ended.stopped or ended.code}"
            )
        named = version_in(self.name)
        if named and named != found.group(1):
            raise ToolchainMissing(
                f"{self.root} is named after Lean {named} and holds Lean {found.group(1)}. "
                f"Remedy: elan toolchain uninstall and install it anew"
            )
        return found.group(1)

    @functools.cached_property
    def digest(self) -> str:
        """Return the SHA-256 (hex) over programs, shared libraries and all compiled library files. Raises ToolchainMissing."""
        try:
            return toolchain_digest(self.root, self.packages, self._cache)
        except OSError as error:
            raise ToolchainMissing(f"{self.root} cannot be read: {error}") from None

    def library(self) -> Sequence[Path]:
        """Return the folders with compiled modules: the toolchain's own and those of the packages."""
        return [self.root / "lib" / "lean", *self.packages]

    def kernels(self, run: Run = run_unboxed) -> Sequence[Replayer]:
        """Return `leanchecker` where the toolchain has it, else the kernel in its shared library where that was tested, else none.

        `run` runs their processes: give one that puts them into a sandbox. Raises ToolchainMissing.
        """
        checker = self.root / "bin" / "leanchecker"
        if checker.is_file():
            try:
                header = header_of(self.library())
            except OSError as error:
                raise ToolchainMissing(f"{self.root}: {error}") from None
            name = f"leanchecker of Lean {self.version}"
            return [LeanChecker(checker, self.root, name, header, run=run)]
        shared = self.root / "lib" / "lean" / _SHARED
        if self.version in TESTED_LEAN and shared.is_file():
            return [LeanKernel(shared, f"Lean {self.version} kernel", run=run)]
        return []

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
        """Compile a tree; see `Toolchain.build`. Without a sandbox the limits on memory and files are Lean's own only."""
        lean = str(self._lean)
        return build_tree(
            Compiler(
                lambda _limits: [lean],
                self.library(),
                readable=[*system_paths(), self.root],
            ),
            root,
            out,
            modules=modules,
            path=path,
            options=options,
            jobs=jobs,
            limits=limits,
            cancel=cancel,
            report=report,
            sandbox=sandbox,
        )
