"""An instance as it lies on disk: files, manifest, slots, and what their text says.

Loading reads the manifest and the markers and checks that text is text. Everything that needs Lean to be
read (names, imports, findings) is worked out when it is first asked for, and kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from curation.format import resolve
from curation.format import slots as schedules
from curation.format.archive import DEFAULT_LIMITS, Limits, Tree, read_directory
from curation.format.entries import (
    Api,
    Counts,
    DeclarationRef,
    Module,
    Spec,
    lean_name,
    module_of,
    path_of,
)
from curation.format.findings import Finding, FormatError
from curation.format.manifest import (
    MANIFEST_NAME,
    Manifest,
    ManifestModule,
    ManifestPackage,
    read_manifest,
)
from curation.format.markers import BENCHMARK, MarkerFile, Slot, read_markers
from curation.format.slots import ScheduledSlot
from workbench.lean.declarations import (
    Declaration,
    FileScan,
    Header,
    header,
    name_parts,
    scan_file,
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
        name = lean_name(name.removeprefix("_root_."))
        ending = "." + name
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

    def around(self, slot: Slot) -> Declaration | None:
        """Return the declaration whose body a code slot holds, or the one named like it that the slot holds whole."""
        inside: list[Declaration] = []
        for item in self.scan(slot.path).declarations:
            if item.line < slot.start_line < item.end_line:
                return item
            if slot.start_line < item.line < slot.end_line:
                inside.append(item)
        named = [item for item in inside if item.short_name == slot.def_name]
        return next(reversed(named or inside), None)

    @cached_property
    def repo_impl(self) -> str:
        """Return the full name of `RepoImpl`. Raises FormatError when the harness does not declare it once."""
        return resolve.harness_name(self, "RepoImpl")

    @cached_property
    def canonical(self) -> str:
        """Return the full name of `canonical`. Raises FormatError when the harness does not declare it once."""
        return resolve.harness_name(self, "canonical")

    @cached_property
    def apis(self) -> tuple[Api, ...]:
        """Return the APIs of the manifest, in order."""
        return resolve.apis(self)

    @cached_property
    def specs(self) -> tuple[Spec, ...]:
        """Return the specs of the manifest, in order."""
        return resolve.specs(self)

    @cached_property
    def dependencies(self) -> dict[DeclarationRef, tuple[DeclarationRef, ...]]:
        """Return for each declaration of the visible files the declarations that it mentions."""
        return resolve.dependencies(self)

    def slot(self, path: str, key: str, def_name: str = "") -> Slot | None:
        """Return the slot with this file, key and def, if its markers are there."""
        file = self.marker_files.get(path)
        if file is None:
            return None
        identity = (BENCHMARK, key, def_name)
        return next((slot for slot in file.slots if slot.identity == identity), None)

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
        # The checks read instances, so they can only be imported once there are some.
        from curation.format.oddities import findings

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
