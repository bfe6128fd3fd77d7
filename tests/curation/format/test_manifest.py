from __future__ import annotations

import json
from typing import Any

import pytest

from curation.format.findings import FormatError
from curation.format.manifest import read_manifest, write_manifest

from . import small


def dumped(document: object) -> bytes:
    return json.dumps(document, indent=2).encode()


def changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """Return the small manifest with one value replaced; `...` takes it away."""
    document: Any = small.manifest()
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return document


MODULE: tuple[str | int, ...] = ("packages", 0, "modules", 0)


def test_it_shows_what_is_there() -> None:
    manifest = read_manifest(dumped(small.MANIFEST))
    assert (manifest.benchmark_id, manifest.root_package, manifest.lean_version) == (
        "bank",
        "Bank",
        "4.29.1",
    )
    (package,) = manifest.packages
    (module,) = package.modules
    assert [api.name for api in module.apis] == ["put", "total"]
    assert [
        (spec.name, spec.data.get("equivalence_status")) for spec in module.specs
    ] == [
        ("spec_put_adds", None),
        ("spec_total_empty", "translated"),
    ]
    assert (manifest.api_count, manifest.spec_count) == (2, 2)
    assert manifest.source.language == "python"


def test_everything_but_the_needed_keys_has_a_default() -> None:
    document = {
        "benchmark_id": "x/y",
        "root_package": "X",
        "lean_version": "4",
        "packages": [
            {
                "name": "X",
                "bundle": "X/B.lean",
                "bundle_type": "B",
                "repo_impl_field": "x",
                "modules": [{"name": "A/B"}],
            }
        ],
    }
    manifest = read_manifest(dumped(document))
    assert (manifest.files.root_hub, manifest.files.harness) == (
        "X.lean",
        "X/Harness.lean",
    )
    assert (manifest.files.test, manifest.files.lakefile) == (
        "X/Test.lean",
        "lakefile.toml",
    )
    assert (
        manifest.modes_supported,
        manifest.trusted_axioms,
        manifest.description,
    ) == ((), (), "")
    module = manifest.packages[0].modules[0]
    assert (module.impl, module.spec, module.apis, module.specs) == (None, None, (), ())
    assert (manifest.source.paths, manifest.source.commit_hash) == ((), "")


@pytest.mark.parametrize(
    ("path", "expected"),
    [("src", ("src",)), (["a", "b"], ("a", "b")), (None, ()), ("", ())],
)
def test_the_source_path_is_one_or_many(
    path: object, expected: tuple[str, ...]
) -> None:
    assert (
        read_manifest(dumped(changed(("source", "path"), path))).source.paths
        == expected
    )


@pytest.mark.parametrize(
    ("path", "value", "key", "expected"),
    [
        (("benchmark_id",), ..., "benchmark_id", "needed and missing"),
        (("lean_version",), ..., "lean_version", "needed and missing"),
        (("root_package",), ..., "root_package", "needed and missing"),
        (("packages",), ..., "packages", "needed and missing"),
        (("packages",), [], "packages", "a list that is not empty"),
        (("packages",), {}, "packages", "a list that is not empty"),
        (("packages", 0), 3, "packages[0]", "expected an object, found a number"),
        (("packages", 0, "bundle"), ..., "packages[0].bundle", "needed and missing"),
        (("packages", 0, "bundle"), None, "packages[0].bundle", "expected a path, found null"),
        (("packages", 0, "bundle_type"), ..., "packages[0].bundle_type", "needed and missing"),
        (("packages", 0, "repo_impl_field"), [], "packages[0].repo_impl_field", "expected a string, found a list"),
        (("packages", 0, "modules"), {}, "packages[0].modules", "expected a list, found an object"),
        ((*MODULE, "name"), ..., "packages[0].modules[0].name", "needed and missing"),
        ((*MODULE, "name"), "../x", "packages[0].modules[0].name", "a path inside the instance"),
        ((*MODULE, "name"), " ", "packages[0].modules[0].name", "expected a name"),
        ((*MODULE, "impl"), 1, "packages[0].modules[0].impl", "expected a path, found a number"),
        ((*MODULE, "impl"), "/etc/passwd", "packages[0].modules[0].impl", "absolute"),
        ((*MODULE, "spec"), "a/../../b.lean", "packages[0].modules[0].spec", "'..' is not a name"),
        ((*MODULE, "spec"), "a\\b.lean", "packages[0].modules[0].spec", "backslash"),
        ((*MODULE, "apis"), "put", "packages[0].modules[0].apis", "expected a list, found a string"),
        ((*MODULE, "apis", 1), "put", "packages[0].modules[0].apis[1]", "expected an object, found a string"),
        ((*MODULE, "apis", 1, "sig"), ..., "packages[0].modules[0].apis[1].sig", "needed and missing"),
        ((*MODULE, "apis", 0, "name"), True, "packages[0].modules[0].apis[0].name", "a string, found a Boolean"),
        ((*MODULE, "apis", 0, "name"), "a\nb", "packages[0].modules[0].apis[0].name", "expected a name"),
        ((*MODULE, "specs", 0), None, "packages[0].modules[0].specs[0]", "a name or an object, found null"),
        ((*MODULE, "specs", 0), "", "packages[0].modules[0].specs[0]", "expected a name"),
        ((*MODULE, "specs", 1, "name"), ..., "packages[0].modules[0].specs[1].name", "needed and missing"),
        (("files",), [], "files", "expected an object, found a list"),
        (("files", "harness"), "../H.lean", "files.harness", "a path inside the instance"),
        (("source",), "git", "source", "expected an object, found a string"),
        (("source", "language"), 3, "source.language", "a string or null, found a number"),
        (("modes_supported",), "proof", "modes_supported", "expected a list, found a string"),
        (("modes_supported", 1), 2, "modes_supported[1]", "expected a string, found a number"),
        (("root_package",), "A/B", "root_package", "the name of a Lean package"),
        (("root_package",), "..", "root_package", "the name of a Lean package"),
        (("packages", 0, "name"), "../..", "packages[0].name", "a path inside the instance"),
    ],
)  # fmt: skip
def test_a_wrong_manifest_says_which_key_and_what_was_expected(
    path: tuple[str | int, ...], value: Any, key: str, expected: str
) -> None:
    document = changed(path, value)
    with pytest.raises(FormatError) as caught:
        read_manifest(dumped(document))
    error = caught.value
    assert (error.path, error.key) == ("manifest.json", key)
    assert expected in error.reason
    assert error.line is not None
    if value is not ...:
        last = path[-1]
        line = dumped(document).decode().splitlines()[error.line - 1]
        assert isinstance(last, int) or f'"{last}"' in line


@pytest.mark.parametrize(
    ("raw", "line", "reason"),
    [
        (b"", 1, "is not JSON"),
        (b'{\n  "a": 1,\n}', 3, "is not JSON"),
        (b'{"a": NaN}', None, "NaN is not JSON"),
        (b"[" * 100_000, None, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", None, "is not JSON"),
        (b'{\n "a": "\xff"}', 2, "is not UTF-8 (byte 9)"),
        (b'{"a": "\\ud800"}', None, "surrogate"),
        (b'{"a": "\\u0000"}', None, "NUL"),
        (b"[]", 1, "expected an object, found a list"),
        (b"null", 1, "expected an object, found null"),
        (b'{"a": 1} x', 1, "is not JSON"),
        (b"PK\x03\x04", 1, "is not JSON"),
    ],
)
def test_what_is_no_manifest_says_where(
    raw: bytes, line: int | None, reason: str
) -> None:
    with pytest.raises(FormatError) as caught:
        read_manifest(raw, "x/manifest.json")
    assert reason in caught.value.reason
    assert caught.value.line == line
    assert str(caught.value).startswith("x/manifest.json")


def test_pairs_of_surrogates_and_escaped_backslashes_are_text() -> None:
    document = changed(("description",), "😀 \\ud800 \\u0000")
    assert read_manifest(dumped(document)).description == "😀 \\ud800 \\u0000"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_what_is_not_changed_is_written_as_it_was_read(
    mark: bytes, newline: bytes
) -> None:
    raw = (
        mark
        + b'{ "benchmark_id":"b","root_package" : "B",\n"lean_version":"4" , "zzz": {"kept":[1.50, 2e3]},\n'
    )
    raw += b'"packages":[{"name":"B","bundle":"B.lean","bundle_type":"T","repo_impl_field":"b"}]}\n\n'
    raw = raw.replace(b"\n", newline)
    manifest = read_manifest(raw)
    assert manifest.to_bytes() == raw
    other = manifest.with_value(("lean_version",), "5")
    assert other.to_bytes() == raw.replace(b'"lean_version":"4"', b'"lean_version":"5"')
    assert other.lean_version == "5"
    assert manifest.lean_version == "4"


def test_a_change_keeps_unknown_keys_order_and_layout() -> None:
    document = {"zeta": [1, {"x": 2}], **small.manifest(), "alpha": "→"}
    raw = json.dumps(document, indent=4, ensure_ascii=False).encode()
    path = ("packages", 0, "modules", 0, "specs")
    manifest = read_manifest(raw).with_value(path, ["spec_put_adds"])
    assert list(manifest.document) == list(document)
    assert manifest.document["zeta"] == [1, {"x": 2}]
    assert [spec.name for spec in manifest.packages[0].modules[0].specs] == [
        "spec_put_adds"
    ]
    document["packages"][0]["modules"][0]["specs"] = ["spec_put_adds"]
    assert (
        manifest.to_bytes()
        == json.dumps(document, indent=4, ensure_ascii=False).encode()
    )
    assert "source" not in manifest.without(("source",)).document


def test_a_change_that_makes_no_manifest_is_refused() -> None:
    manifest = read_manifest(dumped(small.MANIFEST))
    with pytest.raises(FormatError) as caught:
        manifest.with_value(("packages",), 3)
    assert caught.value.key == "packages"
    with pytest.raises(KeyError):
        manifest.with_value(("nothing", "here"), 3)


def test_a_new_manifest_reads_back() -> None:
    raw = write_manifest(small.MANIFEST)
    assert raw.endswith(b"}\n")
    assert read_manifest(raw).document == small.MANIFEST


def test_lines_are_known_by_key() -> None:
    manifest = read_manifest(dumped(small.MANIFEST))
    line = manifest.line_of("packages", 0, "repo_impl_field")
    assert line is not None
    assert "repo_impl_field" in manifest.text().splitlines()[line - 1]
