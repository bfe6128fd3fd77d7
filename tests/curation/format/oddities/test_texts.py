from __future__ import annotations

import pytest

from .. import small


def test_a_plain_instance_has_no_findings_but_that_its_text_says_so() -> None:
    assert small.instance().findings == ()


def test_cr_lf_is_counted() -> None:
    item = small.instance(changes={"Bank/Test.lean": "a\r\nb\nc\r\n"})
    assert small.found(item, "text-crlf") == [
        ("Bank/Test.lean", None, "2 of 3 lines end with CR LF")
    ]
    assert (
        small.found(small.instance(changes={"Bank/Test.lean": "a\rb\n"}), "text-crlf")
        == []
    )


@pytest.mark.parametrize(
    "path", ["Bank/Spec/Account.lean", "manifest.json", "lakefile.toml"]
)
def test_byte_order_marks_are_found_in_any_file(path: str) -> None:
    data = b"\xef\xbb\xbf" + small.files()[path]
    item = small.instance(changes={path: data})
    assert [(p, line) for p, line, _ in small.found(item, "text-bom")] == [(path, 1)]
    assert [spec.full_name for spec in item.specs] == [
        "spec_put_adds",
        "spec_total_empty",
    ]
    assert small.found(item, "text-bidi") == [], "the mark at the start is told once"


def test_tabs_count_in_code_only() -> None:
    for text, line in (
        ("def a :=\n\t1\n", 2),
        ('-- \t\n/- \t -/\ndef a := "\t"\n', None),
    ):
        found = small.found(
            small.instance(changes={"Bank/Test.lean": text}), "text-tabs"
        )
        assert [item[1] for item in found] == ([line] if line else [])


def test_text_that_is_not_in_normal_form_is_found_with_its_line() -> None:
    item = small.instance(changes={"Bank/Test.lean": "-- ok é\n-- e\u0301\n"})
    assert [(p, line) for p, line, _ in small.found(item, "text-not-nfc")] == [
        ("Bank/Test.lean", 2)
    ]


@pytest.mark.parametrize(
    "character", ["\u202e", "\u200b", "\u2066", "\u00ad", "\ufeff"]
)
def test_invisible_characters_are_found(character: str) -> None:
    item = small.instance(changes={"Bank/Test.lean": f"-- a\n-- b{character}c\n"})
    assert small.found(item, "text-bidi") == [
        ("Bank/Test.lean", 2, f"U+{ord(character):04X} cannot be seen")
    ]


def test_characters_that_pass_for_others_are_found() -> None:
    item = small.instance(changes={"Bank/Test.lean": "-- a\n-- pushFr\u03bfm\n"})
    ((path, line, message),) = small.found(item, "text-confusable")
    assert (path, line) == ("Bank/Test.lean", 2)
    assert "U+03BF GREEK SMALL LETTER OMICRON" in message
    assert "looks like o" in message


def test_ordinary_lean_notation_passes_for_nothing_else() -> None:
    item = small.instance(
        changes={"Bank/Test.lean": "-- ∀ α β, α → β ∧ ¬ ∃ x₁ : ℕ, x₁ ≤ 2 × λ\n"}
    )
    assert small.found(item, "text-confusable") == []


def test_other_files_may_be_bytes() -> None:
    item = small.instance(changes={"LICENSE": b"\xa9 1999"})
    assert small.found(item, "file-not-utf8") == [
        ("LICENSE", None, "byte 0 is not UTF-8")
    ]


def test_large_files_are_found() -> None:
    item = small.instance(changes={"Bank/Test.lean": "-- x\n" * 60_000})
    assert small.found(item, "file-large") == [
        ("Bank/Test.lean", None, "300,000 bytes")
    ]


def test_names_that_do_not_travel_are_found() -> None:
    item = small.instance(
        changes={
            "Bank/test.lean": "",
            "Bank/e\u0301.lean": "",
            "Bank/Aux.lean": "",
            "docs/con": "",
        }
    )
    assert [path for path, _, _ in small.found(item, "path-case-collision")] == [
        "Bank/test.lean"
    ]
    assert [path for path, _, _ in small.found(item, "path-not-nfc")] == [
        "Bank/e\u0301.lean"
    ]
    assert [path for path, _, _ in small.found(item, "module-name-reserved")] == [
        "Bank/Aux.lean"
    ]
