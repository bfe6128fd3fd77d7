"""A kernel in a box: the seam of `workbench.lean.replay`, filled by a sandbox."""

from __future__ import annotations

import functools
import shutil
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

from workbench.lean import child
from workbench.lean.replay import REPOSITORY, Call, Run
from workbench.lean.sandbox.box import MIB, Box, BoxBroken, Limits, Sandbox
from workbench.lean.sandbox.system import interpreter, system_paths

KERNEL_LIMITS = Limits(
    seconds=300,
    cpu_seconds=600,
    memory_mib=4096,
    file_bytes=MIB,
    folder_bytes=MIB,
    folder_files=4,
)


# Several kernels may start at once, and the folder is to be made once.
_STAGING = threading.Lock()


def boxed(sandbox: Sandbox, limits: Limits = KERNEL_LIMITS) -> Run:
    """Return what runs a kernel's call in a box of `sandbox`. A box that breaks is an answer that did not come."""

    def run(call: Call) -> child.Ended:
        # It answers on its output; the folder that it may write is empty and thrown away.
        with tempfile.TemporaryDirectory(prefix="kernel-") as folder:
            with _STAGING:
                if not Path(_staged().name).is_dir():
                    _staged.cache_clear()  # it went with the folder that temporary files were made in
                code = Path(_staged().name)
            readable = [
                path.resolve()
                for path in call.readable
                if path != REPOSITORY / "workbench"
            ]
            program, *rest = call.argv
            words = [str(interpreter()), "-S", *rest] if program == sys.executable else [program, *rest]  # fmt: skip
            box = Box(
                "kernel",
                words,
                [*system_paths(), code, *readable],
                Path(folder),
                {**call.env, "PYTHONPATH": str(code)},
                replace(limits, seconds=call.seconds, output_bytes=call.output_bytes),
            )
            try:
                ended = sandbox.run(box)
            except BoxBroken as broken:
                return child.Ended(-1, str(broken).encode(), "", 0.0, 0)
        return child.Ended(
            ended.code, ended.output, ended.limit, ended.seconds, ended.peak_kib
        )

    return run


@functools.cache
def _staged() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with nothing but the modules that the kernel's process imports.

    Python lists the folder that a package is in, and in a box the repository (with the data folder) is not to be listed. Files
    keep their times, so that what was compiled of them stays valid. The folder goes with this process.
    """
    folder = tempfile.TemporaryDirectory(prefix="kernel-code-")
    source, target = REPOSITORY / "workbench", Path(folder.name, "workbench")
    for part in (".", "lean"):
        for files in (source / part, source / part / "__pycache__"):
            (target / files.relative_to(source)).mkdir(parents=True, exist_ok=True)
            for file in sorted(files.glob("*.py*")):
                shutil.copy2(file, target / file.relative_to(source))
    return folder
