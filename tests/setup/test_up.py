from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.setup.test_processes import is_alive, wait_for
from workbench.setup import ports, processes, up
from workbench.setup.locks import sole
from workbench.setup.words import Problem

# A double of the virtual environment's Python. As web server it serves an empty folder (and ends when the file
# "web-ends" appears); as worker it notes its number and ends at once.
PYTHON = """#!/bin/sh
case "$*" in
*uvicorn*)
    {real} -m http.server --bind 127.0.0.1 {port} --directory {folder}/empty >/dev/null 2>&1 &
    while ! [ -e {folder}/web-ends ]; do sleep 0.05; done
    exit 7;;
*worker*) echo $$ >>{folder}/workers; exit 3;;
esac
"""


@pytest.fixture
def site(tmp_path: Path) -> up.Site:
    (tmp_path / "empty").mkdir()
    port = ports.free()
    python = tmp_path / "python"
    python.write_text(PYTHON.format(real=sys.executable, port=port, folder=tmp_path))
    python.chmod(0o755)
    return up.Site(python, dict(os.environ), "127.0.0.1", port)


def test_a_worker_that_dies_is_started_again_and_said(
    site: up.Site, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    site.start()
    watching = threading.Thread(target=site.watch)
    watching.start()
    try:
        wait_for(lambda: (tmp_path / "workers").exists())
        wait_for(lambda: len((tmp_path / "workers").read_text().split()) >= 2)
    finally:
        (tmp_path / "web-ends").touch()
        watching.join()
        site.stop()
    assert (
        "the worker ended with exit code 3; it is started again in 2 s."
        in capfd.readouterr().err
    )


def test_a_web_server_that_ends_ends_everything(
    site: up.Site, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    site.start()
    (tmp_path / "web-ends").touch()
    assert site.watch() == 1
    site.stop()
    assert (
        "the web server ended with exit code 7; everything is stopped."
        in capfd.readouterr().err
    )
    assert not any(is_alive(child.pid) for child in site.children)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/"),
        ("0.0.0.0", "http://127.0.0.1:8000/"),
        ("::", "http://127.0.0.1:8000/"),
        ("::1", "http://[::1]:8000/"),
        ("box.example", "http://box.example:8000/"),
    ],
)
def test_the_address_is_one_that_a_browser_can_open(host: str, address: str) -> None:
    assert up.address_of(host, 8000) == address


def test_a_named_host_is_answered_to() -> None:
    environ: dict[str, str] = {}
    up.allow_host(environ, "10.1.2.3")
    assert environ["WORKBENCH_ALLOWED_HOSTS"] == "127.0.0.1,localhost,[::1],10.1.2.3"


@pytest.mark.parametrize(
    "name", ["WORKBENCH_ALLOWED_HOSTS", "WORKBENCH_ALLOWED_HOSTS_FILE"]
)
def test_the_operators_own_list_of_names_stays(name: str) -> None:
    environ = {name: "bench.example"}
    up.allow_host(environ, "0.0.0.0")
    assert environ == {name: "bench.example"}


def test_on_this_machine_only_nothing_is_added() -> None:
    environ: dict[str, str] = {}
    up.allow_host(environ, "127.0.0.1")
    assert environ == {}


@pytest.mark.parametrize("text", ["0", "65536", "-1", "eighty", "٨٠", ""])
def test_a_port_that_is_none_is_refused_in_words(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        up.parse([f"--port={text}"])
    assert ended.value.code == 2
    assert "expected a number from 1 to 65535" in capsys.readouterr().err


def test_a_second_start_on_the_same_data_says_who_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("workbench.setup.processes.stop_on_signals", lambda: None)
    note = json.dumps({"process": 4711, "address": "http://127.0.0.1:8000/"})
    with sole(tmp_path / "up.lock", note):
        assert up.main(["--port", str(ports.free())]) == 2
    assert "already runs" in (words := capsys.readouterr().err)
    assert "process 4711, http://127.0.0.1:8000/" in words


def test_a_data_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "file" / "var"))
    monkeypatch.setattr("workbench.setup.processes.stop_on_signals", lambda: None)
    assert up.main(["--port", str(ports.free())]) == 2
    words = capsys.readouterr().err
    assert f"cannot write in {tmp_path}/file/var: not a directory" in words
    assert "name another folder in WORKBENCH_DATA_DIR" in words


def test_a_bad_setting_is_told_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKBENCH_TYPO", "1")
    monkeypatch.setattr("workbench.setup.processes.stop_on_signals", lambda: None)
    assert up.main([]) == 2
    assert "WORKBENCH_TYPO is not a setting" in capsys.readouterr().err


def test_a_signal_stops_with_its_own_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(options: object) -> int:
        raise processes.Stopped(signal.SIGTERM)

    monkeypatch.setattr("workbench.setup.processes.stop_on_signals", lambda: None)
    monkeypatch.setattr(up, "_run", stopped)
    assert up.main([]) == 128 + signal.SIGTERM


def test_nothing_listens_after_the_end(site: up.Site) -> None:
    site.start()
    wait_for(lambda: not _is_free(site.port))
    site.stop()
    deadline = time.monotonic() + 10
    while not _is_free(site.port):
        assert time.monotonic() < deadline


def _is_free(port: int) -> bool:
    try:
        ports.demand_free("127.0.0.1", port)
    except Problem:
        return False
    return True
