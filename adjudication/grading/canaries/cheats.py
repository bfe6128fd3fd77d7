"""Submissions that must not pass, each for one reason. Classes: grading.md, "Classes of attack the test-suite must hold"."""

from __future__ import annotations

from adjudication.grading.canaries.cheats_in_statements import IN_STATEMENTS
from adjudication.grading.canaries.cheats_in_terms import IN_TERMS
from adjudication.grading.canaries.cheats_in_text import IN_TEXT

CHEATS = (*IN_TEXT, *IN_STATEMENTS, *IN_TERMS)
