from __future__ import annotations

import pytest

from .. import small

SPEC, HARNESS, IMPL, BUNDLE = (
    "Bank/Spec/Account.lean",
    "Bank/Harness.lean",
    "Bank/Impl/Account.lean",
    "Bank/Bundle.lean",
)
Places = list[tuple[str, int | None, str]]


def found(path: str, text: str | None, id: str) -> Places:
    return small.found(small.instance(changes={path: text}), id)


def test_specs_that_are_not_declared_are_errors() -> None:
    text = small.SPEC.replace("def spec_put_adds", "-- def spec_put_adds\ndef spec_put")
    assert found(SPEC, text, "spec-not-found") == [
        (SPEC, None, "no declaration of spec_put_adds (module Account)")
    ]
    assert len(found(SPEC, None, "spec-not-found")) == 2
    item = small.instance(small.module(spec=None))
    assert [path for path, _, _ in small.found(item, "spec-not-found")] == [
        "manifest.json",
        "manifest.json",
    ]


def test_specs_that_several_declarations_fit_are_errors() -> None:
    text = (
        small.SPEC.replace("def spec_put_adds", "def A.spec_put_adds")
        + "def B.spec_put_adds (impl : RepoImpl) : Prop := True\n"
    )
    assert found(SPEC, text, "spec-ambiguous") == [
        (SPEC, 4, "spec_put_adds fits A.spec_put_adds, B.spec_put_adds")
    ]
    exact = small.SPEC + "def B.spec_put_adds (impl : RepoImpl) : Prop := True\n"
    assert found(SPEC, exact, "spec-ambiguous") == []


def test_private_specs_are_errors() -> None:
    text = small.SPEC.replace("def spec_put", "private def spec_put")
    assert found(SPEC, text, "spec-private") == [(SPEC, 4, "spec_put_adds is private")]


@pytest.mark.parametrize(
    ("signature", "usual"),
    [
        ("(impl : RepoImpl) : Prop", True),
        ("(_impl : Bank.RepoImpl) :\n    Prop", True),
        ("(impl : RepoImpl) /- note -/ : Prop", True),
        ("{impl : RepoImpl} : Prop", False),
        (": Prop", False),
        ("(impl : RepoImpl) (n : Nat) : Prop", False),
        ("(impl : RepoImpl) : Bool", False),
        (": RepoImpl → Prop", False),
    ],
)
def test_specs_of_another_type_are_told(signature: str, usual: bool) -> None:
    text = small.SPEC.replace(
        "spec_put_adds (impl : RepoImpl) : Prop", f"spec_put_adds {signature}"
    )
    assert bool(found(SPEC, text, "spec-shape")) is not usual


def test_specs_without_an_api_are_told() -> None:
    text = small.SPEC.replace("impl.bank.total [] = 0", "True")
    assert found(SPEC, text, "spec-without-api") == [
        (SPEC, 8, "spec_total_empty mentions no API of impl")
    ]


def test_namespaces_of_specs_are_told_once_a_file() -> None:
    text = small.SPEC.replace(
        "import Bank.Harness\n", "import Bank.Harness\nnamespace S\n"
    )
    assert found(SPEC, text, "spec-in-namespace") == [
        (SPEC, None, "2 specs stand in a namespace, as S.spec_put_adds")
    ]


def test_specs_that_are_not_listed_are_told() -> None:
    text = (
        small.SPEC
        + "\ndef spec_more (impl : RepoImpl) : Prop := True\ndef other := 1\n"
    )
    assert found(SPEC, text, "spec-unlisted") == [
        (SPEC, 11, "spec_more is not in the manifest")
    ]


def test_apis_and_signatures_that_are_not_declared_are_told() -> None:
    item = small.instance(small.module(apis=[{"name": "take", "sig": "TakeSig"}]))
    assert small.found(item, "api-not-found") == [
        (IMPL, None, "no declaration of take (module Account)")
    ]
    assert small.found(item, "sig-not-found") == [
        (IMPL, None, "TakeSig, the signature of take, is not declared")
    ]
    item = small.instance(small.module(impl=None))
    assert {path for path, _, _ in small.found(item, "api-not-found")} == {
        "manifest.json"
    }


def test_the_harness_is_checked() -> None:
    text = small.HARNESS.replace("def canonical", "def other")
    assert found(HARNESS, text, "harness-name") == [
        (HARNESS, None, "expected one declaration of canonical, found 0")
    ]
    text = small.HARNESS.replace(
        "structure RepoImpl", "namespace N\nstructure RepoImpl"
    )
    assert found(HARNESS, text, "harness-in-namespace") == [
        (HARNESS, 4, "RepoImpl is N.RepoImpl"),
        (HARNESS, 7, "canonical is N.canonical"),
    ]
    text = small.HARNESS.replace("  bank : BankBundle", "  ledger : BankBundle")
    assert found(HARNESS, text, "repo-impl-field-missing") == [
        (HARNESS, 3, "RepoImpl has no field bank for package Bank")
    ]


def test_the_bundle_is_checked() -> None:
    text = small.LEAN[BUNDLE].replace(
        "  total : Bank.TotalSig\n", "  sum : Bank.TotalSig\n"
    )
    assert found(BUNDLE, text, "api-not-in-bundle") == [
        (BUNDLE, 3, "BankBundle has no field total")
    ]
    assert found(BUNDLE, text, "bundle-field-unlisted") == [
        (BUNDLE, 5, "sum is no API of the manifest")
    ]
    assert found(BUNDLE, text.replace("BankBundle", "Other"), "bundle-missing") == [
        (BUNDLE, None, "no structure BankBundle")
    ]
