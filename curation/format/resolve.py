"""From the names of a manifest to declarations: full names, places, and who mentions whom."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from curation.format.entries import Api, DeclarationRef, Spec, module_of
from curation.format.findings import FormatError
from curation.format.manifest import (
    ManifestApi,
    ManifestModule,
    ManifestPackage,
    ManifestSpec,
)
from curation.format.slots import bare_name
from workbench.lean import lexer
from workbench.lean.declarations import Declaration
from workbench.lean.uses import uses

if TYPE_CHECKING:
    from curation.format.instance import Instance


def harness_name(instance: Instance, name: str) -> str:
    """Return the full name of a declaration of the harness. Raises FormatError when there is not exactly one."""
    path = instance.manifest.files.harness
    if path not in instance.texts:
        raise FormatError("the harness is missing", path=path)
    found = [item for item in instance.find(path, name) if not item.private]
    if len(found) != 1:
        line = found[1].line if found else None
        raise FormatError(
            f"expected one declaration of {name}, found {len(found)}",
            path=path,
            line=line,
        )
    return found[0].name


def _best(found: tuple[Declaration, ...], name: str) -> Declaration | None:
    exact = [item for item in found if item.name == name]
    return next(iter(exact or found), None)


def apis(instance: Instance) -> tuple[Api, ...]:
    """Return the APIs of the manifest, in order."""
    return tuple(
        _api(instance, package, module, entry)
        for package, module in instance.manifest.modules
        for entry in module.apis
    )


def _api(
    instance: Instance,
    package: ManifestPackage,
    module: ManifestModule,
    entry: ManifestApi,
) -> Api:
    path = module.impl or ""
    code = instance.slot(path, "code", entry.name)
    # The slot knows best: some instances give an API another name than the definition it fills.
    declaration = instance.around(code) if code else None
    declaration = declaration or _best(instance.find(path, entry.name), entry.name)
    return Api(
        name=entry.name,
        full_name=declaration.name if declaration else "",
        sig=entry.sig,
        sig_name=_sig_name(instance, path, entry.sig),
        package=package.name,
        repo_impl_field=package.repo_impl_field,
        manifest_module=module.name,
        module=module_of(path) if path else "",
        path=path,
        declaration=declaration,
        code=code,
        code_aux=instance.slot(path, "code_aux", entry.name),
        data=entry.data,
    )


_SIG_KINDS = frozenset(("abbrev", "def"))


def _sig_name(instance: Instance, path: str, sig: str) -> str:
    for place in (path, *sorted(instance.visible_paths)):
        found = instance.find(place, sig, _SIG_KINDS)
        if found:
            return found[0].name
    return ""


def specs(instance: Instance) -> tuple[Spec, ...]:
    """Return the specs of the manifest, in order."""
    mentions = Mentions(instance)
    return tuple(
        _spec(instance, package, module, entry, mentions)
        for package, module in instance.manifest.modules
        for entry in module.specs
    )


def _spec(
    instance: Instance,
    package: ManifestPackage,
    module: ManifestModule,
    entry: ManifestSpec,
    mentions: Mentions,
) -> Spec:
    path = module.spec or ""
    declaration = _best(instance.find(path, entry.name), entry.name)
    code = (
        instance.scan(path).code[declaration.code_start : declaration.end]
        if declaration
        else ""
    )
    return Spec(
        name=entry.name,
        bare=bare_name(entry.name),
        full_name=declaration.name if declaration else "",
        package=package.name,
        manifest_module=module.name,
        module=module_of(path) if path else "",
        path=path,
        start_line=declaration.start_line if declaration else 0,
        end_line=declaration.end_line if declaration else 0,
        declaration=declaration,
        apis=mentions.of(code),
        data=entry.data,
    )


class Mentions:
    """Finds the APIs that a text mentions through the bundle: `impl.<field>.<api>`, or through a short name for
    `impl.<field>` that the text gives itself."""

    def __init__(self, instance: Instance) -> None:
        manifest = instance.manifest
        fields = "|".join(
            re.escape(package.repo_impl_field) for package in manifest.packages
        )
        self.whole = re.compile(
            rf"\.(?:{fields})(?![{lexer.ID_REST}])(?:\.({lexer.NAME_PART}))?"
        )
        self.any_field = re.compile(rf"\.({lexer.NAME_PART})")
        self.known = frozenset(
            api.name for _, module in manifest.modules for api in module.apis
        )

    def of(self, code: str) -> tuple[str, ...]:
        """Return the names of the APIs mentioned in `code` (comments already blanked), in order."""
        found = self.whole.findall(code)
        if "" in found:
            found = self.any_field.findall(code)
        known = self.known
        return tuple(dict.fromkeys(name for name in found if name in known))


def dependencies(
    instance: Instance,
) -> dict[DeclarationRef, tuple[DeclarationRef, ...]]:
    """Return for each declaration of the visible files the declarations that it mentions, APIs included.

    APIs come last, in the order of the text; the rest as `workbench.lean.uses` finds it.
    """
    paths = {module_of(path): path for path in sorted(instance.visible_paths)}
    found = uses({module: instance.scan(path) for module, path in paths.items()})
    places = _api_places(instance)
    mentions = Mentions(instance)
    result: dict[DeclarationRef, tuple[DeclarationRef, ...]] = {}
    for ref, others in found.items():
        path = paths[ref.module]
        scan = instance.scan(path)
        item = scan.declarations[ref.position]
        me = DeclarationRef(path, ref.position)
        edges = dict.fromkeys(
            DeclarationRef(paths[other.module], other.position) for other in others
        )
        for name in mentions.of(scan.code[item.code_start : item.end]):
            if name in places:
                edges[places[name]] = None
        edges.pop(me, None)
        result[me] = tuple(edges)
    return result


def _api_places(instance: Instance) -> dict[str, DeclarationRef]:
    places: dict[str, DeclarationRef] = {}
    for api in instance.apis:
        if api.declaration is not None:
            position = instance.scan(api.path).declarations.index(api.declaration)
            places.setdefault(api.name, DeclarationRef(api.path, position))
    return places
