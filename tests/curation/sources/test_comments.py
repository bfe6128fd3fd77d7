from __future__ import annotations

import pytest

from curation.sources.comments import leading_comments, words
from curation.sources.verus.lexer import LEXER


def docs(text: str) -> dict[str, str]:
    tokens, _ = LEXER.tokens(text)
    by_offset = {token.start: token.text for token in tokens}
    return {
        by_offset[at]: found for at, found in leading_comments(text, tokens).items()
    }


class TestWords:
    @pytest.mark.parametrize(
        ("comment", "expected"),
        [
            ("/// one", "one"),
            ("// one", "one"),
            ("/** one */", "one"),
            ("/**\n * one\n *   two\n */", "one\n  two"),
            ("(** one *)", "one"),
            ("(* a (* b *) *)", "a (* b *)"),
            ("/-- one\ntwo -/", "one\ntwo"),
            ("-- one", "one"),
            ("# one", "one"),
            ("/**/", ""),
        ],
    )
    def test_it_takes_the_decoration_off(self, comment: str, expected: str) -> None:
        assert words(comment) == expected


class TestLeadingComments:
    def test_lines_directly_above_belong_to_what_follows(self) -> None:
        assert docs("// a\n// b\nfn f") == {"fn": "a\nb"}

    def test_a_blank_line_parts_them(self) -> None:
        assert docs("// a\n\n// b\nfn f") == {"fn": "b"}
        assert docs("// a\n\nfn f") == {}

    def test_documentation_reaches_across_blank_lines(self) -> None:
        assert docs("/// a\n\nfn f") == {"fn": "a"}

    def test_a_comment_behind_code_belongs_to_nobody(self) -> None:
        assert docs("x // a\nfn f") == {}

    def test_the_first_line_of_a_file_counts(self) -> None:
        assert docs("/* a */ fn f") == {"fn": "a"}
