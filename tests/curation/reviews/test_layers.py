"""What is used comes before what uses it."""

from __future__ import annotations

from curation.reviews.layers import depths


def test_what_uses_nothing_is_at_the_bottom() -> None:
    assert depths("ab", []) == {"a": 0, "b": 0}


def test_the_longest_chain_counts() -> None:
    uses = [("top", "mid"), ("mid", "low"), ("top", "low"), ("side", "low")]
    assert depths(["top", "mid", "low", "side"], uses) == {
        "low": 0,
        "mid": 1,
        "side": 1,
        "top": 2,
    }


def test_those_that_use_each_other_stand_together_below_their_users() -> None:
    uses = [("a", "b"), ("b", "a"), ("a", "low"), ("top", "b"), ("self", "self")]
    assert depths(["top", "a", "b", "low", "self"], uses) == {
        "low": 0,
        "a": 1,
        "b": 1,
        "top": 2,
        "self": 0,
    }


def test_uses_of_what_is_not_asked_for_do_not_count() -> None:
    assert depths(["a"], [("a", "harness"), ("harness", "a")]) == {"a": 0}


def test_a_long_chain_needs_no_recursion() -> None:
    chain = [(n + 1, n) for n in range(50_000)]
    assert depths(range(50_001), chain)[50_000] == 50_000
