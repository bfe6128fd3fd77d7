from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workbench.code.markup_checks import assert_shows, read
from workbench.code import highlight as module
from workbench.code.highlight import MAX_COLUMNS, highlight
from workbench.code.lexers import PLAIN, lexer_for
from workbench.code.lines import split_lines
from workbench.code.markup import plain_text

LANGUAGES = ("lean", "dafny", "verus", "coq", "python", "json", "toml", "text")
WORDS = r"""
def theorem fn method Lemma proof by simp sorry forall match "x\n" r#"a"# 'a' '\'' "open /- -/ /-- /* */ (* *) // -- #
\ 0x1F 1_000 1.5e3 α ℕ x' f! a.b.c «q r» ⟨ ⟩ { } [ ] ( ) : := <b>&amp;</b> </script> {: -- !benchmark @start code def=f
"""
STRANGE = [
    "\0",
    "\x0c",
    "\u202e",
    "\u200b",
    "\ud800",
    "e\u0301",
    "𝓝",
    "\r",
    "\t",
    '"""',
    "",
]
CODE = st.lists(
    st.sampled_from(WORDS.split() + STRANGE) | st.text(max_size=6), max_size=25
)


def classes(html: str) -> dict[str, str]:
    """Return the class of each marked text of a line."""
    return {
        text: css
        for css, text in re.findall(r'<span class="(\w+)"[^>]*>([^<]*)</span>', html)
    }


def shown_class(code: str, word: str, language: str = "lean") -> str:
    """Return the class that `word` gets in `code`."""
    return classes("".join(highlight(code, language).lines)).get(word, "")


@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("language", LANGUAGES)
@given(CODE, st.sampled_from([" ", "\n", "\r\n", ""]))
def test_every_line_is_balanced_and_shows_its_text(
    language: str, parts: list[str], joint: str
) -> None:
    text = joint.join(parts)
    shown = highlight(text, language, max_columns=None)
    lines = split_lines(text).lines
    assert len(shown.lines) == len(lines)
    for html, line in zip(shown.lines, lines, strict=True):
        assert_shows(html, line)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_markup_of_the_text_becomes_markup_of_the_page(language: str) -> None:
    attack = "\"</pre></span><script>alert(1)</script><!-- ' onload=x"
    for line in (
        attack,
        f"-- {attack}",
        f"«{attack}»",
        f'x"{attack}',
        f"{attack}.{attack}",
    ):
        assert_shows(highlight(line, language).lines[0], line)


def test_a_token_over_several_lines_is_closed_on_each() -> None:
    shown = highlight("/- one\ntwo -/ def f\n", "lean")
    assert shown.lines[0] == '<span class="c">/- one</span>'
    assert shown.lines[1].startswith('<span class="c">two -/</span>')


class TestLean:
    @pytest.mark.parametrize(
        ("code", "word", "css"),
        [
            ("def add := 1", "def", "k"),
            ("def add := 1", "add", "nf"),
            ("private theorem t : True := trivial", "t", "nf"),
            ("structure Point where", "Point", "nc"),
            ("class inductive C where", "C", "nc"),
            ("namespace A", "A", "nc"),
            ("fun x => x", "fun", "k"),
            ("λ x => x", "λ", "k"),
            ("x : Prop", "Prop", "kt"),
            ("by\n  simp", "simp", "kp"),
            ("by omega", "omega", "kp"),
            ("x := 0x1F", "0x1F", "mi"),
            ("x := 1.5e3", "1.5e3", "mi"),
            ("x := 'a'", "'a'", "s1"),
            ("x := '\\''", "'\\''", "s1"),
            ('x := r#"a"b"#', 'r#"a"b"#', "s1"),
            ("/- a /- b -/ c -/ x", "/- a /- b -/ c -/", "c"),
            ("/-- doc -/", "/-- doc -/", "sd"),
            ("-- note", "-- note", "c"),
            ("-- !benchmark @start code def=add", "-- !benchmark @start code def=add", "cm"),
            ("-- about !benchmark @start", "-- about !benchmark @start", "c"),
            ("@[simp] def f := 1", "@[", "nd"),
        ],
    )  # fmt: skip
    def test_it_tells_the_kinds_apart(self, code: str, word: str, css: str) -> None:
        assert shown_class(code, word) == css

    @pytest.mark.parametrize(
        "word",
        ["sorry", "admit", "native_decide", "implemented_by", "debug.skipKernelTC"],
    )
    def test_what_proves_nothing_stands_out(self, word: str) -> None:
        html = highlight(f"theorem t : P := by\n  {word}\n", "lean").lines[1]
        assert f'<span class="danger">{word}</span>' in html

    def test_an_axiom_stands_out(self) -> None:
        assert shown_class("axiom choice : P", "axiom") == "danger"

    def test_danger_in_a_comment_or_string_is_none(self) -> None:
        assert 'class="danger"' not in "".join(
            highlight('-- sorry\n/- admit -/ "axiom"', "lean").lines
        )

    def test_a_tactic_word_elsewhere_is_a_name(self) -> None:
        assert shown_class("x.simp simp", "simp") == ""
        assert (
            'data-name="left"'
            in highlight("def f (left : Nat) := left", "lean").lines[0]
        )

    def test_a_prime_is_part_of_the_name(self) -> None:
        assert 'data-name="s&#x27;"' in highlight("let s' := s", "lean").lines[0]

    def test_each_part_of_a_dotted_name_can_be_linked(self) -> None:
        html = highlight("s.ivs.span", "lean").lines[0]
        assert re.findall(r'data-name="(\w+)"', html) == ["s", "ivs", "span"]

    def test_lines_that_the_format_reads_are_known(self) -> None:
        code = "def f :=\n-- !benchmark @start code def=f\n1\n-- !benchmark @end code def=f\n"
        assert highlight(code, "lean").markers == {2, 4}

    def test_a_marker_within_a_block_comment_is_none(self) -> None:
        assert not highlight(
            "/-\n-- !benchmark @start code def=f\n-/\n", "lean"
        ).markers


class TestOtherLanguages:
    @pytest.mark.parametrize(
        ("language", "code", "word", "css"),
        [
            ("dafny", "lemma Sum(n: nat) ensures n >= 0 {}", "lemma", "k"),
            ("dafny", "lemma Sum(n: nat) ensures n >= 0 {}", "Sum", "nf"),
            ("dafny", "lemma Sum(n: nat) ensures n >= 0 {}", "nat", "kt"),
            ("dafny", "lemma Sum(n: nat) ensures n >= 0 {}", "ensures", "k"),
            ("dafny", "ghost function {:opaque} F(x: bv32): int", "F", "nf"),
            ("dafny", "ghost function {:opaque} F(x: bv32): int", "bv32", "kt"),
            ("dafny", "/* a /* b */ c */ x", "/* a /* b */ c */", "c"),
            ("dafny", "method {:axiom} M()", "{:axiom}", "danger"),
            ("dafny", "assume x > 0;", "assume", "danger"),
            ("dafny", "var x' := 'c';", "'c'", "s1"),
            ("dafny", 'var s := @"a""b";', '@"a""b"', "s1"),
            ("verus", "proof fn f() requires x < 3, ensures true {}", "requires", "k"),
            ("verus", "proof fn f() requires x < 3, ensures true {}", "proof", "k"),
            ("verus", "proof fn f() requires x < 3, ensures true {}", "f", "nf"),
            ("verus", "spec fn g(x: nat) -> int { x as int }", "nat", "kt"),
            ("verus", "assume(x);", "assume", "danger"),
            ("verus", "#[verifier::external_body]", "#[verifier::external_body]", "danger"),
            ("verus", "#[inline]", "#[inline]", "nd"),
            ("coq", "Theorem t : forall n, n = n.", "Theorem", "k"),
            ("coq", "Theorem t : forall n, n = n.", "t", "nf"),
            ("coq", "Inductive tree := Leaf.", "tree", "nc"),
            ("coq", "Proof. Admitted.", "Admitted", "danger"),
            ("coq", "Axiom a : False.", "Axiom", "danger"),
            ("coq", "Axiom a : False.", "a", "nf"),
            ("coq", "(* Admitted *)", "(* Admitted *)", "c"),
            ("coq", "(* a (* b *) c *)", "(* a (* b *) c *)", "c"),
            ("python", "def add(self): pass", "def", "k"),
            ("python", "def add(self): pass", "add", "nf"),
            ("python", "x = 1", "1", "mi"),
            ("json", '{"a": 1}', "1", "mi"),
            ("toml", "[package]\nname = 'x' # c", "# c", "c"),
        ],
    )  # fmt: skip
    def test_they_are_told_apart(
        self, language: str, code: str, word: str, css: str
    ) -> None:
        assert shown_class(code, word, language) == css

    def test_a_python_docstring_is_documentation(self) -> None:
        html = highlight('def f():\n    """Insert it."""\n', "python").lines[1]
        assert (
            html
            == '    <span class="sd">&quot;&quot;&quot;Insert it.&quot;&quot;&quot;</span>'.replace(
                "&quot;", '"'
            )
        )


class TestLimits:
    def test_a_long_line_is_cut_and_says_by_how_much(self) -> None:
        shown = highlight("a" * (MAX_COLUMNS + 7) + "\nb\n", "text")
        assert shown.cut == {1: 7}
        assert_shows(shown.lines[0], "a" * MAX_COLUMNS)
        assert shown.lines[1] == "b"

    @pytest.mark.parametrize("language", LANGUAGES)
    @pytest.mark.parametrize("stuff", ["x", "("])
    def test_one_line_of_a_megabyte_is_shown(self, language: str, stuff: str) -> None:
        text = stuff * 1_000_000
        shown = highlight(text, language)
        assert shown.cut == {1: 1_000_000 - MAX_COLUMNS}
        assert_shows(shown.lines[0], text[:MAX_COLUMNS])

    def test_colour_ends_where_tokens_run_out(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "MAX_TOKENS", 6)
        shown = highlight("def f\ndef g\ndef <h>\n", "lean")
        assert shown.lines[0].startswith('<span class="k">def</span>')
        assert shown.lines[2] == "def &lt;h&gt;"
        assert "from line 2 on" in shown.note
        assert shown.settled

    def test_colour_ends_where_time_runs_out(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "MAX_SECONDS", -1.0)
        shown = highlight("def f\n" * 30, "lean")
        assert shown.lines[29] == "def f"
        assert not shown.settled

    @pytest.mark.parametrize(
        ("language", "stuff"), [("python", "  \n"), ("dafny", "{:")]
    )
    def test_text_that_makes_a_lexer_quadratic_is_given_up(
        self, language: str, stuff: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "MAX_SECONDS", 0.2)
        text = stuff * 20_000
        shown = highlight(text, language, max_columns=None)
        assert not shown.settled
        assert shown.note
        assert [plain_text(line) for line in shown.lines] == list(
            split_lines(text).lines
        )

    def test_the_lexer_reads_past_the_cut(self) -> None:
        shown = highlight("/- " + "x" * 1000 + " -/ def\ndef", "lean")
        assert shown.lines[1] == '<span class="k">def</span>'

    def test_a_text_above_the_limit_is_plain_and_says_so(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "MAX_COLOURED", 10)
        shown = highlight("def f := 12345", "lean")
        assert shown.lines == ("def f := 12345",)
        assert "longer than 10 characters" in shown.note
        assert shown.language == PLAIN

    @pytest.mark.parametrize("broken", [RecursionError("deep"), ValueError("odd")])
    def test_a_lexer_that_fails_costs_the_colour_only(
        self, broken: Exception, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(text: str) -> None:
            raise broken

        monkeypatch.setattr(lexer_for("lean"), "get_tokens_unprocessed", fail)
        shown = highlight("def <f>", "lean")
        assert shown.lines == ("def &lt;f&gt;",)
        assert "lean lexer" in shown.note

    def test_a_lexer_that_loses_text_is_not_believed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            lexer_for("lean"),
            "get_tokens_unprocessed",
            lambda text: iter([(0, "", text[1:])]),
        )
        assert highlight("def f", "lean").lines == ("def f",)

    def test_ten_thousand_lines_keep_their_numbers(self) -> None:
        text = "".join(f"def f{n} := {n}\r\n" for n in range(10_000))
        shown = highlight(text, "lean")
        assert len(shown.lines) == 10_000
        assert 'data-name="f9999"' in shown.lines[9_999]
        assert (shown.line_ends, shown.final_newline) == ("CRLF", True)


class TestCharacters:
    def test_a_hidden_character_is_marked_where_it_stands(self) -> None:
        reader = read(highlight("def f\u202e := 1", "lean").lines[0])
        found = {
            name: value
            for _, name, value in reader.attributes
            if name in {"data-glyph", "title", "aria-label"}
        }
        assert found["data-glyph"] == "RLO"
        assert found["title"] == found["aria-label"]
        assert str(found["title"]).startswith("U+202E RIGHT-TO-LEFT OVERRIDE")

    def test_ordinary_lean_is_not_marked(self) -> None:
        shown = highlight(
            "theorem t (α : Type) : ∀ x ∈ s, x ≤ y₁ → ¬ p ⟨x, y⟩ := fun h => λ z => h ∘ z",
            "lean",
        )
        assert not shown.findings
        assert 'class="ch' not in shown.lines[0]

    def test_a_finding_in_a_cut_part_is_still_reported(self) -> None:
        shown = highlight("x" * 500 + "\u200b", "text")
        assert [finding.column for finding in shown.findings] == [501]


@pytest.mark.corpus
def test_all_public_lean_keeps_its_text_and_its_colour(corpus: Path) -> None:
    files = sorted(corpus.glob("benchmarks/**/*.lean"))
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        shown = highlight(text, path=path.name, max_columns=None)
        assert not shown.note, path
        for html, line in zip(shown.lines, split_lines(text).lines, strict=True):
            assert_shows(html, line)
