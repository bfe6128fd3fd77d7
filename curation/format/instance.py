"""An instance as it lies on disk: files, manifest, slots, and what their text says.

Loading reads the manifest and the markers and checks that text is text. Everything that needs Lean to be
read (names, imports, findings) is worked out when it is first asked for, and kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from curation.format import slots as schedules
from curation.format.archive import DEFAULT_LIMITS, Limits, Tree, read_directory
from curation.format.findings import Finding, FormatError
from curation.format.manifest import (
    MANIFEST_NAME,
    Data,
    Manifest,
    ManifestModule,
    ManifestPackage,
    read_manifest,
)
from curation.format.markers import BENCHMARK, MarkerFile, Slot, read_markers
from curation.format.slots import ScheduledSlot
from workbench.lean import lexer
from workbench.lean.declarations import (
    Declaration,
    FileScan,
    Header,
    header,
    name_parts,
    scan_file,
)

_PLAIN_PART = re.compile(rf"[{lexer.ID_FIRST}][{lexer.ID_REST}]*")


class Module(NamedTuple):
    """A Lean file of the instance. `name` is its Lean module, `visible` whether a solver sees it."""

    name: str
    path: str
    imports: tuple[str, ...]
    visible: bool
    listed: bool


class Api(NamedTuple):
    """An API of the manifest, with what the text says about it. Lines are 1-based.

    `full_name` is empty when no declaration was found. `sig_name` is the full name of the signature abbrev, or
    its name as written in the manifest.
    """

    name: str
    full_name: str
    sig: str
    sig_name: str
    package: str
    repo_impl_field: str
    manifest_module: str
    module: str
    path: str
    declaration: Declaration | None
    code: Slot | None
    code_aux: Slot | None
    data: Data


class Spec(NamedTuple):
    """A spec of the manifest, with what the text says about it.

    `bare` is the name without `spec_`, `full_name` is empty when no declaration was found, `apis` are the
    names of the APIs that its text mentions through `impl.<package>.<api>`.
    """

    name: str
    bare: str
    full_name: str
    package: str
    manifest_module: str
    module: str
    path: str
    start_line: int
    end_line: int
    declaration: Declaration | None
    apis: tuple[str, ...]
    data: Data


class Counts(NamedTuple):
    """What an import reports: entries in the manifest and Lean files."""

    modules: int
    apis: int
    specs: int
    files: int
    lean_files: int
    slots: int


def module_of(path: str) -> str:
    """Return the Lean module of a file: `A/B/C.lean` → `A.B.C`; parts that are no identifiers get `«»`."""
    parts = path.removesuffix(".lean").split("/")
    return ".".join(
        part if _PLAIN_PART.fullmatch(part) else f"«{part}»" for part in parts
    )


def path_of(module: str) -> str:
    """Return the file of a Lean module: `A.«b-c».D` → `A/b-c/D.lean`."""
    return "/".join(part.strip("«»") for part in name_parts(module)) + ".lean"


def lean_name(name: str) -> str:
    """Return a name as Lean text: parts that are no identifiers get `«»`."""
    if _PLAIN_PART.fullmatch(name):
        return name
    return ".".join(
        p if p.startswith("«") or _PLAIN_PART.fullmatch(p) else f"«{p}»"
        for p in name_parts(name)
    )


@dataclass(frozen=True)
class Instance:
    """One instance. `name` is that of its directory or archive; `texts` are the Lean files as text.

    Texts keep their line ends and byte order mark. Picklable; cached properties travel with it.
    """

    name: str
    manifest: Manifest
    files: Mapping[str, bytes] = field(repr=False)
    texts: Mapping[str, str] = field(repr=False)
    marker_files: Mapping[str, MarkerFile] = field(repr=False)
    skipped: tuple[str, ...] = ()
    _scans: dict[str, FileScan] = field(default_factory=dict, repr=False, compare=False)
    _indices: dict[str, dict[str, list[Declaration]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Return every slot that has markers, by file, in the order of the text."""
        return tuple(slot for file in self.marker_files.values() for slot in file.slots)

    @cached_property
    def headers(self) -> dict[str, Header]:
        """Return the header of every Lean file."""
        return {path: header(text) for path, text in self.texts.items()}

    def scan(self, path: str) -> FileScan:
        """Return the declarations of one Lean file. Raises KeyError for a path that is no Lean file."""
        found = self._scans.get(path)
        if found is None:
            found = self._scans[path] = scan_file(self.texts[path])
        return found

    @cached_property
    def listed_paths(self) -> frozenset[str]:
        """Return the Lean files that the manifest names and that exist."""
        files = self.manifest.files
        paths = {files.root_hub, files.harness, files.test}
        for package, module in self.manifest.modules:
            paths.update(
                path for path in (package.bundle, module.impl, module.spec) if path
            )
        paths.update(package.bundle for package in self.manifest.packages)
        return frozenset(path for path in paths if path in self.texts)

    @cached_property
    def visible_paths(self) -> frozenset[str]:
        """Return the Lean files that a solver sees: what the manifest names, and all that these import."""
        seen: set[str] = set()
        todo = list(self.listed_paths)
        while todo:
            path = todo.pop()
            if path in seen:
                continue
            seen.add(path)
            todo += (
                other
                for name, *_ in self.headers[path].imports
                if (other := path_of(name)) in self.texts
            )
        return frozenset(seen)

    @cached_property
    def modules(self) -> tuple[Module, ...]:
        """Return the Lean modules, by path."""
        return tuple(
            Module(
                module_of(path),
                path,
                tuple(item.module for item in self.headers[path].imports),
                path in self.visible_paths,
                path in self.listed_paths,
            )
            for path in sorted(self.texts)
        )

    @cached_property
    def counts(self) -> Counts:
        """Return the figures of the import report, without reading any Lean."""
        manifest = self.manifest
        return Counts(
            modules=len(manifest.modules),
            apis=manifest.api_count,
            specs=manifest.spec_count,
            files=len(self.files),
            lean_files=len(self.texts),
            slots=sum(len(file.slots) for file in self.marker_files.values()),
        )

    def find(
        self, path: str, name: str, kinds: frozenset[str] | None = None
    ) -> tuple[Declaration, ...]:
        """Return the declarations of a file whose name is `name`, or ends with it as whole components."""
        if path not in self.texts:
            return ()
        ending = "." + name.removeprefix("_root_.")
        return tuple(
            item
            for item in self._names(path).get(name_parts(name)[-1], ())
            if f".{item.name}".endswith(ending)
            and (kinds is None or item.kind in kinds)
        )

    def _names(self, path: str) -> dict[str, list[Declaration]]:
        index = self._indices.get(path)
        if index is None:
            index = self._indices[path] = {}
            for item in self.scan(path).declarations:
                index.setdefault(item.short_name, []).append(item)
        return index

    def around(self, slot: Slot) -> tuple[Declaration, ...]:
        """Return the declaration whose body a code slot holds, or the first one that the slot holds whole."""
        for item in self.scan(slot.path).declarations:
            if item.end_line > slot.start_line and item.line < slot.end_line:
                return (item,)
        return ()

    @cached_property
    def repo_impl(self) -> str:
        """Return the full name of `RepoImpl`. Raises FormatError when the harness does not declare it once."""
        return self._harness_name("RepoImpl")

    @cached_property
    def canonical(self) -> str:
        """Return the full name of `canonical`. Raises FormatError when the harness does not declare it once."""
        return self._harness_name("canonical")

    def _harness_name(self, name: str) -> str:
        path = self.manifest.files.harness
        if path not in self.texts:
            raise FormatError("the harness is missing", path=path)
        found = [item for item in self.find(path, name) if not item.private]
        if len(found) != 1:
            line = found[1].line if found else None
            raise FormatError(
                f"expected one declaration of {name}, found {len(found)}",
                path=path,
                line=line,
            )
        return found[0].name

    @cached_property
    def apis(self) -> tuple[Api, ...]:
        """Return the APIs of the manifest, in order."""
        return tuple(
            self._api(package, module, *entry)
            for package, module in self.manifest.modules
            for entry in module.apis
        )

    def _api(
        self,
        package: ManifestPackage,
        module: ManifestModule,
        name: str,
        sig: str,
        data: Data,
    ) -> Api:
        path = module.impl or ""
        code = self.slot(path, "code", name)
        # The slot knows best: some instances give an API another name than the definition it fills.
        found = (
            self.find(path, name)
            if code is None
            else self.around(code) or self.find(path, name)
        )
        declaration = found[0] if found else None
        sigs = [item for item in self.find(path, sig) if item.kind in ("abbrev", "def")]
        if not sigs:
            others = (p for p in sorted(self.visible_paths) if p != path)
            sigs = [item for other in others for item in self.find(other, sig)][:1]
        return Api(
            name=name,
            full_name=declaration.name if declaration else "",
            sig=sig,
            sig_name=sigs[0].name if sigs else sig,
            package=package.name,
            repo_impl_field=package.repo_impl_field,
            manifest_module=module.name,
            module=module_of(path) if path else "",
            path=path,
            declaration=declaration,
            code=code,
            code_aux=self.slot(path, "code_aux", name),
            data=data,
        )

    def slot(self, path: str, key: str, def_name: str = "") -> Slot | None:
        """Return the slot with this file, key and def, if its markers are there."""
        file = self.marker_files.get(path)
        identity = (BENCHMARK, key, def_name)
        return (
            next((slot for slot in file.slots if slot.identity == identity), None)
            if file
            else None
        )

    @cached_property
    def specs(self) -> tuple[Spec, ...]:
        """Return the specs of the manifest, in order."""
        mention = self._mention_pattern()
        return tuple(
            self._spec(package, module, name, data, mention)
            for package, module in self.manifest.modules
            for name, data in module.specs
        )

    def _mention_pattern(self) -> re.Pattern[str]:
        fields = "|".join(
            re.escape(package.repo_impl_field) for package in self.manifest.packages
        )
        return re.compile(rf"\.(?:{fields})\.({lexer.NAME_PART})")

    def _spec(
        self,
        package: ManifestPackage,
        module: ManifestModule,
        name: str,
        data: Data,
        mention: re.Pattern[str],
    ) -> Spec:
        path = module.spec or ""
        found = self.find(path, name)
        declaration = found[0] if found else None
        apis: tuple[str, ...] = ()
        if declaration is not None:
            code = self.scan(path).code[declaration.code_start : declaration.end]
            apis = tuple(dict.fromkeys(mention.findall(code)))
        return Spec(
            name=name,
            bare=schedules.bare_name(name),
            full_name=declaration.name if declaration else "",
            package=package.name,
            manifest_module=module.name,
            module=module_of(path) if path else "",
            path=path,
            start_line=declaration.start_line if declaration else 0,
            end_line=declaration.end_line if declaration else 0,
            declaration=declaration,
            apis=apis,
            data=data,
        )

    def proof_path(self, package: ManifestPackage, module: ManifestModule) -> str:
        """Return the path of the Proof file generated for a module."""
        return f"{package.name}/Proof/{module.name}.lean"

    @property
    def joint_path(self) -> str:
        """Return the path of the Joint file that `codeproof` generates."""
        return f"{self.manifest.root_package}/Proof/Joint.lean"

    def schedule(self, mode: str) -> tuple[ScheduledSlot, ...]:
        """Return every slot that a submission may fill in `mode`. Raises FormatError for an unknown mode."""
        schedules.check_mode(mode)
        result: list[ScheduledSlot] = []
        if mode == schedules.CODEPROOF:
            for path in sorted(self.marker_files):
                if path in self.visible_paths:
                    result += schedules.impl_slots(self.marker_files[path].slots)
        for package, module in self.manifest.modules:
            if module.specs:
                names = [spec.name for spec in module.specs]
                result += schedules.proof_slots(
                    self.proof_path(package, module), mode, names
                )
        if mode == schedules.CODEPROOF:
            result += schedules.joint_slots(self.joint_path)
        return tuple(result)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Return everything worth a look, worst first."""
        from curation.format.oddities import (
            findings,
        )  # the checks read instances, so they come second

        return findings(self)


def load(tree: Tree) -> Instance:
    """Return the instance in a tree. Raises FormatError when it cannot be one."""
    raw = tree.files.get(MANIFEST_NAME)
    if raw is None:
        reason = (
            "the directory is empty"
            if not tree.files
            else "no manifest.json in the top directory"
        )
        raise FormatError(reason, path=MANIFEST_NAME)
    manifest = read_manifest(raw)
    texts: dict[str, str] = {}
    markers: dict[str, MarkerFile] = {}
    for path, data in tree.files.items():
        if path.endswith(".lean"):
            texts[path] = text = _decode(path, data)
            found = read_markers(path, text)
            if found.slots or found.curation or found.problems:
                markers[path] = found
    return Instance(tree.name, manifest, tree.files, texts, markers, tree.skipped)


def _decode(path: str, data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"is not UTF-8 (byte {error.start})", path=path, line=line
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError("holds a NUL character", path=path, line=line)
    return text


def load_directory(path: str | Path, limits: Limits = DEFAULT_LIMITS) -> Instance:
    """Return the instance in a directory. Raises FormatError, or ArchiveError for what is not read at all."""
    return load(read_directory(path, limits))


def load_files(files: Mapping[str, bytes], name: str = "") -> Instance:
    """Return the instance in a mapping from path to bytes. Raises FormatError."""
    return load(Tree(name, files))
