from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.lean.imports import (
    TreeError,
    header_imports,
    imports_below,
    in_import_order,
    module_name,
    sources_below,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("import A\nimport B.C\n", ["A", "B.C"]),
        ("prelude\nimport A", ["A"]),
        ("import A import B", ["A", "B"]),
        (
            "module\npublic import A\npublic meta import B\nimport all C\n",
            ["A", "B", "C"],
        ),
        ("\ufeffimport A\r\nimport B\r\n", ["A", "B"]),
        ("import «A».«b-c»\n", ["A.b-c"]),
        ("import A -- import B\nimport C", ["A", "C"]),
        ("import A--x\nimport C", ["A", "C"]),
        ("/- import X -/ import A", ["A"]),
        ("/- a /- import X -/ import Y -/\nimport A", ["A"]),
        ("/- -- -/ import A", ["A"]),
        ("-- /-\nimport A\n-- -/", ["A"]),
        ("/-! doc -/ import A", ["A"]),
        ("import A\n/- never closed\nimport B", ["A"]),
        ("import A\ndef x := 1\nimport B", ["A"]),
        ("set_option x true\nimport B", []),
        ("importA", []),
        ("import", []),
    ],
)
def test_it_reads_the_header_as_lean_does(text: str, expected: list[str]) -> None:
    assert header_imports(text) == expected


@given(st.text(alphabet="import AB./-«»\n\t\"'", max_size=60))
def test_any_text_ends_and_gives_names_that_are_in_it(text: str) -> None:
    plain = text.replace("«", "").replace("»", "")
    assert all(name in plain for name in header_imports(text))


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefgh")))
)
def test_an_order_puts_imports_first_or_names_a_cycle(
    graph: dict[str, list[str]],
) -> None:
    try:
        order = in_import_order(graph, graph)
    except TreeError as error:
        cycle = str(error).removeprefix("import cycle: ").split(" -> ")
        assert cycle[0] == cycle[-1]
        assert all(after in graph[before] for before, after in pairwise(cycle))
    else:
        assert sorted(order) == sorted(graph)
        for position, name in enumerate(order):
            assert {needed for needed in graph[name] if needed in graph} <= set(
                order[:position]
            )


def test_an_order_of_some_modules_holds_what_they_need_and_no_more() -> None:
    graph = {"A": ["Lib", "B"], "B": [], "C": ["A"]}
    assert in_import_order(["A"], graph) == ["B", "A"]


def test_an_order_is_long_when_the_chain_is_long() -> None:
    graph = {str(n): [str(n + 1)] for n in range(5000)} | {"5000": []}
    assert in_import_order(["0"], graph)[0] == "5000"


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(TreeError, match="no module Missing"):
        in_import_order(["Missing"], {"A": []})


def test_a_module_takes_its_name_from_the_path() -> None:
    assert module_name(Path("A/B-c.lean")) == "A.B-c"


def test_a_dot_in_a_file_name_is_refused() -> None:
    with pytest.raises(TreeError, match=r"A/B\.c\.lean"):
        module_name(Path("A/B.c.lean"))


def test_a_path_that_looks_like_an_option_is_refused() -> None:
    with pytest.raises(TreeError, match="starts with a hyphen"):
        module_name(Path("-o/A.lean"))


def test_a_tree_without_lean_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("x")
    with pytest.raises(TreeError, match=r"no \.lean file"):
        sources_below(tmp_path)


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("")
    (tmp_path / "B.lean").symlink_to("A.lean")
    with pytest.raises(TreeError, match=r"B\.lean: a link"):
        sources_below(tmp_path)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_bytes(b"import B\n-- \xff")
    with pytest.raises(TreeError, match=r"A\.lean: byte 12 is not UTF-8"):
        imports_below(tmp_path, sources_below(tmp_path))
