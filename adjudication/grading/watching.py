"""How a grading tells whoever watches how far it is. Nothing here decides anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.lean.toolchain import ModuleResult

# In order. The share of the time that each begins at, in hundredths: compiling takes most of it.
STEPS = {
    "extract": 0,
    "lex": 1,
    "screen": 2,
    "render": 3,
    "build": 5,
    "read": 70,
    "compare": 78,
    "replay": 82,
    "decide": 98,
}


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was done. `name` is one of STEPS, `words` one line for people; `done` of `total` parts of that step are done."""

    name: str
    words: str
    done: int = 0
    total: int = 0

    @property
    def share(self) -> int:
        """Return how far the whole grading is, in hundredths: a guess, as nobody knows the rest."""
        begin = STEPS[self.name]
        after = [share for share in STEPS.values() if share > begin]
        end = after[0] if after else 100
        return begin + (end - begin) * self.done // max(self.total, 1)


Watch = Callable[[Step], None]


def unwatched(step: Step) -> None:
    """Nobody watches."""


class Modules:
    """Counts the modules of one grading while they are compiled, over both trees and all attempts."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._done = self._total = 0

    def begin(self, todo: int, reused: int, which: str) -> None:
        """Say that `todo` modules of a tree are to be compiled and `reused` came out of a cache."""
        self._total += todo
        words = f"{which}: {todo} modules to compile, {reused} from the cache"
        self._watch(Step("build", words, self._done, self._total))

    def ended(self, result: ModuleResult) -> None:
        """Say what became of one module."""
        self._done += 1
        words = f"{result.module}: {result.outcome}, {result.seconds:.1f} s"
        if result.errors:
            first = result.errors[0]
            words += f"; line {first.line}: {first.message[:200]}"
        place = f"{self._done} of {self._total}"
        self._watch(Step("build", f"{place}  {words}", self._done, self._total))
