"""`bin/workbench release verify` on a machine that has nothing but the archive."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudication.grading.overlay import tree_digest
from adjudication.releases.bundle import Bundle, verify
from tests.adjudication.releases.made import repack
from workbench.content.trees import digest_of_hashes
from workbench.setup.places import ROOT

FILES = {"Tiny.lean": b"import Nothing\n", "Tiny/Test.lean": b"\n"}
RECEIPT: dict[str, Any] = {
    "hash": "a" * 64,
    "mode": "proof",
    "instance": {"tree": tree_digest(FILES)},
    "toolchain": {"publishable": True},
    "specs": [{"spec": "spec_x", "outcome": "passed"}],
}
ROW = {
    "instance": "tiny",
    "mode": "proof",
    "spec": "spec_x",
    "outcome": "passed",
    "receipt": "a" * 64,
}


def made(
    path: Path,
    rows: Sequence[dict[str, Any]] = (),
    receipts: Sequence[dict[str, Any]] = (),
    *,
    table: str = "outcomes.jsonl",
    more: Mapping[str, bytes] | None = None,
    counts: Mapping[str, int] | None = None,
) -> None:
    """Write a release of one small instance, with `rows` in `table` and `receipts`, whatever they say."""
    with path.open("wb") as target:
        bundle = Bundle(target, "small-1.0", 0)
        bundle.add_tree("instances/tiny", FILES)
        tree = {name: bundle.written.files[f"instances/tiny/{name}"] for name in FILES}
        bundle.add_lines(table, rows)
        for receipt in receipts:
            text = json.dumps(receipt).encode()
            bundle.add(f"receipts/{receipt['hash']}.json", text)
        for name, data in (more or {}).items():
            bundle.add(name, data)
        bundle.close(
            {
                "set": "small",
                "version": "1.0",
                "instances": [
                    {
                        "name": "tiny",
                        "tree": digest_of_hashes(tree),
                        "counts": counts or {},
                    }
                ],
            }
        )


@pytest.mark.parametrize(
    ("row", "receipt", "said"),
    [
        ({}, {}, ""),
        ({"outcome": "sorry"}, {}, "the outcome is not that of its receipt"),
        ({"route": "prove"}, {"specs": [{"spec": "spec_x", "outcome": "passed", "route": "disprove"}]}, "the route is not that of its receipt"),
        ({"axioms": []}, {"specs": [{"spec": "spec_x", "outcome": "passed", "axioms": ["cheat"]}]}, "the axioms is not that of its receipt"),
        ({"spec": "spec_y"}, {}, "the outcome is not that of its receipt"),
        ({"receipt": "b" * 64}, {}, "is behind no outcome"),
        ({"mode": "codeproof"}, {}, "about another mode than codeproof"),
        ({"instance": "other"}, {}, "about other files than those of other"),
        ({}, {"instance": {"tree": "0" * 64}}, "about other files than those of tiny"),
        ({}, {"toolchain": {"publishable": False}}, "stands among the scores"),
        ({}, {"specs": RECEIPT["specs"] + [{"spec": "spec_z", "outcome": "sorry"}]}, "1 of its specs are left out"),
    ],
)  # fmt: skip
def test_a_receipt_is_about_what_its_outcomes_say(
    tmp_path: Path, row: dict[str, Any], receipt: dict[str, Any], said: str
) -> None:
    path = tmp_path / "small-1.0.tar.gz"
    made(path, [ROW | row], [RECEIPT | receipt])
    wrong = "; ".join(verify(path).wrong)
    if said:
        assert said in wrong
    else:
        assert not wrong


def test_a_trial_verdict_may_stand_among_the_trials(tmp_path: Path) -> None:
    path = tmp_path / "small-1.0.tar.gz"
    made(
        path,
        [ROW],
        [RECEIPT | {"toolchain": {"publishable": False}}],
        table="trials.jsonl",
    )
    assert verify(path).wrong == ()


@pytest.mark.parametrize(
    ("more", "counts", "said"),
    [
        ({"../../x": b""}, {}, "is no path of a release"),
        ({"/etc/x": b""}, {}, "is no path of a release"),
        ({"a/./x": b""}, {}, "is no path of a release"),
        ({"..\\x": b""}, {}, "is no path of a release"),
        ({"instances/more/A.lean": b""}, {}, "more is no instance of the release"),
        ({"specs.jsonl": b'{"instance": "tiny"}\n'}, {"specs": 2}, "has 1 specs, the manifest 2"),
        ({"specs.jsonl": b'{"instance": "tiny"}\n'}, {"specs": 1}, ""),
    ],
)  # fmt: skip
def test_what_a_release_never_holds_is_told_though_its_manifest_lists_it(
    tmp_path: Path, more: dict[str, bytes], counts: dict[str, int], said: str
) -> None:
    path = tmp_path / "small-1.0.tar.gz"
    made(path, more=more, counts=counts)
    wrong = "; ".join(verify(path).wrong)
    assert said in wrong
    assert bool(wrong) == bool(said)


OUTCOMES = json.dumps(ROW).encode()


@pytest.mark.parametrize(
    ("file", "data", "said"),
    [
        ("specs.jsonl", b'{"instance": "tiny"}\n{"instance": "ti', "specs.jsonl, line 2: column 14: Unterminated string"),
        ("specs.jsonl", b"\n[1]\n", "specs.jsonl, line 2: expected an object, found a list"),
        ("specs.jsonl", b"{}\n", "specs.jsonl, line 1: key instance: expected text, found nothing"),
        ("outcomes.jsonl", OUTCOMES + b"\n" + OUTCOMES.replace(b'"receipt"', b'"quittance"'), "outcomes.jsonl, line 2: key receipt: expected text, found nothing"),
        ("outcomes.jsonl", OUTCOMES.replace(b'"spec_x"', b"7"), "outcomes.jsonl, line 1: key spec: expected text, found a number"),
        ("trials.jsonl", b'{"spec": "\xff"}', "trials.jsonl, line 1: byte 10: expected UTF-8, found 0xff"),
        ("trials.jsonl", b"[" * 100_000, "trials.jsonl, line 1: expected JSON"),
        ("receipts/x.json", b"{\n,}", "receipts/x.json: line 2, column 1: Expecting property name"),
        ("receipts/x.json", json.dumps(RECEIPT | {"instance": 3}).encode(), "receipts/x.json: key instance.tree: expected text, found nothing"),
        ("receipts/x.json", json.dumps(RECEIPT | {"specs": [{}]}).encode(), "receipts/x.json: key specs[0].spec: expected text, found nothing"),
        ("receipts/x.json", json.dumps(RECEIPT | {"toolchain": {"publishable": "yes"}}).encode(), "receipts/x.json: key toolchain.publishable: expected true or false, found text"),
        ("MANIFEST.json", b"{", "MANIFEST.json: column 2: Expecting property name"),
        ("MANIFEST.json", b"null", "MANIFEST.json: expected an object, found null"),
        ("MANIFEST.json", b'{"files": {"a": 1}, "instances": []}', "MANIFEST.json: key files.a: expected text, found a number"),
        ("MANIFEST.json", b'{"files": {}, "instances": [{"name": "tiny"}]}', "MANIFEST.json: key instances[0].tree: expected text, found nothing"),
        ("MANIFEST.json", b'{"files": {}, "instances": [{"name": "a", "tree": "b", "counts": 3}]}', "MANIFEST.json: key instances[0].counts: expected an object, found a number"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_with_line_and_key(
    tmp_path: Path, file: str, data: bytes, said: str
) -> None:
    whole, path = tmp_path / "small-1.0.tar.gz", tmp_path / "broken.tar.gz"
    made(whole)
    repack(whole, path, {file: data})
    wrong = verify(path).wrong
    assert [sentence for sentence in wrong if sentence.startswith(said)], wrong


def test_many_faults_of_one_file_do_not_hide_those_of_another(tmp_path: Path) -> None:
    whole, path = tmp_path / "small-1.0.tar.gz", tmp_path / "broken.tar.gz"
    made(whole)
    repack(whole, path, {"outcomes.jsonl": b"{}\n" * 100, "specs.jsonl": b"{}\n"})
    wrong = verify(path).wrong
    assert len(wrong) < 20
    assert "outcomes.jsonl: 490 more faults like these" in wrong
    assert "specs.jsonl, line 1: key instance: expected text, found nothing" in wrong


def command(path: Path) -> subprocess.CompletedProcess[str]:
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
    done = command(path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["ok"]
    assert told["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(path.read_bytes()[:-40])
    assert command(path).returncode == 1
