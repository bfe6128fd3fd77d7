"""Where the compiled packages are that instances import: asked of `lake`, which builds nothing here.

An operator makes a Lake workspace for each toolchain, builds in it what instances need, and gives the folder of workspaces as a
setting: `FOLDER/leanprover--lean4---v4.29.1/lakefile.toml`. `lake env` prints where the compiled modules of its packages are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from workbench.lean import child
from workbench.lean.toolchain import ToolchainMissing

_VARIABLE = "LEAN_PATH="


def packages_of(root: Path, workspaces: Path | None) -> Sequence[Path]:
    """Return the folders with compiled packages for the toolchain `root`; none where it has no workspace.

    The workspace's own modules and the toolchain's library are not among them. Raises ToolchainMissing when lake gives no
    answer, or names folders that are not there: then a package is not built.
    """
    workspace = workspaces / root.name if workspaces else None
    if workspace is None or not workspace.is_dir():
        return []
    workspace = workspace.resolve()
    said = _lake_env(root.resolve(), workspace)
    line = next((line for line in said.splitlines() if line.startswith(_VARIABLE)), None)  # fmt: skip
    if line is None:
        raise ToolchainMissing(
            f"lake env in {workspace} gave no LEAN_PATH: {said.strip()[:300]}"
        )
    found = []
    own = (workspace / ".lake" / "build", root.resolve() / "lib")
    for text in line.removeprefix(_VARIABLE).split(os.pathsep):
        path = (workspace / text).resolve()
        if not text or any(path.is_relative_to(folder) for folder in own):
            continue
        if not path.is_dir():
            raise ToolchainMissing(
                f"{path} is not there: a package of {workspace} is not built. Remedy: lake build, in that folder"
            )
        found.append(path)
    return found


def _lake_env(root: Path, workspace: Path) -> str:
    """Return what `lake env` prints. It runs the workspace's lakefile, which is the operator's and never an instance's."""
    lake = root / "bin" / "lake"
    try:
        ended = child.run(
            [str(lake), "env"],
            cwd=workspace,
            env={
                "PATH": os.pathsep.join((str(root / "bin"), os.defpath)),
                "HOME": str(workspace),
                "LANG": "C.UTF-8",
            },
            seconds=120.0,
            output_bytes=1 << 20,
        )
    except OSError as error:
        raise ToolchainMissing(f"{lake} does not start: {error}") from None
    said = ended.output.decode("utf-8", "replace")
    if ended.code or ended.stopped:
        raise ToolchainMissing(
            f"lake env in {workspace} failed ({ended.stopped or ended.code}): {said.strip()[-300:]}"
        )
    return said
