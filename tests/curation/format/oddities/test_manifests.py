from __future__ import annotations

import json
from typing import Any

import pytest

from .. import small

Places = list[tuple[str, int | None, str]]


def found(document: dict[str, Any] | str, id: str) -> Places:
    return small.found(small.instance(document), id)


def test_keys_that_appear_twice_are_errors_with_their_line() -> None:
    text = json.dumps(small.MANIFEST, indent=2).replace(
        '  "lean_version"', '  "benchmark_id": "bank",\n  "lean_version"', 1
    )
    assert found(text, "manifest-duplicate-key") == [
        ("manifest.json", 3, "benchmark_id was there before; the last one counts")
    ]


def test_a_key_close_to_a_missing_one_is_pointed_at() -> None:
    document = small.module(specs=None, spec_s=["spec_put_adds"])
    ((path, line, message),) = found(document, "manifest-key-misspelt")
    assert (path, message) == (
        "manifest.json",
        "packages[0].modules[0].spec_s: did you mean specs?",
    )
    assert line is not None
    assert "spec_s" in json.dumps(document, indent=2).splitlines()[line - 1]
    assert [
        m
        for _, _, m in found(
            small.manifest(file={}, files=None), "manifest-key-misspelt"
        )
    ] == ["file: did you mean files?"]
    assert found(small.module(spec_helpers=[], note="x"), "manifest-key-misspelt") == []


def test_defaults_are_told() -> None:
    messages = [
        m
        for _, _, m in found(
            small.manifest(files=None, modes_supported=None), "manifest-default"
        )
    ]
    assert messages == [
        "files is missing and takes its default",
        "modes_supported is missing and takes its default",
    ]


@pytest.mark.parametrize(
    ("source", "id", "message"),
    [
        (
            {"language": "Python", "commit_hash": "abcdef1"},
            "language-capitalised",
            "source.language is 'Python'",
        ),
        (
            {"language": "python", "commit_hash": None},
            "commit-missing",
            "source.commit_hash is missing",
        ),
        (
            {"language": "python", "commit_hash": "main"},
            "commit-missing",
            "source.commit_hash is 'main'",
        ),
        ({}, "commit-missing", "source.commit_hash is missing"),
        (None, "commit-missing", "source.commit_hash is missing"),
    ],
)
def test_what_is_odd_about_the_source_is_told(
    source: object, id: str, message: str
) -> None:
    assert [m for _, _, m in found(small.manifest(source=source), id)] == [message]


def test_modes_that_do_not_exist_are_found() -> None:
    ((_, line, message),) = found(
        small.manifest(modes_supported=["proof", "code"]), "modes-unknown"
    )
    assert message == "modes_supported[1] is 'code'"
    assert line == 6


@pytest.mark.parametrize(
    ("id", "differs"),
    [("bank", False), ("BANK", False), ("bank-v2", True), ("bank/core", True)],
)
def test_names_of_the_instance_may_differ(id: str, differs: bool) -> None:
    assert bool(found(small.manifest(benchmark_id=id), "names-differ")) is differs


def test_a_field_of_repo_impl_with_another_name_is_told() -> None:
    document = small.manifest()
    document["packages"][0]["repo_impl_field"] = "ledger"
    assert [m for _, _, m in found(document, "repo-impl-field-name")] == [
        "packages[0].repo_impl_field is ledger, not bank"
    ]


@pytest.mark.parametrize(
    ("toolchain", "message"),
    [
        (
            "leanprover/lean4:v4.30.0\n",
            "says leanprover/lean4:v4.30.0, and the manifest 4.29.1",
        ),
        (None, "this file is missing"),
        ("v4.29.1", None),
        ("leanprover/lean4:4.29.1", None),
    ],
)
def test_the_toolchain_and_the_manifest_agree(
    toolchain: str | None, message: str | None
) -> None:
    item = small.instance(changes={"lean-toolchain": toolchain})
    assert [m for _, _, m in small.found(item, "lean-version-differs")] == (
        [message] if message else []
    )


def test_modules_without_specs_or_apis_are_told() -> None:
    assert found(small.module(specs=[]), "module-without-specs") == [
        ("Bank/Impl/Account.lean", None, "packages[0].modules[0]: Account has no specs")
    ]
    assert found(small.module(apis=None, impl=None), "module-without-apis") == [
        ("Bank/Spec/Account.lean", None, "packages[0].modules[0]: Account has no APIs")
    ]


@pytest.mark.parametrize(
    "path",
    [
        "Bank.lean",
        "Bank/Harness.lean",
        "Bank/Test.lean",
        "lakefile.toml",
        "Bank/Bundle.lean",
        "Bank/Impl/Account.lean",
        "Bank/Spec/Account.lean",
    ],
)
def test_missing_files_are_errors(path: str) -> None:
    item = small.instance(changes={path: None})
    missing = small.found(item, "file-missing")
    assert [place for place, _, _ in missing] == [path]
    assert "this file is missing; it is" in missing[0][2]


def test_two_modules_with_one_file_are_told() -> None:
    document = small.manifest()
    document["packages"][0]["modules"].append(
        {"name": "Other", "impl": "Bank/Impl/Account.lean"}
    )
    assert found(document, "file-named-twice") == [
        ("Bank/Impl/Account.lean", None, "belongs to the modules Account and Other")
    ]


def test_names_that_repeat_are_told() -> None:
    document = small.module(specs=["spec_put_adds", "spec_put_adds"])
    assert {m for _, _, m in found(document, "name-repeated")} == {
        "the spec spec_put_adds appears twice"
    }
    document = small.manifest()
    document["packages"][0]["modules"].append(
        {"name": "Other", "specs": ["spec_put_adds"]}
    )
    assert [m for _, _, m in found(document, "name-repeated")] == [
        "the spec spec_put_adds appears in Account and Other"
    ]
    document["packages"][0]["modules"][1] = {"name": "Account"}
    assert [m for _, _, m in found(document, "name-repeated")] == [
        "the module Account appears twice"
    ]


@pytest.mark.parametrize(
    "name", ["spec_a.b", "spec_a'", "spec_get?", "spec_a b", "spec_é"]
)
def test_names_that_need_care_are_told(name: str) -> None:
    assert [m for _, _, m in found(small.module(specs=[name]), "name-unusual")] == [
        f"{name} holds characters that need quoting outside Lean"
    ]
