"""Whatever an instance holds, loading, finding and rendering give a result or a FormatError, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.format.findings import FormatError
from curation.format.instance import load_files
from curation.format.render import render
from curation.format.slots import MODES

from . import small

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=6) | st.sampled_from([".", "«", "a/b", "spec_x y", "Bank/Test.lean", "..", "»"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "sig", "impl", "spec", "x"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def places(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
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
        for found in ((*at, key), *places(inner, (*at, key)))
    ]


def exercise(files: Mapping[str, bytes]) -> None:
    try:
        item = load_files(files, "Fuzz")
    except FormatError:
        return
    assert all(finding.message for finding in item.findings)
    _ = item.counts, item.modules, item.dependencies
    for mode in MODES:
        item.schedule(mode)
        with suppress(FormatError):
            render(item, mode)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_any_value_anywhere_in_the_manifest(data: st.DataObject) -> None:
    document: Any = small.manifest()
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(document)))
        inner = document
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = data.draw(VALUES)
    exercise(small.files(json.dumps(document)))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_any_cut_and_paste_in_any_file(data: st.DataObject) -> None:
    files = small.files()
    path = data.draw(st.sampled_from(sorted(files)))
    content = files[path]
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 60)))
    other = data.draw(st.sampled_from(sorted(files)))
    cut = data.draw(st.integers(0, len(files[other])))
    piece = data.draw(
        st.sampled_from(
            [
                b"",
                b"/-",
                b'"',
                b"\r",
                b"\xc3",
                b"end\n",
                b"namespace X\n",
                b"'",
                files[other][cut : cut + 80],
            ]
        )
    )
    exercise({**files, path: content[:start] + piece + content[end:]})


@given(st.dictionaries(st.text(max_size=8), st.binary(max_size=40), max_size=3))
def test_any_other_files(extra: dict[str, bytes]) -> None:
    exercise({**extra, **small.files()})
