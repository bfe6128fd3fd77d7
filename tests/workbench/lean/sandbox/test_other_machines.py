"""The sandbox for another user, and on machines that forbid parts of it.

Each test runs a script in a process of its own: as a user without privileges (where we are root), and behind a filter
that refuses system calls as Docker's or an old kernel does.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.lean.sandbox.boxes import below, is_running, wait_until
from workbench.lean.sandbox import box as boxes
from workbench.lean.sandbox.choose import KINDS
from workbench.lean.sandbox.confine import landlock_version
from workbench.lean.sandbox.system import interpreter

NOBODY = 65534
PACKAGE = Path(boxes.__file__).resolve().parent
LIMITED = """
import json, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from workbench.lean.sandbox.box import Box, BoxBroken, Limits, NoSandbox
from workbench.lean.sandbox.choose import KINDS
from workbench.lean.sandbox.system import interpreter

CODES = {
    "time": ("import time; time.sleep(300)", Limits(seconds=1)),
    "memory": ("k = []\\nwhile True: k.append(b'x' * (1 << 22))", Limits(memory_mib=100)),
    "threads": ("import threading, time\\nfor _ in range(99): threading.Thread(target=time.sleep, args=(9,)).start()", Limits(threads=9)),
    "output": ("while True: print('x' * 999)", Limits(output_bytes=9999)),
    "cpu": ("while True: pass", Limits(cpu_seconds=1)),
    "disk": ("for n in range(999): open(str(n), 'w')", Limits(folder_files=9)),
    "": ("import os; open('f', 'w').write(str(os.getuid()))", Limits()),
}
for name, make in KINDS:
    try:
        sandbox = make()
        hits = {}
        for hit, (code, limits) in CODES.items():
            with TemporaryDirectory() as folder:
                box = Box("t", [str(interpreter()), "-I", "-S", "-c", code], [], Path(folder).resolve(), limits=limits)
                ended = sandbox.run(box)
                made = Path(folder, "f")
                hits[hit] = [ended.limit, ended.code, made.read_text() if made.exists() else ""]
    except (NoSandbox, BoxBroken) as reason:
        hits = {"broken": str(reason)}
    print(json.dumps([name, hits]))
"""


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """The package, where any user can read it."""
    with tempfile.TemporaryDirectory(prefix="sandbox-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        target = place / "workbench" / "lean" / "sandbox"
        shutil.copytree(PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__"))
        for parent in (target.parent, target.parent.parent):
            (parent / "__init__.py").write_text("")
        for path in place.rglob("*"):
            path.chmod(0o755)
        yield place


def anybodys_python() -> str:
    """An interpreter of 3.11 or newer that the unprivileged user can start."""
    # Twice: root may open the way to the first one, and it would be only called by its name.
    trial = "import os, sys; os.execv(sys.argv[1], [sys.argv[1], '-c', 'import sys; sys.exit(sys.version_info < (3, 11))'])"
    for candidate in (str(interpreter()), "/usr/bin/python3", "/usr/local/bin/python3"):
        words = [*unprivileged(), candidate, "-c", trial, candidate]
        try:
            ended = subprocess.run(words, stderr=subprocess.DEVNULL, check=False)
        except OSError:
            continue
        if ended.returncode == 0:
            return candidate
    pytest.skip("no Python 3.11 that other users of this machine can start")


def unprivileged() -> list[str]:
    """Words that start a program as a user without privileges; none where we are one."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def lines(place: Path, words: list[str]) -> list[Any]:
    ended = subprocess.run(
        words,
        cwd="/",
        env={
            "PYTHONPATH": str(place),
            "PATH": os.environ["PATH"],
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


class TestUnprivileged:
    def test_each_kind_that_can_be_made_holds(self, place: Path) -> None:
        words = [*unprivileged(), anybodys_python(), "-m", "workbench.lean.sandbox"]
        results = lines(place, words)
        assert len(results) == 3
        for result in results:
            if not result["proven"]:
                # What cannot be made says so; what can be made holds.
                assert "not stopped" not in " ".join(result["failures"])
        if landlock_version():
            assert results[-1]["proven"], results[-1]

    def test_limits_are_hit_and_named(self, place: Path) -> None:
        words = [*unprivileged(), anybodys_python(), "-c", LIMITED]
        user = NOBODY if os.geteuid() == 0 else os.geteuid()
        held = 0
        for name, hits in lines(place, words):
            if "broken" in hits:
                continue
            held += 1
            # The kernel refuses threads in a namespace of an ordinary user: then the program fails by itself.
            assert hits.pop("threads")[0] in ("threads", ""), name
            assert hits.pop("") == ["", 0, str(user)]
            for expected, (hit, _, _) in hits.items():
                assert hit == expected, (name, hits)
        assert held or not landlock_version()


SLEEPING = """
import sys
from pathlib import Path
from workbench.lean.sandbox.box import Box
from workbench.lean.sandbox.choose import KINDS
from workbench.lean.sandbox.system import interpreter
words = [str(interpreter()), "-I", "-S", "-c", "open('started', 'w'); import time; time.sleep(300)"]
KINDS[int(sys.argv[1])][1]().run(Box("t", words, [], Path(sys.argv[2])))
"""


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_when_an_unprivileged_user_s_worker_is_killed_nothing_is_left(
    place: Path, kind: int
) -> None:
    with tempfile.TemporaryDirectory(prefix="sandbox-") as folder:
        box = Path(folder) / "box"
        for path in (Path(folder), box):
            path.mkdir(exist_ok=True)
            path.chmod(0o777)
        worker = subprocess.Popen(
            [*unprivileged(), anybodys_python(), "-c", SLEEPING, str(kind), str(box)],
            cwd="/",
            env={"PYTHONPATH": str(place), "PATH": os.environ["PATH"]},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert worker.stderr is not None
        try:
            wait_until(lambda: (box / "started").exists() or worker.poll() is not None)
            left = below(worker.pid)
            if worker.returncode is not None:
                reason = worker.stderr.read().strip().splitlines()[-1]
                assert "NoSandbox" in reason or "BoxBroken" in reason, reason
                pytest.skip(reason)
            assert left
        finally:
            worker.kill()
            worker.wait()
            worker.stderr.close()
        assert wait_until(lambda: not any(is_running(process) for process in left))


# Refuses the system calls in argv[1] with EPERM or ENOSYS and becomes the rest of argv. `clone` is refused only with CLONE_NEWUSER.
REFUSER = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
program = bytes.fromhex(sys.argv[1])
buffer = ctypes.create_string_buffer(program, len(program))
head = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
long = ctypes.c_ulong
assert libc.prctl(38, long(1), long(0), long(0), long(0)) == 0
assert libc.prctl(22, long(2), head, long(0), long(0)) == 0
os.execv(sys.argv[2], sys.argv[2:])
"""
UNSHARE, CLONE, CLONE3, LANDLOCK = {
    "x86_64": (272, 56, 435, 444),
    "aarch64": (97, 220, 435, 444),
}[os.uname().machine]
EPERM, ENOSYS, NEW_USER = 1, 38, 0x10000000


def refusing(*, landlock: bool) -> str:
    """A filter under which no namespaces can be made, and, where asked for, no Landlock either."""
    refuse = [(UNSHARE, EPERM), (CLONE3, ENOSYS), *([(LANDLOCK, ENOSYS)] if landlock else [])]  # fmt: skip
    program = [(0x20, 0, 0, 0)]
    for number, error in refuse:
        program += [(0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | error)]
    program += [(0x15, 0, 3, CLONE), (0x20, 0, 0, 16), (0x45, 0, 1, NEW_USER), (0x06, 0, 0, 0x50000 | EPERM)]  # fmt: skip
    program += [(0x06, 0, 0, 0x7FFF0000)]
    return b"".join(struct.pack("=HBBI", *line) for line in program).hex()


CHOICE = """
import json
from workbench.lean.sandbox.box import Limits, NoSandbox
from workbench.lean.sandbox.choose import choose
try:
    chosen = choose("auto", thorough=False)
    print(json.dumps([chosen.sandbox.words, chosen.proven]))
except NoSandbox as reason:
    print(json.dumps([str(reason), False]))
"""


def on_a_machine_that_refuses(place: Path, *, landlock: bool) -> Any:
    python = anybodys_python()
    words = [*unprivileged(), python, "-c", REFUSER, refusing(landlock=landlock), python, "-c", CHOICE]  # fmt: skip
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed (Debian: util-linux)")
    return lines(place, words)[0]


def test_where_namespaces_are_forbidden_landlock_does_without(place: Path) -> None:
    if not landlock_version():
        pytest.skip("this kernel has no Landlock")
    words, proven = on_a_machine_that_refuses(place, landlock=False)
    assert proven, words
    assert "no namespaces" in words


def test_where_everything_is_forbidden_it_refuses_with_reasons(place: Path) -> None:
    words, proven = on_a_machine_that_refuses(place, landlock=True)
    assert not proven
    assert "landlock: this kernel has no Landlock" in words
    assert "bubblewrap" in words
    assert "nothing foreign may be run here" in words
