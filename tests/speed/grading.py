"""How fast grading is.

    python tests/speed/grading.py [--corpus FOLDER] [--runs N] [--library MB] [--json]

A fixture is graded in `proof` mode with its full solve, in a proven sandbox, core and frozen modules in the cache. What stands on its
critical path is the wall clock of the compiler's and the kernel's processes, as they report it. Then one Proof module is changed and
graded again, against a grading with no cached module at all; the core is left out of both. With a corpus: text work on untouched stubs
(extract, lex, render, screen) of all instances, best of N runs, one process. Then the large fixture with its full solve: what the closure
of each of its theorems costs, on modules that were just read. With `--library MB`: the reader's own figures (reader.py), of which a
library of so many MB is one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from adjudication.grading.boxes import boxed
from adjudication.grading.building import build, graph_of
from adjudication.grading.checking import check
from adjudication.grading.decide import decide
from adjudication.grading.grader import Case, Grader, grade
from adjudication.grading.intake import from_tree
from adjudication.grading.overlay import overlay
from adjudication.grading.reading import CheckedFiles, read_core
from adjudication.grading.screen import Policy
from curation.format.archive import Tree
from curation.format.instance import Instance, load_directory
from curation.format.render import FileTree, render
from tests.speed.figures import Figure, conclude
from tests.speed.reader import figures as reader_figures
from workbench.lean.closure import closure_of
from workbench.lean.library import Library
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.sandbox.choose import choose

ROOT = Path(__file__).resolve().parents[2]
TEXT_BUDGETS = {"proof": 0.87 / 2, "codeproof": 1.56 / 2}
FASTER = 3.0
OVERHEAD = 1.3
CLOSURE = 50.0


def machine(cache: Path) -> Grader:
    """Return a grader with a cache of its own for modules."""
    toolchain = PocketToolchain(ROOT / "var" / "cache" / "lean")
    toolchain.library()
    sandbox = choose("auto", thorough=False)
    kernels = toolchain.kernels(boxed(sandbox.sandbox))
    return Grader(toolchain, sandbox, kernels, cache)


def filled(instance: Instance) -> FileTree:
    """Return the stubs of `proof` mode with the fixture's solution over them."""
    tree = render(instance, "proof")
    folder = ROOT / "fixtures" / "submissions" / instance.name / "proof"
    for path in folder.rglob("*.lean"):
        tree[path.relative_to(folder).as_posix()] = path.read_bytes()
    return tree


def timed(
    grader: Grader, instance: Instance, tree: FileTree
) -> tuple[float, float, Case]:
    """Return the wall clock of a grading, and how much of it the compiler's and kernel's processes took, in seconds."""
    begun = time.monotonic()
    submission = from_tree(instance, "proof", Tree(instance.name, tree))
    case = grade(grader, instance, "proof", submission)
    assert decide(case).full_solve
    seconds = time.monotonic() - begun
    assert case.pristine is not None
    assert case.graded is not None
    processes = case.pristine.seconds + case.graded.seconds
    processes += sum(replay.seconds for replay in case.replays)
    return seconds, processes, case


def grading(runs: int) -> list[Figure]:
    """Return the figures of grading a fixture."""
    instance = load_directory(ROOT / "fixtures" / "instances" / "ivalset")
    tree = filled(instance)
    changed = dict(tree)
    path = "Ivalset/Proof/Query.lean"
    changed[path] = changed[path].replace(
        b"-- !benchmark @start global_aux\n",
        b"-- !benchmark @start global_aux\n-- changed\n",
        1,
    )
    assert changed != tree
    best: dict[str, tuple[float, float]] = {}
    for number in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            grader = replace(machine(Path(folder)), scope="speed")
            (Path(folder) / "checked.json").write_text("{}")
            timed(grader, instance, changed)  # the core is read and known from here on
            kept = (Path(folder) / "checked.json").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            grader = replace(grader, cache=Path(folder))
            (Path(folder) / "checked.json").write_bytes(kept)
            for name, files in (("nothing", tree), ("changed", changed)):
                seconds, processes, _ = timed(grader, instance, files)
                if name not in best or seconds < best[name][0]:
                    best[name] = seconds, processes
        print(f"run {number + 1}: done", file=sys.stderr)
    whole, processes = best["nothing"]
    again = best["changed"][0]
    return [
        Figure(
            "grade a fixture from nothing, × its processes",
            whole / processes,
            "",
            OVERHEAD,
        ),
        Figure("grade a fixture from nothing", whole, "s"),
        Figure("again after one changed proof module", again, "s"),
        Figure("the same, as a share of from nothing", again / whole, "", 1 / FASTER),
    ]


def text_work(corpus: Path, runs: int) -> list[Figure]:
    """Return the figures of text work on untouched stubs of all instances."""
    instances = [
        load_directory(path) for path in sorted(corpus.iterdir()) if path.is_dir()
    ]
    figures = []
    for mode, budget in TEXT_BUDGETS.items():
        trees = [render(instance, mode) for instance in instances]

        def work(mode: str = mode, trees: list[FileTree] = trees) -> None:
            for instance, tree in zip(instances, trees, strict=True):
                submission = from_tree(instance, mode, Tree(instance.name, tree))
                overlay(check(instance, mode, submission, Policy()))

        seconds, processor = best_of(runs, work)
        figures.append(
            Figure(
                f"text of {len(instances)} untouched instances, {mode}",
                seconds,
                "s",
                budget,
                processor=processor,
            )
        )
    return figures


def closures() -> list[Figure]:
    """Return what closures cost in the large fixture, its full solve compiled and read anew."""
    instance = load_directory(ROOT / "fixtures" / "instances" / "abacus")
    submission = from_tree(instance, "proof", Tree(instance.name, filled(instance)))
    checked = check(instance, "proof", submission, Policy())
    proofs = {item.file for group in checked.obligations.values() for item in group}
    with tempfile.TemporaryDirectory() as folder:
        grader = machine(Path(folder, "cache"))
        graph = graph_of(overlay(checked).graded, sorted(proofs))
        built = build(grader.workshop, graph, Path(folder))
        core = read_core(grader.toolchain, CheckedFiles(Path(folder, "known")), graph)
        library = Library(core.bank, core)
        for module in graph.order:
            library.load(tuple(module.split(".")), built.files[module])
        times = []
        for group in checked.obligations.values():
            for item in group:
                environment = library.environment(item.module)
                begun = time.process_time()
                closure_of(environment, item.theorem)
                times.append(1000 * (time.process_time() - begun))
    return [
        Figure("first closure in the large fixture", times[0], "ms", CLOSURE),
        Figure(
            f"slowest of its {len(times)} closures",
            max(times),
            "ms",
            CLOSURE,
            median=sorted(times)[len(times) // 2],
        ),
    ]


def reading(megabytes: float) -> list[Figure]:
    """Return the figures of reader.py, a speed as the time that a megabyte takes."""
    found = []
    for name, value, budget, _ in reader_figures(megabytes):
        if name.startswith("read, MB/s"):
            name, value, budget = "read 1 MB, start included", 1 / value, 1 / budget
        found.append(Figure(f"reader: {name}", value, "", budget))
    return found


def best_of(runs: int, work: Callable[[], None]) -> tuple[float, float]:
    """Return the least wall clock and the least processor time of `runs`, in seconds."""
    walls, processors = [], []
    for _ in range(runs):
        wall, processor = time.monotonic(), time.process_time()
        work()
        walls.append(time.monotonic() - wall)
        processors.append(time.process_time() - processor)
    return min(walls), min(processors)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--library", type=float, default=0.0, metavar="MB")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = grading(options.runs) + closures()
    if options.corpus:
        figures += text_work(options.corpus, options.runs)
    if options.library:
        figures += reading(options.library)
    return conclude(figures, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
