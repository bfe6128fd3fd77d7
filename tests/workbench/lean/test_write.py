from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workbench.lean import made
from tests.workbench.lean.builds import compile_tree
from workbench.lean.constants import Constant
from workbench.lean.library import Library
from workbench.lean.module import Import
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.terms import Bank, Term
from workbench.lean.write import ImageWriter, rebuilt

NAMES = st.lists(
    st.one_of(st.text(max_size=12), st.integers(0, 1 << 70)), min_size=1, max_size=3
).map(tuple)


@st.composite
def closed_terms(draw: st.DrawFn, bank: Bank, depth: int = 0, binders: int = 0) -> Term:
    """Any closed term: every kind of node, names and literals of all sorts."""
    kinds = ["sort", "const", "lit", "bvar"] if binders else ["sort", "const", "lit"]
    if depth < 4:
        kinds += ["app", "lam", "pi", "let", "proj"]
    kind = draw(st.sampled_from(kinds))

    def below(more: int = 0) -> Term:
        return draw(closed_terms(bank, depth + 1, binders + more))

    if kind == "sort":
        return bank.sort(draw(levels(bank)))
    if kind == "const":
        return bank.const(draw(NAMES), draw(st.lists(levels(bank), max_size=2)))
    if kind == "lit":
        return bank.intern(
            (9, draw(st.one_of(st.text(max_size=20), st.integers(0, 1 << 200))))
        )
    if kind == "bvar":
        return bank.bvar(draw(st.integers(0, binders - 1)))
    if kind == "app":
        return bank.app(below(), below())
    if kind == "let":
        return bank.intern((8, draw(NAMES), below(), below(), below(1)))
    if kind == "proj":
        return bank.intern((11, draw(NAMES), draw(st.integers(0, 1 << 65)), below()))
    make = bank.lam if kind == "lam" else bank.pi
    return make(draw(NAMES), below(), below(1), draw(st.integers(0, 3)))


@st.composite
def levels(draw: st.DrawFn, bank: Bank, depth: int = 0) -> int:
    kind = draw(st.integers(0, 4 if depth < 3 else 1))
    if kind == 0:
        return bank.zero()
    if kind == 1:
        return bank.param(draw(NAMES))
    if kind == 2:
        return bank.succ(draw(levels(bank, depth + 1)))
    return bank.intern(
        (15 + kind, draw(levels(bank, depth + 1)), draw(levels(bank, depth + 1)))
    )


class TestRoundTrip:
    @given(st.data())
    @settings(max_examples=150, deadline=None)
    def test_any_term_is_read_back(self, data: st.DataObject) -> None:
        bank = Bank()
        term = data.draw(closed_terms(bank))
        constants = [Constant(data.draw(NAMES), "axiom", (), term)]
        assert list(made.module_of(bank, "M", constants).constants()) == constants

    @pytest.mark.parametrize(
        ("kind", "safety"),
        [
            ("axiom", "safe"),
            ("axiom", "unsafe"),
            ("def", "unsafe"),
            ("def", "partial"),
            ("opaque", "unsafe"),
            ("theorem", "safe"),
        ],
    )
    def test_kinds_and_safety_are_read_back(self, kind: str, safety: str) -> None:
        bank = Bank()
        prop = bank.sort(bank.zero())
        value = None if kind == "axiom" else prop
        constant = Constant(("a",), kind, (("u",),), prop, value, safety)  # type: ignore[arg-type]
        assert made.module_of(bank, "M", [constant]).constant(0) == constant

    def test_import_flags_are_read_back(self) -> None:
        bank = Bank()
        writer = ImageWriter(bank)
        lines = (Import(("A",), True, False, True), Import(("B", "C")))
        assert (
            made.read(writer.file(writer.module_data(lines, [])), bank).imports == lines
        )

    def test_equal_terms_are_stored_once(self) -> None:
        bank = Bank()
        c = bank.const(("c",))
        deep = c
        for _ in range(60):
            deep = bank.app(deep, deep)
        module = made.module_of(bank, "M", [Constant(("a",), "axiom", (), deep)])
        assert len(module.image.data) < 10_000
        assert module.constant(0).type == deep


@pytest.mark.lean
class TestRebuiltFiles:
    def test_lean_takes_them_for_the_original(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        base = "prelude\ninductive N where | z | s (n : N)\nstructure S where\n  a : N\ndef one : N := .s .z\n"
        user = "prelude\nimport Base\ntheorem two (s : S) (p : N → Prop) (h : p (.s s.a)) : p (N.s s.1) := h\n"
        out = compile_tree(pocket, {"Base": base, "User": user}, tmp_path / "out")
        library = Library(Bank())
        library.load_tree(out)
        again = tmp_path / "again"
        again.mkdir()
        module = library.find(("Base",))
        assert module is not None
        (again / "Base.olean").write_bytes(rebuilt(module))
        source = tmp_path / "src"
        source.mkdir()
        (source / "User.lean").write_text(user)
        built = pocket.build(source, tmp_path / "user", path=[again])
        assert built.ok, built.diagnostics
        first, second = Library(Bank()), Library(Bank())
        first.load(("User",), out / "User.olean")
        second.load(("User",), tmp_path / "user" / "User.olean")
        names = [
            sorted(map(str, library.names)) for (library,) in ([*first], [*second])
        ]
        assert names[0] == names[1]
        assert rebuilt(module)[40:88] == bytes(module.image.data[40:88])
