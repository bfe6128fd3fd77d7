"""Does a sandbox hold? What must fail in a box is tried in one, and tried without, where it must succeed."""

from __future__ import annotations

import concurrent.futures
import functools
import json
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.lean.sandbox import attacks
from workbench.lean.sandbox.box import (
    MIB,
    BadBox,
    Box,
    BoxBroken,
    Ended,
    Limits,
    Sandbox,
)
from workbench.lean.sandbox.system import interpreter
from workbench.lean.sandbox.targets import Targets, empty_folder, targets

SCRIPT = Path(attacks.__file__).resolve()
ACCESS = tuple(attack.__name__ for attack in attacks.ACCESS)
EXCESS = tuple(attack.__name__ for attack in attacks.EXCESS)
MEANING = {
    attack.__name__: " ".join((attack.__doc__ or "").split()).rstrip(".")
    for attack in (*attacks.ACCESS, *attacks.EXCESS)
}
# A machine may forbid it to everybody, and then no box can be tried with it.
FORBIDDEN_IN_PLACES = frozenset({"trace"})
# How much each attack takes, and the limits that it then meets in a box.
AMOUNTS: Mapping[str, object] = {
    "big_file": 2 * MIB, "overtime": 1.2, "flood": MIB, "memory": 256 * MIB, "threads": 40, "disk": 8 * MIB, "hold": 1.0,
}  # fmt: skip
LIMITS = Limits(seconds=30, cpu_seconds=20, file_bytes=MIB)
TIGHT = {
    "overtime": Limits(seconds=0.6),
    "flood": Limits(seconds=30, output_bytes=MIB // 8),
    "memory": Limits(seconds=30, memory_mib=96),
    "threads": Limits(seconds=30, threads=8),
    "disk": Limits(seconds=30, folder_bytes=2 * MIB),
}
_SECONDS = 60.0


@dataclass(frozen=True)
class ProbeResult:
    """What a probe found out. `failures` say what the box did not stop, or why it could not be tried; `blind` names attacks
    that fail on this machine even without a box, and so say nothing about it. `attacks` names all that were tried."""

    name: str
    words: str
    proven: bool
    failures: tuple[str, ...]
    blind: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def probe(sandbox: Sandbox, *, thorough: bool = True) -> ProbeResult:
    """Return whether `sandbox` holds. Not `thorough`: without the attacks on limits (0.2 s instead of 2 s)."""
    begun = time.monotonic()
    tried = (*ACCESS, *(EXCESS if thorough else ()))
    blind: list[str] = []
    failures: list[str] = []
    try:
        able = possible(thorough=thorough)
        blind += [name for name in tried if name not in able]
        failures += [
            f"the probe proves nothing about this: {MEANING[name].lower()} fails here even without a box"
            for name in blind
            if name not in FORBIDDEN_IN_PLACES
        ]
        done = _try_access(lambda aimed, plan: _in_box(sandbox, aimed, plan, ACCESS))
        if thorough:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                done |= dict(
                    pool.map(functools.partial(_try_excess_in_box, sandbox), EXCESS)
                )
        failures += [
            f"not stopped: {MEANING[name].lower()}" for name in tried if done[name]
        ]
    except (BoxBroken, BadBox, OSError, subprocess.TimeoutExpired) as error:
        failures.append(str(error))
    return ProbeResult(
        sandbox.name,
        sandbox.words,
        not failures,
        tuple(failures),
        tuple(blind),
        tried,
        sandbox.versions,
        time.monotonic() - begun,
    )


_guard = threading.Lock()
_possible: dict[bool, frozenset[str]] = {}


def possible(*, thorough: bool = True) -> Collection[str]:
    """Return the names of the attacks that succeed on this machine without any box. Tried once a process."""
    with _guard:
        if thorough not in _possible:
            done = _try_access(lambda aimed, plan: _without_box(aimed, plan, ACCESS))
            if thorough:
                with concurrent.futures.ThreadPoolExecutor(2) as pool:
                    done |= dict(pool.map(_try_excess_without, EXCESS))
            _possible[thorough] = frozenset(name for name, was in done.items() if was)
        return _possible[thorough]


Attempt = Callable[[Targets, str], bytes]


def _try_access(attempt: Attempt) -> dict[str, bool]:
    """Return attack → whether it was done, by its effect outside or, failing that, by its own word."""
    with targets() as aimed:
        plan = json.dumps({**aimed.plan(), **AMOUNTS})
        said = _answers(attempt(aimed, plan))
        seen = aimed.hit()
        missing = [name for name in ACCESS if name not in said]
        if missing:
            raise BoxBroken(f"the probe got no answer about {', '.join(missing)}")
        done = {name: bool(said[name]["done"]) for name in ACCESS}
        for name in ("read_outside", "environment"):
            done[name] = aimed.token in said[name]["said"]
        # What was seen to happen happened; what was not seen did not, whatever is said about it.
        return done | dict(seen)


def _in_box(sandbox: Sandbox, aimed: Targets, plan: str, names: Iterable[str]) -> bytes:
    ended = _run(sandbox, aimed.box, [aimed.given], plan, names, LIMITS)
    if ended.code != 0 or ended.limit not in ("", "file"):
        raise BoxBroken(
            f"the probe ended with code {ended.code} {ended.limit}: {ended.output[-300:]!r}"
        )
    return ended.output


def _run(
    sandbox: Sandbox,
    folder: Path,
    given: Iterable[Path],
    plan: str,
    names: Iterable[str],
    limits: Limits,
) -> Ended:
    return sandbox.run(
        Box(
            "probe",
            [str(interpreter()), "-I", "-S", str(SCRIPT), plan, *names],
            [SCRIPT, *given],
            folder,
            limits=limits,
        )
    )


def _without_box(aimed: Targets, plan: str, names: Iterable[str]) -> bytes:
    return _plainly(aimed.box, plan, names)


def _plainly(folder: Path, plan: str, names: Iterable[str]) -> bytes:
    ended = subprocess.run(  # noqa: S603  fixed words
        [str(interpreter()), "-I", "-S", str(SCRIPT), plan, *names],
        cwd=folder,
        env={},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_SECONDS,
        check=False,
    )
    return ended.stdout


def _try_excess_in_box(sandbox: Sandbox, name: str) -> tuple[str, bool]:
    with empty_folder() as folder:
        ended = _run(sandbox, folder, [], json.dumps(AMOUNTS), [name], TIGHT[name])
    said = _answers(ended.output).get(name)
    if not ended.limit and said is None:
        raise BoxBroken(
            f"the probe ended with code {ended.code}: {ended.output[-300:]!r}"
        )
    return name, not ended.limit and bool(said and said["done"])


def _try_excess_without(name: str) -> tuple[str, bool]:
    with empty_folder() as folder:
        said = _answers(_plainly(folder, json.dumps(AMOUNTS), [name])).get(name)
    return name, bool(said and said["done"])


def _answers(output: bytes) -> dict[str, Any]:
    """Return attack → its line. Other lines are what attacks print."""
    found = {}
    for line in output.decode("utf-8", "replace").splitlines():
        if line.startswith("{"):
            try:
                answer = json.loads(line)
                found[answer["attack"]] = answer
            except (ValueError, KeyError):
                continue
    return found
