"""The rule by which approvals stick, line by line (`sticks` in curation/instances/meaning.py)."""

from __future__ import annotations

import pytest

from curation.instances.meaning import (
    Bound,
    Meaning,
    Sticks,
    Under,
    beside_term,
    sticks,
    unseen_hashes,
)

POCKET: Under = ("digest of pocket", "scheme 1")
ELAN: Under = ("digest of elan", "scheme 1")
LATER: Under = ("digest of pocket", "scheme 2")
READ = Bound(frozenset(("text", "like it")), "own", "unseen", {POCKET: "a", ELAN: "b"})
TEXT_ONLY = Bound(frozenset(("text",)), "own", "unseen")


def now(
    text: str = "text", own: str = "own", unseen: str = "unseen", **terms: str
) -> Meaning:
    named = {"pocket": POCKET, "elan": ELAN, "later": LATER}
    return Meaning(text, own, unseen, {named[key]: term for key, term in terms.items()})


@pytest.mark.parametrize(
    ("bound", "meaning", "verdict"),
    [
        # equal text
        (TEXT_ONLY, now(), Sticks.BY_TEXT),
        (TEXT_ONLY, now(pocket="other"), Sticks.BY_TEXT),
        (READ, now(), Sticks.BY_TEXT),
        (READ, now("like it"), Sticks.BY_TEXT),
        (READ, now(pocket="a"), Sticks.BY_TERM),
        (READ, now(later="other"), Sticks.BY_TEXT),
        # a term that differs, whatever the text and other toolchains say
        (READ, now(pocket="other"), Sticks.NOT_BY_TERM),
        (READ, now("new", pocket="other"), Sticks.NOT_BY_TERM),
        (READ, now(pocket="a", elan="other"), Sticks.NOT_BY_TERM),
        # another text, nothing to compare
        (TEXT_ONLY, now("new"), Sticks.NOT_BY_TEXT),
        (TEXT_ONLY, now("new", pocket="a"), Sticks.NOT_BY_TEXT),
        (READ, now("new"), Sticks.NOT_BY_TEXT),
        (READ, now("new", later="a"), Sticks.NOT_BY_TEXT),
        # another text, equal terms
        (READ, now("new", pocket="a"), Sticks.BY_TERM),
        (READ, now("new", pocket="a", elan="b"), Sticks.BY_TERM),
        (READ, now("new", own="changed", pocket="a"), Sticks.NOT_BY_TEXT),
        (READ, now("new", unseen="changed", pocket="a"), Sticks.NOT_BY_TEXT),
        (READ, now("new", unseen="", pocket="a"), Sticks.NOT_BY_TEXT),
        (
            Bound(frozenset(("text",)), "", "", {POCKET: "a"}),
            now("new", own="", unseen="", pocket="a"),
            Sticks.NOT_BY_TEXT,
        ),
    ],
)
def test_the_table(bound: Bound, meaning: Meaning, verdict: Sticks) -> None:
    assert sticks(bound, meaning) is verdict


def test_a_verdict_says_whether_it_holds_and_by_what() -> None:
    said = {verdict: (verdict.holds, verdict.basis) for verdict in Sticks}
    assert said == {
        Sticks.BY_TEXT: (True, "text"),
        Sticks.BY_TERM: (True, "term"),
        Sticks.NOT_BY_TEXT: (False, "text"),
        Sticks.NOT_BY_TERM: (False, "term"),
    }


def beside(text: str, around: str = "", meaning: str = "m") -> frozenset[str]:
    keyword = next(one for one in ("structure", "opaque", "def") if one in text.split())
    return beside_term("h", keyword, text, around, meaning)


def unseen_of_user(helper: frozenset[str], *more: frozenset[str]) -> str:
    """The hash of definition 1, which uses 2 (`helper`), which uses `more`."""
    uses = {1: [2], 2: list(range(3, 3 + len(more)))}
    said = {1: beside("def f := 1"), 2: helper}
    return unseen_hashes({**said, **dict(enumerate(more, 3))}, uses)[1]


def test_what_terms_show_of_a_helper_is_not_looked_at_in_its_text() -> None:
    plain = unseen_of_user(beside("def h (n : Nat) := n + 1"))
    assert unseen_of_user(beside("def h (m : Nat) := 1 + m", meaning="other")) == plain
    assert unseen_of_user(beside("def h := 1"), beside("def new := 2")) == plain


@pytest.mark.parametrize(
    "changed",
    [
        beside("@[simp] def h := 1"),
        beside("@[implemented_by g] def h := 1"),
        beside("partial def h := 1"),
        beside("def h := 1", around="open Nat"),
        beside("structure h where\n  n : Nat"),
    ],
)
def test_what_terms_do_not_show_of_a_helper_is_bound_to_its_text(
    changed: frozenset[str],
) -> None:
    assert unseen_of_user(changed) != unseen_of_user(beside("def h := 1"))


def test_where_a_term_shows_too_little_all_that_the_text_means_counts() -> None:
    hollow = "@[implemented_by g] def h := 1"
    one, other = (unseen_of_user(beside(hollow, meaning=m)) for m in ("m", "n"))
    assert one != other


def test_definitions_in_a_circle_say_the_same_beside_their_terms() -> None:
    said = {1: beside("def f := 1"), 2: beside("@[simp] def h := 1"), 3: frozenset[str]()}  # fmt: skip
    found = unseen_hashes(said, {1: [2], 2: [1, 3]})
    assert found[1] == found[2] != found[3]
