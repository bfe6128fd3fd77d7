from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from adjudication.grading.receipt import FORMAT, hash_of, verify
from adjudication.grading.version import grader_digest

Document = dict[str, Any]


def made(previous: str = "") -> Document:
    """A receipt of one spec that passed and one that did not, made by hand."""
    names = ("built", "statement", "axioms", "replay", "sandbox")
    lights = {name: {"state": "green", "reason": ""} for name in names}
    document: Document = {
        "format": FORMAT,
        "previous": previous,
        "instance": {"benchmark_id": "tiny"},
        "verdict": {"full_solve": False, "counts": {"passed": 1, "unfilled": 1}},
        "specs": [
            {"spec": "a", "outcome": "passed", "route": "prove", "lights": copy.deepcopy(lights), "theorem": "prove_a", "statement": "00"},
            {"spec": "b", "outcome": "unfilled", "route": "", "lights": copy.deepcopy(lights), "theorem": "", "statement": ""},
        ],
        "statements": {"prove_a": "00"},
        "modules": {"pristine": {}, "graded": {"M": {"outcome": "built", "sha256": "11"}}},
        "kernels": [{"name": "k", "declined": ""}],
    }  # fmt: skip
    return {**document, "hash": hash_of(document)}


def forged(change: Callable[[Document], None]) -> Document:
    """The same with a change and a hash that fits: what somebody would write who knows how it is made."""
    document = made()
    change(document)
    return {**document, "hash": hash_of(document)}


def test_a_good_receipt_is_good() -> None:
    assert verify(made()) == []


def test_a_changed_receipt_is_found() -> None:
    document = made()
    document["specs"][0]["detail"] = "x"
    assert verify(document) == ["it was changed: its hash is another"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["specs"][1].update(outcome="passed"), "its counts are not those of its specs"),
        (lambda d: d["verdict"].update(full_solve=True), "it says `full_solve` wrongly"),
        (lambda d: d["specs"][0]["lights"]["replay"].update(state="off"), "a: passed without the light replay"),
        (lambda d: d["specs"][0]["lights"]["built"].update(state="red"), "a: passed without the light built"),
        (lambda d: d["specs"][0].update(route=""), "a: passed by no route"),
        (lambda d: d["specs"][0].update(statement="22"), "a: passed without the hash of its statement"),
        (lambda d: d["modules"]["graded"]["M"].update(sha256=""), "a module was built and has no hash"),
        (lambda d: d.update(kernels=[]), "something passed and no kernel gave an answer"),
        (lambda d: d["kernels"][0].update(declined="crash"), "something passed and no kernel gave an answer"),
    ],
)  # fmt: skip
def test_a_contradiction_is_found_even_with_a_hash_that_fits(
    change: Callable[[Document], None], said: str
) -> None:
    assert said in verify(forged(change))


def test_an_outcome_that_is_none_is_found() -> None:
    def change(document: Document) -> None:
        document["specs"][1]["outcome"] = "solved"
        document["verdict"]["counts"] = {"passed": 1, "solved": 1}

    assert verify(forged(change)) == ["b: 'solved' is no outcome"]


def test_the_sandbox_is_no_condition_of_a_pass() -> None:
    def change(document: Document) -> None:
        document["specs"][0]["lights"]["sandbox"]["state"] = "off"

    assert verify(forged(change)) == []


def test_a_chain_holds_together() -> None:
    first = made()
    second = made(previous=first["hash"])
    assert verify(second, first) == []
    assert verify(second, made(previous="elsewhere")) == [
        "it does not follow the one before it"
    ]
    broken = {**first, "mode": "proof"}
    assert verify(second, broken) == [
        "the one before it: it was changed: its hash is another"
    ]


def test_a_chain_is_about_one_instance() -> None:
    first = forged(lambda d: d["instance"].update(benchmark_id="other"))
    assert verify(made(previous=first["hash"]), first) == [
        "the one before it is about another instance"
    ]


@pytest.mark.parametrize("document", [None, [], {}, 1, {"format": "other"}, {"format": FORMAT}, {"format": FORMAT, "specs": 3}])  # fmt: skip
def test_what_is_no_receipt_is_said_to_be_none(document: Any) -> None:
    assert verify(document)


def test_the_digest_of_the_grader_is_that_of_its_sources() -> None:
    assert len(grader_digest()) == 64
    assert grader_digest() == grader_digest()
