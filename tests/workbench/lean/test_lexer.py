from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.lean import lexer

PIECES = st.sampled_from(
    [
        "/-", "-/", "/--", "/-!", "--", "\n", '"', "\\", "'", "s!\"", "m!\"", "{", "}", "r\"", "r#\"", "\"#", "#", "«", "»",
        "x", "x'", "foo.bar", "0x1F", "1.5e-3", "0b1", " ", "\t", "\r\n", "λ", "α", "₁", "→", "∀", "def", "#guard", "#exit",
        "@[simp]", "`x", "!", "?", "(", ")", ":=", "-", "/", "\u200b", "𝒜", "é",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join))


def kinds(text: str) -> list[tuple[str, str]]:
    return [
        (token.kind, token.text)
        for token in lexer.tokens(text)
        if token.kind != lexer.WHITESPACE
    ]


@given(TEXTS)
@example('s!"a {f "b}c" } d" x')
@example("'\"' -- \"\n/- ' -/")
@example('s!"{s!"{')
@example("/-/-/")
def test_tokens_join_to_the_text(text: str) -> None:
    found = list(lexer.tokens(text))
    assert "".join(token.text for token in found) == text
    assert all(text[token.start : token.end] == token.text for token in found)
    assert all(token.kind in lexer.KINDS for token in found)
    assert all(token.start < token.end for token in found)


@given(TEXTS)
@example('r#"a"b"# c')
def test_the_mask_blanks_exactly_comments_strings_and_characters(text: str) -> None:
    masked = lexer.mask(text)
    assert len(masked) == len(text)
    hidden = lexer.COMMENTS | {
        lexer.STRING,
        lexer.RAW_STRING,
        lexer.CHAR,
        lexer.OPEN_STRING,
    }
    expected = "".join(
        re.sub(r"[^\n]", " ", token.text) if token.kind in hidden else token.text
        for token in lexer.tokens(text)
    )
    assert masked == expected


@given(st.lists(st.one_of(PIECES, st.just("\n-- line\n")), max_size=30).map("".join))
def test_inside_agrees_with_the_spans(text: str) -> None:
    starts = [match.end() for match in re.finditer(r"\n(?=--)", text)]
    found = lexer.spans(text)
    expected = [
        any(start < offset < end for _, start, end in found) for offset in starts
    ]
    assert lexer.inside(text, starts) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x'", [(lexer.IDENTIFIER, "x'")]),
        ("f' 'a'", [(lexer.IDENTIFIER, "f'"), (lexer.CHAR, "'a'")]),
        (r"'\''", [(lexer.CHAR, r"'\''")]),
        ("'\"'", [(lexer.CHAR, "'\"'")]),
        (r"'\u00e9' '\x41'", [(lexer.CHAR, r"'\u00e9'"), (lexer.CHAR, r"'\x41'")]),
        ("1'a'", [(lexer.NUMBER, "1"), (lexer.CHAR, "'a'")]),
        ("x1'a", [(lexer.IDENTIFIER, "x1'a")]),
        ("xs[i]'h", [(lexer.IDENTIFIER, "xs"), (lexer.OPERATOR, "["), (lexer.IDENTIFIER, "i"), (lexer.OPERATOR, "]'"), (lexer.IDENTIFIER, "h")]),
        ("f '' s", [(lexer.IDENTIFIER, "f"), (lexer.OPERATOR, "''"), (lexer.IDENTIFIER, "s")]),
        ("get?", [(lexer.IDENTIFIER, "get?")]),
        ("a.b.c!", [(lexer.IDENTIFIER, "a.b.c!")]),
        ("«a b».c", [(lexer.IDENTIFIER, "«a b».c")]),
        ('«a"b» "c"', [(lexer.IDENTIFIER, '«a"b»'), (lexer.STRING, '"c"')]),
        ("h₁ α β₂", [(lexer.IDENTIFIER, "h₁"), (lexer.IDENTIFIER, "α"), (lexer.IDENTIFIER, "β₂")]),
        ("λx", [(lexer.OPERATOR, "λ"), (lexer.IDENTIFIER, "x")]),
        ("0x1F_a 0b101 0o17 1_000", [(lexer.NUMBER, n) for n in ("0x1F_a", "0b101", "0o17", "1_000")]),
        ("1.5e-3 2e10 3.25", [(lexer.NUMBER, n) for n in ("1.5e-3", "2e10", "3.25")]),
        ("1..3", [(lexer.NUMBER, "1"), (lexer.OPERATOR, ".."), (lexer.NUMBER, "3")]),
        ("#guard x", [(lexer.COMMAND, "#guard"), (lexer.IDENTIFIER, "x")]),
        ("#exit", [(lexer.COMMAND, "#exit")]),
        ("#[1]", [(lexer.OPERATOR, "#["), (lexer.NUMBER, "1"), (lexer.OPERATOR, "]")]),
        ("def f", [(lexer.COMMAND, "def"), (lexer.IDENTIFIER, "f")]),
        ("fun x => sorry", [(lexer.KEYWORD, "fun"), (lexer.IDENTIFIER, "x"), (lexer.OPERATOR, "=>"), (lexer.KEYWORD, "sorry")]),
        ("x.def", [(lexer.IDENTIFIER, "x.def")]),
        ("@[simp]", [(lexer.ATTRIBUTE, "@["), (lexer.IDENTIFIER, "simp"), (lexer.OPERATOR, "]")]),
        ("a <;> b", [(lexer.IDENTIFIER, "a"), (lexer.OPERATOR, "<;>"), (lexer.IDENTIFIER, "b")]),
        ("x -- y\nz", [(lexer.IDENTIFIER, "x"), (lexer.LINE_COMMENT, "-- y"), (lexer.IDENTIFIER, "z")]),
        ("a--b", [(lexer.IDENTIFIER, "a"), (lexer.LINE_COMMENT, "--b")]),
        ("a/-b-/c", [(lexer.IDENTIFIER, "a"), (lexer.BLOCK_COMMENT, "/-b-/"), (lexer.IDENTIFIER, "c")]),
        ("/- a /- b -/ c -/ d", [(lexer.BLOCK_COMMENT, "/- a /- b -/ c -/"), (lexer.IDENTIFIER, "d")]),
        ("/-- d -/ /-! m -/", [(lexer.DOC_COMMENT, "/-- d -/"), (lexer.MODULE_DOC, "/-! m -/")]),
        ("/---/ x", [(lexer.DOC_COMMENT, "/---/"), (lexer.IDENTIFIER, "x")]),
        ("/-/ x -/ y", [(lexer.BLOCK_COMMENT, "/-/ x -/"), (lexer.IDENTIFIER, "y")]),
        ('"a -- b /- c"', [(lexer.STRING, '"a -- b /- c"')]),
        ('"a\\"b" c', [(lexer.STRING, '"a\\"b"'), (lexer.IDENTIFIER, "c")]),
        ('"a\\\n  b"', [(lexer.STRING, '"a\\\n  b"')]),
        ('r"a\\" x', [(lexer.RAW_STRING, 'r"a\\"'), (lexer.IDENTIFIER, "x")]),
        ('r##"a"#b"## x', [(lexer.RAW_STRING, 'r##"a"#b"##'), (lexer.IDENTIFIER, "x")]),
        ('for"a"', [(lexer.KEYWORD, "for"), (lexer.STRING, '"a"')]),
        ('s!"a" x', [(lexer.STRING, 's!"a"'), (lexer.IDENTIFIER, "x")]),
        ('s!"a{x}b" y', [(lexer.STRING, 's!"a{'), (lexer.IDENTIFIER, "x"), (lexer.STRING, '}b"'), (lexer.IDENTIFIER, "y")]),
        ('s!"\\{x" y', [(lexer.STRING, 's!"\\{x"'), (lexer.IDENTIFIER, "y")]),
        ('s!"{ {a := "}"} }" z', [(lexer.STRING, 's!"{'), (lexer.OPERATOR, "{"), (lexer.IDENTIFIER, "a"), (lexer.OPERATOR, ":="), (lexer.STRING, '"}"'), (lexer.OPERATOR, "}"), (lexer.STRING, '}"'), (lexer.IDENTIFIER, "z")]),
        ('s!"{s!"{x}"}" y', [(lexer.STRING, 's!"{'), (lexer.STRING, 's!"{'), (lexer.IDENTIFIER, "x"), (lexer.STRING, '}"'), (lexer.STRING, '}"'), (lexer.IDENTIFIER, "y")]),
        ('panic! "a{x}"', [(lexer.IDENTIFIER, "panic!"), (lexer.STRING, '"a{x}"')]),
        ("`x'", [(lexer.OPERATOR, "`"), (lexer.IDENTIFIER, "x'")]),
    ],
)  # fmt: skip
def test_it_reads_as_lean_does(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x\n/- a", 2, "comment is never closed"),
        ("/- a /- b -/", 1, "comment is never closed"),
        ("/--/ x", 1, "comment is never closed"),
        ("/-!/ x", 1, "comment is never closed"),
        ('x\n\n"abc', 3, "string is never closed"),
        ('r#"abc"', 1, "string is never closed"),
        ('s!"a{x', 1, "string is never closed"),
        ('s!"a{x}b', 1, "string is never closed"),
    ],
)
def test_it_reports_what_is_never_closed(text: str, line: int, message: str) -> None:
    assert (line, message) in lexer.problems(text)


def test_it_has_no_problem_with_what_is_closed() -> None:
    assert lexer.problems('/- /- -/ -/ "a" r#"b"# s!"{x}" \'c\'') == []


@pytest.mark.parametrize(
    "text",
    [
        "/-" * 40_000, "«" * 80_000, "'" * 80_000, '"' * 80_001, "r#" * 40_000 + '"', '#"' * 40_000, "s!\"{" * 20_000,
        "-" * 80_001, "@[" * 40_000, "a." * 40_000, "\\" * 80_000, "1" * 80_000 + "'",
    ],
    ids=lambda text: text[:4],
)  # fmt: skip
def test_no_text_takes_more_than_linear_time(text: str) -> None:
    # A scan that goes back and forth would not end within the patience of a test run.
    assert sum(end - start for _, start, end in lexer.scan(text)) == len(text)
