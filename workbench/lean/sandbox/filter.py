"""The seccomp filter of a box, as the bytes of a BPF program.

Written out here because the one system call that applies it needs nothing else, while PyPI's binding needs libseccomp.so. The
program looks at the number of the system call and the low half of one argument; the kernel itself ignores the high half of
each argument that is looked at. What is not allowed fails with ENOSYS, as on a kernel without it, so that C libraries fall back.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Sequence

from workbench.lean.sandbox.box import NoSandbox
from workbench.lean.sandbox.syscalls import ARCHITECTURES, PLAIN, RULED

# Stands in the program for the id of the confined process, which confine.py puts in; no process has it.
OWN_PID = 0x7FFFFFFF

_LOAD, _AND, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000

_CLONE_THREAD = 0x00010000
# New namespaces (time, cgroup, uts, ipc, user, pid, net, mount): a box makes none.
_CLONE_NEW = 0x80 | 0x02000000 | 0x7C000000 | 0x00020000
_O_TMPFILE, _O_TRUNC, _O_ACCMODE = 0x00400000, 0o1000, 0o3
_MAP_SHARED, _MAP_ANONYMOUS = 0x1, 0x20
# F_DUPFD, GETFD, SETFD, GETFL, SETFL, DUPFD_CLOEXEC. Not F_SETOWN: it sends signals to others. No locks: others wait for them.
_FCNTL = (0, 1, 2, 3, 4, 1030)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Not TIOCSTI: it types on a terminal.
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# PR_SET_NAME, PR_GET_NAME, PR_SET_VMA. Not PR_SET_PDEATHSIG: that is what ends the box with us.
_PRCTL = (15, 16, 0x53564D41)

Instruction = tuple[int, int, int, int]


def program(machine: str = "") -> bytes:
    """Return the filter for this processor, or for `machine` (`x86_64`, `aarch64`). Raises NoSandbox for another."""
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        raise NoSandbox(
            f"no list of system calls for {machine}; there is one for {' and '.join(ARCHITECTURES)}"
        )
    architecture, column = ARCHITECTURES[machine]
    lines: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        # Another architecture on this kernel (32 bits) has other numbers. x32 has these, with a high bit: not listed.
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    for numbers in PLAIN.values():
        lines += _when(numbers[column], [(_RETURN, 0, 0, _ALLOW)])
    for name, rule in _rules().items():
        lines += _when(RULED[name][column], rule)
    lines.append(_refuse(errno.ENOSYS))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _rules() -> dict[str, Sequence[Instruction]]:
    own = _one_of(0, (OWN_PID,), errno.EPERM)
    return {
        "open": _opening(flags=1),
        "openat": _opening(flags=2),
        "clone": [
            *_argument(0), (_AND, 0, 0, _CLONE_THREAD | _CLONE_NEW), (_EQUAL, 0, 1, _CLONE_THREAD),
            (_RETURN, 0, 0, _ALLOW), _refuse(errno.EAGAIN),
        ],
        "fork": [_refuse(errno.EAGAIN)],
        "vfork": [_refuse(errno.EAGAIN)],
        "kill": own,
        "tgkill": own,
        "fcntl": _one_of(1, _FCNTL, errno.EPERM),
        "ioctl": _one_of(1, _IOCTL, errno.ENOTTY),
        "prctl": _one_of(0, _PRCTL, errno.EINVAL),
        "prlimit64": _one_of(0, (0, OWN_PID), errno.EPERM),
        # Memory that is shared with nobody can be let go of by a process and kept by the kernel, where no watch sees it.
        "mmap": [
            *_argument(3), (_AND, 0, 0, _MAP_SHARED | _MAP_ANONYMOUS), (_EQUAL, 0, 1, _MAP_SHARED | _MAP_ANONYMOUS),
            _refuse(errno.ENOMEM), (_RETURN, 0, 0, _ALLOW),
        ],
    }  # fmt: skip


def _opening(flags: int) -> list[Instruction]:
    return [
        # A file without a name would not be seen in the folder.
        *_argument(flags), (_ANY_BIT, 0, 1, _O_TMPFILE), _refuse(errno.EOPNOTSUPP),
        # Opened for reading with O_TRUNC, a file is emptied, and Landlock before version 3 does not mind.
        *_argument(flags), (_AND, 0, 0, _O_TRUNC | _O_ACCMODE), (_EQUAL, 0, 1, _O_TRUNC), _refuse(errno.EACCES),
        (_RETURN, 0, 0, _ALLOW),
    ]  # fmt: skip


def _argument(number: int) -> list[Instruction]:
    # The low half: both processors are little-endian.
    return [(_LOAD, 0, 0, _ARGUMENTS + 8 * number)]


def _one_of(argument: int, values: Sequence[int], error: int) -> list[Instruction]:
    lines = _argument(argument)
    for value in values:
        lines += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return [*lines, _refuse(error)]


def _refuse(error: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | error)


def _when(number: int | None, rule: Sequence[Instruction]) -> list[Instruction]:
    """Return `rule` (which returns in every case) behind a test of the system call's number; nothing without a number."""
    return [] if number is None else [(_EQUAL, 0, len(rule), number), *rule]
