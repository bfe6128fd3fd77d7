"""Boxes with a few lines of Python in them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from workbench.lean.sandbox.box import Box, Ended, Limits, Sandbox
from workbench.lean.sandbox.bubblewrap import Bubblewrap
from workbench.lean.sandbox.landlocked import Landlocked
from workbench.lean.sandbox.system import interpreter
from workbench.lean.sandbox.watch import children

KINDS: Mapping[str, Callable[[], Sandbox]] = {
    "bubblewrap": Bubblewrap,
    "landlock": lambda: Landlocked(namespaces=True),
    "landlock without namespaces": lambda: Landlocked(namespaces=False),
}
LONG = Limits(seconds=60)


def python_box(
    folder: Path,
    code: str,
    *,
    limits: Limits = LONG,
    readable: Iterable[Path] = (),
    env: Mapping[str, str] | None = None,
    start: Path | None = None,
) -> Box:
    return Box(
        "test",
        [str(interpreter()), "-I", "-S", "-c", code],
        list(readable),
        folder,
        env or {},
        limits,
        start,
    )


def run_python(
    sandbox: Sandbox,
    folder: Path,
    code: str,
    *,
    limits: Limits = LONG,
    readable: Iterable[Path] = (),
    env: Mapping[str, str] | None = None,
    start: Path | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Ended:
    box = python_box(
        folder, code, limits=limits, readable=readable, env=env, start=start
    )
    return sandbox.run(box, cancel)


def below(process: int) -> set[int]:
    """All descendants of a process."""
    found = set(children(process))
    for child in list(found):
        found |= below(child)
    return found


class Spy:
    """Given as `cancel`: remembers the processes below this one that were not there before, and never cancels."""

    def __init__(self) -> None:
        self._before, self.seen = below(os.getpid()), set[int]()

    def __call__(self) -> bool:
        self.seen |= below(os.getpid()) - self._before
        return False


def is_running(process: int) -> bool:
    """Whether a process of that id is there and not a zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def wait_until(true: Callable[[], bool]) -> bool:
    """Whether that becomes true; gives up after a long time."""
    for _ in range(1500):
        if true():
            return True
        time.sleep(0.02)
    return False


def command_lines() -> list[str]:
    """The words of every process of this machine that still runs, whoever its parent is."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and is_running(int(entry.name)):
            try:
                found.append((entry / "cmdline").read_bytes().decode())
            except OSError:
                continue
    return found
