from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.format import archive
from curation.format.archive import (
    ArchiveError,
    Limits,
    Tree,
    instance_roots,
    read_directory,
    subtree,
    unsafe_path,
)


def refused(root: Path, limits: Limits = archive.DEFAULT_LIMITS) -> ArchiveError:
    with pytest.raises(ArchiveError) as caught:
        read_directory(root, limits)
    return caught.value


def fill(root: Path, files: dict[str, bytes]) -> Path:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


def test_it_reads_every_file_by_its_path(tmp_path: Path) -> None:
    files = {"b": b"\xff\x00", "a/x y.lean": "é".encode(), "a/b/c": b""}
    tree = read_directory(fill(tmp_path / "Inst", files))
    assert dict(tree.files) == files
    assert tree.name == "Inst"
    assert list(tree.files) == ["a/b/c", "a/x y.lean", "b"]


def test_version_control_and_build_output_are_left_out_and_named(
    tmp_path: Path,
) -> None:
    tree = read_directory(
        fill(tmp_path, {"a": b"", ".git/config": b"", "x/.lake/build/o": b""})
    )
    assert (list(tree.files), tree.skipped) == (["a"], (".git", "x/.lake"))


def test_an_empty_directory_is_an_empty_tree(tmp_path: Path) -> None:
    assert dict(read_directory(tmp_path).files) == {}


@pytest.mark.parametrize("target", ["/etc/passwd", "a", "nowhere"])
def test_links_are_refused(tmp_path: Path, target: str) -> None:
    fill(tmp_path, {"a": b"x"})
    (tmp_path / "link").symlink_to(target)
    error = refused(tmp_path)
    assert (error.path, error.reason) == ("link", "is a link")


def test_links_to_directories_are_refused(tmp_path: Path) -> None:
    fill(tmp_path, {"d/a": b"x"})
    (tmp_path / "e").symlink_to("d", target_is_directory=True)
    assert str(refused(tmp_path)) == "e: is a link"


def test_pipes_and_sockets_are_refused_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert str(refused(tmp_path)) == "pipe: is not a regular file"
    (tmp_path / "pipe").unlink()
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    server = socket.socket(socket.AF_UNIX)
    server.bind("sock")
    error = refused(tmp_path)
    server.close()
    assert error.path == "sock"


def test_what_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, {"d/a": b"x"})
    real = os.open

    def deny(path: str, *arguments: int, **options: int) -> int:
        if path == "a":
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **options)

    monkeypatch.setattr(
        os, "open", deny
    )  # root may read everything, so the refusal is made up
    assert str(refused(tmp_path)) == "d/a: cannot be read: Permission denied"


def test_what_does_not_exist_or_is_no_directory_is_said(tmp_path: Path) -> None:
    assert refused(tmp_path / "no").reason == "does not exist"
    fill(tmp_path, {"a": b"x"})
    assert refused(tmp_path / "a").reason == "is not a directory"


@pytest.mark.parametrize(
    ("limits", "files", "path", "reason"),
    [
        (Limits(file_bytes=3), {"a": b"1234"}, "a", "is larger than 3 bytes"),
        (
            Limits(total_bytes=5),
            {"a": b"123", "b": b"456"},
            "b",
            "brings the tree over 5 bytes",
        ),
        (
            Limits(files=2),
            {"a": b"", "b": b"", "c": b""},
            "c",
            "is one file more than the 2 that are read",
        ),
        (Limits(depth=2), {"a/b/c": b""}, "a/b/c", "lies deeper than 2 directories"),
    ],
)
def test_limits_are_held_and_named(
    tmp_path: Path, limits: Limits, files: dict[str, bytes], path: str, reason: str
) -> None:
    error = refused(fill(tmp_path, files), limits)
    assert (error.path, error.reason) == (path, reason)


def test_what_upstream_repositories_hold_can_be_left_out_instead(
    tmp_path: Path,
) -> None:
    fill(tmp_path, {"a": b"x", "big": b"12345"})
    (tmp_path / "link").symlink_to("a")
    os.mkfifo(tmp_path / "pipe")
    tree = read_directory(tmp_path, Limits(file_bytes=3, leave_out=True))
    assert (list(tree.files), sorted(tree.skipped)) == (["a"], ["big", "link", "pipe"])


def test_limits_are_not_off_by_one(tmp_path: Path) -> None:
    fill(tmp_path, {"a/b/c": b"123", "d": b"12"})
    read_directory(tmp_path, Limits(file_bytes=3, total_bytes=5, files=2, depth=3))


def test_a_large_sparse_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as stream:
        stream.truncate(200 * archive.MEGABYTE)
    assert refused(tmp_path).reason == "is larger than 33,554,432 bytes"


@pytest.mark.parametrize("change", ["grow", "rewrite", "delete", "add"])
def test_a_directory_that_changes_while_it_is_read_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    fill(tmp_path, {"a": b"first", "b": b"second"})
    os.utime(tmp_path / "a", ns=(1, 1))
    real = archive._read_file

    def read_and_change(
        directory: int, name: str, path: str, collector: archive.Collector
    ) -> tuple[bytes, os.stat_result]:
        result = real(directory, name, path, collector)
        if path == "b":
            if change == "grow":
                (tmp_path / "a").write_bytes(b"first and more")
            elif change == "rewrite":
                (tmp_path / "a").write_bytes(b"FIRST")
            elif change == "delete":
                (tmp_path / "a").unlink()
            else:
                (tmp_path / "c").write_bytes(b"late")
        return result

    monkeypatch.setattr(archive, "_read_file", read_and_change)
    error = refused(tmp_path)
    assert "while the directory was read" in error.reason
    assert error.path == ("." if change in ("add",) else error.path)


def test_a_file_that_changes_under_the_reader_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, {"a": b"12345"})
    real = os.read

    def short(handle: int, size: int) -> bytes:
        return real(handle, size)[:-1] if size == 6 else b""

    monkeypatch.setattr(os, "read", short)
    assert str(refused(tmp_path)) == "a: changed while it was read"


@pytest.mark.parametrize(
    "path",
    ["", "/a", "a//b", "a/", "..", "a/../b", "./a", "a/.", "a\\b", "C:/a", "a\0b", "a\nb", "a\u202eb", "x" * 256, "a/" + "é" * 128],
)  # fmt: skip
def test_paths_that_leave_or_deceive_are_unsafe(path: str) -> None:
    assert unsafe_path(path)


@pytest.mark.parametrize(
    "path", ["a", "a/b.lean", "a b/c'?.lean", "..a/b..", "é/…", "-x", ".hidden"]
)
def test_ordinary_paths_are_safe(path: str) -> None:
    assert unsafe_path(path) == ""


@given(
    st.text(max_size=30)
    | st.lists(st.sampled_from(["..", ".", "a", "", "b"]), max_size=5).map("/".join)
)
def test_a_safe_path_stays_inside(path: str) -> None:
    if not unsafe_path(path):
        assert os.path.normpath(os.path.join("/root", path)) == "/root/" + path
        assert "\0" not in path


def test_names_of_odd_bytes_are_refused(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/a\xff", "wb"):
        pass
    assert "cannot be printed" in refused(tmp_path).reason


def test_instances_are_found_where_their_manifests_lie() -> None:
    tree = Tree(
        "t",
        {
            "x/manifest.json": b"",
            "x/sub/manifest.json": b"",
            "y/manifest.json": b"",
            "y/a": b"1",
            "z": b"",
        },
        ("x/.git",),
    )
    assert list(instance_roots(tree)) == ["x", "y"]
    assert list(
        instance_roots(Tree("t", {"manifest.json": b"", "a/manifest.json": b""}))
    ) == [""]
    assert list(instance_roots(Tree("t", {"notmanifest.json": b""}))) == []
    inner = subtree(tree, "y")
    assert (inner.name, dict(inner.files), inner.skipped) == (
        "y",
        {"manifest.json": b"", "a": b"1"},
        (),
    )
    assert subtree(tree, "x").skipped == (".git",)


def test_modes_of_files_do_not_matter(tmp_path: Path) -> None:
    fill(tmp_path, {"a": b"x"})
    (tmp_path / "a").chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert dict(read_directory(tmp_path).files) == {"a": b"x"}


def test_a_path_longer_than_the_tables_hold_is_refused() -> None:
    assert unsafe_path("/".join(["d" * 199] * 5)) == ""
    assert "longer than 1,000" in unsafe_path("/".join(["d" * 200] * 5))
