"""Points and their reasons."""

from __future__ import annotations

import pytest

from curation.instances.models import Definition
from curation.reviews.risk import DROPPED, ERROR, NO_API, TABLE, Facts, band, risk_of
from workbench.setup.places import ROOT


def test_a_short_linked_helper_is_no_risk() -> None:
    assert risk_of(Facts(Definition.HELPER, 3, users=1, link="sure")) == (0, "")


def test_the_weightiest_reason_comes_first() -> None:
    facts = Facts(
        Definition.SPEC, 80, errors=["frozen-sorry"], dropped=True, link="none"
    )
    points, words = risk_of(facts)
    assert words == (
        "changed after approval, error at its lines: frozen-sorry, 80 lines, spec that mentions no API, "
        "no link to the source"
    )
    assert points == DROPPED + ERROR + 20 + NO_API + 10


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (Facts(Definition.HELPER, 25), "25 lines"),
        (Facts(Definition.HELPER, 24), ""),
        (Facts(Definition.HELPER, 1, users=4), "used by 4"),
        (Facts(Definition.HELPER, 1, users=3), ""),
        (Facts(Definition.API, 1), "no spec mentions it"),
        (Facts(Definition.API, 1, specs=1), ""),
        (Facts(Definition.SPEC, 1, apis=1, link="guess"), "its link is a guess"),
        (Facts(Definition.SIGNATURE, 1, link="none"), ""),
        (Facts(Definition.TYPE, 1, link=None), ""),
        (Facts(Definition.TYPE, 1, warnings=["text-tabs"]), "warning at its lines: text-tabs"),
    ],
)  # fmt: skip
def test_each_reason_is_said(facts: Facts, words: str) -> None:
    assert risk_of(facts)[1] == words


def test_the_bands_cover_all_points() -> None:
    assert [band(points) for points in (0, 14, 15, 39, 40, 200)] == [
        "low", "low", "medium", "medium", "high", "high",
    ]  # fmt: skip


def test_long_reasons_are_cut_to_what_a_row_holds() -> None:
    assert len(risk_of(Facts(Definition.TYPE, 1, errors=["x" * 400]))[1]) == 300


def test_the_table_of_points_is_documented_as_it_is() -> None:
    page = (ROOT / "docs" / "curator" / "reviewing.md").read_text()
    for points, words in TABLE:
        assert f"| {points} | {words} |" in page
