from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from workbench.lean.elan.digest import header_of, toolchain_digest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in (
        "bin/lean", "bin/leanchecker", "bin/lake", "lib/lean/libleanshared.so", "lib/lean/Init.olean",
        "lib/lean/Init.olean.private", "lib/lean/Init.ir", "lib/libgmp.so.10", "lib/lean/Init.ilean", "lib/lean/Init/Core.olean", "src/Init.lean",
    ):  # fmt: skip
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return root


def changed(path: Path, text: str = "another") -> None:
    """Write other bytes of another size, so that no clock decides whether it is seen."""
    path.write_text(text)


@pytest.mark.parametrize(
    "name",
    [
        "bin/lean",
        "bin/leanchecker",
        "lib/lean/libleanshared.so",
        "lib/lean/Init.olean",
        "lib/lean/Init.olean.private",
        "lib/lean/Init.ir",
        "lib/libgmp.so.10",
        "lib/lean/Init/Core.olean",
    ],
)
def test_what_decides_about_compiled_bytes_is_in_it(
    root: Path, tmp_path: Path, name: str
) -> None:
    before = toolchain_digest(root, [], tmp_path / "cache")
    changed(root / name)
    assert toolchain_digest(root, [], tmp_path / "cache") != before


@pytest.mark.parametrize("name", ["bin/lake", "lib/lean/Init.ilean", "src/Init.lean"])
def test_what_does_not_decide_is_not(root: Path, tmp_path: Path, name: str) -> None:
    before = toolchain_digest(root, [], tmp_path / "cache")
    changed(root / name)
    assert toolchain_digest(root, [], tmp_path / "cache") == before


def test_a_new_file_a_new_name_and_a_package_are_in_it(
    root: Path, tmp_path: Path
) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "Batteries.olean").write_text("b")
    seen = {toolchain_digest(root, [], tmp_path / "cache")}
    seen.add(toolchain_digest(root, [package], tmp_path / "cache"))
    (package / "Batteries.olean").rename(package / "Mathlib.olean")
    seen.add(toolchain_digest(root, [package], tmp_path / "cache"))
    (root / "lib" / "lean" / "Std.olean").write_text("b")
    seen.add(toolchain_digest(root, [package], tmp_path / "cache"))
    assert len(seen) == 4


def test_it_does_not_depend_on_where_the_toolchain_lies_or_what_was_kept(
    root: Path, tmp_path: Path
) -> None:
    first = toolchain_digest(root, [], tmp_path / "cache")
    assert toolchain_digest(root, [], tmp_path / "other") == first
    moved = tmp_path / "moved"
    root.rename(moved)
    assert toolchain_digest(moved, [], tmp_path / "cache") == first


def test_files_are_read_once_until_they_change(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    first = toolchain_digest(root, [], cache)
    monkeypatch.setattr(hashlib, "file_digest", None)
    assert toolchain_digest(root, [], cache) == first
    changed(root / "bin" / "lean")
    with pytest.raises(TypeError):
        toolchain_digest(root, [], cache)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "old", "files": {}}'])
def test_kept_hashes_that_cannot_be_read_are_made_again(
    root: Path, tmp_path: Path, text: str
) -> None:
    cache = tmp_path / "cache"
    first = toolchain_digest(root, [], cache)
    (kept,) = cache.iterdir()
    kept.write_text(text)
    assert toolchain_digest(root, [], cache) == first
    assert [path.name for path in cache.iterdir()] == [kept.name]


def test_a_file_that_cannot_be_read_is_an_error(root: Path, tmp_path: Path) -> None:
    os.symlink("nowhere", root / "lib" / "lean" / "Gone.olean")
    with pytest.raises(OSError, match=r"Gone\.olean"):
        toolchain_digest(root, [], tmp_path / "cache")


def test_the_header_is_that_of_a_compiled_file(root: Path, tmp_path: Path) -> None:
    (root / "lib" / "lean" / "Init.olean").write_bytes(bytes(range(100)))
    assert header_of([root / "lib" / "lean"]) == bytes(range(88))
    with pytest.raises(OSError, match="no compiled file"):
        header_of([tmp_path / "nowhere"])
