from __future__ import annotations

import pytest

from workbench.lean.wanted import Wanted, WantedError, wanted


@pytest.mark.parametrize(
    ("text", "version", "spec", "folder"),
    [
        ("leanprover/lean4:v4.29.1\n", "4.29.1", "leanprover/lean4:v4.29.1", "leanprover--lean4---v4.29.1"),
        ("leanprover/lean4:4.29.1", "4.29.1", "leanprover/lean4:4.29.1", "leanprover--lean4---4.29.1"),
        ("v4.30.0-rc2", "4.30.0-rc2", "leanprover/lean4:v4.30.0-rc2", "leanprover--lean4---v4.30.0-rc2"),
        ("leanprover/lean4:nightly-2026-01-02", "", "leanprover/lean4:nightly-2026-01-02", "leanprover--lean4---nightly-2026-01-02"),
        ("mine", "", "mine", "mine"),
    ],
)  # fmt: skip
def test_the_file_says_version_and_the_folder_that_elan_keeps_it_in(
    text: str, version: str, spec: str, folder: str
) -> None:
    found = wanted(text.encode(), "9.9.9")
    assert (found.kind, found.version, found.spec) == ("elan", version, spec)
    assert found.folder == folder


def test_without_the_file_the_manifest_says_the_version() -> None:
    assert wanted(None, "4.29.1") == Wanted(
        "elan", "4.29.1", "leanprover/lean4:v4.29.1"
    )


def test_the_manifest_says_whether_it_is_written_for_pocket_lean() -> None:
    found = wanted(b"leanprover/lean4:v4.35.0\n", "4.35.0", "pocket")
    assert (found.kind, found.words) == ("pocket", "pocket Lean 4.35.0")
    assert (
        wanted(b"leanprover/lean4:v4.29.1", "").words
        == "Lean 4.29.1 (leanprover/lean4:v4.29.1)"
    )


@pytest.mark.parametrize(
    ("file", "version", "kind", "reason"),
    [
        (b"", "4.29.1", "", "lean-toolchain, line 1: ''; expected the name"),
        (b"../../etc", "", "", "lean-toolchain, line 1"),
        (b"a/b/c:v4.29.1", "", "", "lean-toolchain, line 1"),
        (b"leanprover/lean4:v4.29.1\nmore", "", "", "lean-toolchain, line 1"),
        (b"\xff\xfe", "", "", "lean-toolchain, line 1"),
        (None, "", "", "manifest.json: lean_version: ''"),
        (b"v4.29.1", "", "docker", "toolchain.kind is 'docker'; expected pocket or elan"),
        (b"stable", "", "pocket", "expected a version"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_names_the_place_and_what_was_expected(
    file: bytes | None, version: str, kind: str, reason: str
) -> None:
    with pytest.raises(WantedError) as raised:
        wanted(file, version, kind)
    assert reason in str(raised.value)
