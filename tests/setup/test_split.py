"""How tests/conftest.py sorts tests into the parts of a run, and reports them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import pytest_collection_modifyitems
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
TELL = """
from tests.conftest import part_of
def pytest_collection_finish(session):
    for item in session.items:
        print("PART", part_of(item), item.name)
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


def test_a_tests_own_needs_decide_about_its_part(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(TELL)
    done = run_pytest(tmp_path, SAMPLE, "--collect-only")
    told = [
        line.split() for line in done.stdout.splitlines() if line.startswith("PART ")
    ]
    found = {part: {name for _, of, name in told if of == part} for part in EXPECTED}
    assert found == EXPECTED, done.stdout + done.stderr
    assert len(told) == SAMPLE.count("def test_"), "a test fell between the parts"


def test_the_report_is_whole_with_several_workers(tmp_path: Path) -> None:
    run_pytest(tmp_path, REPORTED, "-n", "2", "--report", str(tmp_path / "report.json"))
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


def test_only_the_wanted_part_runs(tmp_path: Path) -> None:
    """The same choice as above, made by the option."""
    items = [Item(name) for name in ("lean", "browser", "lean")]
    config = Config("lean")
    pytest_collection_modifyitems(config, items)  # type: ignore[arg-type]  # doubles of what pytest hands over
    assert [item.marker for item in items] == ["lean", "lean"]
    assert [item.marker for item in config.left_out] == ["browser"]


def test_a_test_in_a_browser_is_refused_where_nobody_looks_for_such() -> None:
    astray = Item("browser", "curation")
    with pytest.raises(pytest.UsageError, match="belongs below tests/browser"):
        pytest_collection_modifyitems(Config("pure"), [astray])  # type: ignore[arg-type, list-item]  # as above


class Item:
    """A double of a collected test with one marker, below tests/browser."""

    def __init__(self, marker: str, folder: str = "browser") -> None:
        self.marker = marker
        self.nodeid = f"tests/{folder}/test_of_no_name.py::test"
        self.path = ROOT / "tests" / folder / "test_of_no_name.py"

    def get_closest_marker(self, name: str) -> object:
        return name == self.marker or None

    def add_marker(self, mark: object) -> None:
        """Skips do not matter here."""


class Config:
    """A double of pytest's configuration: `--part` is given, what is left out is kept."""

    def __init__(self, part: str) -> None:
        self.part, self.hook = part, self
        self.left_out: list[Item] = []

    def getoption(self, name: str) -> str:
        return self.part

    def pytest_deselected(self, items: list[Item]) -> None:
        self.left_out = items
