"""Whether the names of the manifest are declared, once, and with the shape that generated text needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curation.format.findings import Finding, FormatError, finding
from curation.format.instance import Instance
from workbench.lean.declarations import Declaration

_SHAPE = re.compile(r"\S+\s+\S+\s*\(\s*\w+\s*:\s*(?:[\w.]+\.)?RepoImpl\s*\)\s*:\s*Prop")
_COMMENT = re.compile(r"--[^\n]*|/-.*?-/", re.DOTALL)


def specs(instance: Instance) -> Iterator[Finding]:
    """Specs that are not there, that several declarations fit, that are private, or of another type."""
    for spec in instance.specs:
        item = spec.declaration
        if item is None:
            place = spec.path or "manifest.json"
            yield finding(
                "spec-not-found",
                place,
                f"no declaration of {spec.name} (module {spec.manifest_module})",
            )
            continue
        found = instance.find(spec.path, spec.name)
        if len(found) > 1 and item.name != spec.name:
            others = ", ".join(other.name for other in found)
            yield finding(
                "spec-ambiguous", spec.path, f"{spec.name} fits {others}", item.line
            )
        if item.private:
            yield finding(
                "spec-private", spec.path, f"{spec.name} is private", item.line
            )
        if not _SHAPE.fullmatch(_COMMENT.sub(" ", item.signature).strip()):
            yield finding(
                "spec-shape",
                spec.path,
                f"{spec.name} is not (impl : RepoImpl) : Prop",
                item.line,
            )
        if not spec.apis:
            yield finding(
                "spec-without-api",
                spec.path,
                f"{spec.name} mentions no API of impl",
                item.line,
            )


def namespaces(instance: Instance) -> Iterator[Finding]:
    """Spec files whose specs have a namespace that the manifest does not write."""
    counted: dict[str, list[str]] = {}
    for spec in instance.specs:
        if spec.full_name and spec.full_name != spec.name:
            counted.setdefault(spec.path, []).append(spec.full_name)
    for path, names in counted.items():
        yield finding(
            "spec-in-namespace",
            path,
            f"{len(names)} specs stand in a namespace, as {names[0]}",
        )


def unlisted_specs(instance: Instance) -> Iterator[Finding]:
    """Declarations called like specs that no entry of the manifest lists."""
    listed = {(spec.path, spec.full_name) for spec in instance.specs}
    paths = dict.fromkeys(
        module.spec for _, module in instance.manifest.modules if module.spec
    )
    for path in paths:
        if path not in instance.texts:
            continue
        for item in instance.scan(path).declarations:
            if item.short_name.startswith("spec_") and (path, item.name) not in listed:
                yield finding(
                    "spec-unlisted",
                    path,
                    f"{item.name} is not in the manifest",
                    item.line,
                )


def apis(instance: Instance) -> Iterator[Finding]:
    """APIs and signatures that are not declared."""
    for api in instance.apis:
        if api.declaration is None:
            place = api.path or "manifest.json"
            yield finding(
                "api-not-found",
                place,
                f"no declaration of {api.name} (module {api.manifest_module})",
            )
        if not api.sig_name:
            place = api.path or "manifest.json"
            yield finding(
                "sig-not-found",
                place,
                f"{api.sig}, the signature of {api.name}, is not declared",
            )


def harness(instance: Instance) -> Iterator[Finding]:
    """RepoImpl and canonical: declared once, perhaps in a namespace, with a field a package."""
    path = instance.manifest.files.harness
    if path not in instance.texts:
        return
    for name in ("RepoImpl", "canonical"):
        try:
            full = instance.repo_impl if name == "RepoImpl" else instance.canonical
        except FormatError as error:
            yield finding("harness-name", path, error.reason, error.line)
            continue
        if full != name:
            line = instance.find(path, name)[0].line
            yield finding("harness-in-namespace", path, f"{name} is {full}", line)
    for item in instance.find(path, "RepoImpl", frozenset(("structure", "class"))):
        fields = {member.name for member in item.members}
        for package in instance.manifest.packages:
            if package.repo_impl_field not in fields:
                message = f"{item.name} has no field {package.repo_impl_field} for package {package.name}"
                yield finding("repo-impl-field-missing", path, message, item.line)


def bundles(instance: Instance) -> Iterator[Finding]:
    """Every API is a field of its bundle, and every field an API."""
    for package in instance.manifest.packages:
        if package.bundle not in instance.texts:
            continue
        found = instance.find(
            package.bundle, package.bundle_type, frozenset(("structure", "class"))
        )
        if not found:
            yield finding(
                "bundle-missing", package.bundle, f"no structure {package.bundle_type}"
            )
            continue
        bundle: Declaration = found[0]
        fields = {
            member.name: member.line
            for member in bundle.members
            if member.kind == "field"
        }
        listed = {api.name for module in package.modules for api in module.apis}
        for name in sorted(listed - fields.keys()):
            yield finding(
                "api-not-in-bundle",
                package.bundle,
                f"{bundle.name} has no field {name}",
                bundle.line,
            )
        for name, line in fields.items():
            if name not in listed:
                yield finding(
                    "bundle-field-unlisted",
                    package.bundle,
                    f"{name} is no API of the manifest",
                    line,
                )


CHECKS = (specs, namespaces, unlisted_specs, apis, harness, bundles)
