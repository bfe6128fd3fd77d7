from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.sources.names import (
    LEADING,
    bare_spec_name,
    likeness,
    same_word,
    shared_prefixes,
    squash,
    standard,
    stem,
    without_statement_words,
    words,
)

some_words = st.lists(
    st.sampled_from(["add", "addr", "address", "is", "set", "get", "range"]), max_size=4
)


class TestWords:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("decodeInt", ("decode", "int")),
            ("decode_int", ("decode", "int")),
            ("__contains__", ("contains",)),
            ("UTF8Encode", ("utf8", "encode")),
            ("toHTTPServer", ("to", "http", "server")),
            ("cloneU16Le", ("clone", "u16", "le")),
            ("x'", ("x", "prime")),
            ("Some?", ("some", "query")),
            ("[u8]", ("slice", "u8")),
            ("_", ()),
        ],
    )
    def test_a_name_is_taken_apart(self, name: str, expected: tuple[str, ...]) -> None:
        assert words(name) == expected

    def test_letters_of_any_script_belong_to_words(self) -> None:
        assert squash("Größe_β'") == "größeβprime"

    def test_camel_case_and_snake_case_are_the_same(self) -> None:
        assert (
            squash("getDepositRoot")
            == squash("get_deposit_root")
            == squash("GetDepositRoot")
        )
        assert squash("foo'") != squash("foo")

    @given(st.text(max_size=20))
    def test_any_text_has_words(self, name: str) -> None:
        assert squash(name) == "".join(words(name))


class TestAffixes:
    def test_spec_is_taken_off_once(self) -> None:
        assert bare_spec_name("spec_spec_x") == "spec_x"
        assert bare_spec_name("spec_") == "spec_"
        assert bare_spec_name("respec_x") == "respec_x"

    def test_statement_words_go_at_both_ends_but_not_everything(self) -> None:
        assert without_statement_words(("lemma", "a", "spec")) == ("a",)
        assert without_statement_words(("lemma",)) == ("lemma",)
        assert without_statement_words(("a", "lemma", "b")) == ("a", "lemma", "b")

    def test_a_prefix_is_shared_by_three_names_at_least(self) -> None:
        assert shared_prefixes(["b58_a", "b58_b", "b58_c", "x_y"]) == {"b58"}
        assert shared_prefixes(["b58_a", "b58_b", "b58_b"]) == frozenset()
        assert shared_prefixes(["get", "get", "get"]) == frozenset()


class TestLikeness:
    @pytest.mark.parametrize(
        ("left", "right", "score"),
        [
            (["a"], ["a"], 1.0),
            (["find", "path", "cost"], ["find", "path"], 2 / 3),
            (["network", "addr"], ["network", "address"], 0.95),
            (["min", "ver"], ["minor", "version"], 0.45),
            (["collapse"], ["collapse", "addresses"], LEADING),
            (["get"], ["get", "solutions"], 0.5),
            (["a"], ["b"], 0.0),
            ([], ["a"], 0.0),
        ],
    )
    def test_it_is_the_share_of_common_words(
        self, left: list[str], right: list[str], score: float
    ) -> None:
        assert likeness(left, right) == pytest.approx(score)

    def test_words_that_mean_the_same_are_written_the_same(self) -> None:
        assert standard(words("listMk")) == standard(words("list_init"))

    @given(some_words, some_words)
    def test_it_is_between_nothing_and_everything(
        self, left: list[str], right: list[str]
    ) -> None:
        assert 0 <= likeness(left, right) <= 1
        assert not left or likeness(left, left) == 1

    @given(
        st.sampled_from(["ab", "abc", "abcd", "abd"]),
        st.sampled_from(["ab", "abc", "abcd", "abd"]),
    )
    def test_words_that_are_the_same_share_a_stem(self, left: str, right: str) -> None:
        assert same_word(left, right) == same_word(right, left)
        if same_word(left, right):
            assert stem(left) == stem(right)
