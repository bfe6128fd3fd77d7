"""The filter as a program: run here by a few lines that follow the kernel's rules; on the kernel in test_run.py."""

from __future__ import annotations

import errno
import platform
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.lean.sandbox.box import NoSandbox
from workbench.lean.sandbox.filter import OWN_PID, program
from workbench.lean.sandbox.syscalls import ARCHITECTURES, PLAIN, RULED

ALLOW, KILL = "allow", "kill"
MACHINES = sorted(ARCHITECTURES)
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def judge(
    machine: str, number: int, *arguments: int, architecture: int = 0
) -> str | int:
    """What the filter says: allow, kill, or an error number."""
    values = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack(
        "=IIQ6Q", number, architecture or ARCHITECTURES[machine][0], 0, *values
    )
    lines = list(struct.iter_unpack("=HBBI", program(machine)))
    accumulator, at = 0, 0
    while True:
        code, yes, no, value = lines[at]
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("=I", data, value)[0]
        elif code == 0x54:
            accumulator &= value
        elif code == 0x15:
            at += yes if accumulator == value else no
        elif code == 0x45:
            at += yes if accumulator & value else no
        else:
            assert code == 0x06
            if value == 0x7FFF0000:
                return ALLOW
            return KILL if value == 0x80000000 else value & 0xFFFF


def number(machine: str, name: str) -> int:
    found = {**PLAIN, **RULED}[name][ARCHITECTURES[machine][1]]
    assert found is not None
    return found


@pytest.mark.parametrize("machine", MACHINES)
class TestFilter:
    def test_it_is_as_long_as_a_filter_may_be(self, machine: str) -> None:
        assert 100 < len(program(machine)) // 8 < 4096

    def test_every_path_through_it_ends(self, machine: str) -> None:
        lines = list(struct.iter_unpack("=HBBI", program(machine)))
        assert lines[-1][0] == 0x06
        for at, (code, yes, no, _) in enumerate(lines):
            if code in (0x15, 0x45):
                assert at + 1 + max(yes, no) < len(lines)

    def test_what_is_listed_is_allowed_whatever_its_arguments(
        self, machine: str
    ) -> None:
        for numbers in PLAIN.values():
            found = numbers[ARCHITECTURES[machine][1]]
            if found is not None:
                assert judge(machine, found, *[2**64 - 1] * 6) == ALLOW

    @given(st.integers(0, 2**32 - 1))
    def test_what_is_not_listed_does_not_exist(self, machine: str, other: int) -> None:
        listed = {
            numbers[ARCHITECTURES[machine][1]] for numbers in [*PLAIN.values(), *RULED.values()]
        }  # fmt: skip
        if other not in listed:
            assert judge(machine, other) == errno.ENOSYS

    @given(st.integers(0, 2**32 - 1), st.integers(0, 500))
    def test_another_architecture_is_killed(
        self, machine: str, other: int, call: int
    ) -> None:
        if other not in (0, ARCHITECTURES[machine][0]):
            assert judge(machine, call, architecture=other) == KILL

    def test_threads_are_made_and_processes_are_not(self, machine: str) -> None:
        clone = number(machine, "clone")
        thread = 0x3D0F00  # what the C library asks for
        assert judge(machine, clone, thread) == ALLOW
        assert judge(machine, clone, 17) == errno.EAGAIN
        assert judge(machine, clone, thread & ~0x10000) == errno.EAGAIN

    @pytest.mark.parametrize("bit", [7, 17, 25, 26, 27, 28, 29, 30])
    def test_no_thread_gets_a_new_namespace(self, machine: str, bit: int) -> None:
        clone = number(machine, "clone")
        assert judge(machine, clone, 0x3D0F00 | 1 << bit) == errno.EAGAIN

    @given(flags=st.integers(0, 2**32 - 1))
    def test_files_are_opened_with_a_name_and_emptied_only_to_be_written(
        self, machine: str, flags: int
    ) -> None:
        verdict = judge(machine, number(machine, "openat"), 3, 0, flags)
        if flags & 0x400000:
            assert verdict == errno.EOPNOTSUPP
        elif flags & 0o1000 and flags & 3 == 0:
            assert verdict == errno.EACCES
        else:
            assert verdict == ALLOW

    @given(other=st.integers(0, 2**32 - 1))
    def test_signals_go_to_itself(self, machine: str, other: int) -> None:
        for name in ("kill", "tgkill"):
            expected = ALLOW if other == OWN_PID else errno.EPERM
            assert judge(machine, number(machine, name), other, 9, 9) == expected

    @pytest.mark.parametrize(
        ("name", "argument", "allowed", "refused"),
        [
            ("fcntl", 1, [0, 1, 2, 3, 4, 1030], [5, 6, 7, 8, 10, 15, 1024, 1026, 1031]),
            ("ioctl", 1, [0x5401, 0x541B], [0x5412, 0x8901, 0x40049409]),
            ("prctl", 0, [15, 16], [1, 4, 22, 24, 38]),
            ("prlimit64", 0, [0, OWN_PID], [1, 4711]),
            ("mmap", 3, [0x1, 0x2, 0x22, 0x4022], [0x21, 0x23, 0x4021]),
        ],
    )
    def test_it_looks_at_arguments(
        self,
        machine: str,
        name: str,
        argument: int,
        allowed: list[int],
        refused: list[int],
    ) -> None:
        for values, expected in ((allowed, True), (refused, False)):
            for value in values:
                arguments = [0] * 6
                arguments[argument] = value
                verdict = judge(machine, number(machine, name), *arguments)
                assert (verdict == ALLOW) == expected, value

    def test_the_numbers_are_those_of_the_kernel_s_headers(self, machine: str) -> None:
        # Anchors that hold without the headers, which a machine need not have.
        anchors = {"x86_64": (0, 1, 59), "aarch64": (63, 64, 221)}[machine]
        assert anchors == tuple(
            number(machine, name) for name in ("read", "write", "execve")
        )
        if not HEADERS[machine].exists():
            return
        # asm-generic says `__NR3264_fstatat` where 64-bit processors have newfstatat.
        text = (
            HEADERS[machine].read_text().replace("__NR3264_fstatat", "__NR_newfstatat")
        )
        kernel = dict(
            re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\s*$", text, re.M)
        )
        for name, numbers in {**PLAIN, **RULED}.items():
            found = numbers[ARCHITECTURES[machine][1]]
            if found is None:
                assert machine == "aarch64"
                assert name not in kernel
            else:
                assert kernel[name] == str(found), name


def test_nothing_that_makes_files_other_than_plain_ones_is_listed() -> None:
    for name in (
        "symlink", "link", "mknod", "mkdir", "chmod", "fchmod", "chown", "unlink", "truncate", "socket", "socketpair",
        "ptrace", "process_vm_writev", "unshare", "setns", "mount", "bpf", "io_uring_setup", "keyctl", "memfd_create",
        "setsid", "setpgid", "clone3", "openat2", "execveat", "pidfd_send_signal", "rt_sigqueueinfo", "tkill", "flock",
    ):  # fmt: skip
        assert name not in PLAIN
        assert name not in RULED


def test_a_processor_without_a_list_has_no_sandbox() -> None:
    with pytest.raises(
        NoSandbox, match="no list of system calls for riscv64; there is one for"
    ):
        program("riscv64")


def test_this_processor_is_the_default() -> None:
    assert program() == program(platform.machine())
