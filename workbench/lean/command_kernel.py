"""A kernel of another maker: a program that gets a plan in the Lean 4 export format (export.py) on standard input.

Its exit code is its answer: 0, it accepts every declaration; 1, it refuses one (so does 101, with which programs in Rust end that hit
what they do not accept); anything else, it cannot say. The last line that it prints (but for remarks that begin with `note:`) is the
reason. It judges a plan as a whole, so whoever wants to know which theorem it means asks again with less.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.lean.export import export
from workbench.lean.replay import Call, Replay, Run, run_unboxed
from workbench.lean.replay_plan import Plan

ACCEPTED, REFUSED = 0, (1, 101)
# Standard input of a box is nothing, so the program gets it from here; after that this is the program. One that cannot be started
# must not look like one that refuses.
_START = """
import os, sys
try:
    os.dup2(os.open(sys.argv[1], os.O_RDONLY), 0)
    os.execv(sys.argv[2], sys.argv[2:])
except BaseException as error:
    print(f"it cannot be started: {error}", flush=True)
    os._exit(126)
"""


class BadCommand(Exception):
    """The words of a command are no program on this machine."""


@dataclass(frozen=True)
class CommandKernel:
    """A program as a kernel. `words` are its full path and its arguments, `readable` what it may read in a sandbox.

    `run` runs it: give one that puts it into a sandbox.
    """

    words: tuple[str, ...]
    readable: tuple[Path, ...]
    name: str
    seconds: float = 300.0
    output_bytes: int = 1 << 20
    run: Run = run_unboxed

    def replay(self, plan: Plan) -> Replay:
        """Write the plan as text, run the program on it, and take its exit code for its answer."""
        with tempfile.TemporaryDirectory(prefix="export-") as folder:
            text = Path(folder).resolve() / "export.ndjson"
            try:
                text.write_bytes(export(plan))
                ended = self.run(self._call(text))
            except (ValueError, OSError) as error:
                return Replay(self.name, declined=f"it could not be asked: {error}")
        said = _last_line(ended.output)
        if ended.stopped:
            declined = f"it was stopped: {ended.stopped}"
        elif ended.code not in (ACCEPTED, *REFUSED):
            declined = f"it ended with code {ended.code}{said and f': {said}'}"
        else:
            declined = ""
        refused = plan.names() if ended.code in REFUSED and not declined else ()
        accepted = plan.names() if ended.code == ACCEPTED and not declined else ()
        return Replay(
            self.name,
            frozenset(accepted),
            dict.fromkeys(refused, said or "it gives no reason"),
            declined,
            ended.seconds,
            ended.peak_kib,
            whole=True,
        )

    def _call(self, text: Path) -> Call:
        return Call(
            argv=(sys.executable, "-c", _START, str(text), *self.words),
            readable=(text, *self.readable),
            folder=text.parent,
            env={"PATH": os.defpath},
            seconds=self.seconds,
            output_bytes=self.output_bytes,
        )


def command_kernel(command: str, run: Run = run_unboxed) -> CommandKernel:
    """Return the kernel behind a command line. Its words are split as a shell would, and no shell runs.

    What the words name on this machine, by absolute paths, may be read in a sandbox. The name that verdicts keep has a hash of the words
    and of the files among them. Raises BadCommand.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadCommand(f"{command!r}: {error}") from None
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise BadCommand(f"{words[0] if words else command!r} is no program here")
    found = _started_by(Path(program).resolve())
    for word in words[1:]:
        path = Path(word)
        found.append(
            str(path.resolve()) if path.is_absolute() and path.exists() else word
        )
    paths = tuple(Path(word) for word in found if Path(word).is_absolute())
    readable = tuple(path for path in paths if path.exists())
    name = f"{Path(words[0]).name} {_digest(found, readable)[:12]}"
    return CommandKernel(tuple(found), readable, name, run=run)


def _started_by(program: Path) -> list[str]:
    """Return the words that start a program: itself, or the interpreter that the first line of a script names, and the script.

    A box has no `/bin/sh`, only what is shown to it by its real path.
    """
    with program.open("rb") as file:
        first = file.readline(256)
    if not first.startswith(b"#!"):
        return [str(program)]
    words = os.fsdecode(first[2:]).split()
    if words and Path(words[0]).name == "env":
        words = words[1:]
    interpreter = shutil.which(words[0]) if words else None
    if interpreter is None:
        raise BadCommand(f"{program} is a script of no interpreter that is here")
    return [str(Path(interpreter).resolve()), *words[1:], str(program)]


def _digest(words: Sequence[str], paths: Sequence[Path]) -> str:
    total = hashlib.sha256("\0".join(words).encode())
    for path in paths:
        if path.is_file():
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").split("\n")
    words = (
        "".join(c if c.isprintable() else " " for c in line).strip() for line in lines
    )
    kept = [line for line in words if line and not line.startswith("note:")]
    return kept[-1][:200] if kept else ""
