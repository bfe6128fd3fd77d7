from __future__ import annotations

import pytest

from workbench.lean.layouts import (
    LAYOUTS,
    TESTED_LEAN,
    Layout,
    layout_of,
    refusal,
    version_of,
)


def header(lean: str = "4.35.0", format: int = 2, flags: int = 1) -> bytes:
    return b"olean" + bytes((format, flags)) + lean.encode().ljust(33, b"\0") + bytes(48)  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_row_is_found_by_its_header_and_says_on_what_it_was_tested(
    layout: Layout,
) -> None:
    assert layout_of(header(layout.lean, layout.format, layout.flags)) == layout
    assert layout.tested
    assert len(set(TESTED_LEAN)) == len(LAYOUTS)


@pytest.mark.parametrize(
    "other",
    [
        header("4.29.1"),
        header("4.35.0-rc1"),
        header("4.35.00"),
        header(format=3),
        header(flags=0),
        header(flags=3),
    ],
)
def test_nothing_near_a_row_is_taken_for_it(other: bytes) -> None:
    assert layout_of(other) is None


def test_a_refusal_names_what_was_found_and_what_is_known() -> None:
    assert refusal(header("4.29.1")) == (
        "written by Lean '4.29.1' in format version 2, flags 1; "
        "this reader was tested on Lean 4.35.0 (format version 2, flags 1)"
    )
    old = header("", 1, 0)
    assert version_of(old) == ""
    assert refusal(old).startswith("written by another Lean in format version 1")
