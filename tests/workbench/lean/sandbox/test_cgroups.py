"""Control groups. Only some machines let us make them, so this is tested on a constructed folder: `tree` stands in for the
kernel, which makes the files of a group when its folder is made, and takes them with it. The real thing is tried by `find` where it is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from workbench.lean.sandbox import cgroups
from workbench.lean.sandbox.box import Limits

LIMITS = Limits(memory_mib=100, threads=7)
FILES = (
    "memory.max", "memory.swap.max", "memory.oom.group", "memory.events", "pids.max", "pids.events", "cgroup.procs",
    "cgroup.kill",
)  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hierarchy in which this process is in svc/worker, and svc was delegated."""
    for name in ("", "svc", "svc/worker"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "cgroup.controllers").write_text("cpu memory pids\n")
        (tmp_path / name / "cgroup.subtree_control").write_text("")
    (tmp_path / "own").write_text("1:name=systemd:/\n0::/svc/worker\n")
    make, remove = Path.mkdir, shutil.rmtree

    def make_group(path: Path) -> None:
        make(path)
        if path.name.startswith("proofroom-box-"):
            for name in FILES:
                (path / name).write_text("")

    monkeypatch.setattr(Path, "mkdir", make_group)
    monkeypatch.setattr(Path, "rmdir", remove)
    return tmp_path


def test_groups_are_made_beside_the_one_we_are_in(tree: Path) -> None:
    assert cgroups.find(tree, tree / "own") == tree / "svc"
    assert (tree / "svc" / "cgroup.subtree_control").read_text() == "+memory +pids"
    assert not list((tree / "svc").glob("proofroom-*"))


def test_they_are_made_in_the_root_when_we_are_in_it(tree: Path) -> None:
    (tree / "own").write_text("0::/\n")
    assert cgroups.find(tree, tree / "own") == tree


def test_without_the_controllers_there_are_none(tree: Path) -> None:
    for file in tree.rglob("cgroup.controllers"):
        file.write_text("hugetlb\n")
    assert cgroups.find(tree, tree / "own") is None


def test_on_an_older_hierarchy_there_are_none(tree: Path) -> None:
    (tree / "own").write_text("4:memory:/x\n")
    assert cgroups.find(tree, tree / "own") is None
    assert cgroups.find(tree, tree / "missing") is None


def test_where_no_process_can_be_moved_there_are_none(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The kernel refuses the write; here the trial finds no interpreter.
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert cgroups.find(tree, tree / "own") is None


def test_a_group_has_the_limits_and_is_taken_away(tree: Path) -> None:
    with cgroups.group(tree / "svc", LIMITS) as group:
        assert (group.path / "memory.max").read_text() == str(100 << 20)
        assert (group.path / "memory.swap.max").read_text() == "0"
        assert (group.path / "pids.max").read_text() == "7"
        os.write(group.entrance, b"0")
        assert (group.path / "cgroup.procs").read_text() == "0"
        assert group.hit() == ""
    assert not group.path.exists()


def test_what_the_kernel_enforced_is_read_back(tree: Path) -> None:
    with cgroups.group(tree / "svc", LIMITS) as group:
        (group.path / "pids.events").write_text("max 3\n")
        assert group.hit() == "threads"
        (group.path / "memory.events").write_text(
            "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n"
        )
        assert group.hit() == "memory"
        (group.path / "memory.events").write_text("low 0\nmax 9\noom_kill 0\n")
        assert group.hit() == "threads"


def test_this_machine_s_groups_hold_where_there_are_any() -> None:
    folder = cgroups.find()
    if folder is None:
        # Nothing to try. The watch does the work here, and its tests are in test_run.py.
        return
    with cgroups.group(folder, LIMITS) as group:
        assert (group.path / "memory.max").read_text().strip() == str(100 << 20)
    assert not group.path.exists()
