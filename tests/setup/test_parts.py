from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from workbench.setup.parts import Outcome, Part, run, summary

QUIET = dict(os.environ)


def pytest_double(folder: Path, document: object, code: int = 0) -> Part:
    """A part whose "pytest" only writes `document` where the report belongs, and ends with `code`."""
    script = folder / "pytest.py"
    write = (
        f"open(sys.argv[-1], 'w').write({json.dumps(document)!r});"
        if document is not None
        else ""
    )
    script.write_text(f"import sys; {write} sys.exit({code})")
    return Part("some tests", [sys.executable, str(script)], QUIET, uses_pytest=True)


def report(
    passed: int = 0,
    failed: list[str] | None = None,
    skipped: dict[str, list[str]] | None = None,
) -> object:
    return {"passed": passed, "failed": failed or [], "skipped": skipped or {}}


def outcome_of(part: Part, folder: Path) -> Outcome:
    return run(part, folder, lambda text: None)


def test_a_check_counts_as_one(tmp_path: Path) -> None:
    fine = outcome_of(Part("check", [sys.executable, "-c", ""], QUIET), tmp_path)
    bad = outcome_of(
        Part("check", [sys.executable, "-c", "raise SystemExit(1)"], QUIET), tmp_path
    )
    assert (fine.passed, fine.failed, bad.passed, bad.failed) == (1, 0, 0, 1)
    assert bad.failures == ["check"]


def test_a_part_with_an_obstacle_does_not_run(tmp_path: Path) -> None:
    outcome = outcome_of(
        Part("browser", ["/no/such/program"], QUIET, obstacle="no Chromium"), tmp_path
    )
    assert outcome.gaps == ["browser: no Chromium"]


def test_the_tests_own_report_is_counted(tmp_path: Path) -> None:
    document = report(
        5, ["a::b"], {"no Redis": ["c::d", "c::e"], "no corpus: not set": ["f::g"]}
    )
    outcome = outcome_of(pytest_double(tmp_path, document, code=1), tmp_path)
    assert (outcome.passed, outcome.failed, outcome.failures) == (5, 1, ["a::b"])
    assert outcome.gaps == ["some tests: 2 skipped, no Redis"]
    assert outcome.allowed_gaps == ["some tests: 1 not run here: no corpus: not set"]


def test_a_run_that_breaks_off_has_failed(tmp_path: Path) -> None:
    outcome = outcome_of(pytest_double(tmp_path, None, code=3), tmp_path)
    assert (outcome.failed, outcome.failures) == (
        1,
        ["some tests: pytest broke off (exit code 3)"],
    )


def test_a_report_of_an_earlier_run_is_not_believed(tmp_path: Path) -> None:
    outcome_of(pytest_double(tmp_path, report(9)), tmp_path)
    assert outcome_of(pytest_double(tmp_path, None, code=3), tmp_path).passed == 0


def test_a_bad_exit_code_without_a_failed_test_has_failed(tmp_path: Path) -> None:
    assert outcome_of(pytest_double(tmp_path, report(9), code=3), tmp_path).failed == 1


def test_no_test_at_all_is_a_gap(tmp_path: Path) -> None:
    assert outcome_of(pytest_double(tmp_path, report(), code=5), tmp_path).gaps == [
        "some tests: there is no such test"
    ]


def test_the_last_line_sums_up() -> None:
    lines, code = summary(
        [Outcome("one", passed=3), Outcome("two", passed=4, skipped={"why": ["a"]})],
        strict=False,
    )
    assert lines[-1] == "7 passed, 0 failed, 1 skipped"
    assert code == 0


def test_the_last_line_names_no_skips_where_there_are_none() -> None:
    assert (
        summary([Outcome("one", passed=3)], strict=False)[0][-1] == "3 passed, 0 failed"
    )


def test_a_failure_fails_the_run() -> None:
    lines, code = summary(
        [Outcome("one", passed=1, failed=1, failures=["a::b"])], strict=False
    )
    assert code == 1
    assert lines[-1] == "1 passed, 1 failed"
    assert "  a::b" in lines


def test_a_part_that_failed_without_counting_is_counted() -> None:
    lines, code = summary(
        [Outcome("one", failures=["one: ended after 30 minutes"])], strict=False
    )
    assert (lines[-1], code) == ("0 passed, 1 failed", 1)


def test_what_did_not_run_is_said_and_fails_only_a_strict_run() -> None:
    outcomes = [Outcome("one", passed=1), Outcome("browser", missing="no Chromium")]
    lines, code = summary(outcomes, strict=False)
    assert "  browser: no Chromium" in lines
    assert code == 0
    assert summary(outcomes, strict=True)[1] == 1


def test_a_missing_corpus_is_said_and_allowed() -> None:
    lines, code = summary(
        [Outcome("one", passed=1, skipped={"no corpus: not set": ["a"]})], strict=True
    )
    assert "  one: 1 not run here: no corpus: not set" in lines
    assert code == 0


def test_a_run_of_nothing_has_failed() -> None:
    assert summary([], strict=False)[1] == 1
