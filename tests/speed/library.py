"""What a toolchain's library costs: once, when its files are hashed and checked, and afterwards. Prints figures against budgets.

    python tests/speed/library.py [--megabytes 200] [--json] [--busy]

The library is synthetic: the compiled pocket core again and again below other names, each copy with another build in its headers, so
that no two files are alike and each is hashed and checked. Each figure comes from a process of its own, start included; memory is the
largest resident set of it, mapped pages counted. Exit code 1 when a budget is missed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from adjudication.grading.reading import CheckedFiles  # noqa: E402 - the path is set above
from tests.speed.figures import Figure, conclude  # noqa: E402
from tests.workbench.lean.elan.made import NAME, program  # noqa: E402
from workbench.lean.elan.toolchain import ElanToolchain  # noqa: E402
from workbench.lean.library import Library  # noqa: E402
from workbench.lean.pocket.toolchain import PocketToolchain  # noqa: E402
from workbench.lean.terms import Bank  # noqa: E402

BUILD = slice(40, 80)


def synthetic(root: Path, megabytes: float) -> float:
    """Make a toolchain whose library has so many MB; return how many it has."""
    core = PocketToolchain(REPOSITORY / "var" / "cache" / "lean").library()[0]
    library, made, copy = root / "lib" / "lean", 0, 0
    (root / "bin").mkdir(parents=True)
    program(root / "bin" / "lean", "#!/bin/sh\necho 'Lean (version 4.35.0, none)'\n")
    while made < megabytes * 1e6:
        for path in sorted(core.rglob("*.olean")):
            data = bytearray(path.read_bytes())
            target = library / f"Copy{copy}" / path.relative_to(core)
            if copy == 0:
                target = library / path.relative_to(core)
            data[BUILD] = f"copy {copy}".ljust(40).encode()
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            made += len(data)
        copy += 1
    return made / 1e6


def measure(what: str, root: Path, cache: Path) -> None:
    """Do one thing that a grading does with a library, in this process."""
    toolchain = ElanToolchain(root, cache)
    if what == "digest":
        toolchain.digest  # noqa: B018 - computed when asked for
        return
    known = CheckedFiles(cache / "checked.json")
    library = Library(Bank())
    library.checked |= known.load()
    folder = root / "lib" / "lean"
    names = [
        path.relative_to(folder).with_suffix("").parts
        for path in sorted(folder.rglob("*.olean"))
    ]
    library.load_below(toolchain.library(), names)
    known.save(library.checked)


def in_a_process(what: str, root: Path, cache: Path) -> tuple[float, float, float]:
    """Return wall clock and processor seconds of a fresh process, and its largest resident set in MiB."""
    words = [sys.executable, __file__, "--measure", what, str(root), str(cache)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - begun, cpu, float(out)


def figures(megabytes: float) -> Iterator[Figure]:
    """Yield what hashing and reading cost, the first time and again."""
    with tempfile.TemporaryDirectory() as place:
        root, cache = Path(place, NAME), Path(place, "cache")
        size = synthetic(root, megabytes)
        for what, name, seconds in (
            ("digest", "hashed, first", None),
            ("digest", "hashed, again", None),
            ("read", "checked, first", 120.0),
            ("read", "read, again", None),
        ):
            wall, cpu, peak = in_a_process(what, root, cache)
            label = f"{size:.0f} MB {name}"
            yield Figure(label, wall, "s", seconds, processor=cpu)
            yield Figure(f"{label}: memory", peak, "MiB", 2048)


def main() -> int:
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=float, default=200.0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--busy", action="store_true", help="judge processor time")
    options = parser.parse_args()
    return conclude(figures(options.megabytes), as_json=options.json, busy=options.busy)


if __name__ == "__main__":
    sys.exit(main())
