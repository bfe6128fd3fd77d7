"""Which files belong to the instance, what they import, and what is shown to solvers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from curation.format.entries import module_of, path_of
from curation.format.findings import Finding, finding
from curation.format.instance import Instance
from curation.format.manifest import MANIFEST_NAME
from curation.format.render import shown
from workbench.lean.uses import import_closure

# Part of every toolchain, so no lakefile requires them.
_BUILT_IN = frozenset(("Init", "Std", "Lean", "Lake"))


def listed_or_not(instance: Instance) -> Iterator[Finding]:
    """Lean files that the manifest does not name, and files that solvers do not see."""
    hub = instance.manifest.files.root_hub
    for path in sorted(instance.files):
        if path in instance.texts:
            if path in instance.listed_paths or path == "lakefile.lean":
                continue
            if path in instance.visible_paths:
                yield finding(
                    "file-unlisted", path, "imported, but not named in the manifest"
                )
                continue
            slots = instance.marker_files.get(path)
            extra = (
                f"; it holds {len(slots.slots)} slots" if slots and slots.slots else ""
            )
            message = (
                f"nothing that the manifest names or {hub} imports reaches it{extra}"
            )
            yield finding("file-unreachable", path, message)
        elif path != MANIFEST_NAME and not shown(path):
            yield finding("file-not-shown", path, "left out of what solvers see")
    for path in instance.skipped:
        yield finding("directory-skipped", path, "left out of the import")


def _roots(instance: Instance) -> frozenset[str]:
    names = {package.name for package in instance.manifest.packages} | {
        instance.manifest.root_package
    }
    return frozenset(names)


def imports(instance: Instance) -> Iterator[Finding]:
    """Imports of what does not exist, of libraries, and in circles."""
    own = _roots(instance) | {
        path.split("/", 1)[0].removesuffix(".lean") for path in instance.texts
    }
    for path in sorted(instance.visible_paths):
        for item in instance.headers[path].imports:
            if path_of(item.module) in instance.texts:
                continue
            kind = (
                "import-missing"
                if item.module.split(".")[0] in own
                else "import-external"
            )
            reason = (
                "there is no such file"
                if kind == "import-missing"
                else "it lies outside the instance"
            )
            yield finding(kind, path, f"imports {item.module}: {reason}", item.line)
    graph = {
        module.name: module.imports for module in instance.modules if module.visible
    }
    for name, reached in import_closure(graph).items():
        if name in reached:
            yield finding(
                "import-cycle", path_of(name), "reaches itself through imports", 1
            )


def requirements(instance: Instance) -> Iterator[Finding]:
    """Packages that the lakefile requires and nothing imports, and the other way round."""
    path = instance.manifest.files.lakefile
    required = _required(instance.files.get(path, b""), path)
    used: dict[str, tuple[str, int]] = {}
    for file in sorted(instance.visible_paths):
        if instance.headers[file].prelude:
            continue  # it brings its own core, which comes with the toolchain and not by a lakefile
        for item in instance.headers[file].imports:
            root = item.module.split(".")[0]
            if path_of(
                item.module
            ) not in instance.texts and root not in _BUILT_IN | _roots(instance):
                used.setdefault(root, (file, item.line))
    if required is None:
        return
    wanted = {root.lower() for root in used}
    for name in required:
        if name.lower() not in wanted:
            yield finding(
                "dependency-unused", path, f"{name} is required and never imported"
            )
    known = {name.lower() for name in required}
    for root, (file, line) in used.items():
        # Mathlib brings its own requirements along.
        if root.lower() not in known and "mathlib" not in known:
            yield finding(
                "dependency-undeclared",
                file,
                f"{root} is imported and {path} does not require it",
                line,
            )


def _required(data: bytes, path: str) -> list[str] | None:
    """Return the names of required packages, or None when the lakefile cannot be read that way."""
    text = data.decode("utf-8", "replace")
    if path.endswith(".lean"):
        return re.findall(
            r"^\s*require\s+«?(?:\"[^\"]*\"\s*/\s*)?\"?([\w-]+)", text, re.MULTILINE
        )
    try:
        entries = tomllib.loads(text).get("require", [])
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    if not isinstance(entries, list):
        return None
    return [str(entry.get("name", "")) for entry in entries if isinstance(entry, dict)]


def proof_files(instance: Instance) -> Iterator[Finding]:
    """Proof files are generated, so none should be there."""
    generated = {instance.joint_path}
    generated.update(
        instance.proof_path(package, module)
        for package, module in instance.manifest.modules
    )
    for path in sorted(instance.texts):
        if path in generated or "Proof" in path.split("/")[:-1]:
            seen = (
                "replaced by a generated file" if path in generated else "kept as it is"
            )
            if path in generated or path in instance.visible_paths:
                yield finding(
                    "proof-file-shipped", path, f"a Proof file in the instance; {seen}"
                )


def spec_paths(instance: Instance) -> Iterator[Finding]:
    """Spec files that do not lie where the name of the module says."""
    for package, module in instance.manifest.modules:
        if module.spec and module.spec != f"{package.name}/Spec/{module.name}.lean":
            message = f"the spec file of module {module.name} is the Lean module {module_of(module.spec)}"
            yield finding("spec-path-unusual", module.spec, message)


_JOINT = re.compile(r'syntax\s+(?:\([^)]*\)\s*)*"joint_unsat"(?P<rest>[^\n]*)')


def joint_macro(instance: Instance) -> Iterator[Finding]:
    """The command `joint_unsat` of the harness, on which nothing here depends."""
    path = instance.manifest.files.harness
    text = instance.texts.get(path)
    if text is None:
        return
    match = _JOINT.search(text)
    if match is None:
        yield finding("joint-macro-missing", path, "no command joint_unsat")
    elif re.search(r":\s*tactic\s*$", match["rest"].strip()):
        line = text.count("\n", 0, match.start()) + 1
        yield finding(
            "joint-macro-missing",
            path,
            "joint_unsat is a tactic here, not a command",
            line,
        )


CHECKS = (listed_or_not, imports, requirements, proof_files, spec_paths, joint_macro)
