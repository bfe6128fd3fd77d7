from __future__ import annotations

from workbench.lean.declarations import scan_file
from workbench.lean.unsaid import unsaid
from workbench.lean.uses import uses


def pairs(**texts: str) -> set[tuple[str, str]]:
    """Who may rely on whom without naming it, by short names; instances are called by their line."""
    scans = {module: scan_file(text) for module, text in texts.items()}

    def name(module: str, position: int) -> str:
        item = scans[module].declarations[position]
        return item.short_name or f"line {item.line}"

    return {
        (name(*user), name(*used))
        for user, several in unsaid(scans, uses(scans)).items()
        for used in several
    }


POINT = """\
structure Point where
  x : Nat
instance : Add Point := ⟨fun a b => ⟨a.x + b.x⟩⟩
def double (p : Point) := p + p
def four (p : Point) := double (double p)
def number := 1
"""


def test_what_reaches_a_type_may_rely_on_its_instances() -> None:
    # `four` reaches the instance by `double`; `number` has nothing to do with it.
    assert pairs(A=POINT) == {("double", "line 3")}


def test_an_instance_is_not_seen_from_above_nor_without_an_import() -> None:
    above = POINT.replace("instance", "def early (p : Point) := p.x\ninstance", 1)
    assert pairs(A=above) == {("double", "line 4")}
    other = "import {}\ndef twice (p : Point) := p + p\n"
    assert ("twice", "line 3") in pairs(A=POINT, B=other.format("A"))
    assert ("twice", "line 3") not in pairs(A=POINT, B=other.format("C"))


def test_the_type_may_be_reached_without_being_named() -> None:
    more = "import A\ninstance : Mul Point := ⟨fun a _ => a⟩\ndef square := four\n"
    assert ("square", "line 2") in pairs(A=POINT, B=more)


def test_an_instance_of_no_type_of_ours_concerns_everything_below() -> None:
    text = "def early := 1\ninstance : Inhabited (Nat → Nat) := ⟨id⟩\ndef late := 1\n"
    assert pairs(A=text) == {("late", "line 2")}


def test_a_dot_that_may_mean_several_methods_means_all() -> None:
    text = """\
structure A where
  n : Nat
structure B where
  size : Nat
def A.len (a : A) := a.n
def B.len (b : B) := b.size
def A.size (a : A) := a.n
def f (a : A) := a.len
def g (a : A) := a.size
def k (a : A) := a.n
"""
    found = pairs(M=text)
    assert {used for user, used in found if user == "f"} == {"len"}
    assert sum(user == "f" for user, _ in found) == 1  # both are called `len`
    assert ("g", "size") in found
    assert not any(user == "k" for user, _ in found)


def test_declarations_that_use_each_other_rely_on_the_same() -> None:
    text = POINT + (
        "mutual\ndef even (p : Point) : Nat := odd p\n"
        "def odd (p : Point) : Nat := even p\nend\n"
    )
    assert {("even", "line 3"), ("odd", "line 3")} <= pairs(A=text)
