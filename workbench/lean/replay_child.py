"""Ask Lean's kernel about the declarations of an image, in a process of its own.

    python -m workbench.lean.replay_child LIBRARY IMAGE NONCE

LIBRARY is a shared library of Lean, IMAGE a file made by replay_plan.py. The image is mapped where it says, its objects are handed to
`lean_add_decl` one after the other in an empty environment, and afterwards every constant that the kernel made by
itself is read back out of its memory and compared. Each line of the answer is `NONCE JSON`; the last says `done`.
No code of a submission is loaded: there is none in the image.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, cast, overload

from workbench.lean.constants import Constant, RecursorData, Rule
from workbench.lean.decode import Decoder
from workbench.lean.olean import Image
from workbench.lean.terms import Bank

# The scalar 0: `none`, and the unit that stands for the world.
NONE = 1
# Of the kernel's own recursion: the stack is what ends it.
_NO_LIMIT = 1 << 31
_MOST_REJECTED = 20
_PROT, _FLAGS = (
    3,
    0x22 | 0x100000,
)  # read and write; private, anonymous, fixed and not replacing
_OTHER = 12
_REASONS = (
    "unknown constant", "already declared", "type of the value is another", "meta variables", "free variables",
    "a function was expected", "a type was expected", "type of a let is another", "types do not fit",
    "an argument does not fit", "invalid projection", "a theorem that states no proposition", "rejected",
    "time is up", "memory is up", "recursion too deep", "interrupted",
)  # fmt: skip


def word(address: int) -> int:
    """Return the eight bytes at `address`."""
    return ctypes.c_uint64.from_address(address).value


class LiveWords:
    """All memory as words, indexed by address / 8: what `Decoder` needs of an image."""

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> array[int]: ...
    def __getitem__(self, place: int | slice) -> int | array[int]:
        if isinstance(place, int):
            return word(place * 8)
        count = max(0, place.stop - place.start)
        return array("Q", (ctypes.c_uint64 * count).from_address(place.start * 8))

    def __len__(self) -> int:
        return 1 << 61


class LiveImage:
    """Objects in Lean's heap, in the form of an image."""

    label = "kernel"
    base = 0
    words = LiveWords()

    def index(self, pointer: int) -> int:
        return pointer >> 3

    def tag(self, at: int) -> int:
        return self.words[at] >> 56

    def string(self, at: int) -> str:
        return ctypes.string_at(at * 8 + 32, self.words[at + 1] - 1).decode()

    def big_number(self, at: int) -> int:
        size = self.words[at + 1] >> 32
        return int.from_bytes(ctypes.string_at(self.words[at + 2], 8 * size), "little")


class Kernel:
    """Lean's kernel behind its C interface, with one environment."""

    def __init__(self, library: str) -> None:
        self.lean = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        pointer = ctypes.c_void_p
        for name, arguments in (
            ("l_Lean_mkEmptyEnvironment", [ctypes.c_uint32, pointer]),
            ("lean_elab_environment_to_kernel_env", [pointer]),
            (
                "lean_add_decl",
                [pointer, ctypes.c_size_t, ctypes.c_size_t, pointer, pointer],
            ),
            ("lean_add_decl_without_checking", [pointer, pointer]),
            ("lean_environment_find", [pointer, pointer]),
        ):
            function = getattr(self.lean, name)
            function.restype, function.argtypes = pointer, arguments
        self.lean.lean_initialize.restype = None
        self.lean.lean_initialize()
        self.lean.lean_io_mark_end_initialization()
        self.clear()

    def clear(self) -> None:
        """Start over with an empty environment of trust level 0."""
        made = self.lean.l_Lean_mkEmptyEnvironment(0, NONE)
        self.environment = self.lean.lean_elab_environment_to_kernel_env(word(made + 8))

    def add(self, declaration: int, *, checked: bool = True) -> str:
        """Add a declaration; return why the kernel refuses it, or nothing. A refusal loses the environment."""
        if checked:
            result = self.lean.lean_add_decl(
                self.environment, 0, _NO_LIMIT, declaration, NONE
            )
        else:
            result = self.lean.lean_add_decl_without_checking(
                self.environment, declaration
            )
        if word(result) >> 56 == 1:
            self.environment = word(result + 8)
            return ""
        return self._reason(word(result + 8))

    def find(self, name: int) -> int:
        """Return the `ConstantInfo` of a name, 0 if there is none."""
        counter = ctypes.c_int32.from_address(self.environment)
        if counter.value > 0:
            counter.value += 1  # the call below gives one reference back
        found = self.lean.lean_environment_find(self.environment, name)
        return 0 if found & 1 else word(found + 8)

    def _reason(self, exception: int) -> str:
        tag = exception >> 1 if exception & 1 else word(exception) >> 56
        reason = _REASONS[tag] if tag < len(_REASONS) else f"kernel exception {tag}"
        if tag == _OTHER:
            reason = LiveImage().string(word(exception + 8) >> 3)
        return reason


def map_image(data: bytes, base: int) -> None:
    """Put `data` into memory at `base`. Raises OSError when something else is there."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_long,
    ]
    if libc.mmap(base, len(data), _PROT, _FLAGS, -1, 0) != base:
        raise OSError(ctypes.get_errno(), f"no {len(data)} bytes at {base:#x}")
    ctypes.memmove(base, data, len(data))


def elements(pointer: int) -> list[int]:
    """Return the elements of an array object."""
    return [word(pointer + 24 + 8 * number) for number in range(word(pointer + 8))]


def add_all(kernel: Kernel, declarations: list[int]) -> Iterator[dict[str, Any]]:
    """Add declarations in order; yield one message for each that is refused, with its number and the reason."""
    accepted: list[int] = []
    refused = 0
    for number, declaration in enumerate(declarations):
        reason = kernel.add(declaration)
        if not reason:
            accepted.append(declaration)
            continue
        yield {"rejected": number, "reason": reason}
        refused += 1
        if refused == _MOST_REJECTED:
            yield {"stopped": number + 1}
            return
        kernel.clear()
        for earlier in accepted:
            kernel.add(earlier, checked=False)


def meaning(constant: Constant, bank: Bank) -> Constant:
    """Return a constant with its binders erased; heights do not occur in what the kernel makes."""
    data = constant.data
    if isinstance(data, RecursorData):
        rules = tuple(
            Rule(rule.constructor, rule.fields, bank.erased(rule.right))
            for rule in data.rules
        )
        data = replace(data, rules=rules)
    return replace(constant, type=bank.erased(constant.type), data=data)


def differing(kernel: Kernel, expected: list[int]) -> Iterator[dict[str, Any]]:
    """Yield one message for each expected constant that is not the one in the kernel's environment."""
    bank = Bank()
    for number, pointer in enumerate(expected):
        # Fresh decoders: their memos go by address, and Lean's heap reuses addresses.
        image = cast(Image, LiveImage())  # the part of an image that a decoder uses
        constant = Decoder(image, bank).constant(pointer)
        common = word(word(pointer + 8) + 8)
        found = kernel.find(word(common + 8))
        if not found or meaning(Decoder(image, bank).constant(found), bank) != meaning(
            constant, bank
        ):
            yield {"differs": number}


def main(library: str, image: str, nonce: str) -> NoReturn:
    """Answer about the image on standard output and end the process."""

    def answer(message: dict[str, Any]) -> None:
        sys.stdout.write(f"{nonce} {json.dumps(message)}\n")
        sys.stdout.flush()

    data = Path(image).read_bytes()
    base, root = (int.from_bytes(data[at : at + 8], "little") for at in (80, 88))
    map_image(data, base)
    kernel = Kernel(library)
    declarations, expected = elements(word(root + 8)), elements(word(root + 16))
    for message in add_all(kernel, declarations):
        answer(message)
    for message in differing(kernel, expected):
        answer(message)
    answer({"done": [len(declarations), len(expected)]})
    # The runtime's own end is not wanted: nothing of it is needed any more, and it may hang on threads.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
