"""What the attacks of the probe aim at, and whether they were hit: seen from outside, whatever the attacker says."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from workbench.lean.sandbox.system import interpreter

MODE = 0o600
# It allows everybody to trace it (Yama would forbid that), says that it is there, and ends by itself.
_VICTIM = (
    "import ctypes, os, time\n"
    "ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)\n"
    "os.write(1, b'x')\n"
    "time.sleep(60)\n"
)
_SHARED = Path("/dev/shm")  # noqa: S108  an attack aims at it
# The path of a socket has at most 107 bytes.
_LONGEST, _SHORT = 64, "/tmp"  # noqa: S108  folders in it get names of their own


class Targets:
    """Servers, files and processes of one round of attacks."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.token = secrets.token_hex(16)
        self.given, self.outside, self.box = (
            folder / name for name in ("given", "outside", "box")
        )
        for each in (self.given, self.outside, self.box):
            each.mkdir()
        self.secret = _file(self.outside / "secret", self.token)
        for name in ("mode", "removable"):
            _file(self.outside / name, "x")
        self._full = _file(self.given / "full", "x")
        shared = _SHARED if os.access(_SHARED, os.W_OK) else self.outside
        self._shared = shared / f"proofroom-probe-{self.token}"
        stack.callback(self._shared.unlink, missing_ok=True)
        self._abstract = f"proofroom-probe-{self.token}"
        self._servers = {
            "tcp": _server(stack, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": _server(stack, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "unix_abstract": _server(stack, socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self._abstract),
            "unix_named": _server(stack, socket.AF_UNIX, socket.SOCK_STREAM, str(self.outside / "socket")),
        }  # fmt: skip
        self._victims = [_victim(stack, self.token) for _ in range(3)]
        for victim in self._victims:
            assert victim.stdout is not None
            victim.stdout.read(1)

    def plan(self) -> dict[str, object]:
        """Return where to aim, for attacks.py."""
        return {
            "tcp": self._servers["tcp"].getsockname()[1],
            "udp": self._servers["udp"].getsockname()[1],
            "abstract": self._abstract,
            "socket": str(self.outside / "socket"),
            "secret": str(self.secret),
            "outside": str(self.outside),
            "shared": str(self._shared),
            "given": str(self.given),
            # A process that was traced no longer feels signals as others do.
            "read_victim": self._victims[2].pid,
            "victim": self._victims[0].pid,
            "other_victim": self._victims[1].pid,
        }

    def hit(self) -> Mapping[str, bool]:
        """Return attack → whether its target was hit, for those whose effect can be seen from here."""
        effects: dict[str, Callable[[], bool]] = {
            "write_outside": (self.outside / "made").exists,
            "write_shared": self._shared.exists,
            "write_given": (self.given / "made").exists,
            "empty_given": lambda: self._full.stat().st_size == 0,
            "change_outside": lambda: (
                (self.outside / "mode").stat().st_mode & 0o777 != MODE
            ),
            "remove_outside": lambda: not (self.outside / "removable").exists(),
            "link_inside": (self.box / "link").is_symlink,
            "signal": lambda: _has_died(self._victims[0]),
            "signal_by_file": lambda: _has_died(self._victims[1]),
            "outlive": lambda: _grows(self.box / "alive"),
        }
        reached = {name: _was_reached(server) for name, server in self._servers.items()}
        return reached | {name: effect() for name, effect in effects.items()}


@contextlib.contextmanager
def targets() -> Iterator[Targets]:
    """Set up targets, and take them away again."""
    with contextlib.ExitStack() as stack:
        yield Targets(stack.enter_context(empty_folder()), stack)


@contextlib.contextmanager
def empty_folder() -> Iterator[Path]:
    """Make a folder for a box, and take it away again. Its path is short enough for sockets in it, wherever temporary files go."""
    above = None if len(os.fsencode(tempfile.gettempdir())) <= _LONGEST else _SHORT
    with tempfile.TemporaryDirectory(
        prefix="probe-", dir=above, ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder).resolve()


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(MODE)
    return path


def _server(
    stack: contextlib.ExitStack,
    family: socket.AddressFamily,
    kind: socket.SocketKind,
    address: str | tuple[str, int],
) -> socket.socket:
    server = stack.enter_context(socket.socket(family, kind))
    server.bind(address)
    if kind == socket.SOCK_STREAM:
        server.listen(4)
    server.setblocking(False)
    return server


def _was_reached(server: socket.socket) -> bool:
    try:
        if server.type == socket.SOCK_DGRAM:
            server.recv(16)
        else:
            server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _victim(stack: contextlib.ExitStack, token: str) -> subprocess.Popen[bytes]:
    victim = stack.enter_context(
        subprocess.Popen(  # noqa: S603  fixed words
            [str(interpreter()), "-I", "-S", "-c", _VICTIM],
            env={"SECRET": token},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
    )
    # Before the context of the process itself, which waits.
    stack.callback(victim.kill)
    return victim


def _has_died(victim: subprocess.Popen[bytes]) -> bool:
    # A signal that was sent has been delivered when its sender was told so; dying takes a moment.
    with contextlib.suppress(subprocess.TimeoutExpired):
        victim.wait(0.1)
    return victim.returncode is not None


def _grows(file: Path) -> bool:
    before = file.stat().st_size if file.exists() else 0
    time.sleep(0.1)
    return file.exists() and file.stat().st_size > before
