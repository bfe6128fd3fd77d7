"""What it takes to grade the public instances with nothing filled in, adapted to pocket Lean, in both modes.

    python tests/speed/untouched.py CORPUS [--only NAME]… [--json]

CORPUS is a folder of instances. Each grading is a process of its own: wall clock; processor time, of its compilers too; and the
largest resident set of itself (of the grader) and of any one process below it (of a compiler or kernel). The caches are new, but for
the compiled core; the first grading also reads the core, and `codeproof` finds those modules that it shares with `proof`. A row is fine when
every module built, every spec is `unfilled`, and the lights `built` and `sandbox` are green, the others off for want of a
proof. Exit code 1: a row is not. What adapting refuses is told with its reason, and is no fault.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from adjudication.grading.adapting import CannotAdapt, adapt  # noqa: E402 - the path is set above
from adjudication.grading.decide import decide  # noqa: E402
from adjudication.grading.grader import grade  # noqa: E402
from adjudication.grading.intake import from_tree  # noqa: E402
from adjudication.grading.outcomes import GREEN, OFF  # noqa: E402
from curation.format.archive import Tree  # noqa: E402
from curation.format.instance import load_directory, load_files  # noqa: E402
from curation.format.render import render  # noqa: E402
from curation.format.slots import MODES  # noqa: E402
from tests.speed.grading import machine  # noqa: E402

LIGHTS = {
    "built": GREEN,
    "statement": OFF,
    "axioms": OFF,
    "replay": OFF,
    "sandbox": GREEN,
}


def measure(folder: Path, mode: str, cache: Path) -> dict[str, Any]:
    """Return the row of one grading in this process, which does nothing else. Raises CannotAdapt."""
    begun = time.monotonic()
    instance = load_files(adapt(load_directory(folder)).files, folder.name)
    tree = Tree(instance.name, render(instance, mode))
    case = grade(machine(cache), instance, mode, from_tree(instance, mode, tree))
    verdict = decide(case)
    wrong = [
        f"{spec.spec}: {name} is {light.state}: {light.reason}"
        for spec in verdict.specs
        for name, light in spec.lights.items()
        if light.state != LIGHTS[name]
    ]
    assert case.graded is not None
    assert case.pristine is not None
    for built in (case.pristine, case.graded):
        failed = [m for m, result in built.results.items() if not result.ok]
        wrong += [f"module {module} is not built" for module in failed]
    outcomes = Counter(spec.outcome for spec in verdict.specs)
    own, below = (
        resource.getrusage(who)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {
        "modules": len(case.graded.results),
        "specs": len(verdict.specs),
        "outcomes": dict(outcomes),
        "wrong": wrong,
        "ok": bool(verdict.specs) and set(outcomes) == {"unfilled"} and not wrong,
        "wall_s": round(time.monotonic() - begun, 2),
        "processor_s": round(
            own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime, 2
        ),
        "grader_mib": own.ru_maxrss // 1024,
        "largest_child_mib": below.ru_maxrss // 1024,
    }


def rows(corpus: Path, only: list[str]) -> Iterator[dict[str, Any]]:
    """Give the row of each instance and mode as it is measured."""
    folders = sorted(path for path in corpus.iterdir() if path.is_dir())
    with tempfile.TemporaryDirectory() as cache:
        for folder in folders:
            if only and folder.name not in only:
                continue
            try:
                adapt(load_directory(folder))
            except CannotAdapt as refused:
                yield {"instance": folder.name, "refused": str(refused), "ok": True}
                continue
            for mode in MODES:
                made = subprocess.run(
                    [sys.executable, __file__, folder, "--mode", mode, "--cache", cache],
                    capture_output=True,
                    text=True,
                )  # fmt: skip
                row: dict[str, Any] = {"instance": folder.name, "mode": mode}
                row |= (
                    json.loads(made.stdout)
                    if made.returncode == 0
                    else {"ok": False, "wrong": made.stderr.splitlines()[-1:]}
                )
                yield row


def told(row: dict[str, Any]) -> str:
    """Return a row as a line of the table."""
    mark = "ok  " if row["ok"] else "MISS"
    if "refused" in row:
        return f"     {row['instance']:24} not adapted: {row['refused']}"
    if "specs" not in row:
        return f"{mark} {row['instance']:24} {row['mode']:9} {row['wrong']}"
    outcomes = ", ".join(f"{n} {name}" for name, n in row["outcomes"].items())
    return (
        f"{mark} {row['instance']:24} {row['mode']:9} {row['modules']:3} modules {row['wall_s']:7.2f} s  "
        f"processor {row['processor_s']:7.2f} s  {row['grader_mib']:4} + {row['largest_child_mib']:4} MiB  {outcomes}"
        + "".join(f"\n     {line}" for line in row["wrong"][:3])
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--mode", choices=MODES, help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.mode:
        print(json.dumps(measure(options.corpus, options.mode, options.cache)))
        return 0
    found = []
    for row in rows(options.corpus, options.only):
        found.append(row)
        if not options.json:
            print(told(row), flush=True)
    if options.json:
        print(json.dumps(found, indent=1))
    return int(not all(row["ok"] for row in found))


if __name__ == "__main__":
    sys.exit(main())
