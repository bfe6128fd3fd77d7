from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.lean.elan import made
from workbench.lean.elan.found import find, installed, toolchains_folder, version_in
from workbench.lean.toolchain import ToolchainMissing
from workbench.lean.wanted import wanted

WANTED = wanted(b"leanprover/lean4:v4.29.1", "")


def toolchain(folder: Path, name: str) -> Path:
    (folder / name / "bin").mkdir(parents=True)
    made.program(folder / name / "bin" / "lean", "#!/bin/sh\n")
    return folder / name


def test_toolchains_are_where_the_setting_says_else_where_elan_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert toolchains_folder("/opt/lean", {"ELAN_HOME": "/elan"}) == Path("/opt/lean")
    assert toolchains_folder("", {"ELAN_HOME": "/elan"}) == Path("/elan/toolchains")
    assert toolchains_folder("", {}) == tmp_path / ".elan" / "toolchains"


def test_a_toolchain_is_a_folder_with_a_lean_that_can_be_started(
    tmp_path: Path,
) -> None:
    right = toolchain(tmp_path, "leanprover--lean4---v4.29.1")
    (toolchain(tmp_path, "broken") / "bin" / "lean").chmod(0o644)
    (tmp_path / "leanprover--lean4---v4.30.0.partial").mkdir()
    (tmp_path / "file").write_text("")
    assert installed(tmp_path) == {right.name: right}
    assert installed(right) == {right.name: right}
    assert installed(tmp_path / "nowhere") == {}


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("leanprover--lean4---v4.29.1", "4.29.1"),
        ("leanprover--lean4---4.30.0-rc2", "4.30.0-rc2"),
        ("leanprover--lean4---nightly-2026-01-02", ""),
        ("mine", ""),
    ],
)
def test_a_folder_of_elan_is_named_after_its_version(name: str, version: str) -> None:
    assert version_in(name) == version


def test_the_toolchain_that_is_wanted_is_found_by_its_name(tmp_path: Path) -> None:
    toolchain(tmp_path, "leanprover--lean4---v4.30.0")
    right = toolchain(tmp_path, "leanprover--lean4---v4.29.1")
    assert find(WANTED, tmp_path) == right


def test_another_origin_of_the_same_version_and_a_single_toolchain_will_do(
    tmp_path: Path,
) -> None:
    other = toolchain(tmp_path, "somebody--lean4---v4.29.1")
    assert find(WANTED, tmp_path) == other
    single = toolchain(tmp_path / "opt", "lean")
    assert find(WANTED, single) == single


def test_a_missing_one_is_named_with_those_that_are_there_and_the_remedy(
    tmp_path: Path,
) -> None:
    toolchain(tmp_path, "leanprover--lean4---v4.30.0")
    with pytest.raises(ToolchainMissing) as raised:
        find(WANTED, tmp_path)
    for words in (
        "asks for Lean 4.29.1 (leanprover/lean4:v4.29.1)",
        f"has leanprover--lean4---v4.30.0 in {tmp_path}",
        "elan toolchain install leanprover/lean4:v4.29.1",
    ):
        assert words in str(raised.value)
    with pytest.raises(ToolchainMissing, match="has none in"):
        find(WANTED, tmp_path / "nowhere")
