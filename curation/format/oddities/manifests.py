"""What the manifest says, leaves out, or says twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from curation.format import jsontext
from curation.format.findings import Finding, finding
from curation.format.instance import Instance
from curation.format.jsontext import KeyPath, show
from curation.format.manifest import MANIFEST_NAME, MODES

_ROOT_KEYS = ("modes_supported", "trusted_axioms", "files", "source", "description")
_MODULE_KEYS = ("apis", "specs", "impl", "spec")
_FILE_KEYS = ("root_hub", "harness", "test", "lakefile")
_HASH = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE)


def repeated_keys(instance: Instance) -> Iterator[Finding]:
    """Keys that an object holds twice; readers differ in which one they keep."""
    for path, line in jsontext.repeated_keys(instance.manifest.text()):
        yield finding(
            "manifest-duplicate-key",
            MANIFEST_NAME,
            f"{show(path)} was there before; the last one counts",
            line,
        )


def _objects(
    document: Mapping[str, Any],
) -> Iterator[tuple[KeyPath, Mapping[str, Any], tuple[str, ...]]]:
    yield (), document, _ROOT_KEYS
    if isinstance(document.get("files"), dict):
        yield ("files",), document["files"], _FILE_KEYS
    for index, package in enumerate(document["packages"]):
        yield ("packages", index), package, ("modules",)
        for number, module in enumerate(package.get("modules") or ()):
            yield ("packages", index, "modules", number), module, _MODULE_KEYS


def misspelt_and_missing_keys(instance: Instance) -> Iterator[Finding]:
    """Optional keys that are absent, and unknown ones that are spelt nearly like an absent one."""
    for path, data, keys in _objects(instance.manifest.document):
        absent = [key for key in keys if key not in data]
        for key in data:
            close = get_close_matches(key, absent, 1, 0.75) if key not in keys else []
            if close:
                where = (*path, key)
                line = instance.manifest.line_of(*where)
                yield finding(
                    "manifest-key-misspelt",
                    MANIFEST_NAME,
                    f"{show(where)}: did you mean {close[0]}?",
                    line,
                )
    document = instance.manifest.document
    for key in ("modes_supported", "files", "source"):
        if document.get(key) is None:
            yield finding(
                "manifest-default",
                MANIFEST_NAME,
                f"{key} is missing and takes its default",
            )


def source(instance: Instance) -> Iterator[Finding]:
    """Where the instance comes from."""
    found = instance.manifest.source
    if found.language != found.language.lower():
        line = instance.manifest.line_of("source", "language")
        yield finding(
            "language-capitalised",
            MANIFEST_NAME,
            f"source.language is {found.language!r}",
            line,
        )
    if not _HASH.fullmatch(found.commit_hash):
        said = repr(found.commit_hash) if found.commit_hash else "missing"
        line = instance.manifest.line_of("source", "commit_hash")
        yield finding(
            "commit-missing", MANIFEST_NAME, f"source.commit_hash is {said}", line
        )


def modes(instance: Instance) -> Iterator[Finding]:
    """Modes that nobody can grade."""
    for index, mode in enumerate(instance.manifest.modes_supported):
        if mode not in MODES:
            line = instance.manifest.line_of("modes_supported", index)
            yield finding(
                "modes-unknown",
                MANIFEST_NAME,
                f"modes_supported[{index}] is {mode!r}",
                line,
            )


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def names_of_the_instance(instance: Instance) -> Iterator[Finding]:
    """Directory, id, root package and the field of RepoImpl are four names, not one."""
    manifest = instance.manifest
    benchmark, root = manifest.benchmark_id, manifest.root_package
    directory = instance.name or benchmark
    if (
        "/" in benchmark
        or len({_plain(benchmark), _plain(root), _plain(directory)}) > 1
    ):
        message = f"directory {directory}, root package {root}, id {benchmark}"
        yield finding(
            "names-differ", MANIFEST_NAME, message, manifest.line_of("benchmark_id")
        )
    for index, package in enumerate(manifest.packages):
        expected = package.name[:1].lower() + package.name[1:]
        if package.repo_impl_field != expected:
            message = f"packages[{index}].repo_impl_field is {package.repo_impl_field}, not {expected}"
            line = manifest.line_of("packages", index, "repo_impl_field")
            yield finding("repo-impl-field-name", MANIFEST_NAME, message, line)


def lean_version(instance: Instance) -> Iterator[Finding]:
    """The toolchain file is what builds, the manifest what is published."""
    data = instance.files.get("lean-toolchain")
    said = instance.manifest.lean_version
    if data is None:
        yield finding("lean-version-differs", "lean-toolchain", "this file is missing")
        return
    toolchain = data.decode("utf-8", "replace").strip()
    if toolchain.rpartition(":")[2].removeprefix("v") != said.rpartition(":")[
        2
    ].removeprefix("v"):
        message = f"says {toolchain}, and the manifest {said}"
        yield finding("lean-version-differs", "lean-toolchain", message, 1)


def modules(instance: Instance) -> Iterator[Finding]:
    """Modules without specs or APIs."""
    for package_index, package in enumerate(instance.manifest.packages):
        for index, module in enumerate(package.modules):
            path = ("packages", package_index, "modules", index)
            if not module.specs:
                yield finding(
                    "module-without-specs",
                    module.impl or MANIFEST_NAME,
                    f"{show(path)}: {module.name} has no specs",
                )
            if not module.apis:
                yield finding(
                    "module-without-apis",
                    module.impl or module.spec or MANIFEST_NAME,
                    f"{show(path)}: {module.name} has no APIs",
                )


def files(instance: Instance) -> Iterator[Finding]:
    """Files that the manifest names and that are not there, or that it names for two modules."""
    manifest = instance.manifest
    named = manifest.files
    for key, path in (
        ("root_hub", named.root_hub),
        ("harness", named.harness),
        ("test", named.test),
        ("lakefile", named.lakefile),
    ):
        if path not in instance.files:
            yield finding(
                "file-missing",
                path,
                f"this file is missing; it is files.{key} of the manifest",
            )
    owners: dict[str, str] = {}
    for package in manifest.packages:
        if package.bundle not in instance.files:
            yield finding(
                "file-missing",
                package.bundle,
                f"this file is missing; it is the bundle of {package.name}",
            )
        for module in package.modules:
            for key, place in (("impl", module.impl), ("spec", module.spec)):
                if place is None:
                    continue
                if place not in instance.files:
                    yield finding(
                        "file-missing",
                        place,
                        f"this file is missing; it is the {key} of module {module.name}",
                    )
                owner = owners.setdefault(place, module.name)
                if owner != module.name:
                    yield finding(
                        "file-named-twice",
                        place,
                        f"belongs to the modules {owner} and {module.name}",
                    )


_UNUSUAL = re.compile(r"[^A-Za-z0-9_]")


def entries(instance: Instance) -> Iterator[Finding]:
    """Names of modules, APIs and specs that repeat or need care outside Lean."""
    seen: dict[tuple[str, str], str] = {}
    unusual: list[str] = []
    for _, module in instance.manifest.modules:
        own = [("module", module.name)]
        own += [("API", api.name) for api in module.apis]
        own += [("spec", spec.name) for spec in module.specs]
        for kind, name in own:
            other = seen.setdefault((kind, name), module.name)
            if other is not module.name or own.count((kind, name)) > 1:
                where = (
                    "twice" if other == module.name else f"in {other} and {module.name}"
                )
                yield finding(
                    "name-repeated", MANIFEST_NAME, f"the {kind} {name} appears {where}"
                )
            if kind != "module" and _UNUSUAL.search(name):
                unusual.append(name)
    for name in dict.fromkeys(unusual):
        yield finding(
            "name-unusual",
            MANIFEST_NAME,
            f"{name} holds characters that need quoting outside Lean",
        )


CHECKS = (
    repeated_keys,
    misspelt_and_missing_keys,
    source,
    modes,
    names_of_the_instance,
    lean_version,
    modules,
    files,
    entries,
)
