"""`leanchecker`, the program of a toolchain that sends a compiled file's constants through its kernel, as a kernel of ours.

Facts (Lean's `LeanChecker.lean`). `leanchecker -v MODULE` looks MODULE up in LEAN_PATH and below the toolchain, sends its constants to the
kernel in an environment of what it imports, and compares constructors and recursors. It prints `replaying MODULE` and ends with
0; or prints `leanchecker found a problem in MODULE`, the reason, and ends with 1. It asks `lean` where the toolchain is unless
LEAN_SYSROOT says so. It maps files unchecked, so it gets none but ours, and no library: the file holds everything.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from workbench.lean.child import Ended
from workbench.lean.constants import Constant, InductiveData
from workbench.lean.names import Name, show
from workbench.lean.replay import Call, Replay, Run, run_unboxed
from workbench.lean.replay_file import module_file, other_quotients
from workbench.lean.replay_plan import Plan
from workbench.lean.terms import Bank
from workbench.lean.write import ImageWriter, base_of, finished

_PROBLEM = "leanchecker found a problem in "
_MOST_REJECTED = 5
_ACCEPTED, _REJECTED, _DECLINED = "accepted", "rejected", "declined"


@dataclass
class _Told:
    """What one run of the program said. `words` is why it did not accept."""

    verdict: str
    words: str = ""


@dataclass
class LeanChecker:
    """`program` in the toolchain `root`. `header` begins with the 80 bytes with which files of that toolchain begin.

    Before it is believed it must accept an honest file and reject a forged one. What it rejects is found by halving: it names
    the module only.
    """

    program: Path
    root: Path
    name: str
    header: bytes
    seconds: float = 300.0
    output_bytes: int = 1 << 20
    run: Run = run_unboxed
    _distrust: str | None = field(default=None, init=False, repr=False)
    _spent: list[Ended] = field(default_factory=list, init=False, repr=False)

    def replay(self, plan: Plan) -> Replay:
        """Return what the program says about a plan; never raises for what the plan holds."""
        self._spent = []
        if self._distrust is None:
            self._distrust = self.find_distrust()
        if self._distrust:
            return self._answer(declined=self._distrust)
        strange = other_quotients(plan)
        if strange:
            return self._answer(
                declined=f"{show(strange[0])} is not the one that kernels make"
            )
        told = self._ask(plan)
        if told.verdict == _DECLINED:
            return self._answer(declined=told.words)
        if told.verdict == _ACCEPTED:
            return self._answer(plan.names())
        return self._attribute(plan, told)

    def _answer(
        self,
        accepted: frozenset[Name] = frozenset(),
        rejected: dict[Name, str] | None = None,
        declined: str = "",
    ) -> Replay:
        seconds = sum(ended.seconds for ended in self._spent)
        peak = max((ended.peak_kib for ended in self._spent), default=0)
        return Replay(self.name, accepted, rejected or {}, declined, seconds, peak)

    def _attribute(self, plan: Plan, told: _Told) -> Replay:
        """Return which constants are rejected: step by step, the first that makes a file bad, and what uses it."""
        rejected: dict[Name, str] = {}
        for _ in range(_MOST_REJECTED):
            bad, told = self._first_bad(plan, rejected, told)
            if told.verdict == _DECLINED:
                return self._answer(declined=told.words)
            rejected.update(dict.fromkeys(plan.steps[bad], told.words))
            rejected.update(_users(plan, rejected))
            told = self._ask(plan, rejected)
            if told.verdict == _DECLINED:
                return self._answer(declined=told.words)
            if told.verdict == _ACCEPTED:
                return self._answer(plan.names() - rejected.keys(), rejected)
        left = plan.names() - rejected.keys()
        rejected.update(dict.fromkeys(left, "not tried after many rejections"))
        return self._answer(frozenset(), rejected)

    def _first_bad(
        self, plan: Plan, rejected: Collection[Name], told: _Told
    ) -> tuple[int, _Told]:
        """Return the number of the first step that makes a file bad, and what was said then. `told` was said of all steps."""
        good, bad = 0, len(plan.steps)
        while bad - good > 1:
            middle = (good + bad) // 2
            beyond = {name for step in plan.steps[middle:] for name in step}
            answer = self._ask(plan, beyond.union(rejected))
            if answer.verdict == _DECLINED:
                return bad - 1, answer
            if answer.verdict == _ACCEPTED:
                good = middle
            else:
                bad, told = middle, answer
        return bad - 1, told

    def _ask(self, plan: Plan, without: Collection[Name] = ()) -> _Told:
        module = _fresh_name()
        return self._told(module, module_file(plan, (module,), self.header, without))

    def _told(self, module: str, data: bytes) -> _Told:
        with tempfile.TemporaryDirectory(prefix="leanchecker-") as place:
            folder = Path(place).resolve()
            # An empty toolchain: only our file can be found.
            sysroot, modules = folder / "sysroot", folder / "modules"
            (sysroot / "lib" / "lean").mkdir(parents=True)
            modules.mkdir()
            (modules / f"{module}.olean").write_bytes(data)
            ended = self.run(
                Call(
                    argv=(str(self.program), "-v", module),
                    readable=(modules, sysroot, self.root),
                    folder=modules,
                    env={
                        "LEAN_PATH": str(modules),
                        "LEAN_SYSROOT": str(sysroot),
                        "LANG": "C.UTF-8",
                        "PATH": os.defpath,
                    },
                    seconds=self.seconds,
                    output_bytes=self.output_bytes,
                )
            )
        self._spent.append(ended)
        return _understood(ended, module)

    def find_distrust(self) -> str:
        """Return why the program is not believed, or nothing when it tells an honest file from a forged one."""
        for honest, wanted in ((True, _ACCEPTED), (False, _REJECTED)):
            module = _fresh_name()
            told = self._told(module, _sample(module, self.header, honest=honest))
            if told.verdict != wanted:
                kind = "honest" if honest else "forged"
                how = told.words or "it said nothing against it"
                return f"{self.program.name} did not tell the {kind} file of the self-test: {how}"
        return ""


def _understood(ended: Ended, module: str) -> _Told:
    """Return what a run said. Anything but the two ends that the program has is no answer."""
    lines = ended.output.decode("utf-8", "replace").splitlines()
    problem = next((line for line in lines if line.startswith(_PROBLEM)), None)
    if ended.stopped:
        return _Told(_DECLINED, f"the checker's process was stopped: {ended.stopped}")
    if ended.code == 0 and problem is None and f"replaying {module}" in lines:
        return _Told(_ACCEPTED)
    if ended.code == 1 and problem == _PROBLEM + module:
        said = " ".join(line.strip() for line in lines if module not in line)
        reason = said.removeprefix("uncaught exception: ").strip() or "rejected"
        return _Told(_REJECTED, reason[:300])
    last = f": {lines[-1][:200]}" if lines else ""
    return _Told(_DECLINED, f"the checker ended with code {ended.code}{last}")


def _users(plan: Plan, rejected: Collection[Name]) -> dict[Name, str]:
    """Return what of a plan uses a rejected constant, directly or not."""
    found: dict[Name, str] = {}
    for step in plan.steps:
        if any(name in rejected for name in step):
            continue
        for name in step:
            used = plan.environment.uses(name)
            if any(other in rejected or other in found for other in used):
                found.update(dict.fromkeys(step, "unknown constant"))
                break
    for name in plan.expected:
        used = plan.environment.uses(name)
        if name not in rejected and any(o in rejected or o in found for o in used):
            found[name] = "unknown constant"
    return found


def _fresh_name() -> str:
    # Not known before: what the program prints about it was printed about this file.
    return f"Replay{secrets.token_hex(12)}"


def _sample(module: str, header: bytes, *, honest: bool) -> bytes:
    """Return a module with an empty proposition and a theorem: that it implies itself, or, forged, that it holds."""
    bank = Bank()
    prop, empty = bank.sort(bank.zero()), bank.const(("Nothing",))
    type_ = bank.pi(("h",), empty, empty) if honest else empty
    proof = bank.lam(("h",), empty, bank.bvar(0))
    data = InductiveData(0, 0, (("Nothing",),), (), 0, False, False)
    constants = [
        Constant(("Nothing",), "inductive", (), prop, data=data),
        Constant(("sample",), "theorem", (), type_, proof, all=(("sample",),)),
    ]
    writer = ImageWriter(bank, base_of((module,)))
    return finished(writer.file(writer.module_data([], constants)), header)
