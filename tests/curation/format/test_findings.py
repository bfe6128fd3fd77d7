from __future__ import annotations

import re
from pathlib import Path

import pytest

from curation.format.findings import KINDS, SEVERITIES, FindingKind, finding, sort_key

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "docs" / "findings"


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.id)
def test_every_kind_has_a_page_that_answers_three_questions(kind: FindingKind) -> None:
    text = (ROOT / kind.page).read_text(encoding="utf-8")
    assert text.startswith(f"# {kind.title}\n\n`{kind.id}` · {kind.severity}\n")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == ["What it means", "Why it matters", "What to do"]
    assert all(
        len(part.strip()) > 5
        for part in re.split(r"^## .*$", text, flags=re.MULTILINE)[1:]
    )


def test_every_page_belongs_to_a_kind() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(KINDS)


def test_every_kind_is_found_by_some_check() -> None:
    package = ROOT / "curation" / "format"
    code = "".join(
        path.read_text(encoding="utf-8")
        for path in package.rglob("*.py")
        if path.name != "findings.py"
    )
    assert [id for id in KINDS if f'"{id}"' not in code] == []


def test_ids_are_words_with_hyphens() -> None:
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id) for id in KINDS)


def test_a_finding_takes_its_severity_from_its_kind() -> None:
    assert finding("marker-nested", "a", "m", 3).severity == "error"
    with pytest.raises(KeyError):
        finding("no-such-kind", "a", "m")


def test_lists_of_findings_start_with_the_worst() -> None:
    found = [
        finding("text-crlf", "a", "m"),
        finding("text-bom", "b", "m", 1),
        finding("marker-nested", "c", "m", 2),
        finding("marker-nested", "c", "m", 1),
    ]
    ordered = sorted(found, key=sort_key)
    assert [(item.severity, item.line) for item in ordered] == [
        ("error", 1),
        ("error", 2),
        ("warning", 1),
        ("info", None),
    ]
    assert SEVERITIES == ("error", "warning", "info")
