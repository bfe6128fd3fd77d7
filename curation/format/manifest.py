"""manifest.json: a typed view of what we need, and the document as it was written.

Needed to load: `benchmark_id`, `root_package`, `lean_version`, `packages`; per package `name, bundle, bundle_type,
repo_impl_field`; per module `name`; per API `name, sig`. The rest has defaults. Unknown keys are kept: the
view carries the raw object of everything it shows, and writing gives back the bytes that were read, with only
the changed values replaced. Source: instance-format.md, "manifest.json".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from curation.format import jsontext
from curation.format.archive import unsafe_path
from curation.format.findings import FormatError
from curation.format.jsontext import KeyPath, show

MANIFEST_NAME = "manifest.json"
MODES = ("proof", "codeproof")

Data = Mapping[str, Any]
_NOTHING: Data = {}


class ManifestApi(NamedTuple):
    """An entry of `apis[]`. `data` is the object as written."""

    name: str
    sig: str
    data: Data


class ManifestSpec(NamedTuple):
    """An entry of `specs[]`, which is a name or an object with one. `data` is empty for a bare name."""

    name: str
    data: Data


@dataclass(frozen=True, slots=True)
class ManifestModule:
    """An entry of `modules[]`. `impl` and `spec` are paths, or None when the module has no such file."""

    name: str
    impl: str | None
    spec: str | None
    apis: tuple[ManifestApi, ...]
    specs: tuple[ManifestSpec, ...]
    data: Data = field(repr=False)


@dataclass(frozen=True, slots=True)
class ManifestPackage:
    """An entry of `packages[]`: one bundle of APIs, one field of `RepoImpl`."""

    name: str
    bundle: str
    bundle_type: str
    repo_impl_field: str
    modules: tuple[ManifestModule, ...]
    data: Data = field(repr=False)


@dataclass(frozen=True, slots=True)
class ManifestFiles:
    """Paths of the files that an instance has once, with the defaults of the format filled in."""

    root_hub: str
    harness: str
    test: str
    lakefile: str


@dataclass(frozen=True, slots=True)
class ManifestSource:
    """Where the instance comes from. Absent and null values are empty."""

    language: str
    repo_url: str
    commit_hash: str
    paths: tuple[str, ...]
    kind: str
    name: str
    scope_note: str


@dataclass(frozen=True)
class Manifest:
    """The manifest of an instance. `raw` are the bytes it was read from, `document` what they say."""

    benchmark_id: str
    root_package: str
    lean_version: str
    packages: tuple[ManifestPackage, ...]
    files: ManifestFiles
    source: ManifestSource
    description: str
    modes_supported: tuple[str, ...]
    trusted_axioms: tuple[str, ...]
    document: Data = field(repr=False)
    raw: bytes = field(repr=False)
    path: str = MANIFEST_NAME

    @property
    def modules(self) -> tuple[tuple[ManifestPackage, ManifestModule], ...]:
        """Return every module with its package, in order."""
        return tuple(
            (package, module) for package in self.packages for module in package.modules
        )

    @property
    def api_count(self) -> int:
        """Return the number of entries in all `apis[]`."""
        return sum(len(module.apis) for _, module in self.modules)

    @property
    def spec_count(self) -> int:
        """Return the number of entries in all `specs[]`."""
        return sum(len(module.specs) for _, module in self.modules)

    def text(self) -> str:
        """Return the JSON text, without a byte order mark."""
        return self.raw.decode("utf-8-sig")

    def to_bytes(self) -> bytes:
        """Return the file as it is to be written: for an unchanged manifest, the bytes that were read."""
        return self.raw

    def with_value(self, path: KeyPath, value: object) -> Manifest:
        """Return the manifest with one value replaced or added; the rest keeps order and layout.

        Raises KeyError when there is nothing at `path[:-1]` to hold it, FormatError when the result is no manifest.
        """
        return self._rewritten(jsontext.replace(self.text(), path, value))

    def without(self, path: KeyPath) -> Manifest:
        """Return the manifest without the key or element at `path`. Raises like `with_value`."""
        return self._rewritten(jsontext.remove(self.text(), path))

    def _rewritten(self, text: str) -> Manifest:
        mark = b"\xef\xbb\xbf" if self.raw.startswith(b"\xef\xbb\xbf") else b""
        return read_manifest(mark + text.encode(), self.path)

    def line_of(self, *path: str | int) -> int | None:
        """Return the line on which the value at this key path starts."""
        return jsontext.line_of(self.text(), path)


class _Wrong(Exception):
    def __init__(self, path: KeyPath, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


_TYPES = {
    str: "a string",
    list: "a list",
    dict: "an object",
    bool: "a Boolean",
    int: "a number",
    float: "a number",
}


def _named(value: object) -> str:
    return "null" if value is None else _TYPES.get(type(value), type(value).__name__)


def _expected(path: KeyPath, what: str, value: object) -> _Wrong:
    return _Wrong(path, f"expected {what}, found {_named(value)}")


def _need(data: Data, path: KeyPath, key: str) -> Any:
    if key not in data:
        raise _Wrong((*path, key), "this key is needed and missing")
    return data[key]


def _name(data: Data, path: KeyPath, key: str) -> str:
    value = _need(data, path, key)
    if type(value) is not str:
        raise _expected((*path, key), "a string", value)
    if not value.strip() or not value.isprintable():
        raise _Wrong((*path, key), f"expected a name, found {value!r}")
    return value


def _text(data: Data, path: KeyPath, key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if type(value) is not str:
        raise _expected((*path, key), "a string or null", value)
    return value


def _list(data: Data, path: KeyPath, key: str) -> list[Any]:
    value = data.get(key)
    if value is None:
        return []
    if type(value) is not list:
        raise _expected((*path, key), "a list", value)
    return value


def _strings(data: Data, path: KeyPath, key: str) -> tuple[str, ...]:
    values = _list(data, path, key)
    for index, value in enumerate(values):
        if type(value) is not str:
            raise _expected((*path, key, index), "a string", value)
    return tuple(values)


def _object(value: object, path: KeyPath) -> Data:
    if type(value) is not dict:
        raise _expected(path, "an object", value)
    return value


def _file(value: object, path: KeyPath) -> str:
    if type(value) is not str:
        raise _expected(path, "a path", value)
    reason = unsafe_path(value)
    if reason:
        raise _Wrong(
            path, f"expected a path inside the instance, found {value!r}: {reason}"
        )
    return value


def _module(value: object, path: KeyPath) -> ManifestModule:
    data = _object(value, path)
    apis: list[ManifestApi] = []
    for index, item in enumerate(_list(data, path, "apis")):
        place = (*path, "apis", index)
        item = _object(item, place)
        apis.append(
            ManifestApi(_name(item, place, "name"), _name(item, place, "sig"), item)
        )
    specs: list[ManifestSpec] = []
    for index, item in enumerate(_list(data, path, "specs")):
        place = (*path, "specs", index)
        if type(item) is str:
            if not item.strip() or not item.isprintable():
                raise _Wrong(place, f"expected a name, found {item!r}")
            specs.append(ManifestSpec(item, _NOTHING))
        elif type(item) is dict:
            specs.append(ManifestSpec(_name(item, place, "name"), item))
        else:
            raise _expected(place, "a name or an object", item)
    impl, spec = data.get("impl"), data.get("spec")
    return ManifestModule(
        name=_file(_name(data, path, "name"), (*path, "name")),
        impl=None if impl is None else _file(impl, (*path, "impl")),
        spec=None if spec is None else _file(spec, (*path, "spec")),
        apis=tuple(apis),
        specs=tuple(specs),
        data=data,
    )


def _package(value: object, path: KeyPath) -> ManifestPackage:
    data = _object(value, path)
    return ManifestPackage(
        name=_file(_name(data, path, "name"), (*path, "name")),
        bundle=_file(_need(data, path, "bundle"), (*path, "bundle")),
        bundle_type=_name(data, path, "bundle_type"),
        repo_impl_field=_name(data, path, "repo_impl_field"),
        modules=tuple(
            _module(item, (*path, "modules", index))
            for index, item in enumerate(_list(data, path, "modules"))
        ),
        data=data,
    )


def _files(document: Data, root: str) -> ManifestFiles:
    value = document.get("files")
    data = {} if value is None else _object(value, ("files",))
    defaults = {
        "root_hub": f"{root}.lean",
        "harness": f"{root}/Harness.lean",
        "test": f"{root}/Test.lean",
        "lakefile": "lakefile.toml",
    }
    return ManifestFiles(
        **{
            key: default if data.get(key) is None else _file(data[key], ("files", key))
            for key, default in defaults.items()
        }
    )


def _source(document: Data) -> ManifestSource:
    value = document.get("source")
    data = {} if value is None else _object(value, ("source",))
    path = data.get("path")
    paths = (
        _strings(data, ("source",), "path")
        if type(path) is list
        else (_text(data, ("source",), "path"),)
    )
    keys = ("language", "repo_url", "commit_hash", "kind", "name", "scope_note")
    return ManifestSource(
        paths=tuple(p for p in paths if p),
        **{key: _text(data, ("source",), key) for key in keys},
    )


def _manifest(document: object, raw: bytes, path: str) -> Manifest:
    data = _object(document, ())
    root = _name(data, (), "root_package")
    reason = unsafe_path(root)
    if reason or "/" in root:
        raise _Wrong(
            ("root_package",), f"expected the name of a Lean package, found {root!r}"
        )
    packages = _need(data, (), "packages")
    if type(packages) is not list or not packages:
        raise _expected(("packages",), "a list that is not empty", packages)
    return Manifest(
        benchmark_id=_name(data, (), "benchmark_id"),
        root_package=root,
        lean_version=_name(data, (), "lean_version"),
        packages=tuple(
            _package(item, ("packages", index)) for index, item in enumerate(packages)
        ),
        files=_files(data, root),
        source=_source(data),
        description=_text(data, (), "description"),
        modes_supported=_strings(data, (), "modes_supported"),
        trusted_axioms=_strings(data, (), "trusted_axioms"),
        document=data,
        raw=raw,
        path=path,
    )


_UNSTORABLE = re.compile(r"\\u(?:[dD]|0000)")


def _constant(text: str) -> object:
    raise ValueError(f"{text} is not JSON")


def _reject_unstorable(text: str, document: object, path: str) -> None:
    """JSON can spell characters that no text file and no database holds: lone surrogates and NUL."""
    if _UNSTORABLE.search(text) is None:
        return
    todo = [document]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            if "\0" in value:
                raise FormatError("holds a NUL character", path=path)
            if not value.isascii() and any(
                "\ud800" <= character <= "\udfff" for character in value
            ):
                raise FormatError(
                    "holds half of a surrogate pair, which is not text", path=path
                )
        elif isinstance(value, dict):
            todo += (*value.keys(), *value.values())
        elif isinstance(value, list):
            todo += value


def read_manifest(raw: bytes, path: str = MANIFEST_NAME) -> Manifest:
    """Return the manifest in `raw`.

    Raises FormatError naming the line for what is not JSON, and line, key path and expected type for what is
    JSON but no manifest.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"is not UTF-8 (byte {error.start})", path=path, line=line
        ) from None
    try:
        document = json.loads(text, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"is not JSON: {error.msg} (column {error.colno})",
            path=path,
            line=error.lineno,
        ) from None
    except (ValueError, RecursionError) as error:
        reason = (
            "nested too deeply" if isinstance(error, RecursionError) else str(error)
        )
        raise FormatError(f"is not JSON: {reason}", path=path) from None
    _reject_unstorable(text, document, path)
    try:
        return _manifest(document, raw, path)
    except _Wrong as wrong:
        place, key = jsontext.line_of(text, wrong.path), show(wrong.path) or None
        raise FormatError(wrong.message, path=path, line=place, key=key) from None


def write_manifest(document: Data) -> bytes:
    """Return a new manifest as this project writes them: two spaces, UTF-8, a line end at the end."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
