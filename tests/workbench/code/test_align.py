from __future__ import annotations

import difflib
import importlib.util
import random
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.code import align as module
from workbench.code.align import DIFFLIB, MATCHER, Block, align

LINES = st.lists(st.sampled_from("abcde"), max_size=30)


def assert_sound(
    old: Sequence[object], new: Sequence[object], blocks: Sequence[Block]
) -> None:
    """Fail unless `blocks` are equal, rising, disjoint and maximal."""
    at_old = at_new = 0
    for block in blocks:
        assert block.size > 0
        assert block.old >= at_old
        assert block.new >= at_new
        assert (block.old, block.new) != (at_old, at_new) or at_old == 0, (
            "two blocks that touch are one"
        )
        assert (
            old[block.old : block.old + block.size]
            == new[block.new : block.new + block.size]
        )
        at_old, at_new = block.old + block.size, block.new + block.size


def test_the_quick_matcher_is_installed_here() -> None:
    assert MATCHER is not difflib.SequenceMatcher


def test_without_it_the_standard_library_does_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cydifflib", None)
    spec = importlib.util.find_spec("workbench.code.align")
    assert spec
    assert spec.loader
    fallback = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fallback)
    assert fallback.MATCHER is difflib.SequenceMatcher
    assert fallback.align("abc", "abd") == ([(0, 0, 2)], False)


@pytest.mark.parametrize("matcher", [MATCHER, DIFFLIB])
def test_it_finds_what_is_the_same(matcher: module.Matcher) -> None:
    assert align("abcdef", "abXdefY", matcher) == (
        [Block(0, 0, 2), Block(3, 3, 3)],
        False,
    )


@given(LINES, LINES)
def test_both_matchers_agree(old: list[str], new: list[str]) -> None:
    assert align(old, new, MATCHER) == align(old, new, DIFFLIB)


@given(LINES, LINES)
def test_blocks_are_equal_and_rise(old: list[str], new: list[str]) -> None:
    blocks, coarse = align(old, new)
    assert not coarse
    assert_sound(old, new, blocks)


@given(
    st.lists(st.integers(0, 40), max_size=60), st.lists(st.integers(0, 40), max_size=60)
)
def test_cutting_at_unique_elements_is_sound_too(
    old: list[int], new: list[int]
) -> None:
    limit = module.WORK_LIMIT
    module.WORK_LIMIT = 0
    try:
        blocks, _ = align(old, new)
    finally:
        module.WORK_LIMIT = limit
    assert_sound(old, new, blocks)


def test_a_common_head_and_tail_need_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORK_LIMIT", 0)
    same = ["x"] * 5_000
    assert align([*same, "a", *same], [*same, "b", *same]) == (
        [Block(0, 0, 5_000), Block(5_001, 5_001, 5_000)],
        False,
    )


def test_lines_that_occur_once_anchor_a_long_text() -> None:
    old = [line for n in range(3_000) for line in ("", "  end", f"def f{n}")]
    new = [line for line in old if line != "def f1500"]
    blocks, coarse = align(old, new)
    assert not coarse
    assert sum(block.size for block in blocks) == len(new)


@pytest.mark.parametrize("alphabet", [1, 2, 3, 20, 150, 2_000])
def test_ten_thousand_repeating_lines_stay_bounded(
    alphabet: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    work: list[int] = []

    def counting(
        isjunk: None, a: Sequence[int], b: Sequence[int], autojunk: bool
    ) -> difflib.SequenceMatcher[int]:
        places = {item: list(b).count(item) for item in set(a)}
        work.append(sum(places[item] for item in a))
        return MATCHER(isjunk, a, b, autojunk)

    pick = random.Random(alphabet)
    old = [pick.randrange(alphabet) for _ in range(10_000)]
    new = [pick.randrange(alphabet) for _ in range(10_000)]
    blocks, coarse = align(old, new, counting)
    assert_sound(old, new, blocks)
    assert all(pairs <= module.WORK_LIMIT for pairs in work)
    assert coarse == (alphabet in (2, 3, 20, 150))


def test_text_that_can_be_cut_again_and_again_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WORK_LIMIT", 0)
    monkeypatch.setattr(module, "DEPTH_LIMIT", 0)
    assert align("xaybx", "ayxbxy")[1]
