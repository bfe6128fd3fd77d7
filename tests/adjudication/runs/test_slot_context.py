"""What an opened row reads out of the graded text: the statement of a stub, and what Lean said at a line."""

from __future__ import annotations

from adjudication.runs.models import Outcome
from adjudication.runs.selectors.slot_context import Line, _said, _statement

STUB = """\
-- !benchmark @end proof def=prove_other

theorem disprove_count : ¬ _root_.spec_count
    _root_.canonical := by
-- !benchmark @start proof def=disprove_count
  exact theorem_like
"""


def test_the_expected_statement_is_that_of_the_stub() -> None:
    assert _statement(STUB, "Ivalset.disprove_count") == "¬ spec_count canonical"
    assert _statement(STUB, "disprove_coun") == ""
    assert _statement(STUB, "") == ""


def test_what_lean_said_over_several_lines_stays_together_below_its_line() -> None:
    said = "A/Proof.lean:7:2: Application type mismatch: The argument\nhas type\nwarning: Nat"
    receipt = {"modules": {"graded": {"A.Proof": {"diagnostics": [said, said]}}}}
    found = _said(receipt, "A/Proof.lean", Outcome(detail=""))
    assert found == {7: ["Application type mismatch: The argument", "  has type", "  warning: Nat"]}  # fmt: skip
    assert Line(7, "", tuple(found[7])).is_fault
    assert not Line(7, "", ("warning: declaration uses `sorry`", "  twice")).is_fault
