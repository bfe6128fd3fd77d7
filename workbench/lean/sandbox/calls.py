"""Run the calls of the replay (see replay.py) in boxes."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from workbench.lean.child import Ended
from workbench.lean.replay import Call
from workbench.lean.sandbox.box import Box, BoxBroken, Limits, Sandbox
from workbench.lean.sandbox.confine import BROKEN
from workbench.lean.sandbox.system import interpreter


@dataclass(frozen=True)
class Boxed:
    """Something to give a kernel as its `run`. Memory and threads are those of `limits`; time and output those of the call."""

    sandbox: Sandbox
    limits: Limits = field(default_factory=Limits)

    def __call__(self, call: Call) -> Ended:
        """Return how the call ended. A box that could not be made is code 125, with the reason as output: `declined`."""
        program, *rest = call.argv
        if program == sys.executable:
            # A virtual environment's is a link to it, out of what a box can see.
            program = str(interpreter())
        with tempfile.TemporaryDirectory(prefix="call-") as place:
            folder, search = (Path(place).resolve() / name for name in ("box", "path"))
            folder.mkdir()
            search.mkdir()
            box = Box(
                Path(program).name,
                [program, *rest],
                [*call.readable, search],
                folder,
                {**call.env, **_search_path(call, search)},
                self._limits(call),
            )
            try:
                ended = self.sandbox.run(box)
            except BoxBroken as broken:
                return Ended(BROKEN, str(broken).encode(), "", 0.0, 0)
        return Ended(
            ended.code, ended.output, ended.limit, ended.seconds, ended.peak_kib
        )

    def _limits(self, call: Call) -> Limits:
        return Limits(
            seconds=call.seconds,
            cpu_seconds=max(1, int(call.seconds) * 4),
            memory_mib=self.limits.memory_mib,
            threads=self.limits.threads,
            output_bytes=call.output_bytes,
        )


def _search_path(call: Call, folder: Path) -> dict[str, str]:
    """Return a PYTHONPATH with the same packages, as links in `folder`.

    Python lists the folders of its path. The one that our packages are in holds other things, and is not for a box to list.
    """
    wanted = [Path(text) for text in call.env.get("PYTHONPATH", "").split(os.pathsep) if text]  # fmt: skip
    for path in call.readable:
        if path.parent in wanted:
            (folder / path.name).symlink_to(path)
    return {"PYTHONPATH": str(folder)} if wanted else {}
