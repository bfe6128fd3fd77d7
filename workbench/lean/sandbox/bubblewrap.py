"""Boxes by bubblewrap: a mount tree of their own with nothing in it but what they may see, and all namespaces."""

from __future__ import annotations

import functools
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from workbench.lean.sandbox import cgroups, confine, filter
from workbench.lean.sandbox.box import Box, Ended, NoSandbox
from workbench.lean.sandbox.orders import order_for
from workbench.lean.sandbox.run import run
from workbench.lean.sandbox.system import DEVICES, SCRIPT, system_paths

PROGRAM = "bwrap"
_VERSION = re.compile(r"bubblewrap (\d+(?:\.\d+)+)")
# --as-pid-1 came with 0.2.
_NEEDED = (0, 2)


class Bubblewrap:
    """See `Sandbox`."""

    name = "bubblewrap"

    def __init__(self, program: str = PROGRAM) -> None:
        """Raise NoSandbox if bubblewrap is not installed, or too old."""
        found = shutil.which(program)
        if found is None:
            raise NoSandbox(f"{program} is not installed (apt install bubblewrap)")
        self._program = found
        self._filter = filter.program()
        self._landlock = confine.landlock_version()
        self._version = _version(found)
        self._groups = cgroups.find()

    @property
    def words(self) -> str:
        parts = [f"bubblewrap {self._version}", "seccomp"]
        parts += [f"Landlock {self._landlock}"] if self._landlock else []
        return ", ".join([*parts, *(["control groups"] if self._groups else [])])

    @property
    def versions(self) -> Mapping[str, str]:
        return {
            "bubblewrap": self._version,
            "landlock": str(self._landlock),
            "kernel": platform.release(),
            "python": platform.python_version(),
        }

    def run(self, box: Box, cancel: Callable[[], bool] | None = None) -> Ended:
        """See `Sandbox.run`."""
        order = order_for(
            box, role="first", landlock=self._landlock, filter=self._filter
        )
        return run(
            box,
            order,
            wrap=functools.partial(self._wrap, box),
            groups=self._groups,
            cancel=cancel,
        )

    def _wrap(self, box: Box, words: Sequence[str]) -> Sequence[str]:
        shown = outermost([*system_paths(), SCRIPT, *box.readable])
        binds = [word for path in shown for word in ("--ro-bind", str(path), str(path))]
        for path in DEVICES:
            binds += ["--dev-bind", str(path), str(path)]
        folder = str(box.writable)
        return [
            self._program, "--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL",
            *binds, "--proc", "/proc", "--bind", folder, folder, "--remount-ro", "/", "--", *words,
        ]  # fmt: skip


def outermost(paths: Sequence[Path]) -> list[Path]:
    """Return `paths` without those below another of them, since mounting would hide or repeat them."""
    found: list[Path] = []
    for path in sorted(set(paths)):
        if not found or not path.is_relative_to(found[-1]):
            found.append(path)
    return found


def _version(program: str) -> str:
    try:
        ended = subprocess.run(  # noqa: S603  the program that was found, with a fixed word
            [program, "--version"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            env={"PATH": os.defpath},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoSandbox(f"{program} does not start: {error}") from None
    found = _VERSION.search(ended.stdout)
    if found is None:
        raise NoSandbox(f"{program} gives no version: {ended.stdout[:100]!r}")
    if tuple(int(part) for part in found[1].split(".")[:2]) < _NEEDED:
        raise NoSandbox(f"bubblewrap {found[1]} is too old; 0.2 or newer is needed")
    return found[1]
