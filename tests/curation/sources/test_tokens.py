from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curation.sources.coq.lexer import LEXER as COQ
from curation.sources.dafny.lexer import LEXER as DAFNY
from curation.sources.tokens import (
    COMMENT,
    DOC,
    NAME,
    STRING,
    Lexer,
    partners,
    without_comments,
)
from curation.sources.verus.lexer import LEXER as VERUS

PIECES = [
    "/*", "*/", "(*", "*)", "//", "///", '"', "'", "'a'", "'\\''", 'r#"', '"#', "{",
    "}", "(", ")", "[", "]", "\n", " ", "fn", "x'", "é", "∀", '\\', "@", "$x",
    "1.5", "..", ":=", "|", "\t", "\r\n", "\x00",
]  # fmt: skip
pieces = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def texts_of(lexer: Lexer, text: str, kind: str) -> list[str]:
    return [token.text for token in lexer.tokens(text)[0] if token.kind == kind]


class TestLexer:
    def test_comments_nest(self) -> None:
        for lexer, text in (
            (DAFNY, "/* a /* b */ c */x"),
            (COQ, "(* a (* b *) c *)x"),
            (VERUS, "/*/**/*/x"),
        ):
            assert [
                token.text for token in without_comments(lexer.tokens(text)[0])
            ] == ["x"]

    def test_strings_hide_comments_and_keywords(self) -> None:
        assert texts_of(DAFNY, 'x := "/* lemma";', STRING) == ['"/* lemma"']
        assert texts_of(DAFNY, '@"a""/*" b', STRING) == ['@"a""/*"']
        assert texts_of(VERUS, 'r##"a"# /* "## b', STRING) == ['r##"a"# /* "##']
        assert texts_of(COQ, '"a ""(*"" b" c', STRING) == ['"a ""(*"" b"']

    def test_a_string_in_a_coq_comment_hides_the_end_of_the_comment(self) -> None:
        assert [
            token.text for token in without_comments(COQ.tokens('(* "*)" *) x')[0])
        ] == ["x"]

    def test_primes_belong_to_names_and_quotes_to_characters(self) -> None:
        assert texts_of(DAFNY, "x' y'' Some? 'a' '\\n' '\\u0041'", NAME) == [
            "x'",
            "y''",
            "Some?",
        ]
        assert texts_of(DAFNY, "x' 'a' '\\''", STRING) == ["'a'", "'\\''"]
        assert texts_of(VERUS, "&'a str 'b' b'\\x00'", STRING) == ["'b'", "b'\\x00'"]

    def test_documentation_is_told_from_other_comments(self) -> None:
        kinds = [
            token.kind
            for token in VERUS.tokens("/// d\n// c\n/** d */ /* c */ //// c\n//! c")[0]
        ]
        assert kinds == [DOC, COMMENT, DOC, COMMENT, COMMENT, COMMENT]

    def test_a_comment_that_does_not_end_costs_one_line(self) -> None:
        tokens, problems = DAFNY.tokens("a /* b\nlemma c")
        assert [token.text for token in without_comments(tokens)] == ["a", "lemma", "c"]
        assert problems == [(2, "a comment that does not end")]

    def test_a_string_that_does_not_end_costs_one_character(self) -> None:
        tokens, problems = DAFNY.tokens('x := "b\nlemma c')
        assert [token.text for token in tokens][-2:] == ["lemma", "c"]
        assert problems == [(5, "a string that does not end")]

    @given(pieces)
    def test_tokens_are_ordered_and_leave_only_white_space_out(self, text: str) -> None:
        for lexer in (DAFNY, COQ, VERUS):
            position = 0
            for token in lexer.tokens(text)[0]:
                assert text[position : token.start].strip() == ""
                assert position <= token.start < token.end
                assert token.text == text[token.start : token.end]
                position = token.end
            assert text[position:].strip() == ""


class TestPartners:
    def test_brackets_find_each_other(self) -> None:
        tokens = DAFNY.tokens("( [ ] { } )")[0]
        assert partners(tokens) == ({0: 5, 1: 2, 3: 4}, [])

    def test_an_unclosed_bracket_ends_where_its_outer_one_does(self) -> None:
        closing, problems = partners(DAFNY.tokens("{ ( }")[0])
        assert closing == {0: 2, 1: 1}
        assert problems == [(2, "`(` is never closed")]

    def test_a_bracket_nobody_opened_is_passed_over(self) -> None:
        closing, problems = partners(DAFNY.tokens(") { }")[0])
        assert closing == {1: 2}
        assert problems == [(0, "`)` without an opening bracket")]

    @given(pieces)
    def test_every_opening_bracket_has_an_end_behind_it(self, text: str) -> None:
        tokens = without_comments(DAFNY.tokens(text)[0])
        closing, _ = partners(tokens)
        assert set(closing) == {
            i
            for i, token in enumerate(tokens)
            if token.text in "([{" and token.kind == "symbol"
        }
        assert all(opening <= close < len(tokens) for opening, close in closing.items())
