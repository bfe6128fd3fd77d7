from __future__ import annotations

import pytest

from .. import small

IMPL = "Bank/Impl/Account.lean"
REFERENCE = "  fun amount book => amount :: book\n"


@pytest.mark.parametrize(
    "body",
    [
        "  sorry\n",
        "",
        "  fun a b => by\n    sorry\n",
        "  -- nothing yet\n",
        "  by admit\n",
    ],
)
def test_missing_reference_bodies_are_told_and_proof_mode_with_them(body: str) -> None:
    item = small.instance(changes={IMPL: small.IMPL.replace(REFERENCE, body)})
    assert small.found(item, "reference-sorry") == [
        (IMPL, 22, "code def=put holds no reference body")
    ]
    assert small.found(item, "proof-mode-hollow") == [
        (
            "manifest.json",
            4,
            "1 of 2 reference bodies are missing, so every proof depends on sorryAx",
        )
    ]


@pytest.mark.parametrize(
    "body", ["  fun sorryFor admit' => x.sorry -- sorry\n", '  "sorry"\n']
)
def test_words_that_only_hold_sorry_are_none(body: str) -> None:
    assert (
        small.found(
            small.instance(changes={IMPL: small.IMPL.replace(REFERENCE, body)}),
            "reference-sorry",
        )
        == []
    )


def test_proof_mode_is_not_hollow_when_it_is_not_offered() -> None:
    item = small.instance(
        small.manifest(modes_supported=["codeproof"]),
        {IMPL: small.IMPL.replace(REFERENCE, "  sorry\n")},
    )
    assert len(small.found(item, "reference-sorry")) == 1
    assert small.found(item, "proof-mode-hollow") == []


def test_sorry_in_frozen_text_is_told_with_its_line() -> None:
    text = small.IMPL + "\ntheorem lemma1 : 1 = 2 := by\n  sorry\n"
    item = small.instance(changes={IMPL: text})
    line = text.splitlines().index("  sorry") + 1
    assert small.found(item, "frozen-sorry") == [(IMPL, line, "lemma1 uses sorry")]
    assert small.found(item, "reference-sorry") == []


AXIOMS = "namespace Deep\naxiom a : True\nopaque o : Nat\nend Deep\naxiom b : True\n-- axiom c : True\naxiom Other.a : True\n"


def axioms(trusted: list[str], id: str, text: str = AXIOMS) -> list[str]:
    item = small.instance(
        small.manifest(trusted_axioms=trusted), {IMPL: small.IMPL + text}
    )
    return [message for _, _, message in small.found(item, id)]


def test_trusted_axioms_are_compared_with_declared_ones() -> None:
    assert axioms(["c"], "axiom-not-declared") == ["no visible file declares c"]
    assert axioms(["a"], "axiom-ambiguous") == ["a fits Deep.a, Other.a"]
    assert axioms(["o"], "axiom-bare-name") == ["o is Deep.o"]
    assert axioms(["Deep.o"], "axiom-bare-name") == []
    assert axioms(["Deep.o"], "axiom-opaque") == [
        "Deep.o is trusted as an axiom and is opaque"
    ]
    assert axioms(["Deep.a"], "axiom-untrusted") == [
        "b is not in trusted_axioms",
        "Other.a is not in trusted_axioms",
    ]
    assert axioms(["Deep.a", "b", "Other.a"], "axiom-untrusted") == []


def test_axioms_of_files_that_nobody_sees_do_not_count() -> None:
    item = small.instance(
        small.manifest(trusted_axioms=["z"]), {"Bank/Old.lean": "axiom z : True\n"}
    )
    assert [m for _, _, m in small.found(item, "axiom-not-declared")] == [
        "no visible file declares z"
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("namespace A\nend B\n", 2, "`end B` where `end A` was expected"),
        ("def a := 1\n/- never\n", 2, "comment is never closed"),
        ('def a := "never\n', 1, "string is never closed"),
    ],
)
def test_what_does_not_close_is_told(text: str, line: int, message: str) -> None:
    item = small.instance(changes={"Bank/Test.lean": text})
    assert small.found(item, "lean-unbalanced") == [("Bank/Test.lean", line, message)]
