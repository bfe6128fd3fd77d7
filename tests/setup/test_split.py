"""How tests/conftest.py sorts tests into the parts of a run, and reports them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.setup.places import ROOT

SAMPLE = """
import unittest
import pytest
from django.test import SimpleTestCase, TestCase, TransactionTestCase

def test_plain(): pass
def test_with_fixture(db): pass
@pytest.mark.django_db
def test_with_mark(): pass
@pytest.mark.lean
def test_lean(db): pass
@pytest.mark.browser
def test_browser(): pass
class A(SimpleTestCase):
    def test_simple(self): pass
class B(TestCase):
    def test_case(self): pass
class C(TransactionTestCase):
    def test_transaction(self): pass
class D(unittest.TestCase):
    def test_unit(self): pass
"""
REPORTED = """
import pytest
def test_fine(): pass
def test_bad(): assert False
def test_broken(nothing_of_that_name): pass
def test_skipped(): pytest.skip("no such thing here")
@pytest.mark.corpus
def test_corpus(corpus): pass
@pytest.mark.xfail(reason="known")
def test_known(): assert False
"""
EXPECTED = {
    "pure": {"test_plain", "test_simple", "test_unit"},
    "database": {
        "test_with_fixture",
        "test_with_mark",
        "test_case",
        "test_transaction",
    },
    "lean": {"test_lean"},
    "browser": {"test_browser"},
}


def run_pytest(
    folder: Path, sample: str, *words: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest with our conftest on a file with `sample`, outside the tree."""
    (folder / "test_sample.py").write_text(sample)
    environ = {
        name: value for name, value in os.environ.items() if name != "WORKBENCH_CORPUS"
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", f"--rootdir={ROOT}",
         f"--config-file={ROOT / 'pyproject.toml'}", *words, str(folder / "test_sample.py")],
        cwd=ROOT, env=environ, capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("part", EXPECTED)
def test_a_tests_own_needs_decide_about_its_part(part: str, tmp_path: Path) -> None:
    done = run_pytest(tmp_path, SAMPLE, "--collect-only", "--part", part)
    found = {
        line.rpartition("::")[2] for line in done.stdout.splitlines() if "::" in line
    }
    assert found == EXPECTED[part], done.stdout + done.stderr


def test_no_test_falls_between_the_parts() -> None:
    names = [name for tests in EXPECTED.values() for name in tests]
    assert len(names) == len(set(names)) == SAMPLE.count("def test_")


def test_the_report_holds_what_passed_failed_and_was_skipped_with_its_reason(
    tmp_path: Path,
) -> None:
    run_pytest(tmp_path, REPORTED, "--report", str(tmp_path / "report.json"))
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["passed"] == 2
    assert {name.rpartition("::")[2] for name in report["failed"]} == {
        "test_bad",
        "test_broken",
    }
    assert {reason: len(tests) for reason, tests in report["skipped"].items()} == {
        "no such thing here": 1,
        "no corpus: WORKBENCH_CORPUS is not set": 1,
    }
    assert [name.rpartition("::")[2] for name in report["expected_failures"]] == [
        "test_known"
    ]


def test_the_report_is_whole_with_several_workers(tmp_path: Path) -> None:
    run_pytest(tmp_path, REPORTED, "-n", "2", "--report", str(tmp_path / "report.json"))
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["passed"], len(report["failed"]), len(report["skipped"])) == (
        2,
        2,
        2,
    )
