"""The system calls that a box may make, with their numbers on each processor.

Taken from what Lean and Python ask for (strace), their older and newer forms beside them, so that another C library finds one
that is there. Numbers: the kernel's asm/unistd_64.h and asm-generic/unistd.h. Not here, and so not in a box: sockets, processes, signals to
others, tracing, locks, links, folders, modes and owners, devices, mounts, namespaces, keys, shared memory with a name, io_uring.
"""

from __future__ import annotations

X86_64 = 0xC000003E
AARCH64 = 0xC00000B7
# What `platform.machine()` says → the architecture by the audit numbers of the kernel, and the column below.
ARCHITECTURES = {"x86_64": (X86_64, 0), "aarch64": (AARCH64, 1)}

# Always allowed.
PLAIN: dict[str, tuple[int | None, int | None]] = {
    # memory
    "brk": (12, 214), "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226),
    "madvise": (28, 233),
    # threads and the process itself
    "exit": (60, 93), "exit_group": (231, 94), "execve": (59, 221), "futex": (202, 98), "set_robust_list": (273, 99),
    "set_tid_address": (218, 96), "rseq": (334, 293), "sched_yield": (24, 124), "sched_getaffinity": (204, 123),
    "gettid": (186, 178), "getpid": (39, 172), "getppid": (110, 173), "getcpu": (309, 168), "membarrier": (324, 283),
    "restart_syscall": (219, 128), "arch_prctl": (158, None), "wait4": (61, 260), "waitid": (247, 95),
    # signals that it gets
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133), "sigaltstack": (131, 132), "pause": (34, None),
    # time
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153), "getrusage": (98, 165),
    # who and where it is
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "getgroups": (115, 158),
    "getresuid": (118, 148), "getresgid": (120, 150), "getpgid": (121, 155), "getpgrp": (111, None), "getsid": (124, 156),
    "uname": (63, 160), "sysinfo": (99, 179), "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50), "umask": (95, 166),
    "getrlimit": (97, 163), "getrandom": (318, 278),
    # open files
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67), "pwrite64": (18, 68),
    "preadv": (295, 69), "pwritev": (296, 70), "lseek": (8, 62), "close": (3, 57), "close_range": (436, 436),
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "fsync": (74, 82), "fdatasync": (75, 83), "ftruncate": (77, 46),
    "fadvise64": (221, 223), "copy_file_range": (326, 285),
    # files by name: what may be opened or renamed is a matter of Landlock and of mounts
    "stat": (4, None), "lstat": (6, None), "fstat": (5, 80), "newfstatat": (262, 79), "statx": (332, 291),
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "readlink": (89, None), "readlinkat": (267, 78),
    "getdents": (78, None), "getdents64": (217, 61), "statfs": (137, 43), "fstatfs": (138, 44),
    "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276),
    # waiting
    "pipe": (22, None), "pipe2": (293, 59), "eventfd2": (290, 19), "epoll_create": (213, None), "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21), "epoll_wait": (232, None), "epoll_pwait": (281, 22), "poll": (7, None), "ppoll": (271, 73),
    "select": (23, None), "pselect6": (270, 72),
}  # fmt: skip

# Allowed or refused by their arguments; the rules are in filter.py.
RULED: dict[str, tuple[int | None, int | None]] = {
    "open": (2, None), "openat": (257, 56), "clone": (56, 220), "fork": (57, None), "vfork": (58, None),
    "kill": (62, 129), "tgkill": (234, 131), "fcntl": (72, 25), "ioctl": (16, 29), "prctl": (157, 167),
    "prlimit64": (302, 261), "mmap": (9, 222),
}  # fmt: skip
