from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.lean.builds import library_of, name_of
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.termhash import term_hashes

BASE = """
{above}
theorem lemma_ (n : Nat) : n = n := {proof}
def helper ({x} : Nat) : Nat := {body}
def user (n : Nat) : Nat := helper n + 1
def careful (n : Nat) : {{m : Nat // m = n}} := ⟨n, lemma_ n⟩
private def hidden (n : Nat) : Nat := helper n
{below}
"""
TOP = "import Base\ndef above (n : Nat) : Nat := user n\n"
NAMES = ("Base helper", "Base user", "Base careful", "Base hidden", "Top above")


class Compiled:
    """The two modules, compiled with changes; the hashes by name."""

    def __init__(self, pocket: PocketToolchain, folder: Path) -> None:
        self.pocket, self.folder = pocket, folder

    def __call__(
        self,
        *names: str,
        above: str = "",
        below: str = "",
        proof: str = "rfl",
        x: str = "x",
        body: str = "x + 2",
    ) -> dict[str, str]:
        text = BASE.format(above=above, below=below, proof=proof, x=x, body=body)
        head = "prelude\nimport Pocket\n"
        library = library_of(
            self.pocket, {"Base": text, "Top": head + TOP}, self.folder
        )
        wanted = [each.split() for each in (*NAMES, *(f"Base {one}" for one in names))]
        found = term_hashes(
            library,
            frozenset({("Base",), ("Top",)}),
            [(name_of(module), name_of(name)) for module, name in wanted],
        )
        return {str(name[-1]): digest for (_, name), digest in found}


@pytest.fixture
def compiled(pocket: PocketToolchain, tmp_path: Path) -> Compiled:
    return Compiled(pocket, tmp_path)


@pytest.mark.lean
def test_names_and_places_do_not_count_what_is_computed_does(
    compiled: Compiled,
) -> None:
    before = compiled()
    assert all(len(digest) == 64 for digest in before.values())
    assert len(set(before.values())) == len(NAMES)
    moved = compiled(
        above="/-- Another. -/ def other := 1", x="renamed", body="renamed + 2"
    )
    assert moved == before
    changed = compiled(body="x + 3")
    differ = {name for name in before if before[name] != changed[name]}
    assert differ == {"helper", "user", "hidden", "above"}


@pytest.mark.lean
def test_a_term_that_does_not_say_it_all_has_no_hash(compiled: Compiled) -> None:
    before = compiled()
    # The proof is no part of a term, and what it rests on is.
    other_proof = compiled(proof="by first | exact rfl | simp")
    assert other_proof == before
    assumed = compiled(above="axiom trust (n : Nat) : n = n", proof="trust n")
    assert {name for name in before if before[name] != assumed[name]} == {"careful"}
    assert assumed["careful"]
    open_ = compiled(proof="sorry")
    assert (open_["careful"], open_["user"]) == ("", before["user"])
    hollow = compiled(
        "runs", "loops", "absent", "opaque_",
        above="@[implemented_by Nat.succ] def fast (n : Nat) : Nat := n\nopaque opaque_ : Nat",
        below="def runs (n : Nat) : Nat := fast n\npartial def loops (n : Nat) : Nat := loops (n + 1)",
    )  # fmt: skip
    assert {hollow[name] for name in ("runs", "loops", "opaque_")} == {""}
    assert "absent" not in hollow  # it has not compiled: nothing is said of it
    assert hollow["above"] == before["above"]
