from __future__ import annotations

import pytest

from curation.sources.dafny.lexer import LEXER as DAFNY
from curation.sources.reading import MAX_DEPTH, MAX_PROBLEMS, Reading
from curation.sources.tokens import MAX_UNENDED
from curation.sources.verus.lexer import LEXER as VERUS
from tests.curation.sources.sound import extract


class TestReading:
    def test_positions_outside_the_file_are_empty(self) -> None:
        read = Reading("a.dfy", "a { b }", DAFNY)
        assert read.word(-1) == read.word(99) == ""
        assert read.kind(99) == ""

    def test_it_skips_what_a_bracket_opens(self) -> None:
        read = Reading("a.dfy", "a { b } c", DAFNY)
        assert [read.skip(0), read.skip(1)] == [1, 4]
        assert read.close(1) == 3
        assert read.slice(1, 3) == "{ b }"

    def test_names_joined_by_a_dot_are_one_mention(self) -> None:
        read = Reading("a.rs", "a.b::c d . e a.b::c x", VERUS)
        last = len(read.tokens) - 1
        assert read.mentions(0, last, (".", "::")) == ("a.b::c", "d.e", "x")
        assert read.mentions(0, last, ()) == ("a", "b", "c", "d", "e", "x")

    def test_brackets_can_be_left_alone(self) -> None:
        assert Reading("a.v", "( ]", DAFNY, unbalanced=False).problems == []
        assert len(Reading("a.v", "( ]", DAFNY).problems) == 2


class TestLimits:
    def test_problems_of_one_kind_are_told_a_hundred_times_and_then_counted(
        self,
    ) -> None:
        problems = Reading("a.dfy", "]\n" * 500, DAFNY).problems
        assert len(problems) == MAX_PROBLEMS + 1
        assert "more problems" in problems[-1].message

    def test_a_text_in_which_nothing_ends_is_given_up(self) -> None:
        for text in ("/*\n", '"\n', 'r#"\n'):
            problems = Reading("a.rs", text * 500, VERUS).problems
            told = [one for one in problems if one.code == "unterminated"]
            assert len(told) <= MAX_UNENDED + 1
        assert "not read" in told[-1].message

    @pytest.mark.parametrize(
        ("name", "opening", "closing"),
        [
            ("dafny", "module A {\n", "}\n"),
            ("verus", "mod a {\n", "}\n"),
            ("verus", "verus! { fn f() {}\n", "}\n"),
            ("coq", "Module A.\n", "End A.\n"),
        ],
    )
    def test_nesting_deeper_than_anybody_writes_is_named_and_not_read(
        self, name: str, opening: str, closing: str
    ) -> None:
        deep = MAX_DEPTH + 20
        found = extract(name, opening * deep + closing * deep)
        assert "too-deep" in [problem.code for problem in found.problems]
        assert len(found.items) <= deep
        shallow = extract(name, opening * 20 + closing * 20)
        assert shallow.problems == ()
        assert len(shallow.items) == 20
