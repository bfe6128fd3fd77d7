"""The kernel's verdict on theorems, from terms that the reader validated.

A kernel is a program that gets an image made by `replay_plan` and answers which declarations it accepts. Whatever goes wrong
with it (crash, time, garbage) is `declined`, never a rejection and never a pass.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from workbench.lean import child
from workbench.lean.closure import Closure
from workbench.lean.names import Name
from workbench.lean.replay_plan import Plan

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Call:
    """A child process to run: its words, all that it may read, the folder it starts in, all of its environment, its limits."""

    argv: Sequence[str]
    readable: Sequence[Path]
    folder: Path
    env: Mapping[str, str]
    seconds: float
    output_bytes: int


Run = Callable[[Call], child.Ended]


def run_unboxed(call: Call) -> child.Ended:
    """Run a call without a sandbox: only the wall clock and the size of its output are limited."""
    return child.run(
        call.argv,
        cwd=call.folder,
        env=call.env,
        seconds=call.seconds,
        output_bytes=call.output_bytes,
    )


@dataclass(frozen=True, slots=True)
class Replay:
    """What a kernel said. `accepted` and `rejected` are empty when it `declined` (the text says why).

    `rejected` gives a reason for each constant that the kernel refused or makes differently. What depends on a refused constant
    is refused too, as using an unknown one. `whole`: the kernel judges a plan as a whole, so `rejected` holds all of it or nothing.
    """

    kernel: str
    accepted: frozenset[Name] = frozenset()
    rejected: Mapping[Name, str] = field(default_factory=dict)
    declined: str = ""
    seconds: float = 0.0
    peak_kib: int = 0
    whole: bool = False

    def confirms(self, closure: Closure) -> bool:
        """Whether everything in `closure` was replayed and accepted."""
        return (
            not self.declined
            and not closure.missing
            and closure.constants <= self.accepted
        )


class Replayer(Protocol):
    """A kernel that can check a plan. Several can be asked; each must accept."""

    @property
    def name(self) -> str:
        """Return what verdicts say about it, with its version."""

    def replay(self, plan: Plan) -> Replay:
        """Return the kernel's answer; never raises for what the plan holds."""


@dataclass(frozen=True)
class LeanKernel:
    """The kernel inside a shared library of Lean, in a child process.

    `run` runs it: give one that puts it into a sandbox.
    """

    library: Path
    name: str
    seconds: float = 300.0
    output_bytes: int = 1 << 20
    run: Run = run_unboxed

    def replay(self, plan: Plan) -> Replay:
        """Write the plan's image into a folder of its own, run the child, read its answer."""
        nonce = secrets.token_hex(16)
        with tempfile.TemporaryDirectory(prefix="replay-") as folder:
            image = Path(folder, "declarations")
            image.write_bytes(plan.image)
            ended = self.run(self._call(image, nonce))
        if ended.stopped or ended.code:
            how = (
                f"stopped: {ended.stopped}"
                if ended.stopped
                else f"ended with code {ended.code}"
            )
            answer = Replay(
                self.name,
                declined=f"the kernel process {how}{_last_line(ended.output, nonce)}",
            )
        else:
            answer = _answer(self.name, plan, ended.output, nonce)
        return replace(answer, seconds=ended.seconds, peak_kib=ended.peak_kib)

    def _call(self, image: Path, nonce: str) -> Call:
        words = (
            "-m",
            "workbench.lean.replay_child",
            str(self.library),
            str(image),
            nonce,
        )
        return Call(
            argv=(sys.executable, *words),
            readable=(
                image,
                self.library.parent,
                REPOSITORY / "workbench",
                Path(sys.prefix),
                Path(sys.base_prefix),
            ),
            folder=image.parent,
            env={
                "PYTHONPATH": str(REPOSITORY),
                "PATH": os.defpath,
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            seconds=self.seconds,
            output_bytes=self.output_bytes,
        )


_INCOMPLETE = "the kernel process gave no complete answer"


def _answer(kernel: str, plan: Plan, output: bytes, nonce: str) -> Replay:
    """Return what the lines with the nonce say. Anything unexpected among them is `declined`."""
    messages: list[dict[str, Any]] = []
    for line in output.decode("utf-8", "replace").splitlines():
        tag, _, rest = line.partition(" ")
        if tag == nonce:
            try:
                messages.append(json.loads(rest))
            except ValueError:
                return Replay(kernel, declined=_INCOMPLETE)
    if not messages or messages[-1].get("done") != [
        len(plan.steps),
        len(plan.expected),
    ]:
        return Replay(kernel, declined=_INCOMPLETE)
    rejected: dict[Name, str] = {}
    for message in messages[:-1]:
        if "rejected" in message:
            rejected.update(
                dict.fromkeys(plan.steps[message["rejected"]], message["reason"])
            )
        elif "stopped" in message:
            for step in plan.steps[message["stopped"] :]:
                rejected.update(dict.fromkeys(step, "not tried after many rejections"))
        else:
            rejected.setdefault(
                plan.expected[message["differs"]], "the kernel makes it differently"
            )
    return Replay(kernel, plan.names() - rejected.keys(), rejected)


def _last_line(output: bytes, nonce: str) -> str:
    lines = [
        line
        for line in output.decode("utf-8", "replace").splitlines()
        if not line.startswith(nonce)
    ]
    return f": {lines[-1][:200]}" if lines else ""
