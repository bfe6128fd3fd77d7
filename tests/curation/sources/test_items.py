from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.sources.items import (
    LineIndex,
    SourceItem,
    fold,
    in_order,
    is_test_path,
    unique,
)

texts = st.text(alphabet="ab\n\r é", max_size=60)


class TestLineIndex:
    @pytest.mark.parametrize(
        ("text", "offset", "line"),
        [
            ("", 0, 1),
            ("a", 0, 1),
            ("a\nb", 2, 2),
            ("a\r\nb", 3, 2),
            ("a\rb", 2, 2),
            ("a\n", 2, 1),
        ],
    )
    def test_it_counts_lines_from_one(self, text: str, offset: int, line: int) -> None:
        assert LineIndex(text).line(offset) == line

    @given(texts, st.data())
    def test_it_counts_like_a_line_by_line_reader(
        self, text: str, data: st.DataObject
    ) -> None:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if len(lines) > 1 and lines[-1] == "":
            lines.pop()
        index = LineIndex(text)
        assert index.last == len(lines)
        offset = data.draw(st.integers(0, len(text)))
        before = text[:offset].replace("\r\n", "\n").replace("\r", "\n").count("\n")
        if not (
            offset and text[offset - 1] == "\r" and text[offset : offset + 1] == "\n"
        ):
            assert index.line(offset) == min(before + 1, len(lines))

    @given(texts)
    def test_a_line_begins_on_itself(self, text: str) -> None:
        index = LineIndex(text)
        for line in range(1, index.last + 1):
            assert index.line(index.start(line)) == line


class TestIsTestPath:
    @pytest.mark.parametrize(
        "path",
        [
            "tests/a.py",
            "src/test/a.rs",
            "test_a.py",
            "x/a_test.py",
            "src/JSON/Tests.dfy",
            "A/FooTest.v",
            "a.test.py",
        ],
    )
    def test_it_knows_tests(self, path: str) -> None:
        assert is_test_path(path)

    @pytest.mark.parametrize(
        "path",
        ["contest.py", "src/latest.rs", "attest/a.v", "protest_a.py", "Testify.dfy"],
    )
    def test_it_knows_what_only_sounds_like_it(self, path: str) -> None:
        assert not is_test_path(path)


class TestHelpers:
    def test_fold_puts_a_text_on_one_line(self) -> None:
        assert fold("  a\n\t b\r\n c ") == "a b c"

    def test_unique_keeps_the_first(self) -> None:
        assert unique(["b", "a", "b"]) == ("b", "a")

    def test_the_enclosing_item_comes_first(self) -> None:
        inner = SourceItem(
            "method", "fn", "f", "C.f", "a.py", 1, 1, char_start=0, char_end=5
        )
        outer = SourceItem(
            "class", "type", "C", "C", "a.py", 1, 2, char_start=0, char_end=9
        )
        assert list(in_order([inner, outer])) == [outer, inner]

    def test_the_key_tells_equal_names_apart(self) -> None:
        first = SourceItem(
            "function", "fn", "f", "f", "a.py", 1, 1, char_start=0, char_end=5
        )
        second = SourceItem(
            "function", "fn", "f", "f", "a.py", 3, 3, char_start=9, char_end=15
        )
        assert first.key != second.key
