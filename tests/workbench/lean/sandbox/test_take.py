from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from workbench.lean.sandbox.take import take


def test_a_plain_file_is_moved_read_only_and_hashed(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "a").write_bytes(b"content")
    assert take(folder, "a", tmp_path / "b") == hashlib.sha256(b"content").hexdigest()
    assert (tmp_path / "b").read_bytes() == b"content"
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o444
    assert not (folder / "a").exists()


def test_it_replaces_what_was_there(tmp_path: Path, folder: Path) -> None:
    for text in ("one", "two"):
        (folder / "a").write_text(text)
        take(folder, "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "two"


def test_anything_else_is_refused(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (folder / "link").symlink_to(tmp_path / "secret")
    os.link(tmp_path / "secret", folder / "hard")
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    for name in ("link", "hard", "pipe", "folder", "missing"):
        with pytest.raises(OSError):  # noqa: PT011  of several kinds
            take(folder, name, tmp_path / "b")
    assert not (tmp_path / "b").exists()
    assert (tmp_path / "secret").stat().st_mode & 0o777 != 0o444
