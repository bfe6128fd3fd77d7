"""`witness.json` of a submission: read without harm whatever it holds, and shown beside the spec."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from adjudication.audits.witness import (
    MOST_BYTES,
    MOST_CHARACTERS,
    MOST_ROWS,
    Witness,
    read_witness,
    witness_for,
)


@dataclass(frozen=True)
class Spec:
    """A spec by its name."""

    lean_name: str

    @property
    def short_name(self) -> str:
        return self.lean_name.rsplit(".", 1)[-1]


def kept(given: Any, theorem: str = "disprove_size") -> Witness | None:
    """Return what is shown of a file that holds `given`: bytes as they are, anything else as JSON."""
    raw = given if isinstance(given, bytes) else json.dumps(given).encode()
    return read_witness(witness_for(raw, theorem, [Spec("Tiny.spec_size")]))


def test_variables_and_parts_become_rows() -> None:
    found = kept(
        {
            "variables": [{"name": "s", "value": [], "words": "empty"}],
            "parts": [{"part": "length", "left": 1, "right": "2", "holds": False}],
        }
    )
    assert found is not None
    (variable,), (part,) = found.variables, found.parts
    assert (variable.name, variable.value, variable.words) == ("s", "[]", "empty")
    assert (part.left, part.right, part.holds) == ("1", "2", "false")


def test_variables_may_be_an_object() -> None:
    found = kept({"variables": {"lo": 3}})
    assert found is not None
    assert [(row.name, row.value) for row in found.variables] == [("lo", "3")]


@pytest.mark.parametrize("name", ["spec_size", "Tiny.spec_size", "disprove_size"])
def test_of_several_the_one_that_names_the_spec_or_theorem_is_taken(name: str) -> None:
    given = [
        {"spec": "other", "words": "no"},
        {"theorem": name, "words": "yes"},
        {"spec": ["not", "a", "name"]},
    ]
    found = kept({"witnesses": given})
    assert found is not None
    assert found.words == "yes"


def test_what_is_about_another_spec_is_not_shown() -> None:
    assert kept({"spec": "other", "variables": []}) is None
    assert kept({"witnesses": [{"spec": "a"}, {"spec": "b"}]}) is None
    assert read_witness(witness_for(None, "t", [])) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"\xff\xfe", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b" " * (MOST_BYTES + 1), "at most"),
        ("text", "expected an object"),
        ({"witnesses": 3}, "expected an object, or a list"),
        ([1], "expected objects"),
        ({"variables": 3}, "under `variables`"),
        ({"variables": [{"name": "x"}]}, "`name` and `value`"),
        ({"parts": {}}, "under `parts`"),
        ({"parts": [3]}, "`part`"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(given: Any, said: str) -> None:
    found = kept(given)
    assert found is not None
    assert said in found.problem


def test_nothing_invisible_and_nothing_endless_is_kept() -> None:
    value = "a\0\u202eb\u200bc\ud800" + "x" * MOST_CHARACTERS
    found = kept({"variables": [{"name": "n", "value": value}]})
    assert found is not None
    (row,) = found.variables
    assert row.value.startswith(r"a\u0000\u202eb\u200bc\ud800x")
    assert row.value.endswith("…")
    rows = [{"name": str(n), "value": n} for n in range(MOST_ROWS + 5)]
    many = kept({"variables": rows})
    assert many is not None
    assert (len(many.variables), many.cut) == (MOST_ROWS, True)


def test_no_depth_of_nesting_raises_wherever_it_stands() -> None:
    # What is just shallow enough to be read may be too deep to be written out again.
    for depth in range(500, sys.getrecursionlimit()):
        for key in ("words", "variables", "parts"):
            deep = f'{{"{key}": {"[" * depth}{"]" * depth}}}'
            assert witness_for(deep.encode(), "t", [])
