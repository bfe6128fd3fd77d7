"""How fast the format work is on the public corpus.

    python tests/speed/format.py CORPUS [--runs N]

Everything is timed with the files read from a warm file cache, reading included (except for `render` and the
lexer, which work on what was read). Each figure is for all instances together: the best of N runs and their median.
The processor time of the best run stands beside
it, for machines that are busy with something else. One process, except the line that says two: there a pool of two forked workers loads, finds, and sends the
findings back; the pool is started inside the time. Sending loaded instances back costs more than it saves
(5 MB of pickles for 50 ms of work), so loading is not spread.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from curation.format.findings import Finding
from curation.format.instance import Instance, load_directory
from curation.format.render import render
from curation.format.slots import MODES
from workbench.lean import lexer
from workbench.lean.declarations import scan_file

BUDGETS = {"load": 0.06, "findings": 1.5, "render": 0.3, "lexer": 1.0}


def load(paths: Sequence[Path]) -> list[Instance]:
    """Return all instances: files, manifests, markers, schedules."""
    return [load_directory(path) for path in paths]


def find(path: Path) -> tuple[Finding, ...]:
    """Return all findings of one instance, from its files."""
    return load_directory(path).findings


def find_with_two(paths: Sequence[Path]) -> list[tuple[Finding, ...]]:
    """Return the findings of all instances, largest first, with two workers."""
    ordered = sorted(
        paths,
        key=lambda path: -sum(file.stat().st_size for file in path.rglob("*.lean")),
    )
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(find, ordered, chunksize=1)


def timed(
    runs: int, work: Callable[[], object], prepare: Callable[[], object] | None = None
) -> tuple[float, float, float]:
    """Return best, median and least processor time of `runs` in seconds. `prepare` runs before each, outside the time."""
    times: list[float] = []
    processor: list[float] = []
    for _ in range(runs):
        if prepare:
            prepare()
        start, spent = time.perf_counter(), time.process_time()
        work()
        times.append(time.perf_counter() - start)
        processor.append(time.process_time() - spent)
    return min(times), statistics.median(times), min(processor)


def main() -> int:
    """Print the figures. Return 1 when a best run is over its budget."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    root: Path = arguments.corpus
    root = root / "benchmarks" if (root / "benchmarks").is_dir() else root
    paths = [
        path for path in sorted(root.iterdir()) if (path / "manifest.json").is_file()
    ]
    if not paths:
        print(f"{root} holds no instances")
        return 2
    held: list[Instance] = load(paths)
    texts = [text for item in held for text in item.texts.values()]
    counts = [item.counts for item in held]
    size = sum(len(text.encode()) for text in texts)
    print(
        f"{len(paths)} instances, {sum(c.lean_files for c in counts)} Lean files ({size / 1e6:.1f} MB), "
        f"{sum(c.apis for c in counts)} APIs, {sum(c.specs for c in counts)} specs, {sum(c.slots for c in counts)} slots"
    )

    def reload() -> None:
        held[:] = load(paths)

    def render_all() -> None:
        for item in held:
            for mode in MODES:
                render(item, mode)

    runs: int = arguments.runs
    rows: list[tuple[str, str, tuple[float, float, float]]] = [
        (
            "load",
            "read, manifest, markers, no findings",
            timed(runs, lambda: load(paths)),
        ),
        (
            "findings",
            "the same with all findings, one process",
            timed(runs, lambda: [find(path) for path in paths]),
        ),
        (
            "findings",
            "the same with all findings, two processes",
            timed(runs, lambda: find_with_two(paths)),
        ),
        (
            "render",
            "render proof + codeproof, nothing lexed before",
            timed(runs, render_all, reload),
        ),
        ("render", "render proof + codeproof, names known", timed(runs, render_all)),
        (
            "lexer",
            "all tokens",
            timed(runs, lambda: [lexer.scan(text) for text in texts]),
        ),
        (
            "lexer",
            "all declarations",
            timed(runs, lambda: [scan_file(text) for text in texts]),
        ),
    ]
    late = 0
    for budget, label, (best, median, processor) in rows:
        over = best > BUDGETS[budget]
        late += over
        verdict = "OVER" if over else "ok"
        print(
            f"{label:<46} best {best:6.3f} s  median {median:6.3f} s  processor {processor:6.3f} s"
            f"  budget {BUDGETS[budget]:.2f} s  {verdict}"
        )
    print(f"findings: {sum(len(item.findings) for item in held)}")
    return 1 if late else 0


if __name__ == "__main__":
    raise SystemExit(main())
