"""Temporary files of commands: in a folder of the installation's scratch that does not outlive them for long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from workbench.jobs.scratch import abandoned_folders, own_scratch
from workbench.setup.places import ROOT


@pytest.fixture
def scratch(tmp_path: Path, settings: Any) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path / "scratch"


def test_temporary_files_lie_in_it_and_go_with_it(scratch: Path) -> None:
    before = tempfile.gettempdir()
    with own_scratch() as folder:
        assert Path(tempfile.mkdtemp()).parent == folder
        assert folder.parent == scratch
        with own_scratch() as inner:
            assert Path(tempfile.gettempdir()) == inner
        assert folder.is_dir()
    assert not list(scratch.iterdir())
    assert tempfile.gettempdir() == before


def test_a_living_command_keeps_its_folder_and_a_killed_one_does_not(
    scratch: Path,
) -> None:
    code = """import django, time; django.setup()
from workbench.jobs.scratch import own_scratch
with own_scratch() as folder:
    (folder / "grading-1").mkdir()
    print("there", flush=True)
    time.sleep(60)
"""
    environ = {**os.environ, "WORKBENCH_DATA_DIR": str(scratch.parent), "DJANGO_SETTINGS_MODULE": "workbench.settings"}  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=environ, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        (folder,) = scratch.iterdir()
        assert abandoned_folders() == []
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert abandoned_folders() == [folder]
    with own_scratch():
        assert not folder.exists()


def test_one_that_was_killed_while_it_made_its_folder_is_found_after_a_while(
    scratch: Path,
) -> None:
    made = scratch / ".process-x"
    made.mkdir(parents=True)
    assert abandoned_folders() == []
    os.utime(made, (time.time() - 120,) * 2)
    assert abandoned_folders() == [made]
