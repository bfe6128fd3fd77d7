"""How fast a folder of instances is imported into a fresh SQLite, what memory that takes, and whether it all comes back.

    python tests/speed/imports.py CORPUS [--source DIR] [--busy] [--json]

CORPUS is a folder of instances, or one with `benchmarks/` in it; DIR has the upstream files, one folder a name. Seconds are those of `bin/workbench`, its start
included; on a machine that is busy with something else `--busy` holds the processor seconds beside them against the
budgets. Memory is the largest
resident set of that process. Then every instance is exported and compared by `diff -r`, and rendered in both modes,
all in one process. The database and everything else lie in a folder that is removed at the end. Exit code 1 when a
budget is missed or an instance comes back changed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.speed.figures import Figure, conclude  # noqa: E402 - the path is set above
from tests.speed.ground import instances_of  # noqa: E402

IMPORT_S, AGAIN_S, MEMORY_MB = 30.0, 5.0, 400.0
MODES = ("proof", "codeproof")


@dataclass(frozen=True)
class Ran:
    """What one run of `bin/workbench` printed and used."""

    code: int
    document: Any
    words: str
    seconds: float
    processor: float
    memory_mb: float


def workbench(environ: dict[str, str], *words: str) -> Ran:
    """Run `bin/workbench` in a process of its own."""
    program = [
        sys.executable,
        str(REPOSITORY / "bin" / "run.py"),
        "workbench.commandline",
    ]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begun = time.perf_counter()
        process = subprocess.Popen(
            [*program, *words], env=environ, stdout=out, stderr=err
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        text, said = out.read(), err.read()
    document = json.loads(text) if "--json" in words and text.strip() else None
    kibibytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    processor = used.ru_utime + used.ru_stime
    return Ran(
        process.returncode, document, said, seconds, processor, kibibytes * 1.024 / 1000
    )


def scratch(folder: Path) -> dict[str, str]:
    """Return an environment in which the product works in `folder` alone."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("WORKBENCH_")
    }
    kept.pop("DATABASE_URL", None)
    return kept | {
        "WORKBENCH_DATA_DIR": str(folder / "data"),
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
    }


def import_figures(
    environ: dict[str, str], paths: list[Path], source: Path | None
) -> tuple[list[Figure], dict[str, str]]:
    """Import all twice; return the figures, and the name of each instance by its folder."""
    given = ["--source", str(source)] if source else []
    words = ["import-instance", *map(str, paths), *given, "--json"]
    first, again = workbench(environ, *words), workbench(environ, *words)
    for ran in (first, again):
        if ran.document is None:
            sys.exit(f"import-instance printed nothing; it said: {ran.words}")
    rows = first.document["instances"]
    failed = [row for row in rows if row["error"]]
    totals = {
        key: sum(row[key] for row in rows) for key in ("apis", "specs", "modules")
    }
    findings = sum(len(row["findings"]) for row in rows)
    print(
        f"{len(rows)} instances, {totals['modules']} modules, {totals['apis']} APIs, {totals['specs']} specs, "
        f"{findings} findings, {len(failed)} errors"
    )
    unchanged = sum(not row.get("changed", True) for row in again.document["instances"])
    figures = [
        Figure(
            "import into an empty database",
            first.seconds,
            "s",
            IMPORT_S,
            processor=first.processor,
        ),
        Figure("peak memory of the import", first.memory_mb, "MB", MEMORY_MB),
        Figure(
            "import the same again",
            again.seconds,
            "s",
            AGAIN_S,
            processor=again.processor,
        ),
        Figure("instances not imported", len(failed), "", 0),
        Figure("instances that changed the second time", len(rows) - unchanged, "", 0),
    ]
    pairs = zip(paths, rows, strict=len(paths) == len(rows))
    return figures, {
        str(path): row["instance"] for path, row in pairs if not row["error"]
    }


def give_back(names: dict[str, str], folder: Path) -> dict[str, Any]:
    """Export and render every instance in this process; return the seconds, and which export or render failed."""
    import django
    from django.core.management import call_command

    django.setup()
    quiet = {"stdout": StringIO(), "stderr": StringIO()}
    seconds = {"export": 0.0, "render": 0.0}
    failed: list[str] = []
    for name in names.values():
        jobs = [
            ("export", "export_instance", {}),
            *(("render", "render", {"mode": mode}) for mode in MODES),
        ]
        for kind, command, options in jobs:
            out = folder / "-".join([kind, *options.values()]) / name
            begun = time.perf_counter()
            try:
                call_command(command, name, out=str(out), **options, **quiet)
            except SystemExit as refusal:
                failed.append(
                    f"{kind} {name}: exit code {refusal.code}: {quiet['stderr'].getvalue()[-200:]}"
                )
            seconds[kind] += time.perf_counter() - begun
    return {"seconds": seconds, "failed": failed}


def give_back_figures(
    environ: dict[str, str], names: dict[str, str], folder: Path
) -> list[Figure]:
    """Let a child export and render everything; compare the exports with what was imported."""
    words = [sys.executable, __file__, "--give-back", json.dumps(names), str(folder)]
    done = subprocess.run(
        words, env=environ, check=True, capture_output=True, text=True
    )
    told = json.loads(done.stdout.splitlines()[-1])
    differing = list(told["failed"])
    for path, name in names.items():
        compared = subprocess.run(
            ["diff", "-r", path, str(folder / "export" / name)],
            capture_output=True,
            text=True,
        )
        if compared.returncode:
            differing.append(f"{name}: {compared.stdout.strip()[:400]}")
    for words_of_one in differing:
        print(words_of_one)
    return [
        Figure(
            f"export of {len(names)} instances, one process",
            told["seconds"]["export"],
            "s",
        ),
        Figure(
            f"render of {len(names)} instances in both modes",
            told["seconds"]["render"],
            "s",
        ),
        Figure("instances that came back changed or not at all", len(differing), "", 0),
    ]


def main() -> int:
    """Print the figures; return the exit code."""
    if sys.argv[1:2] == ["--give-back"]:
        print(json.dumps(give_back(json.loads(sys.argv[2]), Path(sys.argv[3]))))
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, metavar="CORPUS")
    parser.add_argument("--source", type=Path, metavar="DIR")
    parser.add_argument(
        "--busy", action="store_true", help="judge processor time instead"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    paths = instances_of(Path(options.corpus))
    if not paths:
        print(f"{options.corpus} holds no instances")
        return 2
    with tempfile.TemporaryDirectory(prefix="proofroom-speed-") as name:
        folder = Path(name)
        environ = scratch(folder)
        made = workbench(environ, "upgrade-database")
        if made.code:
            sys.exit(f"upgrade-database failed: {made.words}")
        figures, names = import_figures(environ, paths, options.source)
        figures += give_back_figures(environ, names, folder)
    return conclude(figures, as_json=options.json, busy=options.busy)


if __name__ == "__main__":
    raise SystemExit(main())
