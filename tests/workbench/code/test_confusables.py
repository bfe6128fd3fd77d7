from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workbench.code.markup_checks import assert_shows
from workbench.code import confusables as module
from workbench.code.confusables import LEVELS, MEANING, Finding, count_levels, scan
from workbench.code.highlight import highlight
from workbench.code.lines import split_lines
from workbench.code.lookalikes import STRONG, skeleton


def only(text: str) -> Finding:
    """Return the one finding in `text`."""
    found = scan(text)
    assert len(found) == 1, found
    return found[0]


class TestOrdinaryCode:
    @pytest.mark.parametrize(
        "text",
        [
            "theorem add_comm (a b : Nat) : a + b = b + a := by omega\n",
            "∀ x ∈ s, ∃ y, x ≤ y ∧ ¬ (y ≠ x) ∨ x = y → P x ↔ Q",
            "fun (α β : Type) (f : α → β) => f ∘ id × ⟨x, y⟩ ▸ h⁻¹",
            "x₁ x₂ h₀' a.b.1 f? g! «odd name»",
            "structure S (ℕ : Type) where",
            "λ x ↦ x · (· + 1)",
            "-- it’s “quoted” – and more…",
            "-- Привет, а это комментарий",
            "-- Ένα σχόλιο στα ελληνικά",
            "-- 日本語のコメント",
            "tab\tand CRLF\r\n",
            "hα hβ fγ Σ Π Ω σ φ",
            "naïve café Gödel Erdős",
            "𝓝 x 𝒫 s",
        ],
    )
    def test_it_is_left_alone(self, text: str) -> None:
        assert scan(text) == []


class TestBad:
    @pytest.mark.parametrize(
        ("char", "kind", "label"),
        [
            ("\u202e", "bidi", "RLO"),
            ("\u202a", "bidi", "LRE"),
            ("\u2066", "bidi", "LRI"),
            ("\u2069", "bidi", "PDI"),
            ("\u200f", "bidi", "RLM"),
            ("\u061c", "bidi", "ALM"),
            ("\u200b", "invisible", "ZWSP"),
            ("\u200c", "invisible", "ZWNJ"),
            ("\u200d", "invisible", "ZWJ"),
            ("\u2060", "invisible", "WJ"),
            ("\u00ad", "invisible", "SHY"),
            ("\ufeff", "invisible", "BOM"),
            ("\u3164", "invisible", "HF"),
            ("\U000e0041", "tag", "TAG"),
            ("\ufe0f", "selector", "VS"),
            ("\U000e0100", "selector", "VS"),
            ("\0", "control", "NUL"),
            ("\x08", "control", "BS"),
            ("\x1b", "control", "ESC"),
            ("\x7f", "control", "DEL"),
            ("\x85", "control", "NEL"),
            ("\u2028", "separator", "LSEP"),
            ("\ud800", "surrogate", "D800"),
        ],
    )
    def test_what_cannot_be_seen_is_bad_and_gets_a_glyph(
        self, char: str, kind: str, label: str
    ) -> None:
        found = only(f"def x{char} := 1\n")
        assert (found.kind, found.level, found.label) == (kind, "bad", label)
        assert (found.line, found.column, found.text) == (1, 6, char)

    def test_a_carriage_return_alone_is_bad_and_one_before_a_line_feed_is_not(
        self,
    ) -> None:
        assert only("a\r\nb\rc\n").column == 2
        assert only("a\r\nb\rc\n").line == 2

    def test_a_byte_order_mark_at_the_start_is_left_to_the_importer(self) -> None:
        assert scan("\ufeffdef x := 1\n") == []

    def test_a_tag_says_which_letter_it_hides(self) -> None:
        assert only("x\U000e0041").looks_like == "A"

    def test_it_is_found_in_comments_and_strings_too(self) -> None:
        assert only("-- \u202e\n").kind == "bidi"
        assert only('"\u200b"').kind == "invisible"

    def test_an_emoji_may_have_its_style_and_its_joiner(self) -> None:
        assert {
            finding.level for finding in scan("-- ⚠\ufe0f \U0001f468\u200d\U0001f469")
        } == {"info"}


class TestWarn:
    @pytest.mark.parametrize(
        ("text", "column", "kind", "looks_like"),
        [
            ("p\u0430yload", 2, "mixed-script", "a"),
            ("x\u0435", 2, "mixed-script", "e"),
            ("get\u0416", 4, "mixed-script", ""),
            ("N\u039fT", 2, "mixed-script", "O"),
            ("s\u02bc", 2, "mixed-script", "'"),
            ("\u0410 := 1", 1, "other-script", "A"),
            ("\u0391 := 1", 1, "other-script", "A"),
            ("\uff21", 1, "full-width", "A"),
            ("x \uff1d y", 3, "full-width", "="),
            ("\ufb01nd", 1, "full-width", "fi"),
            ("x\u00a0y", 2, "space", ""),
            ("x\u3000y", 2, "space", ""),
            ("\u0663", 1, "digit", "3"),
            ("\ue000", 1, "private", ""),
            ("x\ufffd", 2, "replacement", ""),
            ("\U000af000", 1, "unassigned", ""),
        ],
    )
    def test_a_likely_accident_is_a_warning(
        self, text: str, column: int, kind: str, looks_like: str
    ) -> None:
        found = only(text)
        assert (found.column, found.kind, found.looks_like, found.level) == (
            column,
            kind,
            looks_like,
            "warn",
        )

    def test_a_word_of_look_alike_letters_in_prose_of_its_script_is_prose(self) -> None:
        assert scan("-- сор и рост") == []
        assert {finding.kind for finding in scan("def сор := 1")} == {"other-script"}

    def test_a_letter_that_is_not_in_normal_form_is_found_as_one_cluster(self) -> None:
        found = only("cafe\u0301 x")
        assert (found.kind, found.column, found.text) == ("not-nfc", 4, "e\u0301")

    @pytest.mark.parametrize("char", ["\u212a", "\u2126", "\u212b"])
    def test_a_letter_with_a_usual_spelling_is_not_normal(self, char: str) -> None:
        assert only(f"x = {char}").kind == "not-nfc"


class TestInfo:
    @pytest.mark.parametrize(
        ("char", "twin"),
        [("∣", "|"), ("∶", ":"), ("−", "-"), ("∗", "*"), ("⁄", "/"), ("′", "'")],
    )
    def test_a_symbol_with_an_ascii_twin_is_worth_a_look(
        self, char: str, twin: str
    ) -> None:
        found = only(f"a {char} b")
        assert (found.kind, found.level, found.looks_like) == ("symbol", "info", twin)

    def test_a_letter_is_marked_only_beside_its_twin(self) -> None:
        assert scan("x : ℕ := 1") == []
        found = only("x : ℕ := N")
        assert (found.kind, found.level, found.column, found.looks_like) == (
            "twin",
            "info",
            5,
            "N",
        )

    def test_the_twin_may_stand_on_another_line(self) -> None:
        assert only("def v := 1\ndef ν := 2\n").line == 2

    def test_a_letter_within_a_longer_name_is_not_the_twin(self) -> None:
        assert scan("def NN : ℕ := 1") == []


class TestMany:
    def test_a_flood_of_one_level_hides_nothing_of_another(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "MOST", 3)
        found = scan("a − b\n" * 9 + "x\u202e\n" + "\u00a0" * 9)
        assert count_levels(found) == {"bad": 1, "warn": 3, "info": 3}


class TestWords:
    def test_a_finding_names_itself_in_a_sentence(self) -> None:
        assert only("x\u202e").words == (
            "U+202E RIGHT-TO-LEFT OVERRIDE: changes the order in which text is shown"
        )
        assert only("a ∣ b").words.endswith("; looks like |")
        assert only("x\0").words == "U+0000 CONTROL NUL: is a control character"

    def test_levels_are_counted_worst_first_zeros_included(self) -> None:
        assert count_levels(scan("\u202e \u200b a ∣ b")) == {
            "bad": 2,
            "warn": 0,
            "info": 1,
        }
        assert list(count_levels([])) == list(LEVELS)

    def test_every_kind_is_explained(self) -> None:
        everything = "".join(map(chr, range(0x3000))) + "\U000e0041\ue000\ud800"
        assert {finding.kind for finding in scan(everything)} <= MEANING.keys()


def test_names_that_look_alike_have_one_skeleton() -> None:
    assert skeleton("pаypаl") == skeleton("paypal") == "paypal"
    assert skeleton("ℕ") == "N"
    assert skeleton("add₁") != skeleton("add1")


def test_no_look_alike_stands_for_itself_or_for_more_than_ascii() -> None:
    assert all(
        not strange.isascii() and plain.isascii() for strange, plain in STRONG.items()
    )


@given(st.text())
def test_findings_point_at_what_they_name_in_order(text: str) -> None:
    lines = split_lines(text).lines
    found = scan(text)
    assert [(f.line, f.column) for f in found] == sorted(
        {(f.line, f.column) for f in found}
    )
    for finding in found:
        start = finding.column - 1
        assert (
            lines[finding.line - 1][start : start + len(finding.text)] == finding.text
        )


@given(st.text(alphabet=st.characters(categories=["Cf", "Cc", "Zl", "Zp"]), max_size=5))
def test_no_invisible_character_slips_through(text: str) -> None:
    visible = text.replace("\r", "").replace("\n", "").replace("\t", "")
    found = scan(f"x{visible}y")
    assert [finding.text for finding in found] == list(visible)
    assert {finding.level for finding in found} <= {"bad"}


@given(st.text(alphabet="ae\u0301\u0323 \u1100\u1161", max_size=12))
def test_what_is_not_in_normal_form_is_found_and_what_is_is_not(text: str) -> None:
    found = [finding.text for finding in scan(text) if finding.kind == "not-nfc"]
    assert bool(found) == (not unicodedata.is_normalized("NFC", text))


def test_a_cluster_is_marked_as_a_whole_beside_other_marks() -> None:
    html = highlight("e\u0301\u202e\u200b", "text").lines[0]
    assert html.count('class="ch warn"') == 1
    assert html.count('class="ch bad"') == 2
    assert_shows(html, "e\u0301\u202e\u200b")
