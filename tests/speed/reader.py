"""How fast compiled modules are read, what memory that takes, and what a closure costs. Prints figures against budgets.

    python tests/speed/reader.py [--library MB] [--json]

Files are the pocket core, compiled once for its content below `var/`, and a module of many theorems over it. Each figure comes
from a process of its own, start included; memory is the growth of the largest resident set over a bare start, mapped
pages counted. `--library` (default 200) reads the core again and again until so many MB went by, keeping what a
summary keeps: names, kinds and uses. Exit code 1 when a budget is missed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from workbench.lean.closure import closure_of  # noqa: E402 - the path is set above
from workbench.lean.library import Library  # noqa: E402
from workbench.lean.pocket.toolchain import PocketToolchain  # noqa: E402
from workbench.lean.terms import Bank  # noqa: E402

THEOREMS = 200


def peak_mib() -> float:
    # Not `ru_maxrss`: that begins with what the process had grown to that started this one.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("this system does not tell VmHWM")


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*.olean")) / 1e6


def measure_read(folder: Path) -> dict[str, float]:
    """Read every file below `folder` once."""
    before = peak_mib()
    library = Library(Bank())
    library.load_tree(folder)
    return {"memory_mib": peak_mib() - before, "megabytes": megabytes(folder)}


def measure_decoded(folder: Path) -> dict[str, float]:
    """Read every file and make every constant of it."""
    before = peak_mib()
    library = Library(Bank())
    library.load_tree(folder)
    for module in library:
        for _ in module.constants():
            pass
    return {"memory_mib": peak_mib() - before, "megabytes": megabytes(folder)}


def measure_library(folder: Path, wanted: float) -> dict[str, float]:
    """Read files until `wanted` MB went by and keep a summary of each."""
    before, read, rows = peak_mib(), 0.0, []
    while read < wanted:
        library = Library(Bank())
        library.load_tree(folder)
        for module in library:
            places = range(len(module.names))
            rows.append(
                [(module.names[i], module.kind(i), module.uses(i)) for i in places]
            )
        read += megabytes(folder)
    return {
        "memory_mib": peak_mib() - before,
        "megabytes": read,
        "constants": sum(map(len, rows)),
    }


def measure_closure(core: Path, large: Path) -> dict[str, float]:
    """Time the closure of every theorem in the large module, the first one included."""
    library = Library(Bank())
    library.load_tree(core)
    library.load_tree(large)
    environment = library.environment(("Large",))
    times, size = [], 0
    for number in range(THEOREMS):
        begun = time.process_time()
        closure = closure_of(environment, (f"t{number}",))
        times.append(1000 * (time.process_time() - begun))
        size = max(size, len(closure.constants))
    return {"first_ms": times[0], "slowest_ms": max(times), "constants": size}


def large_module() -> str:
    """A module of theorems that use lemmas of all of the core."""
    lines = ["prelude", "import Pocket", "set_option autoImplicit false"]
    for number in range(THEOREMS):
        lines.append(
            f"theorem t{number} (xs : List Nat) (a b : Nat) (h : a + {number} < b) : "
            f"(xs.map fun x => x + 0).length ≤ xs.length ∧ a < b + {number} := by\n"
            "  constructor\n  · simp\n  · omega"
        )
    return "\n".join(lines) + "\n"


def in_a_process(*arguments: object) -> dict[str, float]:
    """Run one measurement in a fresh interpreter; add its wall clock and processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    words = [sys.executable, __file__, "--measure", *map(str, arguments)]
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(out) | {"seconds": time.monotonic() - begun, "cpu_seconds": cpu}


def measure(words: list[str]) -> None:
    kind, *rest = words
    if kind == "read":
        found = measure_read(Path(rest[0]))
    elif kind == "decoded":
        found = measure_decoded(Path(rest[0]))
    elif kind == "library":
        found = measure_library(Path(rest[0]), float(rest[1]))
    else:
        found = measure_closure(Path(rest[0]), Path(rest[1]))
    print(json.dumps(found))


def figures(library: float) -> list[tuple[str, float, float, bool]]:
    """Return name, figure, budget and whether it holds, for every budget."""
    toolchain = PocketToolchain(REPOSITORY / "var" / "cache" / "lean")
    core = toolchain.library()[0]
    with tempfile.TemporaryDirectory() as folder:
        root, large = Path(folder, "src"), Path(folder, "out")
        root.mkdir()
        (root / "Large.lean").write_text(large_module())
        assert toolchain.build(root, large).ok
        read, decoded = in_a_process("read", core), in_a_process("decoded", core)
        closure = in_a_process("closure", core, large)
    whole = in_a_process("library", core, library)
    speed = read["megabytes"] / read["cpu_seconds"]
    size = read["megabytes"] / 1.048576
    return [
        ("read, MB/s of processor time, start included", speed, 5, speed >= 5),
        (
            "memory, read, × file size",
            read["memory_mib"] / size,
            5,
            read["memory_mib"] <= 5 * size,
        ),
        (
            "memory, all decoded, × file size",
            decoded["memory_mib"] / size,
            5,
            decoded["memory_mib"] <= 5 * size,
        ),
        ("first closure, ms", closure["first_ms"], 50, closure["first_ms"] <= 50),
        ("slowest closure, ms", closure["slowest_ms"], 50, closure["slowest_ms"] <= 50),
        (
            f"{whole['megabytes']:.0f} MB library, processor s",
            whole["cpu_seconds"],
            120,
            whole["cpu_seconds"] <= 120,
        ),
        (
            f"{whole['megabytes']:.0f} MB library, MiB",
            whole["memory_mib"],
            2048,
            whole["memory_mib"] <= 2048,
        ),
    ]


def main() -> int:
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", type=float, default=200.0, metavar="MB")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = figures(options.library)
    if options.json:
        print(
            json.dumps(
                [
                    dict(zip(("name", "figure", "budget", "ok"), row, strict=True))
                    for row in rows
                ],
                indent=1,
            )
        )
    else:
        for name, figure, budget, ok in rows:
            print(
                f"{'ok  ' if ok else 'MISS'} {figure:8.2f}  (budget {budget})  {name}"
            )
    return 0 if all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
