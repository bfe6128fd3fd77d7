from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from adjudication.grading.adapting import (
    KINDS,
    Adapted,
    CannotAdapt,
    Edit,
    adapt,
    page_of,
)
from adjudication.grading.intake import from_artifact, from_tree
from curation.format.archive import Tree
from curation.format.artifact import write_artifact
from curation.format.findings import FormatError
from curation.format.instance import Instance, load_files
from curation.format.render import render

ROOT = Path(__file__).resolve().parents[3]
MANIFEST = {
    "benchmark_id": "bank",
    "lean_version": "4.29.1",
    "root_package": "Bank",
    "note": "kept",
    "packages": [
        {
            "name": "Bank",
            "bundle": "Bank/Bundle.lean",
            "bundle_type": "BankBundle",
            "repo_impl_field": "bank",
            "modules": [
                {"name": "Core", "impl": "Bank/Impl/Core.lean", "spec": "Bank/Spec/Core.lean", "apis": [{"name": "put", "sig": "PutSig"}], "specs": ["spec_put"]},
                {"name": "Aux", "impl": None, "spec": "Bank/Spec/Aux.lean", "apis": [], "specs": []},
            ],
        }
    ],
}  # fmt: skip
IMPL = """import Std.Data.HashMap
import Bank.Impl.Types

-- !benchmark @start global_aux
def needed : Nat := 1
-- !benchmark @end global_aux

structure Account where
  sum : Nat
  deriving Repr, DecidableEq,
    Hashable, BEq

structure Shown where
  sum : Nat
deriving Repr

deriving instance Repr, Inhabited for Account
-- deriving Repr
abbrev PutSig := Nat → Nat
def put : PutSig :=
-- !benchmark @start code def=put
  fun n => n
-- !benchmark @end code def=put
"""
HARNESS = """import Bank.Bundle

namespace Bank
structure RepoImpl where
  bank : BankBundle

def canonical : RepoImpl where
  bank := { put := put }

/-- Joint claims, by `macro_rules`. -/
syntax "joint_unsat" ident ident : command

open Lean in
macro_rules
  | `(joint_unsat $a $b) => pure a
end Bank
"""
FILES = {
    "manifest.json": json.dumps(MANIFEST),
    "lean-toolchain": "leanprover/lean4:v4.29.1\n",
    "lakefile.toml": 'name = "Bank"\n',
    "Bank.lean": "import Bank.Harness\nimport Bank.Spec.Core\nimport Bank.Test\n",
    "Bank/Bundle.lean": "import Bank.Impl.Core\nstructure BankBundle where\n  put : PutSig\n",
    "Bank/Harness.lean": HARNESS,
    "Bank/Impl/Types.lean": "/-! Types. -/\n",
    "Bank/Impl/Core.lean": IMPL,
    "Bank/Spec/Aux.lean": "import Bank.Harness\ndef half : Nat := needed\n",
    "Bank/Spec/Core.lean": "import Bank.Harness\nimport Bank.Spec.Aux\ndef spec_put (impl : Bank.RepoImpl) : Prop := impl.bank.put half = needed\n",
    "Bank/Test.lean": "import Bank.Harness\n#guard put 1 == 1\n",
}


def original() -> Instance:
    return load_files({path: text.encode() for path, text in FILES.items()}, "bank")


def adapted() -> Adapted:
    return adapt(original())


def text(path: str) -> str:
    return adapted().files[path].decode()


def test_every_lean_file_begins_with_the_other_library() -> None:
    for path, data in adapted().files.items():
        if path.endswith(".lean"):
            assert data.startswith(b"prelude\nimport Pocket\n"), path


def test_foreign_imports_and_tests_are_left_out() -> None:
    assert "Std" not in text("Bank/Impl/Core.lean")
    assert "import Bank.Impl.Types" in text("Bank/Impl/Core.lean")
    assert "Bank.Test" not in text("Bank.lean")
    assert "Bank/Test.lean" not in adapted().files


def test_deriving_keeps_what_the_library_can_derive() -> None:
    found = text("Bank/Impl/Core.lean")
    assert "deriving DecidableEq, BEq\n" in found
    assert "deriving instance Inhabited for Account" in found
    assert found.count("deriving") == 3
    assert "-- deriving Repr" in found


def test_the_harness_ends_before_its_macro_with_its_namespace_closed() -> None:
    found = text("Bank/Harness.lean")
    assert "syntax" not in found
    assert "Joint claims" not in found
    assert found.endswith("bank := { put := put }\n\nend Bank\n")


def test_a_reserved_name_is_replaced_everywhere() -> None:
    files = adapted().files
    assert "Bank/Spec/Auxiliary.lean" in files
    assert "import Bank.Spec.Auxiliary" in text("Bank/Spec/Core.lean")
    module = json.loads(files["manifest.json"])["packages"][0]["modules"][1]
    assert (module["name"], module["spec"]) == ("Auxiliary", "Bank/Spec/Auxiliary.lean")


def test_a_slot_that_frozen_text_needs_becomes_frozen_text() -> None:
    assert "def needed : Nat := 1" in text("Bank/Impl/Core.lean")
    assert "global_aux" not in text("Bank/Impl/Core.lean")
    again = load_files(adapted().files, "bank")
    assert b"def needed" in render(again, "codeproof")["Bank/Impl/Core.lean"]


def test_the_manifest_says_for_which_lean_it_is_and_keeps_the_rest() -> None:
    document = json.loads(adapted().files["manifest.json"])
    assert document["toolchain"] == {"kind": "pocket"}
    assert document["lean_version"] == "4.35.0"
    assert document["note"] == "kept"


def test_every_edit_is_listed_with_its_line() -> None:
    edits = adapted().edits
    assert {edit.kind for edit in edits} == {
        "head", "import", "deriving", "macro", "rename", "test", "toolchain", "frozen",
    }  # fmt: skip
    assert (
        Edit("Bank/Impl/Core.lean", 1, "import", "without `import Std.Data.HashMap`")
        in edits
    )
    assert (
        Edit(
            "Bank/Harness.lean",
            10,
            "macro",
            "cut from the joint macro (`syntax`) to the end",
        )
        in edits
    )
    assert (
        Edit(
            "Bank/Impl/Core.lean",
            4,
            "frozen",
            "the global_aux slot became frozen text: specs need it",
        )
        in edits
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_edit_has_a_page_that_answers_three_questions(kind: str) -> None:
    text = (ROOT / page_of(kind)).read_text(encoding="utf-8")
    head = f"# {KINDS[kind]}\n\n`{kind}` · edit of an adaptation\n"
    assert text.startswith(head)
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == ["What it means", "Why it matters", "What to do"]


def test_every_page_of_an_edit_belongs_to_a_kind_and_every_kind_occurs() -> None:
    pages = {page.stem for page in (ROOT / "docs" / "adaptation").glob("*.md")}
    assert pages == set(KINDS)
    assert {edit.kind for edit in adapted().edits} == set(KINDS)


def test_adapting_twice_changes_nothing_more() -> None:
    first = adapted()
    second = adapt(load_files(first.files, "bank"))
    assert second.files == first.files
    assert {edit.kind for edit in second.edits} <= {"toolchain"}


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("import Bank.Impl.Types", "import Mathlib.Data.Real.Basic", "Core.lean:2: `Mathlib.Data.Real.Basic`"),
        ("def put : PutSig", "def half : Rat := 1\ndef put : PutSig", "Core.lean:20: `Rat`"),
        ("fun n => n", "by grind", "Core.lean:22: `grind`"),
        ("fun n => n", "fun n => (Char.ofNat n).val.toNat", "Core.lean:22: `.val.toNat`"),
    ],
)  # fmt: skip
def test_what_no_edit_helps_is_refused_with_its_place(
    old: str, new: str, place: str
) -> None:
    impl = "Bank/Impl/Core.lean"
    texts = {**FILES, impl: FILES[impl].replace(old, new)}
    files = {path: text.encode() for path, text in texts.items()}
    with pytest.raises(CannotAdapt, match="cannot be adapted") as refused:
        adapt(load_files(files, "bank"))
    assert place in str(refused.value)


@pytest.mark.parametrize("text", ["-- Rat, grind", "structure Rat where\n  n : Nat"])
def test_a_word_in_a_comment_and_a_type_of_its_own_are_no_obstacle(text: str) -> None:
    impl = "Bank/Impl/Core.lean"
    texts = {**FILES, impl: FILES[impl].replace("def put", text + "\ndef put")}
    files = {path: text.encode() for path, text in texts.items()}
    assert adapt(load_files(files, "bank")).edits


def test_what_was_written_for_the_original_is_taken_in_a_renamed_file_too() -> None:
    manifest = json.loads(FILES["manifest.json"])
    manifest["packages"][0]["modules"][1]["specs"] = ["spec_half"]
    spec = FILES["Bank/Spec/Aux.lean"] + "def spec_half (_ : Bank.RepoImpl) : Prop := half = needed\n"  # fmt: skip
    texts = {**FILES, "manifest.json": json.dumps(manifest), "Bank/Spec/Aux.lean": spec}
    before = load_files({path: text.encode() for path, text in texts.items()}, "bank")
    after = load_files(adapt(before).files, "bank")
    tree = render(before, "proof")
    slot = next(
        slot for slot in before.schedule("proof")
        if slot.file == "Bank/Proof/Aux.lean" and slot.key == "global_aux"
    )  # fmt: skip
    marker = b"-- !benchmark @start global_aux\n"
    tree[slot.file] = tree[slot.file].replace(marker, marker + b"-- mine\n", 1)
    handed_in = from_tree(before, "proof", Tree("bank", tree)).artifact
    for taken in (
        from_tree(after, "proof", Tree("bank", tree)),
        from_artifact(after, "proof", write_artifact(handed_in)),
    ):
        bodies = {item.slot.file: item.body for item in taken.artifact.slots if item.slot.key == "global_aux"}  # fmt: skip
        assert "mine" in bodies["Bank/Proof/Auxiliary.lean"]
    # Of two files that are one here, neither is silently the last word.
    tree["Bank/Proof/Auxiliary.lean"] = tree[slot.file]
    with pytest.raises(FormatError, match="is one file with Bank/Proof/Auxiliary"):
        from_tree(after, "proof", Tree("bank", tree))
    twice = [item for item in handed_in.slots if item.slot.file == slot.file]
    again = [replace(item, slot=item.slot._replace(file="Bank/Proof/Auxiliary.lean")) for item in twice]  # fmt: skip
    both = replace(handed_in, slots=(*handed_in.slots, *again))
    with pytest.raises(FormatError, match="under both names"):
        from_artifact(after, "proof", write_artifact(both))
