from __future__ import annotations

from typing import get_args

import pytest

from adjudication.grading.outcomes import (
    PRECEDENCE,
    VERO_NAMES,
    Outcome,
    from_vero,
    to_vero,
)


def test_every_outcome_has_its_place() -> None:
    assert get_args(Outcome) == PRECEDENCE
    assert len(set(PRECEDENCE)) == 14
    assert PRECEDENCE[0] == "void"
    assert PRECEDENCE[-1] == "passed"


@pytest.mark.parametrize(
    ("outcome", "rule", "name"),
    [
        ("void", "unsafe", "unsafe_keyword"),
        ("void", "runtime-attribute", "impl_oracle"),
        ("void", "instance-oracle", "impl_oracle"),
        ("unfilled", "", "unfilled"),
        ("overfilled", "", "overfilled"),
        ("tainted", "", "slot_body_tainted"),
        ("sorry", "", "sorry_leaked"),
        ("axiom", "", "axiom_leaked"),
        ("unpaired_sat", "", "unpaired_sat"),
        ("passed", "", "passed"),
        ("impl_broken", "", "build_error"),
        ("declined", "", "build_error"),
        ("build_error", "", "build_error"),
        ("statement_changed", "", "build_error"),
        ("kernel_rejected", "", "build_error"),
        ("unconfirmed", "", "build_error"),
    ],
)
def test_it_goes_to_vero_and_back(outcome: Outcome, rule: str, name: str) -> None:
    found, detail = to_vero(outcome, rule)
    assert found == name
    assert from_vero(found, detail) == outcome


def test_the_ten_names_are_all_reached_and_all_read() -> None:
    reached = {to_vero(o, rule)[0] for o in PRECEDENCE for rule in ("unsafe", "csimp")}
    assert reached == set(VERO_NAMES)
    assert len(VERO_NAMES) == 10
    assert {from_vero(name) for name in VERO_NAMES} <= set(PRECEDENCE)


def test_what_is_no_name_of_vero_is_refused() -> None:
    with pytest.raises(ValueError, match="'solved'; expected one of passed"):
        from_vero("solved")


@pytest.mark.parametrize("detail", ["passed", "nonsense", "void", "sorry"])
def test_a_detail_never_makes_more_of_a_build_error(detail: str) -> None:
    assert from_vero("build_error", detail) == "build_error"
