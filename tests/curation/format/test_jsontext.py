from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.format import jsontext

TEXT = """{
  "a": [1, {"b": "x"}, 3],
  "c": {"d": null},
  "e": [],
  "list": [
    "one",
    "two"
  ]
}
"""

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4)
LAYOUTS = st.sampled_from(
    [{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}]
)


def paths(value: Any, at: jsontext.KeyPath = ()) -> list[jsontext.KeyPath]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [
        found
        for key, inner in items
        for found in ((*at, key), *paths(inner, (*at, key)))
    ]


def get(value: Any, path: jsontext.KeyPath) -> Any:
    for key in path:
        value = value[key]
    return value


def test_it_finds_values_and_their_lines() -> None:
    place = jsontext.find(TEXT, ("a", 1, "b"))
    assert place is not None
    assert TEXT[place.value : place.end] == '"x"'
    assert jsontext.line_of(TEXT, ("c", "d")) == 3
    assert jsontext.line_of(TEXT, ("list", 1)) == 7
    assert jsontext.line_of(TEXT, ("list", 9)) == 5, "the longest part that exists"
    assert jsontext.lines_of(TEXT, ("list",)) == [6, 7]
    assert jsontext.find(TEXT, ("nothing",)) is None


def test_it_shows_paths_as_people_write_them() -> None:
    assert (
        jsontext.show(("packages", 0, "modules", 3, "name"))
        == "packages[0].modules[3].name"
    )


def test_repeated_keys_are_found_at_any_depth() -> None:
    text = '{"a": 1,\n "b": [{"c": 1,\n "c": 2}],\n "a": 2}'
    assert jsontext.repeated_keys(text) == [(("b", 0, "c"), 3), (("a",), 4)]
    assert jsontext.repeated_keys(TEXT) == []
    found = jsontext.find(text, ("a",))
    assert found is not None
    assert text[found.value : found.end] == "2", "the last one counts, as for json"


def test_a_replaced_scalar_touches_nothing_else() -> None:
    assert jsontext.replace(TEXT, ("a", 1, "b"), "y") == TEXT.replace('"x"', '"y"')
    assert jsontext.replace(TEXT, ("list", 0), 5) == TEXT.replace('"one"', "5")


def test_values_keep_the_layout_of_their_place() -> None:
    assert jsontext.replace(TEXT, ("a",), [1, 2]) == TEXT.replace(
        '[1, {"b": "x"}, 3]', "[1, 2]"
    )
    assert jsontext.replace(TEXT, ("list",), ["one"]) == TEXT.replace(
        '    "one",\n    "two"\n', '    "one"\n'
    )


def test_a_new_key_stands_like_its_neighbours() -> None:
    assert jsontext.replace(TEXT, ("f",), True).endswith(
        '    "two"\n  ],\n  "f": true\n}\n'
    )
    assert jsontext.replace(TEXT, ("c", "g"), 1) == TEXT.replace(
        '{"d": null}', '{"d": null, "g": 1}'
    )
    assert jsontext.replace(TEXT, ("list", 2), "three") == TEXT.replace(
        '"two"', '"two",\n    "three"'
    )
    assert json.loads(jsontext.replace(TEXT, ("e", 0), "x"))["e"] == ["x"]


def test_non_ascii_is_written_as_the_document_does() -> None:
    assert "→" in jsontext.replace('{"a": "é", "b": 1}', ("b",), "→")
    assert "\\u2192" in jsontext.replace('{"a": "\\u00e9", "b": 1}', ("b",), "→")


def test_cr_lf_stays() -> None:
    text = TEXT.replace("\n", "\r\n")
    changed = jsontext.replace(text, ("list",), ["a", "b"])
    assert changed.count("\n") == changed.count("\r\n")
    assert json.loads(changed)["list"] == ["a", "b"]


@pytest.mark.parametrize("path", [("x", "y"), ("a", "b"), ("c", 0), ()])
def test_what_has_no_parent_cannot_be_added(path: jsontext.KeyPath) -> None:
    if path:
        with pytest.raises(KeyError):
            jsontext.replace(TEXT, path, 1)
    with pytest.raises(KeyError):
        jsontext.remove(TEXT, path)


@given(DOCUMENTS, LAYOUTS, st.data(), VALUES)
def test_replacing_and_removing_do_what_they_do_to_the_document(
    document: dict[str, Any], layout: dict[str, Any], data: st.DataObject, value: Any
) -> None:
    text = json.dumps(document, ensure_ascii=data.draw(st.booleans()), **layout)
    path = data.draw(st.sampled_from(paths(document)))
    changed = json.loads(jsontext.replace(text, path, value))
    expected = json.loads(json.dumps(document))
    get(expected, path[:-1])[path[-1]] = value
    assert changed == expected
    assert list(changed) == list(expected)
    shorter = json.loads(jsontext.remove(text, path))
    expected = json.loads(json.dumps(document))
    del get(expected, path[:-1])[path[-1]]
    assert shorter == expected
