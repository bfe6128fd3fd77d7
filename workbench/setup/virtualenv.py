"""The virtual environment in .venv: made once, repaired when broken, filled from the pinned requirements.

A stamp inside it remembers which requirement files (by digest) it was filled from, so that a start with nothing
to do costs no pip. `main` makes what bin/workbench needs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.setup import apt, pip_words, pocket
from workbench.setup.locks import waiting_turn
from workbench.setup.places import ROOT, VENV, demand_writable, owner_name
from workbench.setup.words import Problem, complain, say

_PROBE = "import json, sys; print(json.dumps([sys.prefix, list(sys.version_info[:2])]))"


@dataclass
class Stamp:
    """What an environment was filled from: its own path, and the digest of each requirements file."""

    folder: str = ""
    locks: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, venv: Path) -> Stamp:
        """Return the stamp in `venv`; an empty one where there is none or it is damaged."""
        try:
            document = json.loads(_stamp_file(venv).read_text())
            return cls(str(document["folder"]), dict(document["locks"]))
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def write(self, venv: Path) -> None:
        """Keep the stamp in `venv`."""
        _stamp_file(venv).write_text(json.dumps(self.__dict__, indent=1))


def _stamp_file(venv: Path) -> Path:
    return venv / "workbench-stamp.json"


def digest_of(lock: str) -> str:
    """Return the digest of requirements/`lock` as it is now."""
    return hashlib.sha256((ROOT / "requirements" / lock).read_bytes()).hexdigest()


def python_of(venv: Path) -> Path:
    """Return the interpreter of `venv`."""
    return venv / "bin" / "python"


def fault_of(venv: Path, stamp: Stamp) -> str:
    """Return what is wrong with `venv`, or "" if its interpreter runs, is new enough and belongs to this folder."""
    if stamp.folder and stamp.folder != str(venv):
        return f"was made in {stamp.folder} and then moved"
    try:
        probe = subprocess.run(
            [python_of(venv), "-I", "-c", _PROBE], capture_output=True, timeout=30
        )
        prefix, version = json.loads(probe.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return "has no Python that runs"
    if tuple(version) < (3, 11):
        return f"has Python {version[0]}.{version[1]}, and 3.11 or newer is needed"
    if Path(prefix).resolve() != venv.resolve():
        return f"runs the Python of {prefix}"
    return ""


def ensure(lock: str, *, with_pocket: bool = False, venv: Path = VENV) -> Path:
    """Return the interpreter of an environment filled from requirements/`lock`, made or repaired first.

    With `with_pocket`, the pocket Lean is added where it can be had; its absence is said in one line.
    Raises Problem when the environment cannot be made.
    """
    with waiting_turn(ROOT / "requirements"):
        stamp = Stamp.read(venv)
        if not (venv.exists() or venv.is_symlink()):
            stamp = _make(venv)
        elif fault := fault_of(venv, stamp):
            stamp = _remake(venv, fault)
        _fill(venv, stamp, lock, say_what="the packages")
        if with_pocket:
            _add_pocket(venv, stamp)
    return python_of(venv)


def _remake(venv: Path, fault: str) -> Stamp:
    if venv.is_symlink() or (
        not (venv / "pyvenv.cfg").is_file() and any(venv.iterdir())
    ):
        raise Problem(
            f"{venv} {fault}, and it does not look like a virtual environment, so it is left alone. "
            "Move it away and run this again."
        )
    if not os.access(venv.parent, os.W_OK):
        raise Problem(
            f"the virtual environment {venv} {fault}, and it cannot be made anew here. {_not_ours(venv.parent)}"
        )
    say(f"The virtual environment {venv} {fault}: making it anew.")
    try:
        shutil.rmtree(venv)
    except OSError as error:
        raise Problem(
            f"{venv} {fault} and cannot be removed: {error.strerror}. {_not_ours(venv)}"
        ) from None
    return _make(venv)


def _make(venv: Path) -> Stamp:
    demand_writable(venv.parent, _not_ours(venv.parent))
    say(f"Making the virtual environment {venv} …")
    output = _try_to_make(venv)
    if output is not None and (
        "ensurepip" in output or "No module named venv" in output
    ):
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        refusal = apt.install(package) and apt.install("python3-venv")
        if refusal:
            raise Problem(
                f"{sys.executable} cannot make virtual environments, because Debian keeps that in a package of its "
                f"own. As root: apt install python3-venv (or {package}); then run this again."
            )
        output = _try_to_make(venv)
    if output is not None:
        last = output.strip().splitlines() or ["no reason given"]
        raise Problem(f"{sys.executable} -m venv {venv} failed: {last[-1]}")
    return Stamp(str(venv))


def _try_to_make(venv: Path) -> str | None:
    """Make the environment; return None, or what the failed attempt printed, with nothing left behind."""
    made = subprocess.run(
        [sys.executable, "-m", "venv", venv],
        capture_output=True,
        text=True,
        cwd=venv.parent,
    )
    if made.returncode == 0:
        return None
    shutil.rmtree(venv, ignore_errors=True)
    return made.stdout + made.stderr


def _fill(venv: Path, stamp: Stamp, lock: str, say_what: str) -> None:
    digest = digest_of(lock)
    if stamp.locks.get(lock) == digest and stamp.folder:
        return
    demand_writable(venv, _not_ours(venv))
    say(f"Installing {say_what} of requirements/{lock} …")
    stamp.folder = str(venv)
    stamp.locks.pop(lock, None)
    stamp.write(venv)
    if not _pip_works(venv):
        raise Problem(
            f"{venv} has no pip and none could be put in. Remove that folder and run this again."
        )
    done = _pip(
        venv, "install", "--require-hashes", "-r", str(ROOT / "requirements" / lock)
    )
    if done.returncode:
        log = venv / "pip.log"
        log.write_text(done.stdout)
        raise Problem(pip_words.explain(done.stdout, str(log)))
    stamp.locks[lock] = digest
    stamp.write(venv)


def _add_pocket(venv: Path, stamp: Stamp) -> None:
    if reason := pocket.obstacle():
        say(f"Without the pocket Lean: {reason}. Everything else works.")
        return
    try:
        _fill(venv, stamp, "pocket.txt", say_what="the pocket Lean")
    except Problem as problem:
        say(f"Without the pocket Lean for now: {problem} Everything else works.")


def _pip(venv: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pip of `venv` with the machine's own configuration; both streams come back as one text."""
    return subprocess.run(
        [
            python_of(venv),
            "-m",
            "pip",
            "--disable-pip-version-check",
            "--no-input",
            *words,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=ROOT,
    )


def _pip_works(venv: Path) -> bool:
    if _pip(venv, "--version").returncode == 0:
        return True
    given = subprocess.run(
        [python_of(venv), "-m", "ensurepip", "--default-pip"], capture_output=True
    )
    return given.returncode == 0


def _not_ours(path: Path) -> str:
    return f"It belongs to {owner_name(path)}: run this as that user, or in a copy of the repository that is your own."


def main(arguments: Sequence[str]) -> int:
    """Make what bin/workbench needs. Returns 0, or 2 after a sentence."""
    del arguments
    try:
        ensure("base.txt", with_pocket=True)
    except Problem as problem:
        complain(problem)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
