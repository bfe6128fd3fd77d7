from __future__ import annotations

import pytest

from curation.format.findings import FormatError
from curation.format.markers import body, read_markers
from curation.format.render import head, joint_statement, render, sorry_body
from curation.format.slots import CODEPROOF, MODES, PROOF

from . import small

Changes = dict[str, str | bytes | None]


def text(
    mode: str,
    path: str,
    changes: Changes | None = None,
    document: dict[str, object] | None = None,
) -> str:
    return render(small.instance(document, changes), mode)[path].decode()


def theorems(found: str) -> list[str]:
    return [line for line in found.splitlines() if line.startswith("theorem ")]


def test_proof_mode_states_each_spec_and_its_negation() -> None:
    assert theorems(text(PROOF, "Bank/Proof/Account.lean")) == [
        "theorem prove_put_adds : _root_.spec_put_adds _root_.canonical := by",
        "theorem disprove_put_adds : ¬ _root_.spec_put_adds _root_.canonical := by",
        "theorem prove_total_empty : _root_.spec_total_empty _root_.canonical := by",
        "theorem disprove_total_empty : ¬ _root_.spec_total_empty _root_.canonical := by",
    ]


def test_codeproof_states_truth_unsatisfiability_and_satisfiability() -> None:
    assert theorems(text(CODEPROOF, "Bank/Proof/Account.lean"))[:3] == [
        "theorem prove_put_adds : _root_.spec_put_adds _root_.canonical := by",
        "theorem unsat_put_adds : ¬ ∃ impl : _root_.RepoImpl, _root_.spec_put_adds impl := by",
        "theorem sat_put_adds : ∃ impl : _root_.RepoImpl, _root_.spec_put_adds impl := by",
    ]


def test_a_proof_file_has_the_shape_of_the_exemplar() -> None:
    found = text(PROOF, "Bank/Proof/Account.lean")
    assert found.startswith(
        "import Bank.Harness\nimport Bank.Spec.Account\n\n-- !benchmark @start imports\n-- !benchmark @end imports\n\n/-!\n"
    )
    assert (
        "-- ── spec_put_adds ────────────────────────────────────────────\n"
        "\n"
        "-- !benchmark @start proof_aux def=prove_put_adds\n"
        "-- !benchmark @end proof_aux def=prove_put_adds\n"
        "\n"
        "theorem prove_put_adds : _root_.spec_put_adds _root_.canonical := by\n"
        "-- !benchmark @start proof def=prove_put_adds kind=prove target=spec_put_adds\n"
        "  sorry\n"
        "-- !benchmark @end proof def=prove_put_adds\n"
    ) in found


def test_the_joint_file_waits_to_be_filled() -> None:
    assert "Bank/Proof/Joint.lean" not in render(small.instance(), PROOF)
    found = text(CODEPROOF, "Bank/Proof/Joint.lean")
    assert theorems(found) == []
    assert (
        "-- !solution @start def=joint_unsatisfiability kind=joint_unsat\n-- specs=["
        in found
    )
    slots = read_markers("J", found).slots
    assert [slot.key for slot in slots] == [
        "imports",
        "global_aux",
        "solution",
        "proof_aux",
        "claim",
        "proof",
    ]
    assert body(found, slots[-1]) == "-- sorry\n"


@pytest.mark.parametrize("mode", MODES)
def test_generated_slots_are_those_of_the_schedule(mode: str) -> None:
    item = small.instance()
    tree = render(item, mode)
    found = [
        (path, slot.prefix, slot.key, slot.def_name, slot.kind, slot.target)
        for path, data in tree.items()
        if path.endswith(".lean")
        for slot in read_markers(path, data.decode()).slots
        if mode == CODEPROOF or "/Proof/" in path
    ]
    assert sorted(found) == sorted(tuple(slot) for slot in item.schedule(mode))


def test_names_in_namespaces_are_written_in_full() -> None:
    changes: Changes = {
        "Bank/Spec/Account.lean": small.SPEC.replace(
            "import Bank.Harness\n", "import Bank.Harness\nnamespace Deep.«S x»\n"
        ),
        "Bank/Harness.lean": small.HARNESS.replace(
            "structure RepoImpl", "namespace H\nstructure RepoImpl"
        ),
    }
    found = theorems(text(CODEPROOF, "Bank/Proof/Account.lean", changes))
    assert (
        found[0]
        == "theorem prove_put_adds : _root_.Deep.«S x».spec_put_adds _root_.H.canonical := by"
    )
    assert found[1].endswith(
        "¬ ∃ impl : _root_.H.RepoImpl, _root_.Deep.«S x».spec_put_adds impl := by"
    )


def test_the_module_of_a_spec_comes_from_its_path() -> None:
    document = small.module(name="Area/Account", spec="Bank/Area/Spec/X.lean")
    changes: Changes = {"Bank/Area/Spec/X.lean": small.SPEC}
    found = text(PROOF, "Bank/Proof/Area/Account.lean", changes, document)
    assert "import Bank.Area.Spec.X\n" in found


def test_proof_mode_keeps_reference_bodies_and_drops_curation_lines() -> None:
    found = text(PROOF, "Bank/Impl/Account.lean")
    assert found == small.IMPL.replace("-- !curation @review v1 [ ] put\n", "")


def test_codeproof_keeps_no_reference_body() -> None:
    found = text(CODEPROOF, "Bank/Impl/Account.lean")
    bodies = {slot.label: body(found, slot) for slot in read_markers("F", found).slots}
    assert bodies == {
        "imports": "", "global_aux": "", "code_aux def=put": "", "code def=put": "  sorry\n", "code_aux def=total": "",
        "code def=total": "  sorry\n",
    }  # fmt: skip
    tree = render(small.instance(), CODEPROOF)
    assert all(
        b"amount :: book" not in data and b"curation" not in data
        for data in tree.values()
    )
    assert "def Bank.put : Bank.PutSig :=" in found


@pytest.mark.parametrize("mode", MODES)
def test_what_nothing_imports_and_what_is_not_lean_is_not_shown(mode: str) -> None:
    secret = small.IMPL.replace("Bank.put", "Bank.put2")
    changes: Changes = {
        "Bank/Old/Account.lean": secret, "Bank/Older.lean": "import Bank.Old.Account\n", "src/bank.py": "def put(): ...",
        "notes.md": "answer", "LICENSE.txt": "free", "third_party/COPYING": "free", "Bank/plan.json": "{}",
    }  # fmt: skip
    tree = render(small.instance(changes=changes), mode)
    assert {path for path in tree if not path.endswith(".lean")} == {
        "LICENSE.txt", "third_party/COPYING", "lakefile.toml", "lean-toolchain", "lake-manifest.json",
    }  # fmt: skip
    assert (
        not {"Bank/Old/Account.lean", "Bank/Older.lean", "manifest.json"} & tree.keys()
    )


def test_unlisted_files_that_are_imported_are_shown_without_their_bodies() -> None:
    helper = "def Bank.secret : Nat :=\n-- !benchmark @start code def=secret\n  42\n-- !benchmark @end code def=secret\n"
    changes: Changes = {
        "Bank/Aux.lean": helper,
        "Bank/Spec/Account.lean": "import Bank.Aux\n" + small.SPEC,
    }
    assert "42" in text(PROOF, "Bank/Aux.lean", changes)
    assert "42" not in text(CODEPROOF, "Bank/Aux.lean", changes)


def test_a_shipped_proof_file_gives_way_to_the_generated_one() -> None:
    changes: Changes = {
        "Bank/Proof/Account.lean": "theorem prove_put_adds : True := trivial\n",
        "Bank.lean": small.LEAN["Bank.lean"] + "import Bank.Proof.Account\n",
    }
    assert "trivial" not in text(PROOF, "Bank/Proof/Account.lean", changes)


POCKET: Changes = {
    path: "prelude\n"
    + content.replace("\n\n", "\nset_option autoImplicit  false\n\n", 1)
    for path, content in small.LEAN.items()
    if path != "Bank.lean"
}


def test_lines_that_head_every_file_head_the_generated_ones() -> None:
    item = small.instance(changes=POCKET)
    assert head(item).before_imports == ("prelude",)
    assert head(item).after_imports == ("set_option autoImplicit false",)
    found = render(item, CODEPROOF)["Bank/Proof/Joint.lean"].decode()
    assert found.startswith(
        "prelude\nimport Bank.Harness\nimport Bank.Spec.Account\n\n-- !benchmark @start imports\n"
    )
    assert (
        found.index("@end imports")
        < found.index("set_option autoImplicit false")
        < found.index("/-!")
    )
    assert head(small.instance()).before_imports == ()


def test_an_option_of_some_files_heads_none() -> None:
    changes = {**POCKET, "Bank/Spec/Account.lean": "prelude\n" + small.SPEC}
    assert head(small.instance(changes=changes)).after_imports == ()


@pytest.mark.parametrize("mode", MODES)
def test_the_same_instance_renders_to_the_same_bytes(mode: str) -> None:
    shuffled = small.files()
    for path in sorted(shuffled):
        shuffled[path] = shuffled.pop(path)
    from curation.format.instance import load_files

    first, second = (
        render(small.instance(), mode),
        render(load_files(shuffled, "Bank"), mode),
    )
    assert list(first.items()) == list(second.items())


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_and_marks_of_frozen_files_stay(newline: str) -> None:
    changes: Changes = {
        "Bank/Impl/Account.lean": ("\ufeff" + small.IMPL).replace("\n", newline)
    }
    found = render(small.instance(changes=changes), CODEPROOF)[
        "Bank/Impl/Account.lean"
    ].decode()
    assert found.startswith("\ufeff")
    assert found.count("\r\n") == (found.count("\n") if newline == "\r\n" else 0)


@pytest.mark.parametrize(
    ("reference", "before", "expected"),
    [
        ("  1\n", "", "  sorry\n"),
        ("", "", "  sorry\n"),
        ("  | 0 => 1\n  | n + 1 => n\n", "", "  := sorry\n"),
        ("  := 1\n", "", "  := sorry\n"),
        ("def f : Nat := 1\n", "", "def f : Nat :=\n  sorry\n"),
        ("/-- why -/\n@[inline] noncomputable def f (x : Nat := 2) : Nat\n  | 0 => 1\n", "", "@[inline] noncomputable def f (x : Nat := 2) : Nat :=\n  sorry\n"),
        ("def helper := 7\ndef A.f : Nat := helper\n", "", "def A.f : Nat :=\n  sorry\n"),
        ("  -- def f := 1\n  2\n", "", "  sorry\n"),
        ("  (inferInstance : instance)\n", "", "  sorry\n"),
        ("def f : Nat := 1\r\n", "x\r\n", "def f : Nat :=\r\n  sorry\r\n"),
    ],
)  # fmt: skip
def test_a_body_becomes_sorry_and_a_definition_keeps_its_head(
    reference: str, before: str, expected: str
) -> None:
    assert sorry_body(reference, "f", before) == expected


def test_joint_statements_are_written_from_names() -> None:
    item = small.instance()
    assert joint_statement(item, ["spec_total_empty", "spec_put_adds"]) == (
        "¬ ∃ impl : _root_.RepoImpl, _root_.spec_total_empty impl ∧ _root_.spec_put_adds impl"
    )
    for names, reason in (
        (["spec_put_adds"], "at least two"),
        (["spec_put_adds", "spec_put_adds"], "once"),
        (["spec_put_adds", "spec_none"], "one spec called spec_none, found 0"),
        ([], "at least two"),
    ):
        with pytest.raises(FormatError, match=reason):
            joint_statement(item, names)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("document", "changes", "path", "reason"),
    [
        (None, {"Bank/Impl/Account.lean": small.IMPL.replace("-- !benchmark @end code def=put\n", "")}, "Bank/Impl/Account.lean", "opens inside"),
        (small.module(specs=["spec_none"]), {}, "Bank/Spec/Account.lean", "spec_none of module Account is not declared"),
        (small.module(spec=None), {}, "manifest.json", "is not declared"),
        (None, {"Bank/Spec/Account.lean": None}, "Bank/Spec/Account.lean", "is not declared"),
        (None, {"Bank/Spec/Account.lean": small.SPEC.replace("def spec_put", "private def spec_put")}, "Bank/Spec/Account.lean", "is private"),
        (small.module(specs=["spec_put_adds", "spec_put_adds"]), {}, "Bank/Spec/Account.lean", "is listed twice"),
        (None, {"Bank/Harness.lean": None}, "Bank/Harness.lean", "the harness is missing"),
        (small.module(specs=["spec_a b"]), {"Bank/Spec/Account.lean": "def «spec_a b» (impl : RepoImpl) : Prop := True"}, "Bank/Spec/Account.lean", "has a blank in its name"),
    ],
)  # fmt: skip
def test_what_cannot_be_stated_is_refused_with_its_place(
    document: dict[str, object] | None,
    changes: Changes,
    path: str,
    reason: str,
    mode: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        render(small.instance(document, changes), mode)
    assert caught.value.path == path
    assert reason in caught.value.reason


def test_names_that_need_quotes_get_them() -> None:
    changes: Changes = {
        "Bank/Spec/Account.lean": "import Bank.Harness\ndef «spec_a-b» (impl : RepoImpl) : Prop := True\n"
    }
    found = text(
        PROOF, "Bank/Proof/Account.lean", changes, small.module(specs=["spec_a-b"])
    )
    assert (
        theorems(found)[0]
        == "theorem «prove_a-b» : _root_.«spec_a-b» _root_.canonical := by"
    )
    assert "@start proof def=prove_a-b kind=prove target=spec_a-b" in found


def test_two_modules_cannot_write_the_same_proof_file() -> None:
    document = small.manifest()
    modules = document["packages"][0]["modules"]
    modules.append(
        {
            "name": "Account",
            "spec": "Bank/Spec/Account.lean",
            "specs": ["spec_total_empty"],
        }
    )
    with pytest.raises(FormatError) as caught:
        render(small.instance(document), PROOF)
    assert (caught.value.path, caught.value.reason) == (
        "Bank/Proof/Account.lean",
        "two modules of the manifest would write this file",
    )


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(FormatError, match="unknown mode"):
        render(small.instance(), "prove")
