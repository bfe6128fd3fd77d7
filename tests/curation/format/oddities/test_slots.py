from __future__ import annotations

import pytest

from curation.format.findings import KINDS

from .. import small

IMPL = "Bank/Impl/Account.lean"
Places = list[tuple[str, int | None, str]]


def found(text: str, id: str, path: str = IMPL) -> Places:
    return small.found(small.instance(changes={path: text}), id)


@pytest.mark.parametrize(
    ("old", "new", "id"),
    [
        ("-- !benchmark @end code def=put\n", "", "marker-nested"),
        ("-- !benchmark @start code def=put\n", "", "marker-unbalanced"),
        ("@start code def=put", "@strat code def=put", "marker-malformed"),
        ("def=total", "def=put", "slot-duplicate"),
    ],
)
def test_markers_that_do_not_fit_are_errors_with_their_line(
    old: str, new: str, id: str
) -> None:
    places = found(small.IMPL.replace(old, new), id)
    assert places
    assert all(path == IMPL and line is not None for path, line, _ in places)
    assert KINDS[id].severity == "error"


def test_slots_and_apis_that_lack_each_other_are_told() -> None:
    text = small.IMPL.replace("code def=total", "code def=sum")
    assert found(text, "slot-unlisted") == [
        (IMPL, 30, "code def=sum is no API of the manifest")
    ]
    assert found(text, "api-without-slot") == [
        (IMPL, 29, "the API total has no code slot")
    ]


def test_impl_files_without_slots_are_told() -> None:
    bare = "\n".join(
        line for line in small.IMPL.splitlines() if "!benchmark @" not in line
    )
    assert found(bare, "impl-without-markers") == [
        (IMPL, None, "module Account has no slots")
    ]
    text = small.IMPL.replace("-- !benchmark @start global_aux\n", "").replace(
        "-- !benchmark @end global_aux\n", ""
    )
    assert found(text, "impl-without-global-aux") == [
        (IMPL, None, "no global_aux slot")
    ]


@pytest.mark.parametrize(
    "path",
    [
        "Bank/Spec/Account.lean",
        "Bank/Harness.lean",
        "Bank/Bundle.lean",
        "Bank/Test.lean",
    ],
)
def test_slots_in_frozen_files_are_told(path: str) -> None:
    text = (
        small.LEAN[path]
        + "-- !benchmark @start global_aux\n-- !benchmark @end global_aux\n"
    )
    assert [(p, m) for p, _, m in found(text, "slot-misplaced", path)] == [
        (path, "global_aux does not belong into this file")
    ]


def test_proof_slots_in_an_impl_file_are_told() -> None:
    text = (
        small.IMPL
        + "-- !benchmark @start proof def=p\n-- !benchmark @end proof def=p\n"
    )
    assert [m for _, _, m in found(text, "slot-misplaced")] == [
        "proof def=p does not belong into this file"
    ]


def test_slots_that_hold_the_head_are_told() -> None:
    text = small.IMPL.replace(
        "def Bank.put : Bank.PutSig :=\n-- !benchmark @start code def=put\n",
        "-- !benchmark @start code def=put\ndef Bank.put : Bank.PutSig :=\n",
    )
    assert found(text, "code-slot-holds-definition") == [
        (IMPL, 21, "code def=put holds the head too")
    ]


def test_frozen_text_that_needs_a_name_from_a_slot_is_told() -> None:
    spec = small.SPEC.replace(
        "impl.bank.total [] = 0", "impl.bank.total [] = Bank.helper 0"
    )
    assert found(spec, "slot-frozen-needs", "Bank/Spec/Account.lean") == [
        (
            IMPL,
            14,
            "Bank.helper stands in global_aux, and spec_total_empty (line 8) needs it",
        )
    ]


@pytest.mark.parametrize(
    "line",
    ["-- Bank.helper", "fun helper => helper = helper", '"Bank.helper" = ""'],
)
def test_comments_binders_and_strings_need_nothing(line: str) -> None:
    spec = small.SPEC.replace(
        "impl.bank.total [] = 0", f"impl.bank.total [] = 0 ∧ True {line}"
    )
    assert found(spec, "slot-frozen-needs", "Bank/Spec/Account.lean") == []


def test_bodies_in_slots_and_the_test_file_may_use_what_slots_define() -> None:
    test = small.LEAN["Bank/Test.lean"] + "def t := Bank.helper 1\n"
    assert found(test, "slot-frozen-needs", "Bank/Test.lean") == []


def test_a_reference_body_that_can_be_read_elsewhere_is_told() -> None:
    body = "fun book => book.foldl (fun sum amount => sum + Bank.helper amount) 0"
    spec = small.SPEC + f"\n/- {body.replace(' (', chr(10) + '  (')} -/\n"
    assert found(spec, "reference-visible", "Bank/Spec/Account.lean") == [
        (IMPL, 30, "the reference body of total can be read in Bank/Spec/Account.lean")
    ]
    assert (
        small.found(
            small.instance(changes={"Bank/Unused.lean": spec}), "reference-visible"
        )
        == []
    )
