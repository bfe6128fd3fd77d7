from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.sources.citations import Citation, SourceId, citations, parse_source_id


class TestParseSourceId:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("BTree.v:all_leaves:4882", SourceId("all_leaves", "BTree.v", 4882)),
            ("src/a/B.i.dfy:xor:11216", SourceId("xor", "src/a/B.i.dfy", 11216)),
            ("theories/X.v:f:line-146", SourceId("f", "theories/X.v", 146)),
            ("a.rs:f", SourceId("f", "a.rs")),
            ("generated:HuffmanAuxType:1", SourceId("HuffmanAuxType", made=True)),
            ("generated", SourceId(made=True)),
            ("synthetic:Seq.First.__ensures_spec", SourceId("Seq.First", part=True)),
            ("Seq.First.__ensures_spec", SourceId("Seq.First", part=True)),
            (
                "U/Views.dfy:View_.CopyTo:ensures_x",
                SourceId("View_.CopyTo", "U/Views.dfy", part=True),
            ),
            ("Rlt_asymm", SourceId("Rlt_asymm")),
        ],
    )
    def test_it_takes_the_known_forms_apart(
        self, text: str, expected: SourceId
    ) -> None:
        assert parse_source_id(text) == expected

    @given(st.text(max_size=40))
    def test_it_takes_any_text(self, text: str) -> None:
        assert isinstance(parse_source_id(text), SourceId)


class TestCitations:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "Verus: `is_known_root` (chrome.rs:172).",
                Citation("is_known_root", "chrome.rs", 172, 172),
            ),
            (
                "Dafny: `power2Div2` in `Helpers.dfy`.",
                Citation("power2Div2", "Helpers.dfy"),
            ),
            ("`f` (chrome.rs ~350-400)", Citation("f", "chrome.rs", 350, 400)),
            (
                "`Deposit.init(h, l)` at `DepositSmart.dfy:123`",
                Citation("Deposit.init", "DepositSmart.dfy", 123, 123),
            ),
            ("see src/a_b/x-y.py, line 12", Citation("", "src/a_b/x-y.py", 12, 12)),
            ("from Coq's `WeightTree.v`", Citation("", "WeightTree.v")),
            (
                "`a.len() >= 2` in `valid_chain` (o.rs:5)",
                Citation("valid_chain", "o.rs", 5, 5),
            ),
        ],
    )
    def test_it_reads_file_name_and_lines(self, text: str, expected: Citation) -> None:
        assert next(citations(text)) == expected

    @pytest.mark.parametrize(
        "text",
        [
            "Dafny: `zeroes`",
            "Lean translation of the Coq source item `zeroes`: Lemma zeroes.",
            "Ported from `zeroes`.",
            "translation of `zeroes`",
            "Upstream `zeroes`",
            "Python's `zeroes()`",
        ],
    )
    def test_a_name_counts_where_it_is_said_to_be_the_source(self, text: str) -> None:
        assert Citation("zeroes") in list(citations(text))

    @pytest.mark.parametrize(
        "text",
        [
            "uses `zeroes` and `f x`",
            "`wrap chunks` packs `chunks`",
            "kv.value",
            "x.v()",
            "a.version",
            "v1.2.3",
            "",
        ],
    )
    def test_what_is_mentioned_in_passing_is_no_citation(self, text: str) -> None:
        assert list(citations(text)) == []

    @given(st.text(alphabet="ab`.:()v rs123\nVerus", max_size=80))
    def test_it_takes_any_text(self, text: str) -> None:
        for cited in citations(text):
            assert cited.name or cited.file
            assert cited.line_start <= cited.line_end
