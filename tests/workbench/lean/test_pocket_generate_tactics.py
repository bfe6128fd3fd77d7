from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.lean.pocket import generate_tactics
from workbench.lean.pocket.elf import exported_symbols
from workbench.lean.pocket.generate_tactics import (
    mangle,
    mangle_component,
    show,
    tactics,
    unmangle_component,
)
from workbench.lean.pocket.toolchain import CORE, PocketToolchain


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        (("Lean", "Parser", "Tactic", "intro"), "l_Lean_Parser_Tactic_intro"),
        (("term_+_",), "l_term___x2b__"),
        (("term_∧_",), "l_term___u2227__"),
        (("𝕏",), "l__U0001d54f"),
        (("List", "get?"), "l_List_get_x3f"),
    ],
)
def test_it_mangles_as_the_compiler_does(name: tuple[str, ...], symbol: str) -> None:
    assert mangle(name) == symbol


@given(st.text(alphabet="ab_1'?+∧«", max_size=20))
def test_what_is_mangled_can_be_read_back(component: str) -> None:
    assert unmangle_component(mangle_component(component)) == component


def test_names_are_quoted_where_lean_needs_it() -> None:
    assert (
        show(("Lean", "tacticRfl'", "tactic_<;>_")) == "Lean.tacticRfl'.«tactic_<;>_»"
    )


def test_a_library_that_lacks_a_parser_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        generate_tactics,
        "exported_symbols",
        lambda path: {"l_Lean_Parser_Tactic_exact"},
    )
    assert generate_tactics.main(["library", str(tmp_path / "out")]) == 1
    assert "Lean.Parser.Tactic.intro" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_wrong_use_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate_tactics.main([]) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize(
    "data", [b"text" * 100, b"\x7fELF\x02\x01" + b"\xff" * 100, b"\x7fELF\x02\x01"]
)
def test_a_file_that_is_no_library_is_refused_by_name(
    tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "library.so"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"library\.so"):
        exported_symbols(path)


@pytest.mark.lean
def test_the_committed_file_is_what_it_writes(pocket: PocketToolchain) -> None:
    symbols = exported_symbols(pocket.wheel.library)
    assert "lean_main" in symbols
    assert tactics(symbols) == ((CORE / "Pocket" / "Tactics.lean").read_text(), [])
