from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.lean.sandbox import watch
from workbench.lean.sandbox.box import MIB, Limits
from workbench.lean.sandbox.watch import Watch, children, descendant

CHAIN = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); import time; time.sleep(300)'])"


@pytest.fixture
def chain() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has one child, which sleeps."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHAIN], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    os.killpg(process.pid, 9)
    process.wait()
    process.stdout.close()


def test_descendants_are_found(chain: subprocess.Popen[bytes]) -> None:
    (child,) = children(chain.pid)
    assert descendant(chain.pid, 0) == chain.pid
    assert descendant(chain.pid, 1) == child
    assert descendant(chain.pid, 2) == 0
    assert children(child) == []


def test_descendants_are_found_on_kernels_without_a_list_of_children(
    chain: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (child,) = children(chain.pid)
    # A double of /proc with the files that every kernel has.
    for process, parent in ((chain.pid, 1), (child, chain.pid)):
        (tmp_path / str(process) / "task" / str(process)).mkdir(parents=True)
        (tmp_path / str(process) / "status").write_text(f"Name:\tx\nPPid:\t{parent}\n")
    (tmp_path / "uptime").write_text("1")
    monkeypatch.setattr(watch, "_PROC", tmp_path)
    assert children(chain.pid) == [child]


def test_nobody_is_below_a_process_that_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert children(process.pid) == []


def looking(folder: Path, **limits: Any) -> Watch:
    return Watch(Limits(**limits), folder, os.getpid(), 0)


def test_it_sees_memory_threads_and_time(folder: Path) -> None:
    within = looking(folder, memory_mib=1 << 20, threads=1000)
    assert within.look() == ""
    assert within.peak_kib > 10_000
    assert within.cpu_seconds > 0
    assert looking(folder, memory_mib=1).look() == "memory"


def test_a_process_that_is_gone_uses_nothing(folder: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert Watch(Limits(memory_mib=1), folder, process.pid, 0).look() == ""
    assert Watch(Limits(memory_mib=1), folder, process.pid, 2).look() == ""


def test_it_adds_up_the_folder(folder: Path) -> None:
    for number in range(4):
        (folder / str(number)).write_bytes(b"x" * MIB)
    assert looking(folder, folder_bytes=5 * MIB).look() == ""
    assert looking(folder, folder_bytes=3 * MIB).look() == "disk"
    assert looking(folder, folder_files=4).look() == ""
    assert looking(folder, folder_files=3).look() == "disk"


def test_a_file_with_a_hole_takes_what_it_takes(folder: Path) -> None:
    with (folder / "hole").open("wb") as file:
        file.truncate(100 * MIB)
    assert looking(folder, folder_bytes=MIB).look() == ""
    assert looking(folder, file_bytes=100 * MIB).file_is_full()
    assert not looking(folder, file_bytes=100 * MIB + 1).file_is_full()


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 2 * MIB)
    (folder / "link").symlink_to(tmp_path / "big")
    watching = looking(folder, folder_bytes=MIB, file_bytes=MIB)
    assert watching.look() == ""
    assert not watching.file_is_full()


def test_a_file_system_that_fills_up_ends_the_box(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "bytes_left", lambda folder: watch.FLOOR_BYTES - 1)
    assert looking(folder).look() == "disk"
