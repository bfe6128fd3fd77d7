"""Numbers out of addresses and forms."""

from __future__ import annotations

import pytest

from workbench.numbers import whole_number, whole_numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("007", 7),
        ("9" * 18, int("9" * 18)),
        ("9" * 19, None),
        ("9" * 5000, None),
        ("", None),
        ("-1", None),
        ("+1", None),
        ("1.0", None),
        (" 1", None),
        ("1_000", None),
        ("²", None),
        ("٣", None),
        ("1\0", None),
    ],
    ids=repr,
)
def test_it_takes_ascii_digits_that_a_column_holds(
    text: str, number: int | None
) -> None:
    assert whole_number(text) == number


def test_the_limit_can_be_narrower() -> None:
    assert whole_number("999", digits=3) == 999
    assert whole_number("1000", digits=3) is None


def test_what_is_none_is_left_out_of_many() -> None:
    assert whole_numbers(["3", "", "x", "1", "9" * 19]) == [3, 1]
