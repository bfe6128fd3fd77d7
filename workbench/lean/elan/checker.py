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
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True, slots=True)
class _Told:
    """What one run of the program said. `words` is why it did not accept."""

    verdict: str
    words: str = ""


@dataclass(frozen=True)
class LeanChecker:
    """`program` in the toolchain `root`. `header` begins with the 80 bytes with which files of that toolchain begin.

    Before it is believed it must accept an honest file and reject a forged one. What it rejects is found by halving: it names
    the module only. Several plans may be replayed at a time.
    """

    program: Path
    root: Path
    name: str
    header: bytes
    seconds: float = 300.0
    output_bytes: int = 1 << 20
    run: Run = run_unboxed
    _tested: list[str] = field(default_factory=list, init=False, repr=False)
    _testing: threading.Lock = field(
        default_factory=threading.Lock, init=False, repr=False
    )

    def replay(self, plan: Plan) -> Replay:
        """Return what the program says about a plan; never raises for what the plan holds."""
        spent: list[Ended] = []
        replay = self._replayed(plan, spent)
        seconds = sum(ended.seconds for ended in spent)
        peak = max((ended.peak_kib for ended in spent), default=0)
        return replace(replay, seconds=seconds, peak_kib=peak)

    def _replayed(self, plan: Plan, spent: list[Ended]) -> Replay:
        distrust = self.find_distrust(spent)
        if distrust:
            return Replay(self.name, declined=distrust)
        strange = other_quotients(plan)
        if strange:
            words = f"{show(strange[0])} is not the one that kernels make"
            return Replay(self.name, declined=words)

        def ask(without: Collection[Name]) -> _Told:
            module = _fresh_name()
            data = module_file(plan, (module,), self.header, without)
            return self._told(module, data, spent)

        told, rejected = ask(()), dict[Name, str]()
        for _ in range(_MOST_REJECTED):
            if told.verdict != _REJECTED:
                break
            bad, told = _first_bad(plan, rejected, told, ask)
            if told.verdict == _REJECTED:
                rejected.update(dict.fromkeys(plan.steps[bad], told.words))
                rejected.update(_users(plan, rejected))
                told = ask(rejected)
        if told.verdict == _DECLINED:
            return Replay(self.name, declined=told.words)
        left = plan.names() - rejected.keys()
        if told.verdict == _REJECTED:
            rejected.update(dict.fromkeys(left, "not tried after many rejections"))
            left = frozenset()
        return Replay(self.name, left, rejected)

    def _told(self, module: str, data: bytes, spent: list[Ended]) -> _Told:
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
        spent.append(ended)
        return _understood(ended, module)

    def find_distrust(self, spent: list[Ended] | None = None) -> str:
        """Return why the program is not believed, or nothing when it tells an honest file from a forged one.

        It is tested once; anew only when it gave no answer. How its runs ended is added to `spent`.
        """
        with self._testing:
            if self._tested:
                return self._tested[0]
            for honest, wanted in ((True, _ACCEPTED), (False, _REJECTED)):
                module = _fresh_name()
                data = _sample(module, self.header, honest=honest)
                told = self._told(module, data, [] if spent is None else spent)
                if told.verdict != wanted:
                    kind = "honest" if honest else "forged"
                    how = told.words or "it said nothing against it"
                    words = f"{self.program.name} did not tell the {kind} file of the self-test: {how}"
                    if told.verdict != _DECLINED:
                        self._tested.append(words)
                    return words
            self._tested.append("")
            return ""


def _first_bad(
    plan: Plan,
    rejected: Collection[Name],
    told: _Told,
    ask: Callable[[Collection[Name]], _Told],
) -> tuple[int, _Told]:
    """Return the number of the first step that makes a file bad, and what was said then. `told` was said of all steps."""
    good, bad = 0, len(plan.steps)
    while bad - good > 1:
        middle = (good + bad) // 2
        beyond = {name for step in plan.steps[middle:] for name in step}
        answer = ask(beyond.union(rejected))
        if answer.verdict == _DECLINED:
            return bad - 1, answer
        if answer.verdict == _ACCEPTED:
            good = middle
        else:
            bad, told = middle, answer
    return bad - 1, told


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
