"""The file of a backup: what is damaged or strange is refused before anything is put back."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from workbench.upkeep.backup.archive import BadBackup, Manifest, unpack, writing


def made(folder: Path) -> Path:
    """Return a small backup."""
    (folder / "some").write_bytes(b"bytes" * 1000)
    target = folder / "backup.tar.gz"
    manifest = Manifest(
        "2026-12-01", "1", "SQLite", "0:0", [["events", "0001_initial"]]
    )
    with writing(target, manifest) as writer:
        writer.add("data/some", folder / "some")
        writer.add("data/gone", folder / "gone")
    return target


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    manifest = unpack(made(tmp_path), tmp_path / "out")
    assert list(manifest.members) == ["data/some"]
    assert manifest.migrations == [["events", "0001_initial"]]
    assert (tmp_path / "out" / "data" / "some").read_bytes() == b"bytes" * 1000


def test_what_is_no_whole_backup_is_refused(tmp_path: Path) -> None:
    whole = made(tmp_path).read_bytes()
    for number, data in enumerate((whole[: len(whole) // 2], b"", b"text")):
        path = tmp_path / f"bad-{number}"
        path.write_bytes(data)
        with pytest.raises(BadBackup, match="not a whole backup"):
            unpack(path, tmp_path / f"out-{number}")


def packed(folder: Path, *members: tuple[str, bytes]) -> Path:
    """Return an archive of `members` that somebody made by hand."""
    path = folder / "forged.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ([("../out", b"x")], "does not belong into a backup"),
        ([("/etc/passwd", b"x")], "does not belong into a backup"),
        ([("data/a", b"x")], "has no manifest.json"),
        ([("manifest.json", b"{")], "cannot be read"),
        ([("manifest.json", b"{}")], "cannot be read"),
    ],
)
def test_what_is_strange_is_refused(
    tmp_path: Path, members: list[tuple[str, bytes]], said: str
) -> None:
    with pytest.raises(BadBackup, match=said):
        unpack(packed(tmp_path, *members), tmp_path / "out")


def test_a_member_that_was_changed_is_named(tmp_path: Path) -> None:
    with tarfile.open(made(tmp_path), "r:gz") as tar:
        text = tar.extractfile("manifest.json")
        assert text is not None
        manifest = text.read()
    forged = packed(tmp_path, ("data/some", b"other"), ("manifest.json", manifest))
    with pytest.raises(BadBackup, match="data/some is not what the manifest says"):
        unpack(forged, tmp_path / "out")


def test_nothing_half_done_keeps_its_name(tmp_path: Path) -> None:
    manifest = Manifest("2026-12-01", "1", "SQLite", "0:0", [])
    with pytest.raises(RuntimeError), writing(tmp_path / "b.tar.gz", manifest):
        raise RuntimeError("the power went")
    assert list(tmp_path.iterdir()) == []
