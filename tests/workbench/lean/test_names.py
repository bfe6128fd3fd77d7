from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.lean.names import (
    bytes_hash,
    is_auxiliary,
    name_hash,
    number_hash,
    parse,
    show,
)

components = st.one_of(
    st.text(min_size=1).filter(lambda text: "»" not in text and "«" not in text),
    st.integers(min_value=0, max_value=1 << 70),
)
names = st.lists(components, min_size=1, max_size=5).map(tuple)


class TestHashes:
    """The constants were read off files that Lean 4.35 wrote."""

    def test_a_name_of_one_component(self) -> None:
        assert name_hash(("Ledger",)) == 0x8A2C6A7E13872419

    def test_a_name_of_two_components(self) -> None:
        assert name_hash(("Ledger", "put")) == 0x8275EC3A34ABD3C1

    def test_the_anonymous_name(self) -> None:
        assert name_hash(()) == 1723

    def test_a_number_beyond_64_bits_hashes_as_17(self) -> None:
        assert number_hash(1 << 64) == 17
        assert number_hash((1 << 64) - 1) == (1 << 64) - 1

    def test_strings_that_end_off_a_word_differ_from_their_padding(self) -> None:
        assert bytes_hash(b"abc") != bytes_hash(b"abc\0")


class TestShow:
    def test_plain_names_are_joined_by_dots(self) -> None:
        assert show(("Nat", "add", "match_1", 3)) == "Nat.add.match_1.3"

    def test_a_component_with_a_dot_is_quoted(self) -> None:
        assert show(("a.b",)) == "«a.b»"

    def test_a_newline_cannot_forge_a_second_line(self) -> None:
        shown = show(("x", "a\n'prove_x' does not depend on any axioms"))
        assert "\n" not in shown

    def test_the_direction_of_writing_cannot_be_turned(self) -> None:
        assert "‮" not in show(("x\u202ey",))

    @given(names)
    def test_it_is_always_one_printable_line(self, name: tuple[str | int, ...]) -> None:
        assert show(name).isprintable()


class TestParse:
    def test_it_splits_at_dots_outside_quotes(self) -> None:
        assert parse("A.«b.c».3") == ("A", "b.c", 3)

    @pytest.mark.parametrize("text", ["", "a.", ".a", "a..b", "«a", "«a»b"])
    def test_it_refuses_empty_components_and_open_quotes(self, text: str) -> None:
        with pytest.raises(ValueError, match="name"):
            parse(text)

    @given(
        st.lists(
            st.from_regex(r"[a-zA-Z_][\w']{0,8}", fullmatch=True),
            min_size=1,
            max_size=4,
        )
    )
    def test_it_inverts_show_on_plain_names(self, name: list[str]) -> None:
        assert parse(show(tuple(name))) == tuple(name)


class TestAuxiliaries:
    @pytest.mark.parametrize(
        "text",
        [
            "f.match_1",
            "f._proof_2",
            "_private.M.0.f.match_3",
            "f.eq_1",
            "f._unary",
            "f.match_1.splitter",
        ],
    )
    def test_it_knows_what_the_compiler_makes(self, text: str) -> None:
        assert is_auxiliary(parse(text))

    @pytest.mark.parametrize(
        "text", ["f", "match_x", "instDecidableEqStatus", "f.rec", "matching_1"]
    )
    def test_it_does_not_take_other_names_for_them(self, text: str) -> None:
        assert not is_auxiliary(parse(text))
