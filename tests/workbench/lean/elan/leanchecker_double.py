"""Double of `leanchecker`, which only a full toolchain has. Runs as a program of its own, without the project.

Words, order and exit codes are those of Lean's `LeanChecker.lean` for `leanchecker [-v] MODULE`. The file is read by
Lean's own `readModuleData` and judged by Lean's own `Kernel.Environment.replay`, both called in the shared library; so what the writer
makes must be what Lean reads. Not doubled: several modules, `--fresh`, modules with imports.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

LIBRARY = None  # set where the program is made
CONSTRUCTOR, ARRAY = 0, 246


def word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def elements(array: int) -> list[int]:
    return [word(array + 24 + 8 * place) for place in range(word(array + 8))]


def object_of(words: list[int]) -> int:
    """An object that is never freed, by its words."""
    kept = (ctypes.c_uint64 * len(words))(*words)
    KEPT.append(kept)
    return ctypes.addressof(kept)


KEPT: list[object] = []


def constructor(tag: int, *fields: int) -> int:
    size = 8 * (1 + len(fields))
    return object_of([tag << 56 | len(fields) << 48 | size << 32, *fields])


def hash_map(names: list[int], values: list[int]) -> int:
    """A `Std.HashMap` with one bucket, in which order and hashes do not matter."""
    chain = 1
    for name, value in zip(names, values, strict=True):
        chain = constructor(1, name, value, chain)
    buckets = object_of([ARRAY << 56 | 32 << 32, 1, 1, chain])
    return constructor(0, len(names) << 1 | 1, buckets)


def find(module: str) -> Path:
    places = [Path(os.environ["LEAN_SYSROOT"], "lib", "lean")]
    places += [Path(text) for text in os.environ["LEAN_PATH"].split(":") if text]
    for place in places:
        path = place.joinpath(*module.split(".")).with_suffix(".olean")
        if path.is_file():
            return path
    sys.stderr.write(f"uncaught exception: Could not find any oleans for: {module}\n")
    sys.exit(1)


def main(words: list[str]) -> int:
    (module,) = [text for text in words if not text.startswith("-")]
    path = find(module)
    lean = ctypes.CDLL(LIBRARY, mode=ctypes.RTLD_GLOBAL)
    pointer = ctypes.c_void_p
    for name, arguments in {
        "lean_mk_string": [ctypes.c_char_p],
        "l_Lean_readModuleData": [pointer],
        "l_Lean_mkEmptyEnvironment": [ctypes.c_uint32, pointer],
        "lean_elab_environment_to_kernel_env": [pointer],
        "l_Lean_Kernel_Environment_replay": [pointer, pointer],
        "lean_io_result_show_error": [pointer],
    }.items():
        getattr(lean, name).argtypes = arguments
        getattr(lean, name).restype = pointer
    lean.lean_initialize()
    lean.lean_io_mark_end_initialization()
    if {"-v", "--verbose"} & set(words):
        print(f"replaying {module}", flush=True)
    result = lean.l_Lean_readModuleData(lean.lean_mk_string(str(path).encode()))
    if word(result) >> 56 == 0:
        data = word(word(result + 8) + 8)
        constants = hash_map(elements(word(data + 16)), elements(word(data + 24)))
        made = lean.l_Lean_mkEmptyEnvironment(0, 1)
        empty = lean.lean_elab_environment_to_kernel_env(word(made + 8))
        result = lean.l_Lean_Kernel_Environment_replay(constants, empty)
    if word(result) >> 56 == 0:
        os._exit(0)
    sys.stderr.write(f"leanchecker found a problem in {module}\n")
    sys.stderr.flush()
    lean.lean_io_result_show_error(result)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
