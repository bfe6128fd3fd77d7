from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.code.lines import split_lines


@pytest.mark.parametrize(
    ("text", "lines", "style", "final_newline"),
    [
        ("", (), "none", True),
        ("a", ("a",), "none", False),
        ("a\n", ("a",), "LF", True),
        ("a\r\nb\r\n", ("a", "b"), "CRLF", True),
        ("a\r\nb\n", ("a", "b"), "mixed", True),
        ("\n\n", ("", ""), "LF", True),
        ("a\n\r\nb", ("a", "", "b"), "mixed", False),
    ],
)
def test_it_splits_as_an_editor_does(
    text: str, lines: tuple[str, ...], style: str, final_newline: bool
) -> None:
    split = split_lines(text)
    assert (split.lines, split.style, split.final_newline) == (
        lines,
        style,
        final_newline,
    )


@pytest.mark.parametrize(
    "char", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\r"]
)
def test_what_python_takes_for_a_line_end_does_not_shift_the_numbers(char: str) -> None:
    assert split_lines(f"a{char}b\nc").lines == (f"a{char}b", "c")


def test_a_byte_order_mark_is_in_no_line() -> None:
    split = split_lines("\ufeffimport A\n")
    assert split.lines == ("import A",)
    assert split.bom


@given(st.text(alphabet=st.sampled_from("ab\r\n\ufeff\x0c ")))
def test_it_gives_back_the_text(text: str) -> None:
    assert split_lines(text).text() == text
