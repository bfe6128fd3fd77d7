from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from curation.format.entries import lean_name, module_of, path_of
from curation.format.findings import FormatError
from curation.format.instance import load_directory, load_files

from . import small


def test_it_counts_what_the_manifest_lists() -> None:
    counts = small.instance().counts
    assert (
        counts.modules,
        counts.apis,
        counts.specs,
        counts.files,
        counts.lean_files,
        counts.slots,
    ) == (1, 2, 2, 10, 6, 6)


def test_it_loads_from_a_directory_as_from_a_mapping(tmp_path: Path) -> None:
    root = tmp_path / "Bank"
    for path, data in small.files().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    assert load_directory(root) == small.instance()


@pytest.mark.parametrize(
    ("changes", "path", "line", "reason"),
    [
        (
            {"manifest.json": None},
            "manifest.json",
            None,
            "no manifest.json in the top directory",
        ),
        (
            {"Bank/Impl/Account.lean": b"a\nb\xff"},
            "Bank/Impl/Account.lean",
            2,
            "is not UTF-8 (byte 3)",
        ),
        ({"Bank/Unused.lean": b"\xff"}, "Bank/Unused.lean", 1, "is not UTF-8 (byte 0)"),
        (
            {"Bank/Test.lean": b"\n\nx\x00"},
            "Bank/Test.lean",
            3,
            "holds a NUL character",
        ),
        ({"manifest.json": b"{"}, "manifest.json", 1, "is not JSON"),
    ],
)
def test_what_cannot_be_loaded_says_file_and_line(
    changes: dict[str, bytes | None], path: str, line: int | None, reason: str
) -> None:
    with pytest.raises(FormatError) as caught:
        small.instance(changes=dict(changes))
    assert (caught.value.path, caught.value.line) == (path, line)
    assert reason in caught.value.reason


def test_an_empty_directory_is_no_instance(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the directory is empty"):
        load_directory(tmp_path)


def test_errors_survive_the_way_between_processes() -> None:
    error = FormatError("why", path="a.lean", line=3, key="k")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.path, copy.line, copy.key) == (
        "a.lean:3: k: why",
        "a.lean",
        3,
        "k",
    )


def test_apis_know_their_definition_signature_and_slots() -> None:
    put, total = small.instance().apis
    assert (put.full_name, put.sig_name, put.path, put.module) == (
        "Bank.put",
        "Bank.PutSig",
        "Bank/Impl/Account.lean",
        "Bank.Impl.Account",
    )
    assert put.code is not None
    assert put.code_aux is not None
    assert put.declaration is not None
    assert put.declaration.line < put.code.start_line < put.declaration.end_line
    assert (total.repo_impl_field, total.package, total.manifest_module) == (
        "bank",
        "Bank",
        "Account",
    )


def test_an_api_may_be_called_other_than_its_definition() -> None:
    text = small.IMPL.replace("def=put", "def=bank_put")
    document = small.module(apis=[{"name": "bank_put", "sig": "PutSig"}])
    (api,) = small.instance(document, {"Bank/Impl/Account.lean": text}).apis
    assert api.full_name == "Bank.put"


def test_a_slot_that_holds_a_whole_definition_finds_it() -> None:
    text = small.IMPL.replace(
        "def Bank.put : Bank.PutSig :=\n-- !benchmark @start code def=put\n",
        "-- !benchmark @start code def=put\ndef Bank.put : Bank.PutSig :=\n",
    )
    assert [
        api.full_name
        for api in small.instance(changes={"Bank/Impl/Account.lean": text}).apis
    ] == ["Bank.put", "Bank.total"]


def test_specs_know_their_place_and_the_apis_they_mention() -> None:
    first, second = small.instance().specs
    assert (first.full_name, first.bare, first.module, first.path) == (
        "spec_put_adds",
        "put_adds",
        "Bank.Spec.Account",
        "Bank/Spec/Account.lean",
    )
    assert (first.start_line, first.end_line) == (3, 5)
    assert (first.apis, second.apis) == (("total", "put"), ("total",))
    assert second.data["equivalence_status"] == "translated"


def test_specs_in_namespaces_and_the_harness_in_one_get_full_names() -> None:
    spec = (
        small.SPEC.replace(
            "import Bank.Harness\n", "import Bank.Harness\nnamespace Bank.Spec\n"
        )
        + "end Bank.Spec\n"
    )
    harness = small.HARNESS.replace(
        "structure RepoImpl", "namespace Deep\nstructure RepoImpl"
    )
    item = small.instance(
        changes={"Bank/Spec/Account.lean": spec, "Bank/Harness.lean": harness}
    )
    assert [s.full_name for s in item.specs] == [
        "Bank.Spec.spec_put_adds",
        "Bank.Spec.spec_total_empty",
    ]
    assert (item.repo_impl, item.canonical) == ("Deep.RepoImpl", "Deep.canonical")


def test_mentions_through_a_short_name_for_the_bundle_count() -> None:
    spec = small.SPEC.replace(
        "impl.bank.total [] = 0", "let b := impl.bank; b.total [] = 0"
    )
    assert small.instance(changes={"Bank/Spec/Account.lean": spec}).specs[1].apis == (
        "total",
    )


def test_mentions_in_comments_and_strings_do_not_count() -> None:
    spec = small.SPEC.replace(
        "impl.bank.total [] = 0", 'True -- impl.bank.put "impl.bank.put"'
    )
    assert small.instance(changes={"Bank/Spec/Account.lean": spec}).specs[1].apis == ()


@pytest.mark.parametrize(
    ("harness", "message"),
    [
        (
            small.HARNESS.replace("def canonical", "def other"),
            "expected one declaration of canonical, found 0",
        ),
        (
            small.HARNESS + "def A.canonical := 1\n",
            "expected one declaration of canonical, found 2",
        ),
        (
            small.HARNESS.replace("def canonical", "private def canonical"),
            "expected one declaration of canonical, found 0",
        ),
    ],
)
def test_canonical_must_be_there_once(harness: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        _ = small.instance(changes={"Bank/Harness.lean": harness}).canonical
    with pytest.raises(FormatError, match="the harness is missing"):
        _ = small.instance(changes={"Bank/Harness.lean": None}).repo_impl


def test_visible_is_what_the_manifest_names_and_what_that_imports() -> None:
    changes: dict[str, str | bytes | None] = {
        "Bank/Spec/Account.lean": "import Bank.Aux\n" + small.SPEC,
        "Bank/Aux.lean": "import «Bank».«odd-name»\n",
        "Bank/odd-name.lean": "",
        "Bank/Stale.lean": "import Bank.Deeper\n",
        "Bank/Deeper.lean": "",
    }
    item = small.instance(changes=changes)
    assert {"Bank/Aux.lean", "Bank/odd-name.lean"} <= item.visible_paths
    assert not {"Bank/Stale.lean", "Bank/Deeper.lean"} & item.visible_paths
    modules = {module.path: module for module in item.modules}
    assert (modules["Bank/Aux.lean"].visible, modules["Bank/Aux.lean"].listed) == (
        True,
        False,
    )
    assert modules["Bank/odd-name.lean"].name == "Bank.«odd-name»"


def test_dependencies_reach_from_specs_to_apis() -> None:
    item = small.instance()
    names = {
        ref: item.scan(ref.path).declarations[ref.position].name
        for ref in item.dependencies
    }
    edges = {
        names[ref]: [names[other] for other in others]
        for ref, others in item.dependencies.items()
    }
    assert edges["spec_put_adds"] == ["RepoImpl", "Bank.total", "Bank.put"]
    assert edges["Bank.total"] == ["Bank.TotalSig", "Bank.helper"]
    assert edges["canonical"] == ["RepoImpl", "Bank.put", "Bank.total"]


def test_module_names_and_paths_turn_into_each_other() -> None:
    for path, module in (
        ("A/B.lean", "A.B"),
        ("A/b-c/D e.lean", "A.«b-c».«D e»"),
        ("Été/x'.lean", "Été.x'"),
    ):
        assert module_of(path) == module
        assert path_of(module) == path
    assert lean_name("A.b-c") == "A.«b-c»"
    assert lean_name("A.«b.c»") == "A.«b.c»"


def test_an_instance_travels_between_processes() -> None:
    item = small.instance()
    _ = item.findings
    copy = pickle.loads(pickle.dumps(item))
    assert copy == item
    assert copy.findings == item.findings


def test_a_mapping_keeps_its_bytes() -> None:
    files = small.files()
    assert load_files(files).files == files
