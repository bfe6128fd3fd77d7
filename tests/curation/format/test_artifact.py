from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from curation.format.artifact import (
    Artifact,
    FilledSlot,
    extract,
    read_artifact,
    write_artifact,
)
from curation.format.findings import FormatError
from curation.format.render import render
from curation.format.slots import CODEPROOF, MODES, PROOF, ScheduledSlot

from . import small

PROOF_FILE = "Bank/Proof/Account.lean"


def filled(
    old: str = "", new: str = "", path: str = PROOF_FILE, mode: str = PROOF
) -> Artifact:
    item = small.instance()
    tree = render(item, mode)
    tree[path] = (
        tree[path].decode().replace(old, new, 1).encode() if old else tree[path]
    )
    return extract(item, mode, tree)


def slot(artifact: Artifact, key: str, name: str) -> FilledSlot:
    (found,) = [
        item
        for item in artifact.slots
        if (item.slot.key, item.slot.def_name) == (key, name)
    ]
    return found


@pytest.mark.parametrize("mode", MODES)
def test_an_untouched_view_gives_every_scheduled_slot_as_it_is(mode: str) -> None:
    item = small.instance()
    artifact = extract(item, mode, render(item, mode))
    assert tuple(found.slot for found in artifact.slots) == item.schedule(mode)
    assert all(found.found and not found.error for found in artifact.slots)
    assert (artifact.extras, dict(artifact.file_errors)) == ((), {})


def test_a_filled_slot_has_its_lines() -> None:
    artifact = filled("  sorry\n", "  intro a b\n  simp -- sorry\n")
    found = slot(artifact, "proof", "prove_put_adds")
    assert found.body_lines == ("  intro a b", "  simp -- sorry")
    assert found.body_hash == hashlib.sha1(b"  intro a b\n  simp -- sorry").hexdigest()
    assert (found.is_empty, found.contains("sorry")) == (False, False)
    assert dict(found.actual_fields) == {
        "def": "prove_put_adds",
        "kind": "prove",
        "target": "spec_put_adds",
    }
    other = slot(artifact, "proof", "disprove_put_adds")
    assert (
        other.contains("sorry"),
        slot(artifact, "proof_aux", "prove_put_adds").is_empty,
    ) == (True, True)


@pytest.mark.parametrize(
    ("body", "empty", "word"),
    [
        ("", True, ""), ("  -- sorry\n", True, ""), ("/- sorry -/", True, ""), ('"sorry"', False, ""), ("sorry'", False, ""),
        ("x.sorry", False, ""), ("exact sorry", False, "sorry"), ("axiom a : False", False, "axiom"), ("admit", False, "admit"),
        ('s!"{sorry}"', False, "sorry"),
    ],
)  # fmt: skip
def test_words_and_emptiness_are_decided_by_the_lexer(
    body: str, empty: bool, word: str
) -> None:
    found = FilledSlot(
        ScheduledSlot("f", "benchmark", "code", "x"), True, tuple(body.split("\n"))
    )
    assert found.is_empty is empty
    assert [w for w in ("sorry", "axiom", "admit") if found.contains(w)] == (
        [word] if word else []
    )


def test_what_is_wrong_is_recorded_and_nothing_wins_silently() -> None:
    assert (
        slot(filled("kind=prove", "kind=disprove"), "proof", "prove_put_adds").error
        == "kind is disprove, expected prove"
    )
    assert (
        slot(filled("target=spec_put_adds\n", "\n"), "proof", "prove_put_adds").error
        == "target is missing, expected spec_put_adds"
    )
    artifact = filled(
        "-- !benchmark @start global_aux\n-- !benchmark @end global_aux\n", ""
    )
    assert slot(artifact, "global_aux", "").error == "no such slot in this file"
    artifact = filled("def=prove_put_adds", "def=mine")
    assert PROOF_FILE in artifact.file_errors
    assert not slot(artifact, "proof", "prove_total_empty").found, (
        "nothing in a file with wrong markers is believed"
    )
    twice = "-- !benchmark @start imports\nimport X\n-- !benchmark @end imports\n"
    artifact = filled(
        "-- !benchmark @start imports\n", twice + "-- !benchmark @start imports\n"
    )
    assert "was there before" in artifact.file_errors[PROOF_FILE]


def test_slots_that_nobody_asked_for_are_listed() -> None:
    extra = "-- !benchmark @start code def=mine\n-- !benchmark @end code def=mine\n"
    assert filled(
        "-- !benchmark @start global_aux\n", extra + "-- !benchmark @start global_aux\n"
    ).extras == (f"{PROOF_FILE}: code def=mine",)


def test_missing_and_unreadable_files_are_said() -> None:
    item = small.instance()
    tree = render(item, CODEPROOF)
    del tree[PROOF_FILE]
    tree["Bank/Impl/Account.lean"] = b"\xff"
    artifact = extract(item, CODEPROOF, tree)
    assert artifact.file_errors == {
        "Bank/Impl/Account.lean": "is not UTF-8 (byte 0)",
        PROOF_FILE: "this file is missing",
    }
    assert slot(artifact, "code", "put").error == "is not UTF-8 (byte 0)"


def test_line_ends_do_not_change_the_hash() -> None:
    item = small.instance()
    tree = render(item, CODEPROOF)
    crlf = {path: data.replace(b"\n", b"\r\n") for path, data in tree.items()}
    hashes = [
        [found.body_hash for found in extract(item, CODEPROOF, each).slots]
        for each in (tree, crlf)
    ]
    assert hashes[0] == hashes[1]


def test_what_is_written_is_read_again() -> None:
    artifact = filled("  sorry\n", "  simp\n\n  done\n")
    raw = write_artifact(artifact)
    assert read_artifact(raw) == artifact
    assert write_artifact(read_artifact(raw)) == raw


def test_derived_values_are_never_believed_and_unknown_keys_are_kept() -> None:
    document = json.loads(write_artifact(filled()))
    entry = document["slots"][3]
    entry.update(body_hash="0", contains_sorry=False, is_empty=True, note="mine")
    found = read_artifact(json.dumps(document).encode()).slots[3]
    assert found.contains("sorry")
    assert found.data == {"note": "mine"}
    assert (
        json.loads(write_artifact(read_artifact(json.dumps(document).encode())))[
            "slots"
        ][3]["note"]
        == "mine"
    )


@pytest.mark.parametrize(
    ("path", "value", "key", "reason"),
    [
        (("mode",), "prove", "mode", "expected one of proof, codeproof, found 'prove'"),
        (("mode",), None, "mode", "expected str, found nothing"),
        (("benchmark_id",), 3, "benchmark_id", "expected str, found int"),
        (("slots",), {}, "slots", "expected list, found dict"),
        (("slots", 0), "x", "slots[0]", "expected an object"),
        (("slots", 0, "file"), None, "slots[0].file", "expected str, found nothing"),
        (("slots", 0, "found"), "yes", "slots[0].found", "expected bool, found str"),
        (("slots", 0, "start_line"), True, "slots[0].start_line", "expected int, found bool"),
        (("slots", 0, "body_lines"), ["a\nb"], "slots[0].body_lines", "expected single lines"),
        (("slots", 0, "body_lines"), [1], "slots[0].body_lines", "expected single lines"),
        (("slots", 0, "body_lines"), ["\ud800"], "slots[0].body_lines", "expected single lines"),
        (("extras",), 3, "extras", "expected list, found int"),
        (("file_errors",), [1], "file_errors", "expected dict, found list"),
    ],
)  # fmt: skip
def test_a_wrong_artifact_names_the_key(
    path: tuple[str | int, ...], value: Any, key: str, reason: str
) -> None:
    document = json.loads(write_artifact(filled()))
    inner = document
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    with pytest.raises(FormatError) as caught:
        read_artifact(json.dumps(document).encode())
    assert (caught.value.path, caught.value.key, caught.value.reason) == (
        "artifact.json",
        key,
        reason,
    )


def test_repeated_slots_and_other_files_are_refused() -> None:
    document = json.loads(write_artifact(filled()))
    document["slots"].append(document["slots"][0])
    with pytest.raises(FormatError, match="this slot was there before"):
        read_artifact(json.dumps(document).encode())
    for raw in (b"", b"[]", b"\xff", b"[" * 100_000):
        with pytest.raises(FormatError):
            read_artifact(raw)
