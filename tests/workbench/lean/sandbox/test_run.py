"""Boxes of each kind, on the real kernel: what goes in, what comes out, what cannot be done, what is left. Limits: test_limits.py."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workbench.lean.sandbox.boxes import (
    KINDS,
    Spy,
    below,
    command_lines,
    is_running,
    run_python,
    wait_until,
)
from workbench.lean.sandbox.box import (
    BadBox,
    Box,
    BoxBroken,
    Limits,
    Sandbox,
)
from workbench.lean.sandbox.landlocked import Landlocked
from workbench.lean.sandbox.system import interpreter
from workbench.lean.sandbox.unboxed import Unboxed

REPOSITORY = Path(__file__).resolve().parents[4]


def test_it_returns_code_and_both_streams(sandbox: Sandbox, folder: Path) -> None:
    code = "import sys; print('out', flush=True); print('err', file=sys.stderr); sys.exit(7)"
    ended = run_python(sandbox, folder, code)
    assert (ended.code, ended.output, ended.limit) == (7, b"out\nerr\n", "")
    assert ended.peak_kib > 1000
    assert ended.seconds > 0


def test_a_signal_is_a_negative_code_and_no_limit(
    sandbox: Sandbox, folder: Path
) -> None:
    ended = run_python(sandbox, folder, "import os; os.abort()")
    assert (ended.code, ended.limit) == (-signal.SIGABRT, "")


def test_it_sees_the_given_environment_and_nothing_else(
    sandbox: Sandbox, folder: Path
) -> None:
    code = "import os; print(sorted(os.environ.items()), os.getcwd())"
    ended = run_python(
        sandbox, folder, code, env={"LC_CTYPE": "C.UTF-8", "SEEN": "ä=b"}
    )
    assert (
        ended.output.decode().strip()
        == f"{[('LC_CTYPE', 'C.UTF-8'), ('SEEN', 'ä=b')]} {folder}"
    )


def test_a_script_of_the_interpreter_sees_what_a_program_sees(
    sandbox: Sandbox, folder: Path, tmp_path: Path
) -> None:
    # Such a script is run without starting the interpreter again.
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys\nprint(__name__, sys.argv, dict(os.environ), sorted(os.listdir('/dev/fd')) if 0 else '')\nsys.exit(3)\n"
    )
    box = Box(
        "test",
        [str(interpreter()), "-I", "-S", str(script), "a b"],
        [script],
        folder,
        {"X": "y"},
    )
    ended = sandbox.run(box)
    assert (ended.code, ended.output.decode().strip()) == (
        3,
        f"__main__ {[str(script), 'a b']} {{'X': 'y'}}",
    )


def test_a_compiled_program_runs(
    sandbox: Sandbox, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("here")
    program, file = Path("/bin/cat"), tmp_path / "file"
    ended = sandbox.run(Box("test", [str(program), str(file)], [program, file], folder))
    assert (ended.code, ended.output) == (0, b"here")


def test_it_holds_no_open_file_but_its_streams(
    sandbox: Sandbox, folder: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os\n"
        "def is_open(n):\n"
        "    try: os.fstat(n)\n"
        "    except OSError: return False\n"
        "    return True\n"
        "print([n for n in range(64) if is_open(n)])\n"
    )
    for program in (["-c", script.read_text()], [str(script)]):
        words = [str(interpreter()), "-I", "-S", *program]
        ended = sandbox.run(Box("test", words, [script], folder))
        assert ended.output == b"[0, 1, 2]\n"


def test_it_makes_changes_and_renames_files_in_its_folder(
    sandbox: Sandbox, folder: Path
) -> None:
    code = "import os; open('a','w').write('1'); open('a','a').write('2'); os.rename('a','b'); print(open('b').read())"
    ended = run_python(sandbox, folder, code)
    assert (ended.code, ended.output) == (0, b"12\n")
    assert (folder / "b").read_text() == "12"
    assert (folder / "b").stat().st_uid == os.geteuid()


FORBIDDEN = (
    "os.mkdir('d')",
    "os.symlink('x', 'l')",
    "os.link('f', 'h')",
    "os.mkfifo('p')",
    "os.mknod('n')",
    "os.chmod('f', 0o4755)",
    "os.chown('f', os.getuid(), os.getgid())",
    "os.utime('f')",
    "os.unlink('f')",
    "os.truncate('f', 0)",
    "os.setxattr('f', 'user.x', b'x')",
    "os.open('.', os.O_TMPFILE | os.O_RDWR)",
    "os.memfd_create('m')",
    "mmap.mmap(-1, 4096)",
    "os.fork()",
    "os.setsid()",
    "os.kill(0, 0)",
    "os.kill(os.getppid(), 0)",
    "os.setpriority(os.PRIO_PROCESS, 0, 5)",
    "os.sched_setaffinity(0, [0])",
    "os.chroot('.')",
    "os.setuid(os.getuid())",
    "socket.socketpair()",
    "socket.socket(socket.AF_INET)",
    "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "fcntl.flock(os.open('.', 0), fcntl.LOCK_EX)",
    "fcntl.lockf(os.open('f', os.O_RDWR), fcntl.LOCK_EX)",
    "fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())",
    "fcntl.ioctl(0, 0x5412, b'x')",  # TIOCSTI
    "resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))",
    "call('unshare', 0x10000000)",  # a user namespace
    "call('prctl', 1, 0)",  # not to end with the parent
    "call('ptrace', 0x4206, os.getppid(), 0, 0)",
    "call('syscall', 425, 8, bytes(256))",  # io_uring_setup
    "call('syscall', 250, 0, -3, 0)",  # keyctl
    "call('syscall', 321, 0, bytes(128), 128)",  # bpf
    "call('mount', b'x', b'.', b'tmpfs', 0, 0)",
    "call('shmget', 0, 4096, 0o1600)",
)


def test_it_can_do_nothing_else_to_them_or_to_the_machine(
    sandbox: Sandbox, folder: Path
) -> None:
    code = (
        "import ctypes, fcntl, mmap, os, resource, socket\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def call(name, *arguments):\n"
        "    if getattr(libc, name)(*arguments) == -1: raise OSError(ctypes.get_errno(), name)\n"
        "open('f', 'w').write('x')\n"
        f"for line in {FORBIDDEN!r}:\n"
        "    try: exec(line)\n"
        "    except (OSError, ValueError): continue\n"
        "    print('done:', line, flush=True)\n"
        "print(os.stat('f').st_size)"
    )
    ended = run_python(sandbox, folder, code)
    assert (ended.code, ended.output) == (0, b"1\n")


def test_it_reads_what_it_was_given(
    sandbox: Sandbox, folder: Path, tmp_path: Path
) -> None:
    given = tmp_path / "given" / "deep"
    given.mkdir(parents=True)
    (given / "file").write_text("seen")
    (tmp_path / "other").write_text("hidden")
    code = (
        f"print(open({str(given / 'file')!r}).read())\n"
        f"try: open({str(tmp_path / 'other')!r})\n"
        "except OSError: print('refused')"
    )
    ended = run_python(sandbox, folder, code, readable=[given.parent, given])
    assert ended.output == b"seen\nrefused\n"


def test_it_starts_where_it_is_told(
    sandbox: Sandbox, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "root" / "file"
    file.parent.mkdir()
    file.write_text("here")
    code = "print(open('file').read())"
    ended = run_python(sandbox, folder, code, readable=[file], start=file.parent)
    assert ended.output == b"here\n"


def test_a_box_that_has_not_started_yet_is_ended_too(
    sandbox: Sandbox, folder: Path
) -> None:
    # So short that most are ended while the box is being made.
    before = below(os.getpid())
    for milliseconds in (1, 5, 10, 15, 20, 30, 40, 60):
        limits = Limits(seconds=milliseconds / 1000)
        ended = run_python(
            sandbox, folder, "import time; time.sleep(300)", limits=limits
        )
        assert ended.limit == "time"
        assert not below(os.getpid()) - before
    assert not [word for word in command_lines() if str(folder) in word]


def test_cancelling_ends_it(sandbox: Sandbox, folder: Path) -> None:
    ended = run_python(
        sandbox,
        folder,
        "open('started', 'w'); import time; time.sleep(300)",
        cancel=(folder / "started").exists,
    )
    assert (ended.limit, ended.code) == ("cancelled", -signal.SIGKILL)


def test_a_cancel_that_breaks_ends_it_and_is_heard(
    sandbox: Sandbox, folder: Path
) -> None:
    spy = Spy()

    def broken() -> bool:
        spy()
        if spy.seen:
            raise ZeroDivisionError
        return False

    with pytest.raises(ZeroDivisionError):
        run_python(sandbox, folder, "import time; time.sleep(300)", cancel=broken)
    assert not [process for process in spy.seen if is_running(process)]


def test_a_program_that_cannot_start_is_a_broken_box(
    sandbox: Sandbox, folder: Path
) -> None:
    with pytest.raises(BoxBroken, match="cannot start /nowhere/program: No such file"):
        sandbox.run(Box("test", ["/nowhere/program"], [], folder))


def test_a_program_that_was_not_given_cannot_start(
    sandbox: Sandbox, folder: Path, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    with pytest.raises(BoxBroken, match="cannot start"):
        sandbox.run(Box("test", [str(program)], [], folder))


def test_a_box_that_cannot_be_made_never_ran(folder: Path) -> None:
    class Asking(Landlocked):
        """Asks for a Landlock that no kernel has."""

        def __init__(self) -> None:
            super().__init__(namespaces=False)
            self._landlock = 4711

    with pytest.raises(BoxBroken, match="Landlock 4711 was asked for"):
        run_python(Asking(), folder, "open('ran', 'w')")
    assert not (folder / "ran").exists()


def test_what_is_asked_for_wrongly_is_refused_before_anything_starts(
    sandbox: Sandbox, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(BadBox, match="missing, to be read, does not exist"):
        run_python(sandbox, folder, "pass", readable=[tmp_path / "missing"])


def test_many_boxes_run_side_by_side(sandbox: Sandbox, tmp_path: Path) -> None:
    import concurrent.futures

    def one(number: int) -> bytes:
        folder = tmp_path / str(number)
        folder.mkdir()
        return run_python(
            sandbox, folder, f"import time; time.sleep(0.1); print({number})"
        ).output

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(8))) == [f"{n}\n".encode() for n in range(8)]


HELPER = """
import sys
from pathlib import Path
from tests.workbench.lean.sandbox.boxes import KINDS, run_python
kind, folder = sys.argv[1:]
run_python(KINDS[kind](), Path(folder), "open('started', 'w'); import time; time.sleep(300)")
"""


@pytest.mark.parametrize("kind", KINDS)
def test_when_we_are_killed_nothing_is_left(kind: str, folder: Path) -> None:
    helper = subprocess.Popen(
        [sys.executable, "-c", HELPER, kind, str(folder)],
        cwd=REPOSITORY,
        stderr=subprocess.PIPE,
    )
    try:
        assert wait_until(
            lambda: (folder / "started").exists() or helper.poll() is not None
        )
        if helper.returncode is not None:
            assert helper.stderr is not None
            reason = helper.stderr.read().decode().strip().splitlines()[-1]
            assert "NoSandbox" in reason or "BoxBroken" in reason, reason
            pytest.skip(f"{kind}: {reason}")
        left = below(helper.pid)
        assert left
    finally:
        helper.kill()
        helper.wait()
        assert helper.stderr is not None
        helper.stderr.close()
    assert wait_until(lambda: not any(is_running(process) for process in left))


class TestWithoutBox:
    def test_limits_hold(self, folder: Path) -> None:
        ended = run_python(
            Unboxed(),
            folder,
            "import time; time.sleep(300)",
            limits=Limits(seconds=0.5),
        )
        assert ended.limit == "time"
        ended = run_python(
            Unboxed(),
            folder,
            "while True: print('x' * 1000)",
            limits=Limits(seconds=60, output_bytes=5000),
        )
        assert ended.limit == "output"

    def test_children_in_its_group_are_killed(self, folder: Path) -> None:
        code = (
            "import os, time\n"
            "child = os.fork()\n"
            "if child == 0: time.sleep(300)\n"
            "print(child)"
        )
        ended = run_python(Unboxed(), folder, code)
        assert wait_until(lambda: not is_running(int(ended.output)))

    def test_it_says_that_it_is_none(self) -> None:
        sandbox: Sandbox = Unboxed()
        assert (sandbox.name, sandbox.words) == ("none", "no sandbox, limits only")
        assert set(sandbox.versions) == {"kernel", "python"}


def test_a_box_ended_from_outside_is_no_result(sandbox: Sandbox, folder: Path) -> None:
    def kill_it() -> bool:
        # By an oom killer, say: the process that we started and all below it.
        spy()
        if (folder / "started").exists():
            for process in spy.seen:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    continue
        return False

    spy = Spy()
    code = "open('started', 'w'); import time; time.sleep(300)"
    if isinstance(sandbox, Landlocked) and "no namespaces" in sandbox.words:
        # The process that we started is the program, so how it ended is known.
        ended = run_python(sandbox, folder, code, cancel=kill_it)
        assert (ended.code, ended.limit) == (-signal.SIGKILL, "")
    else:
        with pytest.raises(BoxBroken):
            run_python(sandbox, folder, code, cancel=kill_it)
    assert wait_until(lambda: not any(is_running(process) for process in spy.seen))
