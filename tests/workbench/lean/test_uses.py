from __future__ import annotations

from workbench.lean.declarations import scan_file
from workbench.lean.uses import Ref, import_closure, uses


def mentions(files: dict[str, str]) -> dict[str, list[str]]:
    """Name of each declaration → names of what it mentions."""
    scans = {module: scan_file(text) for module, text in files.items()}

    def name(ref: Ref) -> str:
        return scans[ref.module].declarations[ref.position].name

    return {
        name(ref): [name(other) for other in others]
        for ref, others in uses(scans).items()
    }


def test_it_finds_names_through_namespaces_and_opens() -> None:
    text = """
namespace A
def x := 1
namespace B
def y := x
end B
end A
open A
def z := x + B.y
def w := A.B.y
def x := 2
def v := x
"""
    assert mentions({"M": text}) == {
        "A.x": [], "A.B.y": ["A.x"], "z": ["A.x", "A.B.y"], "w": ["A.B.y"], "x": [], "v": ["x"],
    }  # fmt: skip


def test_only_what_is_imported_or_above_can_be_meant() -> None:
    files = {
        "M": "def a := 1",
        "N": "import M\ndef b := a",
        "O": "def c := a",
        "P": "import N\ndef d := a + e\ndef e := 1",
    }
    assert mentions(files) == {"a": [], "b": ["a"], "c": [], "d": ["a"], "e": []}


def test_a_mutual_block_looks_down_too() -> None:
    assert mentions({"M": "mutual\ndef a := b\ndef b := a\nend"}) == {
        "a": ["b"],
        "b": ["a"],
    }


def test_private_names_stay_in_their_file() -> None:
    files = {"M": "private def a := 1\ndef b := a", "N": "import M\ndef c := a"}
    assert mentions(files) == {"a": [], "b": ["a"], "c": []}


def test_comments_strings_and_own_binders_are_no_mentions() -> None:
    text = """
def a := 1
def b (a : Nat) := a
def c := fun a => a
def d := ∀ a : Nat, a = a
def e := let a := 3; a
def f := "a" -- a
def g := s!"{a}"
def h := _root_.a
"""
    found = mentions({"M": text})
    assert {name for name, others in found.items() if others} == {"g", "h"}


def test_fields_and_constructors_count_for_their_parent() -> None:
    text = "structure S where\n  x : Nat\ninductive T | c\ndef f (s : S) := S.x s\ndef g := T.c\ndef h := S.mk 1"
    found = mentions({"M": text})
    assert (found["f"], found["g"], found["h"]) == (["S"], ["T"], ["S"])


def test_projections_behind_a_name_do_not_hide_it() -> None:
    assert mentions({"M": "def a := (1, 2)\ndef b := a.fst.succ"})["b"] == ["a"]


def test_root_names_ignore_the_namespace() -> None:
    text = "def a := 1\nnamespace N\ndef a := 2\ndef b := _root_.a\ndef c := a\nend N"
    found = mentions({"M": text})
    assert (found["N.b"], found["N.c"]) == (["a"], ["N.a"])


def test_thousands_of_one_name_do_not_each_mention_all_others() -> None:
    scan = scan_file("def a := 1\n" * 2000)
    found = uses({"M": scan})
    assert len(found) == 2000
    assert max(map(len, found.values())) <= 20


def test_among_narrows_what_is_looked_up() -> None:
    scans = {"M": scan_file("def a := 1\ndef b := 2\ndef c := a + b")}
    assert uses(scans, frozenset({"b"}))[Ref("M", 2)] == (Ref("M", 1),)


def test_the_closure_of_imports_survives_circles() -> None:
    found = import_closure({"A": ["B", "Lib"], "B": ["C"], "C": ["A"], "D": []})
    assert found == {
        "A": {"A", "B", "C"},
        "B": {"A", "B", "C"},
        "C": {"A", "B", "C"},
        "D": frozenset(),
    }


def test_dot_notation_on_a_value_means_the_only_type_that_has_such_a_name() -> None:
    text = (
        "structure Interval where\n  lo : Nat\n  hi : Nat\n\n"
        "def Interval.width (i : Interval) : Nat := i.hi - i.lo\n\n"
        "def Interval.lo' (i : Interval) : Nat := i.lo\n\n"
        "def total (xs : List Interval) : Nat := (xs.map (·.width)).sum\n\n"
        "def other (i : Interval) : Nat := i.lo\n"
    )
    scans = {"A": scan_file(text)}
    names = [item.name for item in scans["A"].declarations]
    found = {
        names[me.position]: [names[ref.position] for ref in refs]
        for me, refs in uses(scans).items()
    }
    assert "Interval.width" in found["total"]
    assert found["other"] == ["Interval"]


def test_dot_notation_means_nothing_where_two_types_have_such_a_name() -> None:
    text = (
        "structure A where\n  x : Nat\n\nstructure B where\n  y : Nat\n\n"
        "def A.size (a : A) : Nat := 1\n\ndef B.size (b : B) : Nat := 2\n\n"
        "def f (s : Nat) : Nat := s.size\n"
    )
    scans = {"M": scan_file(text)}
    names = [item.name for item in scans["M"].declarations]
    found = {
        names[me.position]: [names[ref.position] for ref in refs]
        for me, refs in uses(scans).items()
    }
    assert found["f"] == []
