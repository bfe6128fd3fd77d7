from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.reviews.mentions import MOST, mentioned


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ask @mira", ["mira"]),
        ("ask @mira.", ["mira.", "mira"]),
        ("(@j.doe-2)", ["j.doe-2"]),
        ("mail me@example.org", []),
        ("`@mira` and ```\n@tomas\n```", []),
        ("@mira @mira", ["mira"]),
        ("@ alone, @@twice", []),
    ],
)
def test_names_are_found(text: str, names: list[str]) -> None:
    assert mentioned(text) == names


@given(st.text(alphabet="@a.- `\n", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    found = mentioned(text)
    assert len(found) <= MOST
    assert all(name and name in text for name in found)
