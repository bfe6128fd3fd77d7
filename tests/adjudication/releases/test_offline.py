"""`bin/workbench release verify` on a machine that has nothing but the archive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from adjudication.releases.bundle import Bundle
from workbench.content.trees import digest_of_hashes
from workbench.setup.places import ROOT


def made(path: Path) -> None:
    """Write the smallest release: one instance of one file."""
    with path.open("wb") as target:
        bundle = Bundle(target, "small-1.0", 0)
        bundle.add_tree("instances/tiny", {"Tiny.lean": b"import Nothing\n"})
        tree = {"Tiny.lean": bundle.written.files["instances/tiny/Tiny.lean"]}
        bundle.add_lines("outcomes.jsonl", ())
        bundle.close(
            {
                "set": "small",
                "version": "1.0",
                "instances": [{"name": "tiny", "tree": digest_of_hashes(tree)}],
            }
        )


def verify(path: Path) -> subprocess.CompletedProcess[str]:
    """Run the command with a database that nobody answers for and a data folder that is not there."""
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("WORKBENCH_")
    }
    environ |= {
        "DATABASE_URL": "postgres://u:secret@127.0.0.1:9/x",
        "WORKBENCH_DATA_DIR": str(path.parent / "var"),
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
    }
    words = [sys.executable, str(ROOT / "bin" / "run.py"), "workbench.commandline"]
    return subprocess.run(
        [*words, "release", "verify", str(path), "--json"],
        env=environ,
        capture_output=True,
        text=True,
    )


def test_it_needs_no_database(tmp_path: Path) -> None:
    path = tmp_path / "small-1.0.tar.gz"
    made(path)
    done = verify(path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]
    path.write_bytes(path.read_bytes()[:-40])
    assert verify(path).returncode == 1
