"""How far a grading is, as it is told."""

from __future__ import annotations

from adjudication.grading.watching import STEPS, Modules, Step, unwatched
from workbench.lean.toolchain import Diagnostic, ModuleResult


def test_shares_grow_with_the_steps_and_with_their_parts() -> None:
    shares = [Step(name, "").share for name in STEPS]
    assert shares == sorted(shares)
    build = [Step("build", "", done, 4).share for done in range(5)]
    assert build == sorted(build)
    assert (build[0], build[4]) == (5, 70)
    assert Step("decide", "", 1, 1).share == 100


def test_modules_are_counted_over_both_trees_and_say_what_failed() -> None:
    told: list[Step] = []
    modules = Modules(told.append)
    modules.begin(2, 5, "pristine")
    modules.ended(ModuleResult("A", "A.lean", "built", (), 1.25))
    modules.begin(1, 0, "graded")
    wrong = Diagnostic("B.lean", 7, 1, "error", "", "unknown identifier 'x'")
    modules.ended(ModuleResult("B", "B.lean", "failed", (wrong,), 0.5))
    assert [step.words for step in told] == [
        "pristine: 2 modules to compile, 5 from the cache",
        "1 of 2  A: built, 1.2 s",
        "graded: 1 modules to compile, 0 from the cache",
        "2 of 3  B: failed, 0.5 s; line 7: unknown identifier 'x'",
    ]
    assert told[-1].done / told[-1].total == 2 / 3
    unwatched(told[0])
