from __future__ import annotations

import pytest

from workbench.lean.declarations import scan_file
from workbench.lean.surroundings import surroundings

TEXT = """\
import B
open Nat
namespace N
variable (n : Nat)
def f := n
section
set_option autoImplicit false
def g := n
end
def h := n
end N
def last := 1
"""


def digests(text: str, **imported: str) -> dict[str, str]:
    """The digest of each declaration of module A, by short name; `imported` are further modules."""
    texts = {"A": text, **imported}
    scans = {module: scan_file(one) for module, one in texts.items()}
    found = surroundings(scans, texts)
    return {
        scans["A"].declarations[ref.position].short_name: digest
        for ref, digest in found.items()
        if ref.module == "A"
    }


def moved(old: str, new: str, text: str = TEXT, **imported: str) -> set[str]:
    before = digests(text, **imported)
    after = digests(text.replace(old, new), **imported)
    return {name for name in before if before[name] != after[name]}


def test_nothing_around_is_nothing() -> None:
    assert digests("namespace N\ndef f := 1\nend N\n#eval f\n") == {"f": ""}


@pytest.mark.parametrize(
    ("old", "new", "reached"),
    [
        ("open Nat", "open Int", {"f", "g", "h", "last"}),
        ("variable (n : Nat)", "variable (n : Int)", {"f", "g", "h"}),
        ("set_option autoImplicit false\n", "", {"g"}),
        ("open Nat", "open  Nat -- said", set()),
        ("def f := n\n", "def f := n + 1\n", set()),
        ("namespace N\n", "namespace N -- said\n", set()),
        ("def h", 'notation "⊕" => Nat.add\ndef h', {"h", "last"}),
        ("def h", 'local notation "⊕" => Nat.add\ndef h', {"h"}),
        ("def h", "attribute [simp] f\ndef h", {"h", "last"}),
        ("import B", "import C", set()),
        ("def f", "#eval 1\ndef f", set()),
        ("def h", "open Nat in\ndef h", set()),
    ],
)
def test_a_command_reaches_what_stands_below_it_in_its_scope(
    old: str, new: str, reached: set[str]
) -> None:
    assert moved(old, new) == reached


def test_notations_reach_beyond_their_file_and_variables_do_not() -> None:
    before = digests(TEXT, B="def b := 1\n")
    with_variable = digests(TEXT, B="variable (k : Nat)\ndef b := 1\n")
    with_notation = digests(TEXT, B='notation "⊕" => Nat.add\ndef b := 1\n')
    assert before == with_variable
    assert all(before[name] != with_notation[name] for name in before)
    unrelated = digests(TEXT, C='notation "⊕" => Nat.add\n')
    assert unrelated == before


def test_ends_that_close_nothing_do_no_harm() -> None:
    assert digests("end\nend A.B.C\nopen Nat\ndef f := 1\nend\ndef g := 1\n")["g"]
