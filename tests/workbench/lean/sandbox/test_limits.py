"""Each limit of a box, on the real kernel: that it is kept, and that it is named."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.workbench.lean.sandbox.boxes import Spy, is_running, run_python
from workbench.lean.sandbox import run as runs
from workbench.lean.sandbox.box import MIB, BoxBroken, Limits, Sandbox


def test_the_wall_clock_ends_it_and_nothing_is_left(
    sandbox: Sandbox, folder: Path
) -> None:
    spy = Spy()
    code = "import time; print('here', flush=True); time.sleep(300)"
    ended = run_python(sandbox, folder, code, limits=Limits(seconds=2), cancel=spy)
    assert (ended.limit, ended.code, ended.output) == (
        "time",
        -signal.SIGKILL,
        b"here\n",
    )
    assert spy.seen
    assert not [process for process in spy.seen if is_running(process)]


def test_the_wall_clock_ends_one_that_catches_signals_and_stops_itself(
    sandbox: Sandbox, folder: Path
) -> None:
    code = "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.kill(os.getpid(), signal.SIGSTOP)"
    ended = run_python(sandbox, folder, code, limits=Limits(seconds=1))
    assert ended.limit == "time"


def test_output_is_counted_and_cut(sandbox: Sandbox, folder: Path) -> None:
    limits = Limits(seconds=60, output_bytes=5000)
    ended = run_python(sandbox, folder, "while True: print('x' * 1000)", limits=limits)
    assert (ended.limit, len(ended.output)) == ("output", 5000)


def test_output_just_within_the_limit_is_whole(sandbox: Sandbox, folder: Path) -> None:
    limits = Limits(seconds=60, output_bytes=300_000)
    ended = run_python(sandbox, folder, "print('x' * 299_999)", limits=limits)
    assert (ended.limit, len(ended.output)) == ("", 300_000)


def test_processor_time_is_limited(sandbox: Sandbox, folder: Path) -> None:
    limits = Limits(seconds=60, cpu_seconds=1)
    ended = run_python(sandbox, folder, "while True: pass", limits=limits)
    assert (ended.limit, ended.code) == ("cpu", -signal.SIGXCPU)
    assert ended.cpu_seconds > 0.5


def test_processor_time_is_limited_for_one_that_does_not_listen(
    sandbox: Sandbox, folder: Path
) -> None:
    code = (
        "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    )
    limits = Limits(seconds=60, cpu_seconds=1)
    ended = run_python(sandbox, folder, code, limits=limits)
    assert (ended.limit, ended.code) == ("cpu", -signal.SIGKILL)


def test_memory_is_limited(sandbox: Sandbox, folder: Path) -> None:
    code = "import time\nkept = []\nfor _ in range(40): kept.append(b'x' * (1 << 24)); time.sleep(0.02)\ntime.sleep(300)"
    limits = Limits(seconds=60, memory_mib=100)
    ended = run_python(sandbox, folder, code, limits=limits)
    assert ended.limit == "memory"
    assert ended.peak_kib > 50 << 10


def test_addresses_are_no_memory(sandbox: Sandbox, folder: Path) -> None:
    code = "import mmap; m = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS); print(len(m) >> 30)"
    ended = run_python(sandbox, folder, code, limits=Limits(memory_mib=100))
    assert (ended.limit, ended.output) == ("", b"8\n")


def test_threads_are_limited(sandbox: Sandbox, folder: Path) -> None:
    code = (
        "import threading, time\n"
        "try:\n"
        "    for _ in range(60): threading.Thread(target=time.sleep, args=(2,), daemon=True).start()\n"
        "    time.sleep(300)\n"
        "except RuntimeError: print('refused')"
    )
    limits = Limits(seconds=60, threads=10)
    ended = run_python(sandbox, folder, code, limits=limits)
    # The kernel refuses where it counts (not for root), the watch ends the box elsewhere.
    assert ended.limit == "threads" or ended.output == b"refused\n"


def test_as_many_threads_as_allowed_can_run(sandbox: Sandbox, folder: Path) -> None:
    code = (
        "import threading, time\n"
        "for _ in range(9): threading.Thread(target=time.sleep, args=(0.3,)).start()\n"
        "print(threading.active_count())"
    )
    ended = run_python(sandbox, folder, code, limits=Limits(threads=10))
    assert (ended.limit, ended.output) == ("", b"10\n")


def test_a_file_is_limited_in_size(sandbox: Sandbox, folder: Path) -> None:
    limits = Limits(seconds=60, file_bytes=MIB)
    code = "import signal; signal.signal(signal.SIGXFSZ, signal.{0})\ntry: open('f', 'wb').write(bytes(2 << 20))\nexcept OSError: print('refused')"
    heard = run_python(sandbox, folder, code.format("SIG_DFL"), limits=limits)
    assert (heard.limit, heard.code) == ("file", -signal.SIGXFSZ)
    ignored = run_python(sandbox, folder, code.format("SIG_IGN"), limits=limits)
    assert (ignored.limit, ignored.output) == ("file", b"refused\n")
    assert (folder / "f").stat().st_size == MIB


def test_many_files_fill_the_folder(sandbox: Sandbox, folder: Path) -> None:
    code = "import time\nfor n in range(200): open(f'f{n}', 'wb').write(bytes(range(256)) * 256); time.sleep(0.005)\ntime.sleep(300)"
    limits = Limits(seconds=60, folder_bytes=2 * MIB)
    assert run_python(sandbox, folder, code, limits=limits).limit == "disk"


def test_empty_files_fill_the_folder_too(sandbox: Sandbox, folder: Path) -> None:
    code = "for n in range(60): open(f'f{n}', 'w')"
    limits = Limits(seconds=60, folder_files=50)
    assert run_python(sandbox, folder, code, limits=limits).limit == "disk"


def test_a_file_system_that_is_nearly_full_takes_no_box(
    sandbox: Sandbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "bytes_left", lambda folder: 100 * MIB)
    with pytest.raises(BoxBroken, match="less than 256 MiB left"):
        run_python(sandbox, folder, "pass")
