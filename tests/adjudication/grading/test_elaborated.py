"""What a declaration means, read from a real build of the canaries' instance."""

from __future__ import annotations

import pytest

from adjudication.grading.canaries import ground
from adjudication.grading.elaborated import NoSuchTerm, elaborate
from adjudication.grading.grader import Grader, grade
from adjudication.grading.intake import from_tree
from adjudication.grading.pristine import NotGradable
from curation.format.archive import Tree
from curation.format.instance import load_files
from curation.format.render import render
from workbench.lean.pretty import Shown

pytestmark = pytest.mark.lean


def test_a_spec_by_the_end_of_its_name(grader: Grader) -> None:
    found = elaborate(grader, ground.instance(), "spec_even")
    assert (found.name, found.kind) == ("Tiny.Spec.spec_even", "def")
    assert (found.module, found.type) == ("Tiny.Spec.More", "RepoImpl → Prop")
    assert "∀ (n : Nat), ∃ k : Nat, impl.tiny.double n = 2 * k" in found.value
    assert found.axioms == ()


def test_the_hash_of_a_statement_is_the_one_in_every_receipt(grader: Grader) -> None:
    instance = ground.instance()
    tree = Tree("s", render(instance, "proof"))
    case = grade(grader, instance, "proof", from_tree(instance, "proof", tree))
    for theorem in ("prove_double", "disprove_double"):
        stub = elaborate(grader, instance, theorem)
        assert stub.statement == case.statements[theorem]
    assert len(set(case.statements.values())) == len(case.statements)


def test_a_stub_rests_on_sorry(grader: Grader) -> None:
    found = elaborate(grader, ground.instance(), "prove_double")
    assert (found.kind, found.value) == ("theorem", "")
    assert found.axioms == ("sorryAx",)


def test_implicit_arguments_are_shown_on_demand(grader: Grader) -> None:
    hidden = elaborate(grader, ground.instance(), "spec_weight")
    shown = elaborate(grader, ground.instance(), "spec_weight", Shown.ALL)
    assert "instWeighBox" not in hidden.value
    assert "Tiny.instWeighBox" in shown.value
    assert shown.hash == hidden.hash


def test_an_inductive_type_has_its_constructors(grader: Grader) -> None:
    found = elaborate(grader, ground.instance(), "Colour")
    assert found.constructors == (
        ("Tiny.Colour.red", "Tiny.Colour"),
        ("Tiny.Colour.blue", "Tiny.Colour"),
    )


def test_a_constant_of_the_library_goes_by_its_full_name(grader: Grader) -> None:
    assert elaborate(grader, ground.instance(), "List.map").module == "Pocket.List"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("map", "no declaration of the instance is called map"),
        ("Box.sizes", "no declaration"),
        (
            "mk",
            "mk is 4 declarations: RepoImpl.mk, Tiny.Box.mk, Tiny.Weigh.mk, TinyBundle.mk",
        ),
        ("a..b", "a component is empty"),
    ],
)
def test_a_name_that_means_nothing_or_too_much(
    grader: Grader, name: str, said: str
) -> None:
    with pytest.raises(NoSuchTerm, match=said):
        elaborate(grader, ground.instance(), name)


def test_what_does_not_build_is_said_when_a_name_is_missing(grader: Grader) -> None:
    files = dict(ground.instance().files)
    files["Tiny/Spec/More.lean"] = files["Tiny/Spec/More.lean"].replace(
        b"= 2 * k", b"= nonsense"
    )
    broken = load_files(files, "broken")
    assert elaborate(grader, broken, "spec_double").kind == "def"
    with pytest.raises(NoSuchTerm, match=r"Tiny\.Spec\.More does not build"):
        elaborate(grader, broken, "spec_even")


def test_an_instance_that_cannot_be_rendered(grader: Grader) -> None:
    files = dict(ground.instance().files)
    files["Tiny/Harness.lean"] = files["Tiny/Harness.lean"].replace(
        b"def canonical", b"def canon"
    )
    with pytest.raises(NotGradable, match="canonical"):
        elaborate(grader, load_files(files, "broken"), "spec_double")
