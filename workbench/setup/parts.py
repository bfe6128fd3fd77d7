"""The parts of a test run: what each runs, what it needs, and what came of it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.setup import processes
from workbench.setup.places import ROOT

LONGEST_PART = 1800.0  # seconds; a part that hangs is ended and has failed
NO_TESTS = 5  # pytest's exit code when nothing was collected
ALLOWED_GAP = "no corpus"  # skips with this reason are no gap in CI: the corpus is not ours to hand out


@dataclass
class Part:
    """One part of a run: the command `words`, run in `environ`.

    `uses_pytest`: the words start pytest, which counts and reports for itself; other parts count as one check.
    `obstacle`, when not empty, says why the part cannot run here.
    """

    name: str
    words: Sequence[str]
    environ: Mapping[str, str]
    uses_pytest: bool = False
    obstacle: str = ""


@dataclass
class Outcome:
    """What came of one part. `missing` says why it did not run at all; `skipped` holds reason → tests."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: dict[str, list[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    missing: str = ""

    @property
    def gaps(self) -> list[str]:
        """Sentences for what this part did not run; an allowed gap is not among them."""
        if self.missing:
            return [f"{self.name}: {self.missing}"]
        return [
            f"{self.name}: {len(tests)} skipped, {reason}"
            for reason, tests in sorted(self.skipped.items())
            if not reason.startswith(ALLOWED_GAP)
        ]

    @property
    def allowed_gaps(self) -> list[str]:
        """Sentences for what may be left out even in CI."""
        return [
            f"{self.name}: {len(tests)} not run here: {reason}"
            for reason, tests in sorted(self.skipped.items())
            if reason.startswith(ALLOWED_GAP)
        ]


def run(part: Part, reports: Path, say: Callable[[str], None]) -> Outcome:
    """Run `part`; its own output goes to the terminal. `reports` is the folder for pytest's report."""
    outcome = Outcome(part.name)
    if part.obstacle:
        outcome.missing = part.obstacle
        return outcome
    say(f"\n=== {part.name}")
    report = reports / f"{part.name.replace(' ', '-').replace(',', '')}.json"
    words = list(part.words)
    if part.uses_pytest:
        report.unlink(missing_ok=True)
        words += ["--report", str(report)]
    started = time.monotonic()
    child = processes.start(words, environ=part.environ, cwd=ROOT)
    try:
        code = child.wait(LONGEST_PART)
    except subprocess.TimeoutExpired:
        outcome.failures.append(
            f"{part.name}: ended after {LONGEST_PART / 60:.0f} minutes"
        )
        code = -1
    finally:
        processes.stop([child])
        outcome.seconds = time.monotonic() - started
    _count(part, outcome, code, report)
    return outcome


def _count(part: Part, outcome: Outcome, code: int, report: Path) -> None:
    if not part.uses_pytest:
        outcome.passed, outcome.failed = (1, 0) if code == 0 else (0, 1)
        outcome.failures += [part.name] if code else []
        return
    try:
        document = json.loads(report.read_text())
    except (OSError, ValueError):
        outcome.failed = 1
        outcome.failures.append(f"{part.name}: pytest broke off (exit code {code})")
        return
    outcome.passed = document["passed"]
    outcome.skipped = document["skipped"]
    outcome.failures += document["failed"]
    outcome.failed = len(document["failed"])
    if code == NO_TESTS or not (outcome.passed or outcome.failed or outcome.skipped):
        outcome.missing = "there is no such test"
    elif code != 0 and not outcome.failed:
        outcome.failed = 1
        outcome.failures.append(f"{part.name}: pytest ended with exit code {code}")


def summary(outcomes: Iterable[Outcome], *, strict: bool) -> tuple[list[str], int]:
    """Return the lines that close a run, and its exit code. `strict`: a gap is a failure (CI)."""
    done = list(outcomes)
    lines = ["", "=== Summary"]
    width = max((len(each.name) for each in done), default=0)
    for each in done:
        if each.missing:
            lines.append(f"{each.name:{width}}  not run")
            continue
        skipped = sum(len(tests) for tests in each.skipped.values())
        tail = f", {skipped} skipped" if skipped else ""
        lines.append(
            f"{each.name:{width}}  {each.passed} passed, {each.failed} failed{tail}  {each.seconds:.1f} s"
        )
    failures = [failure for each in done for failure in each.failures]
    gaps = [gap for each in done for gap in each.gaps]
    allowed = [gap for each in done for gap in each.allowed_gaps]
    lines += (
        _listed("Failed", failures)
        + _listed("Did not run", gaps)
        + _listed("Left out, as it may be", allowed)
    )
    if strict and gaps:
        lines += ["", "CI=true allows no gap: this run has failed."]
    passed, failed = (
        sum(each.passed for each in done),
        sum(max(each.failed, bool(each.failures)) for each in done),
    )
    skipped = sum(len(tests) for each in done for tests in each.skipped.values())
    lines += [
        "",
        f"{passed} passed, {failed} failed"
        + (f", {skipped} skipped" if skipped else ""),
    ]
    return lines, 1 if failures or (strict and gaps) or not done else 0


def _listed(head: str, entries: Sequence[str]) -> list[str]:
    return ["", f"{head}:", *(f"  {entry}" for entry in entries)] if entries else []
