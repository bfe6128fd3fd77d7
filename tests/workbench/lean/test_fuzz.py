"""Damaged files: the reader ends soon, with an error or with what the bytes say; never with a wrong answer.

A compiled file carries no checksum over everything: a changed count or a pointer moved to another good term makes another
good file. So the promise has two halves. What is read from damaged bytes is what they say (writing it again and reading
that gives the same constants), and a comparison with the original never calls a changed statement equal.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workbench.lean import made
from tests.workbench.lean.builds import compile_tree
from workbench.lean.closure import closure_of
from workbench.lean.compare import Comparison
from workbench.lean.constants import Constant, RecursorData
from workbench.lean.library import Library, LibraryError
from workbench.lean.module import Module
from workbench.lean.olean import HEADER_WORDS, OleanError
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.terms import Bank

MADE_BANK = Bank()
MADE = made.file_of(MADE_BANK, made.constants(MADE_BANK))
Damage = tuple[str, int, int]
damages = st.lists(
    st.tuples(
        st.sampled_from(["flip", "copy", "swap", "set", "cut", "shift"]),
        st.integers(0, 1 << 20),
        st.integers(0, 1 << 64),
    ),
    min_size=1,
    max_size=3,
)


def damaged(data: bytes, steps: list[Damage]) -> bytes:
    """Flip a bit, copy or exchange words (mostly pointers), set a word, move a pointer by some words, cut the end off."""
    words = array("Q", data)
    for kind, place, value in steps:
        if len(words) <= HEADER_WORDS + 1:
            break
        at = place % len(words)
        other = value % len(words)
        if kind == "flip":
            words[at] ^= 1 << value % 64
        elif kind == "copy":
            words[at] = words[other]
        elif kind == "swap":
            words[at], words[other] = words[other], words[at]
        elif kind == "set":
            words[at] = value & 0xFFFFFFFFFFFFFFFF
        elif kind == "shift":
            words[at] = (words[at] + 8 * (value % 64 - 32)) & 0xFFFFFFFFFFFFFFFF
        else:
            del words[at:]
    return words.tobytes()


def read_or_refuse(data: bytes, bank: Bank) -> Module | None:
    try:
        module = made.read(data, bank)
        list(module.constants())
        for position in range(len(module.names)):
            module.uses(position)
    except OleanError:
        return None
    return module


def check_answer(original: bytes, data: bytes, theorem: str) -> None:
    bank = Bank()
    module = read_or_refuse(data, bank)
    if module is None:
        return
    constants = list(module.constants())
    again = made.module_of(bank, "M", constants)
    assert list(again.constants()) == constants
    check_verdict(made.read(original, bank), module, theorem)


def check_verdict(original: Module, module: Module, theorem: str) -> None:
    """Where the comparison sees no difference, there is none."""
    bank = module.bank
    pristine, graded = Library(bank), Library(bank)
    pristine.add(original)
    graded.add(module)
    if original.imports != module.imports:
        return
    try:
        ours, theirs = pristine.environment(("M",)), graded.environment(("M",))
    except LibraryError:
        return
    wanted = ours.find((theorem,))
    assert wanted is not None
    if Comparison(ours, theirs).theorem((theorem,), ("M",), wanted.type) is None:
        for name in bank.constants(wanted.type):
            for used in closure_of(ours, name).constants:
                assert meaning(ours.find(used), bank) == meaning(
                    theirs.find(used), bank
                )


def meaning(constant: Constant | None, bank: Bank) -> object:
    """What must not change unseen: everything but binders, hints and blocks."""
    if constant is None:
        return None
    value = None if constant.value is None else bank.erased(constant.value)
    head = (constant.name, constant.kind, constant.level_params, constant.safety)
    data = constant.data
    if isinstance(data, RecursorData):
        rules = [replace(rule, right=bank.erased(rule.right)) for rule in data.rules]
        data = replace(data, rules=tuple(rules))
    return (*head, bank.erased(constant.type), value, data)


class TestMadeFiles:
    @given(damages)
    @settings(max_examples=1000, deadline=None)
    def test_damage_gives_an_error_or_what_the_bytes_say(
        self, steps: list[Damage]
    ) -> None:
        check_answer(MADE, damaged(MADE, steps), "t")

    @given(st.binary(max_size=400))
    @settings(max_examples=200, deadline=None)
    def test_noise_after_a_good_header_is_refused(self, noise: bytes) -> None:
        assert read_or_refuse(MADE[: HEADER_WORDS * 8] + noise, Bank()) is None

    def test_every_flipped_bit_of_a_cached_word_is_refused(self) -> None:
        """All the words that Lean caches, found by what they are: the last word of each name, level and term."""
        words = array("Q", MADE)
        count = 0
        for at in range(HEADER_WORDS, len(words)):
            tag, pointers, size = (
                words[at] >> 56,
                words[at] >> 48 & 255,
                words[at] >> 35 & 0x1FFF,
            )
            if (tag, pointers, size) == (5, 2, 4):
                for bit in range(64):
                    flipped = array("Q", words)
                    flipped[at + 3] ^= 1 << bit
                    assert read_or_refuse(flipped.tobytes(), Bank()) is None
                    count += 1
        assert count >= 64


@pytest.fixture(scope="module")
def compiled(
    pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory
) -> bytes:
    text = (
        "prelude\nset_option autoImplicit false\ninductive N where | z | s (n : N)\n"
        "noncomputable def N.add (a : N) : N → N := fun b => N.rec (motive := fun _ => N) a (fun _ r => N.s r) b\n"
        "structure S where\n  a : N\n  b : N\n"
        "inductive E : N → N → Prop where | refl (a : N) : E a a\n"
        "theorem t (s : S) : E (N.add s.a N.z) s.a := E.refl s.a\n"
    )
    out = compile_tree(pocket, {"M": text}, tmp_path_factory.mktemp("fuzz"))
    return Path(out, "M.olean").read_bytes()


@pytest.mark.lean
class TestCompiledFiles:
    @given(steps=damages)
    @settings(
        max_examples=300,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    def test_damage_gives_an_error_or_what_the_bytes_say(
        self, compiled: bytes, steps: list[Damage]
    ) -> None:
        check_answer(compiled, damaged(compiled, steps), "t")
