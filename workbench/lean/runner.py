"""Become Lean: load a shared library that exports `lean_main` and call it with the given arguments.

    python runner.py [--limit NAME=VALUE]... LIBRARY [LEAN ARGUMENT]...

`lean_main` tears the runtime down when it returns, so it is called once per process, and this file is a
script of its own: it imports nothing of the project, so a sandbox needs to show it the interpreter, this
file and the library only. Limits are those of `setrlimit` (`cpu` in seconds, `as`, `fsize` and `core` in
bytes, `nofile`), set before Lean starts. Lean's threads reserve stack by address space: `as` below 8 GiB
stops it from starting. Exit code: Lean's own; 2 for wrong use; 3 if the library cannot be loaded.
"""

from __future__ import annotations

import ctypes
import resource
import sys
from collections.abc import Sequence

LIMITS = {
    "as": resource.RLIMIT_AS,
    "core": resource.RLIMIT_CORE,
    "cpu": resource.RLIMIT_CPU,
    "fsize": resource.RLIMIT_FSIZE,
    "nofile": resource.RLIMIT_NOFILE,
}
WRONG_USE = 2
NO_LIBRARY = 3


def set_limit(text: str) -> None:
    """Set one resource limit from `name=value`. Raises ValueError for an unknown name or a value that is no number."""
    name, _, value = text.partition("=")
    if name not in LIMITS or not value.isdecimal():
        raise ValueError(
            f"{text!r} is no limit; expected NAME=NUMBER with a name of {', '.join(LIMITS)}"
        )
    resource.setrlimit(LIMITS[name], (int(value), int(value)))


def run_lean(library: str, arguments: Sequence[str]) -> int:
    """Return the exit code of Lean. Raises OSError if `library` cannot be loaded or has no `lean_main`."""
    try:
        lean_main = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL).lean_main
    except AttributeError as missing:
        raise OSError(f"{library} exports no lean_main") from missing
    words = [
        b"lean",
        *(argument.encode("utf-8", "surrogateescape") for argument in arguments),
    ]
    return int(
        lean_main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None))
    )


def main(arguments: Sequence[str]) -> int:
    """Return the exit code for the command line `arguments` (without the program's name)."""
    rest = list(arguments)
    try:
        while rest[:1] == ["--limit"]:
            set_limit(rest[1] if len(rest) > 1 else "")
            del rest[:2]
    except (ValueError, OSError) as wrong:
        sys.stderr.write(f"runner.py: {wrong}\n")
        return WRONG_USE
    if not rest:
        sys.stderr.write("runner.py: expected the path of the Lean library\n")
        return WRONG_USE
    try:
        return run_lean(rest[0], rest[1:])
    except OSError as broken:
        sys.stderr.write(f"runner.py: {broken}\n")
        return NO_LIBRARY


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
