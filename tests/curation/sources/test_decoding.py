from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.sources import decoding
from curation.sources.decoding import decode


class TestDecode:
    def test_it_reads_utf_8_without_a_word(self) -> None:
        assert decode("a.py", "naïve ∀\r\n".encode()) == ("naïve ∀\r\n", [])

    def test_it_drops_a_byte_order_mark(self) -> None:
        assert decode("a.py", codecs.BOM_UTF8 + b"x = 1\n") == ("x = 1\n", [])

    def test_it_keeps_line_ends_as_they_are(self) -> None:
        assert decode("a.py", b"a\r\nb\rc\n")[0] == "a\r\nb\rc\n"

    def test_it_names_file_line_and_byte_that_is_not_utf_8(self) -> None:
        text, problems = decode("src/a.dfy", b"one\ntwo \xe9\n")
        assert text == "one\ntwo é\n"
        assert [(p.code, p.path, p.line) for p in problems] == [
            ("not-utf-8", "src/a.dfy", 2)
        ]
        assert "0xe9" in problems[0].message

    @pytest.mark.parametrize("first", [b"", b"#!/usr/bin/python\n"])
    def test_it_believes_a_declared_encoding(self, first: bytes) -> None:
        data = first + b"# -*- coding: iso-8859-15 -*-\nprice = '\xa4'\n"
        text, problems = decode("a.py", data)
        assert text is not None
        assert "€" in text
        assert problems == []

    def test_it_does_not_believe_an_encoding_that_does_not_exist(self) -> None:
        text, problems = decode("a.py", b"# coding: klingon\nx = '\xe9'\n")
        assert text is not None
        assert "é" in text
        assert [(p.code, p.line) for p in problems] == [("not-utf-8", 2)]

    def test_it_reads_utf_16_and_says_so(self) -> None:
        text, problems = decode("a.v", "Definition x := 1.\n".encode("utf-16"))
        assert text == "Definition x := 1.\n"
        assert [p.code for p in problems] == ["utf-16"]

    def test_it_refuses_half_a_utf_16_character(self) -> None:
        text, problems = decode("a.v", codecs.BOM_UTF16_LE + b"x")
        assert text is None
        assert [p.code for p in problems] == ["binary"]

    def test_it_refuses_a_nul_byte_and_names_its_line(self) -> None:
        text, problems = decode("a.py", b"x = 1\ny = \0\n")
        assert text is None
        assert [(p.code, p.line) for p in problems] == [("binary", 2)]

    def test_it_refuses_a_file_that_is_too_large(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(decoding, "MAX_FILE_BYTES", 4)
        assert decode("a.py", b"1234") == ("1234", [])
        text, problems = decode("a.py", b"12345")
        assert text is None
        assert [(p.code, p.message) for p in problems] == [
            ("too-large", "5 bytes; at most 4 are read")
        ]

    @given(st.binary(max_size=200))
    def test_it_never_raises_and_says_why_there_is_no_text(self, data: bytes) -> None:
        text, problems = decode("a.py", data)
        assert text is not None or problems
