"""Limit this process and become a program: the last step of every kind of box.

    python -I -S confine.py [SWITCH VALUE]... -- PROGRAM [ARGUMENT]...

A script of its own that imports the standard library only, so a box has to show it the interpreter and this file. What
it was told to do and cannot, it says on the pipe `--status` (`broken WORDS`) and ends with code 125; otherwise it says `ready` as the
last thing before the program starts. With a pid namespace it stays as its first process and says how the program ended
(`ended WAIT-STATUS CPU-SECONDS PEAK-KIB`). The switches are written by `command`.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import struct
import sys

# `typing`, `dataclasses` and `signal` would double the time that this script takes to start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

BROKEN = 125
OWN_PID = struct.pack("=I", 0x7FFFFFFF)  # see filter.py

RESOURCES = {
    "as": resource.RLIMIT_AS,
    "core": resource.RLIMIT_CORE,
    "cpu": resource.RLIMIT_CPU,
    "fsize": resource.RLIMIT_FSIZE,
    "memlock": resource.RLIMIT_MEMLOCK,
    "nofile": resource.RLIMIT_NOFILE,
    "nproc": resource.RLIMIT_NPROC,
}

_SIGKILL, _SIGPIPE, _SIGXFSZ = 9, 13, 25
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 4, 22, 24
_PR_SET_SECUREBITS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 28, 38, 47
_SECCOMP_MODE_FILTER, _PR_CAP_AMBIENT_CLEAR_ALL = 2, 4
_SECURE = 0x2F  # no privileges for uid 0 and none kept over a change of uid, both locked; ambient ones locked too
_CAPABILITIES = 0x20080522
# user, pid, network, IPC, host name, mounts (for a /proc of the new pid namespace: Lean looks itself up there)
_NAMESPACES = 0x10000000 | 0x20000000 | 0x40000000 | 0x08000000 | 0x04000000 | 0x20000
_MS_PRIVATE_BELOW, _MS_NOTHING_SPECIAL = 0x44000, 0xE
# The same on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_REMOVE_FILE, _MAKE_REG, _TRUNCATE = 1 << 5, 1 << 8, 1 << 14
# How many rights to files each version of Landlock knows.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}

libc = ctypes.CDLL(None, use_errno=True)


class Broken(Exception):
    """A step that was asked for cannot be done."""


class Order:
    """What to do.

    `parent` is who must still be there (0: not to be asked), `status` and `cgroup` are open files (-1: none). `role`: `self` become the
    program; `first` be the first process of a pid namespace that somebody made; `maker` make the namespaces, then as `first`.
    `folder` is where the program starts, `limits` are names of `RESOURCES` with values. `landlock` is the version to use (0: none),
    `filter` the BPF program in hex, empty for none.
    """

    def __init__(
        self,
        program: Sequence[str] = (),
        *,
        parent: int = 0,
        status: int = -1,
        cgroup: int = -1,
        role: str = "self",
        folder: str = "/",
        limits: Mapping[str, int] | None = None,
        landlock: int = 0,
        readable: Sequence[str] = (),
        writable: Sequence[str] = (),
        filter: str = "",
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.program = list(program)
        self.parent, self.status, self.cgroup = parent, status, cgroup
        self.role, self.folder, self.landlock, self.filter = (
            role,
            folder,
            landlock,
            filter,
        )
        self.limits, self.env = dict(limits or {}), dict(env or {})
        self.readable, self.writable = list(readable), list(writable)


def command(interpreter: str, script: str, order: Order) -> list[str]:
    """Return the words that carry out `order`; `parse` reads them back."""
    words = [interpreter, "-I", "-S", script]
    for name in ("parent", "status", "cgroup", "role", "folder", "landlock", "filter"):
        words += [f"--{name}", str(getattr(order, name))]
    for name, value in order.limits.items():
        words += ["--limit", f"{name}={value}"]
    for switch, paths in (("--read", order.readable), ("--write", order.writable)):
        for path in paths:
            words += [switch, path]
    for name, text in order.env.items():
        words += ["--env", f"{name}={text}"]
    return [*words, "--", *order.program]


def parse(words: Sequence[str]) -> Order:
    """Return the order in `words`. Raises Broken."""
    order = Order()
    at = 0
    while at + 1 < len(words) and words[at] != "--":
        switch, value = words[at].removeprefix("--"), words[at + 1]
        name, _, text = value.partition("=")
        if switch == "limit":
            order.limits[name] = _number(words[at], value, text)
        elif switch == "env":
            order.env[name] = text
        elif switch == "read":
            order.readable.append(value)
        elif switch == "write":
            order.writable.append(value)
        elif switch in ("parent", "status", "cgroup", "landlock"):
            setattr(order, switch, _number(words[at], value, value))
        elif switch in ("role", "folder", "filter"):
            setattr(order, switch, value)
        else:
            raise Broken(f"{words[at]} is no switch")
        at += 2
    order.program = list(words[at + 1 :])
    if not order.program:
        raise Broken("no program after --")
    return order


def _number(switch: str, value: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Broken(f"{switch} {value}: expected a number") from None


def landlock_version() -> int:
    """Return the version of Landlock that this kernel offers; 0 for none."""
    return max(
        0,
        int(
            libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
        ),
    )


def carry_out(order: Order) -> NoReturn:
    """Become the program of `order`. Raises Broken; the process may then be limited in part, and must end."""
    if order.role == "maker":
        _make_namespaces()
    _die_with_parent()
    if order.parent and os.getppid() != order.parent:
        raise Broken("who asked for the box has ended")
    if order.role == "maker":
        _stay_outside(order)
    if order.role in ("maker", "first"):
        _stay_first(order)
    _limit(order)
    for number in (_SIGPIPE, _SIGXFSZ):
        libc.signal(number, None)  # the default, which Python changed
    if order.filter:
        _filter(order.filter)
    _say(order.status, "ready")
    *interpreter, script = [*order.program, "", "", "", ""][:4]
    if interpreter == [sys.executable, "-I", "-S"] and script.startswith("/"):
        _become_script(order, script)
    try:
        os.execve(order.program[0], order.program, order.env)  # noqa: S606  becoming the program is the purpose
    except OSError as error:
        raise Broken(f"cannot start {order.program[0]}: {error.strerror}") from None


def _become_script(order: Order, script: str) -> NoReturn:
    """Run a script of this very interpreter here, which saves starting the interpreter once more (10 ms and up)."""
    for descriptor in (order.status, order.cgroup):
        if descriptor >= 0:
            os.close(descriptor)
    os.environ.clear()
    os.environ.update(order.env)
    sys.argv[:] = order.program[3:]
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec")
    names = {"__name__": "__main__", "__file__": script, "__builtins__": __builtins__}
    exec(code, names)  # noqa: S102  as the interpreter would
    sys.exit(0)


def _stay_outside(order: Order) -> None:
    """Fork the first process of the new namespace and return in it; here, wait for it and end."""
    alive, ours = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(ours)
        _die_with_parent()
        # If it ended before that call, its end of the pipe is closed.
        if select.select([alive], [], [], 0)[0]:
            os._exit(BROKEN)
        os.close(alive)
        _mount_proc()
        return
    os.close(alive)
    if order.status >= 0:
        os.close(order.status)
    _, status = os.waitpid(first, 0)
    os._exit(0 if status == 0 else BROKEN)


def _stay_first(order: Order) -> None:
    """Fork the process that will be the program and return in it; here, wait for it, say how it ended, and end."""
    # Nobody inside can look into this process or change it by way of /proc.
    _prctl("not to be traced", _PR_SET_DUMPABLE, 0)
    child = os.fork()
    if child == 0:
        _prctl("to be traced", _PR_SET_DUMPABLE, 1)
        _die_with_parent()
        return
    # It is reachable by nobody, and its output must end with the program.
    for number in (0, 1, 2):
        os.close(number)
    _, status, usage = os.wait4(child, 0)
    _say(
        order.status,
        f"ended {status} {usage.ru_utime + usage.ru_stime:.3f} {usage.ru_maxrss}",
    )
    os._exit(0)


def _limit(order: Order) -> None:
    os.umask(0o077)
    try:
        os.chdir(order.folder)
        for name, value in order.limits.items():
            hard = value + 1 if name == "cpu" else value
            resource.setrlimit(RESOURCES[name], (value, hard))
        if order.cgroup >= 0:
            os.write(order.cgroup, b"0")
    except (OSError, ValueError, KeyError) as error:
        raise Broken(f"limits: {error}") from None
    if order.landlock or order.filter:
        _drop_capabilities()
        _prctl("no new privileges", _PR_SET_NO_NEW_PRIVS, 1)
    if order.landlock:
        _landlock(order.landlock, order.readable, order.writable)
    for name in ("status", "cgroup"):
        if getattr(order, name) >= 0:
            os.set_inheritable(getattr(order, name), False)


def _make_namespaces() -> None:
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_NAMESPACES) != 0:
        raise Broken(f"namespaces: {os.strerror(ctypes.get_errno())}")
    try:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    except OSError as error:
        raise Broken(f"namespaces: {error}") from None


def _mount_proc() -> None:
    if (
        libc.mount(None, b"/", None, ctypes.c_ulong(_MS_PRIVATE_BELOW), None) != 0
        or libc.mount(
            b"proc", b"/proc", b"proc", ctypes.c_ulong(_MS_NOTHING_SPECIAL), None
        )
        != 0
    ):
        raise Broken(f"a /proc of its own: {os.strerror(ctypes.get_errno())}")


def _drop_capabilities() -> None:
    """Give up every capability for good. An unprivileged process has none and is refused the calls that need one."""
    libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for number in range(64):
        if libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0) != 0:
            break
    libc.prctl(_PR_SET_SECUREBITS, _SECURE, 0, 0, 0)
    header = struct.pack("=Ii", _CAPABILITIES, 0)
    if libc.capset(header, bytes(24)) != 0:
        raise Broken(f"capabilities: {os.strerror(ctypes.get_errno())}")


def _landlock(version: int, readable: Sequence[str], writable: Sequence[str]) -> None:
    """Allow reading below `readable` and plain files in `writable`, forbid the rest, in the words of `version`."""
    if version > landlock_version():
        raise Broken(
            f"Landlock {version} was asked for and the kernel has {landlock_version()}"
        )
    rights = (1 << _FILE_RIGHTS[min(version, 5)]) - 1
    attributes = struct.pack("=Q", rights)
    if version >= 4:
        attributes += struct.pack("=Q", 3)  # bind and connect over TCP
    if version >= 6:
        attributes += struct.pack("=Q", 3)  # abstract unix sockets and signals
    ruleset = libc.syscall(
        _CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0
    )
    if ruleset < 0:
        raise Broken(f"Landlock: {os.strerror(ctypes.get_errno())}")
    reading = _EXECUTE | _READ_FILE | _READ_DIR
    making = _READ_FILE | _READ_DIR | _WRITE_FILE | _MAKE_REG | _REMOVE_FILE | _TRUNCATE
    for paths, wanted in ((readable, reading), (writable, making)):
        for path in paths:
            _allow(ruleset, path, wanted & rights)
    if libc.syscall(_RESTRICT_SELF, ruleset, 0) != 0:
        raise Broken(f"Landlock: {os.strerror(ctypes.get_errno())}")
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        raise Broken(f"Landlock: {error}") from None
    if not os.path.isdir(path):
        rights &= ~(_READ_DIR | _MAKE_REG | _REMOVE_FILE)
    if libc.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, place), 0) != 0:
        raise Broken(f"Landlock: {path}: {os.strerror(ctypes.get_errno())}")
    os.close(place)


def _filter(text: str) -> None:
    """Apply the seccomp filter `text`, with this process's own id where the program says so."""
    own = struct.pack("=I", os.getpid())
    lines = bytes.fromhex(text)
    patched = b"".join(
        lines[at : at + 4] + lines[at + 4 : at + 8].replace(OWN_PID, own)
        for at in range(0, len(lines), 8)
    )
    buffer = ctypes.create_string_buffer(patched, len(patched))
    program = struct.pack("@HP", len(patched) // 8, ctypes.addressof(buffer))
    _prctl("seccomp", _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program)


def _die_with_parent() -> None:
    _prctl("end with the parent", _PR_SET_PDEATHSIG, _SIGKILL)


def _prctl(what: str, option: int, *arguments: int | bytes) -> None:
    words: list[object] = [
        ctypes.c_ulong(value) if isinstance(value, int) else value
        for value in arguments
    ]
    words += [ctypes.c_ulong(0)] * (4 - len(words))
    if libc.prctl(option, *words) != 0:
        raise Broken(f"{what}: {os.strerror(ctypes.get_errno())}")


def _say(status: int, words: str) -> None:
    if status >= 0:
        # Nobody reads it any more: whoever asked for the box has ended, and so do we.
        os.write(status, f"{words}\n".encode("utf-8", "replace"))


def main(words: Sequence[str]) -> int:
    """Return the exit code if the program could not be started."""
    order = Order(program=())
    try:
        order = parse(words)
        carry_out(order)
    except Broken as broken:
        text = " ".join(str(broken).split())
        sys.stderr.write(f"confine.py: {text}\n")
        try:
            _say(order.status, f"broken {text}")
        except OSError:
            pass
        return BROKEN


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))
