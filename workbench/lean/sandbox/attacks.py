"""What must fail in a box: each attack is tried, and one line of JSON says what came of it.

    python -I -S attacks.py PLAN NAME...

PLAN is JSON with the targets (probe.py makes it). A script of its own, standard library only; it does no harm but to its targets. An
attack that could be done returns words (often what it read); one that could not raises OSError.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal as signals
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

Plan = dict[str, Any]
_PTRACE_SEIZE = 0x4206
_F_SETSIG = 10
_OUTLIVE_SECONDS = 3.0


def tcp(plan: Plan) -> str:
    """Reach a server of the machine."""
    socket.create_connection(("127.0.0.1", plan["tcp"]), 1).close()
    return "connected"


def udp(plan: Plan) -> str:
    """Send a datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.sendto(b"x", ("127.0.0.1", plan["udp"]))
    return "sent"


def unix_abstract(plan: Plan) -> str:
    """Reach a server by an abstract name, which no file stands for."""
    return _connect("\0" + plan["abstract"])


def unix_named(plan: Plan) -> str:
    """Reach a server by a socket file."""
    return _connect(plan["socket"])


def _connect(address: str) -> str:
    with socket.socket(socket.AF_UNIX) as ours:
        ours.connect(address)
    return "connected"


def read_outside(plan: Plan) -> str:
    """Read a file that was not given."""
    with open(plan["secret"]) as file:
        return file.read()


def write_outside(plan: Plan) -> str:
    """Make a file elsewhere."""
    return _write(plan["outside"] + "/made")


def write_shared(plan: Plan) -> str:
    """Make a file in the machine's shared memory."""
    return _write(plan["shared"])


def write_given(plan: Plan) -> str:
    """Make a file where it may read only."""
    return _write(plan["given"] + "/made")


def _write(path: str) -> str:
    with open(path, "w") as file:
        file.write("x")
    return "written"


def empty_given(plan: Plan) -> str:
    """Empty a file that it may read only, by opening it for reading."""
    os.close(os.open(plan["given"] + "/full", os.O_RDONLY | os.O_TRUNC))
    return "emptied"


def change_outside(plan: Plan) -> str:
    """Change the mode of a file elsewhere, which Landlock does not forbid."""
    os.chmod(plan["outside"] + "/mode", 0o640)
    return "changed"


def remove_outside(plan: Plan) -> str:
    """Remove a file elsewhere."""
    os.unlink(plan["outside"] + "/removable")
    return "removed"


def link_inside(plan: Plan) -> str:
    """Leave a link to a file outside, for others to follow."""
    os.symlink(plan["secret"], "link")
    return "linked"


def environment(plan: Plan) -> str:
    """Read the environment of another process."""
    with open(f"/proc/{plan['read_victim']}/environ") as file:
        return file.read()


def trace(plan: Plan) -> str:
    """Take hold of another process as a debugger."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(_PTRACE_SEIZE, plan["read_victim"], None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return "traced"


def signal(plan: Plan) -> str:
    """Send a signal."""
    os.kill(plan["victim"], signals.SIGUSR1)
    return "sent"


def signal_by_file(plan: Plan) -> str:
    """Have the kernel send a signal to the owner of a pipe."""
    reading, writing = os.pipe()
    fcntl.fcntl(reading, fcntl.F_SETOWN, plan["other_victim"])
    fcntl.fcntl(reading, _F_SETSIG, signals.SIGUSR2)
    fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
    os.write(writing, b"x")
    return "sent"


def fork(plan: Plan) -> str:
    """Be more than one process."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "forked"


def outlive(plan: Plan) -> str:
    """Leave a process behind, in a session of its own, that goes on writing."""
    if os.fork() == 0:
        try:
            os.setsid()
            if os.fork() == 0:
                _go_on_writing()
        finally:
            os._exit(0)
    os.wait()
    return "left"


def _go_on_writing() -> None:
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    until = time.monotonic() + _OUTLIVE_SECONDS
    while time.monotonic() < until:
        with open("alive", "a") as file:
            file.write("x")
        time.sleep(0.01)


def big_file(plan: Plan) -> str:
    """Write a file beyond the limit."""
    signals.signal(signals.SIGXFSZ, signals.SIG_IGN)
    with open("big", "wb") as file:
        file.write(bytes(plan["big_file"]))
    return "written"


def overtime(plan: Plan) -> str:
    """Take longer than allowed."""
    time.sleep(plan["overtime"])
    return "slept"


def flood(plan: Plan) -> str:
    """Print more than allowed."""
    line = "x" * 1023 + "\n"
    for _ in range(plan["flood"] // 1024):
        sys.stdout.write(line)
    return "printed"


def memory(plan: Plan) -> str:
    """Use more memory than allowed."""
    kept = []
    for _ in range(plan["memory"] >> 24):
        kept.append(b"x" * (1 << 24))
        time.sleep(0.02)
    time.sleep(plan["hold"])
    return f"kept {len(kept)}"


def threads(plan: Plan) -> str:
    """Be more threads than allowed."""
    ended = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(plan["threads"]):
            started.append(threading.Thread(target=ended.wait, daemon=True))
            started[-1].start()
        time.sleep(plan["hold"])
    except RuntimeError as error:
        raise OSError(str(error)) from None
    finally:
        ended.set()
    return f"{len(started)} threads"


def disk(plan: Plan) -> str:
    """Fill the folder with more than allowed."""
    for number in range(plan["disk"] >> 16):
        with open(f"part{number}", "wb") as file:
            file.write(b"x" * (1 << 16))
        time.sleep(0.002)
    time.sleep(plan["hold"])
    return "filled"


ACCESS: tuple[Callable[[Plan], str], ...] = (
    tcp, udp, unix_abstract, unix_named, read_outside, write_outside, write_shared, write_given, empty_given, change_outside,
    remove_outside, link_inside, environment, trace, signal, signal_by_file, fork, outlive, big_file,
)  # fmt: skip
EXCESS: tuple[Callable[[Plan], str], ...] = (overtime, flood, memory, threads, disk)


def main(words: list[str]) -> None:
    """Try the attacks named, and say of each what came of it."""
    plan = json.loads(words[0])
    for attack in (*ACCESS, *EXCESS):
        if attack.__name__ not in words[1:]:
            continue
        try:
            said, done = attack(plan), True
        except OSError as error:
            said, done = str(error), False
        print(  # noqa: T201  this script answers by printing
            json.dumps({"attack": attack.__name__, "done": done, "said": said}),
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
