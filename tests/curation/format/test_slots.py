from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.format.findings import FormatError
from curation.format.slots import (
    CODEPROOF,
    PROOF,
    bare_name,
    joint_slots,
    proof_slots,
    stubs,
)

from . import small


@pytest.mark.parametrize(
    ("spec", "bare", "names"),
    [
        ("spec_x", "x", ["prove_x", "disprove_x"]),
        ("x", "x", ["prove_x", "disprove_x"]),
        ("spec_", "spec_", ["prove_spec_", "disprove_spec_"]),
        ("A.spec_x", "A.x", ["A.prove_x", "A.disprove_x"]),
        ("spec_x'", "x'", ["prove_x'", "disprove_x'"]),
        ("«spec_a-b»", "a-b", ["prove_a-b", "disprove_a-b"]),
    ],
)
def test_stubs_are_named_after_the_bare_spec(
    spec: str, bare: str, names: list[str]
) -> None:
    assert bare_name(spec) == bare
    assert [stub.name for stub in stubs(PROOF, spec)] == names


def test_each_mode_has_its_kinds() -> None:
    assert [(s.name, s.kind, s.spec) for s in stubs(CODEPROOF, "spec_x")] == [
        ("prove_x", "prove", "spec_x"),
        ("unsat_x", "unsat", "spec_x"),
        ("sat_x", "sat", "spec_x"),
    ]
    with pytest.raises(
        FormatError, match="unknown mode 'prof'; expected one of proof, codeproof"
    ):
        stubs("prof", "spec_x")


def test_a_proof_file_has_two_shared_slots_and_two_a_stub() -> None:
    found = [
        (s.key, s.def_name, s.kind, s.target)
        for s in proof_slots("F.lean", PROOF, ["spec_x"])
    ]
    assert found == [
        ("imports", "", "", ""),
        ("global_aux", "", "", ""),
        ("proof_aux", "prove_x", "", ""),
        ("proof", "prove_x", "prove", "spec_x"),
        ("proof_aux", "disprove_x", "", ""),
        ("proof", "disprove_x", "disprove", "spec_x"),
    ]


def test_the_joint_file_has_its_list_and_one_claim() -> None:
    assert [(s.prefix, s.key) for s in joint_slots("J.lean")] == [
        ("benchmark", "imports"),
        ("benchmark", "global_aux"),
        ("solution", "solution"),
        ("benchmark", "proof_aux"),
        ("benchmark", "claim"),
        ("benchmark", "proof"),
    ]


def test_the_schedule_is_the_union_of_manifest_and_markers() -> None:
    extra = (
        small.IMPL
        + "\ndef Bank.more : Nat :=\n-- !benchmark @start code def=more\n  1\n-- !benchmark @end code def=more\n"
    )
    item = small.instance(changes={"Bank/Impl/Account.lean": extra})
    proof = item.schedule(PROOF)
    assert {slot.file for slot in proof} == {"Bank/Proof/Account.lean"}
    assert len(proof) == 2 + 2 * 2 * 2
    found = item.schedule(CODEPROOF)
    assert [slot.def_name for slot in found if slot.key == "code"] == [
        "put",
        "total",
        "more",
    ]
    assert len(found) == 7 + 2 + 2 * 3 * 2 + 6
    with pytest.raises(FormatError):
        item.schedule("other")


def test_slots_of_files_that_nothing_imports_are_not_scheduled() -> None:
    item = small.instance(changes={"Bank/Old.lean": small.IMPL})
    assert all(slot.file != "Bank/Old.lean" for slot in item.schedule(CODEPROOF))
    assert item.counts.slots == 12


@given(
    st.lists(
        st.from_regex(r"spec_[a-z]{1,8}'?", fullmatch=True),
        min_size=1,
        max_size=8,
        unique=True,
    ),
    st.sampled_from([PROOF, CODEPROOF]),
)
def test_no_two_slots_of_a_schedule_are_the_same(specs: list[str], mode: str) -> None:
    item = small.instance(small.module(specs=specs))
    found = [
        (slot.file, slot.prefix, slot.key, slot.def_name)
        for slot in item.schedule(mode)
    ]
    assert len(set(found)) == len(found)
