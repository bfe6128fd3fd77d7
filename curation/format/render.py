"""The tree that a solver sees, in each mode. Same instance and mode, same bytes.

Left out: the manifest, curation lines, Lean files that nothing reachable imports, files that are neither Lean
nor part of a Lake package nor a licence. Generated: one Proof file a module with specs, and for `codeproof`
the Joint file. Names in generated text are full names that start with `_root_`. Sources: instance-format.md,
"Two modes"; grading.md, step 4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from curation.format.entries import Spec, lean_name, module_of
from curation.format.findings import FormatError
from curation.format.instance import Instance
from curation.format.manifest import ManifestModule, ManifestPackage
from curation.format.markers import SOLUTION, SlotIdentity, body, rewrite, write_slot
from curation.format.slots import (
    CODEPROOF,
    JOINT_KIND,
    JOINT_NAME,
    PROOF,
    Stub,
    check_mode,
    stubs,
)
from workbench.lean.declarations import Declaration, scan_file

FileTree = dict[str, bytes]

_LAKE_FILES = frozenset(
    ("lakefile.toml", "lakefile.lean", "lean-toolchain", "lake-manifest.json")
)
_LICENCE = re.compile(
    r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|AUTHORS|UNLICENSE)([.-].*)?", re.IGNORECASE
)
_RULE = "── {} ".format
_WIDTH = 64


@dataclass(frozen=True, slots=True)
class Head:
    """Lines that every generated file of an instance begins with, around its imports."""

    before_imports: tuple[str, ...] = ()
    after_imports: tuple[str, ...] = ()


class Generated(NamedTuple):
    """A generated Lean file: where it goes and what it says."""

    path: str
    text: str


def head(instance: Instance) -> Head:
    """Return the lines that head every file, read off the harness and the spec files.

    `prelude` when the harness has it; the `set_option` lines that follow the imports in all of them. An
    instance in the pocket dialect needs both, one for ordinary Lean mostly neither.
    """
    paths = [instance.manifest.files.harness]
    paths += sorted(
        {module.spec for _, module in instance.manifest.modules if module.spec}
    )
    paths = [path for path in paths if path in instance.texts]
    if not paths:
        return Head()
    leading = [_leading_options(instance, path) for path in paths]
    common = tuple(
        line for line in leading[0] if all(line in others for others in leading[1:])
    )
    return Head(("prelude",) if instance.headers[paths[0]].prelude else (), common)


def _leading_options(instance: Instance, path: str) -> list[str]:
    scan = instance.scan(path)
    options: list[str] = []
    for command in scan.commands:
        if command.word != "set_option":
            break
        line = scan.code[command.start :].split("\n", 1)[0].strip()
        options.append(" ".join(line.split()))
    return options


def shown(path: str) -> bool:
    """Return whether a file that is no Lean module of the instance is part of what a solver sees."""
    name = path.rsplit("/", 1)[-1]
    return path in _LAKE_FILES or _LICENCE.fullmatch(name) is not None


def render(instance: Instance, mode: str) -> FileTree:
    """Return the tree that a solver sees, by path.

    Raises FormatError for an unknown mode, markers that do not fit together, specs or harness declarations
    that are not found, and Proof files that would overwrite each other.
    """
    tree = frozen(instance, mode)
    for path, text in generate(instance, mode):
        tree[path] = text.encode()
    return dict(sorted(tree.items()))


def frozen(instance: Instance, mode: str) -> FileTree:
    """Return the part of the tree that is not generated. Raises FormatError like `render`."""
    check_mode(mode)
    tree: FileTree = {}
    for path, data in instance.files.items():
        if path.endswith(".lean") and path not in _LAKE_FILES:
            if path in instance.visible_paths:
                tree[path] = _frozen_file(instance, path, mode, data)
        elif shown(path):
            tree[path] = data
    return tree


def _frozen_file(instance: Instance, path: str, mode: str, data: bytes) -> bytes:
    markers = instance.marker_files.get(path)
    if markers is None:
        return data
    if markers.problems:
        problem = markers.problems[0]
        raise FormatError(problem.message, path=path, line=problem.line)
    text = instance.texts[path]
    bodies: dict[SlotIdentity, str] = {}
    if mode == CODEPROOF:
        for slot in markers.slots:
            if slot.key == "code":
                before = text[: slot.start]
                bodies[slot.identity] = sorry_body(
                    body(text, slot), slot.def_name, before
                )
            elif slot.key in ("code_aux", "global_aux"):
                bodies[slot.identity] = ""
    if not bodies and not markers.curation:
        return data
    return rewrite(text, bodies, markers.slots, markers.curation).encode()


_DEFINING = re.compile(r"\b(?:def|abbrev|instance|theorem|lemma|opaque|axiom)\b")


def sorry_body(reference: str, def_name: str, before: str = "") -> str:
    """Return what stands in a `code` slot in `codeproof`: `sorry`, where the reference body stood.

    A slot that holds a whole definition keeps the head of it; one that continues a head without `:=`
    (equations) gets the `:=` too. `before` is the text in front of the slot.
    """
    newline = "\r\n" if "\r\n" in before else "\n"
    if _DEFINING.search(reference):
        scan = scan_file(reference)
        if (
            scan.declarations
            and not scan.code[: scan.declarations[0].code_start].strip()
        ):
            chosen = _holder(scan.declarations, def_name)
            start = reference.index(chosen.signature, chosen.code_start)
            kept = reference[chosen.code_start : start + len(chosen.signature)]
            return f"{kept} :={newline}  sorry{newline}"
    start_of_body = reference.lstrip()
    sign = ":= " if start_of_body.startswith((":=", "|")) else ""
    return f"  {sign}sorry{newline}"


def _holder(declarations: Sequence[Declaration], def_name: str) -> Declaration:
    named = [item for item in declarations if f".{item.name}".endswith("." + def_name)]
    return named[-1] if named else declarations[-1]


def generate(instance: Instance, mode: str) -> list[Generated]:
    """Return the Proof files of a mode, and Joint for `codeproof`. Raises FormatError like `render`."""
    check_mode(mode)
    lines = head(instance)
    specs = _specs_by_module(instance)
    result = [
        Generated(
            instance.proof_path(package, module),
            _proof_file(instance, lines, mode, package, module, found),
        )
        for package, module, found in specs
    ]
    if mode == CODEPROOF and specs:
        files = list(
            dict.fromkeys(spec.path for _, _, found in specs for spec in found)
        )
        result.append(
            Generated(instance.joint_path, _joint_file(instance, lines, files))
        )
    paths = [item.path for item in result]
    for path in paths:
        if paths.count(path) > 1:
            raise FormatError(
                "two modules of the manifest would write this file", path=path
            )
    return result


def _specs_by_module(
    instance: Instance,
) -> list[tuple[ManifestPackage, ManifestModule, list[Spec]]]:
    result: list[tuple[ManifestPackage, ManifestModule, list[Spec]]] = []
    position = 0
    for package, module in instance.manifest.modules:
        found = list(instance.specs[position : position + len(module.specs)])
        position += len(module.specs)
        for spec in found:
            _check_spec(spec)
        names = [spec.name for spec in found]
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated:
            raise FormatError(
                f"the spec {repeated} is listed twice",
                path=module.spec or "",
                key=module.name,
            )
        if found:
            result.append((package, module, found))
    return result


def _check_spec(spec: Spec) -> None:
    if not spec.declaration:
        place = spec.path or "manifest.json"
        raise FormatError(
            f"the spec {spec.name} of module {spec.manifest_module} is not declared",
            path=place,
        )
    if len(spec.name.split()) != 1:
        raise FormatError(
            f"the spec {spec.name} has a blank in its name, so no marker can hold it",
            path=spec.path,
            line=spec.declaration.line,
        )
    if spec.declaration.private:
        raise FormatError(
            f"the spec {spec.name} is private, so no other file can name it",
            path=spec.path,
            line=spec.declaration.line,
        )


def statement(instance: Instance, stub: Stub, full_name: str) -> str:
    """Return the statement of a stub, in full names."""
    name = f"_root_.{full_name}"
    if stub.kind == "prove":
        return f"{name} _root_.{instance.canonical}"
    if stub.kind == "disprove":
        return f"¬ {name} _root_.{instance.canonical}"
    claim = f"∃ impl : _root_.{instance.repo_impl}, {name} impl"
    return f"¬ {claim}" if stub.kind == "unsat" else claim


def joint_statement(instance: Instance, names: Sequence[str]) -> str:
    """Return the statement that these specs cannot all hold, in the order given.

    Names are those of the manifest, or full names. Raises FormatError for fewer than two, for a name given
    twice, and for one that no spec or more than one has.
    """
    if len(names) < 2:
        raise FormatError("a joint claim names at least two specs")
    full: list[str] = []
    for name in names:
        found = {
            spec.full_name
            for spec in instance.specs
            if name in (spec.name, spec.full_name)
        } - {""}
        if len(found) != 1:
            raise FormatError(f"expected one spec called {name}, found {len(found)}")
        full.append(found.pop())
    if len(set(full)) != len(full):
        raise FormatError("a joint claim names each spec once")
    conjunction = " ∧ ".join(f"_root_.{name} impl" for name in full)
    return f"¬ ∃ impl : _root_.{instance.repo_impl}, {conjunction}"


def _start(lines: Head, modules: Sequence[str]) -> str:
    imports = "".join(f"import {name}\n" for name in modules)
    before = "".join(f"{line}\n" for line in lines.before_imports)
    after = "".join(f"{line}\n" for line in lines.after_imports)
    return f"{before}{imports}\n{write_slot('imports')}\n{after}" + (
        "\n" if after else ""
    )


def _rule(title: str) -> str:
    return f"-- {_RULE(title)}".ljust(_WIDTH, "─") + "\n"


_ADVICE = {
    PROOF: "Fill exactly one body of each pair and leave the other as `sorry`.",
    CODEPROOF: "Fill exactly one body of each three and leave the others as `sorry`. A `sat_` theorem counts only for"
    "\na spec that the claim in `Proof/Joint.lean` names.",
}


def _proof_file(
    instance: Instance,
    lines: Head,
    mode: str,
    package: ManifestPackage,
    module: ManifestModule,
    specs: Sequence[Spec],
) -> str:
    path = instance.proof_path(package, module)
    modules = [
        module_of(instance.manifest.files.harness),
        *dict.fromkeys(spec.module for spec in specs),
    ]
    pieces = [
        _start(lines, modules),
        f"/-!\n# {module_of(path)}\n\nObligations of `{specs[0].module}` in `{mode}` mode. {_ADVICE[mode]}\n-/\n\n",
        write_slot("global_aux"),
    ]
    for spec in specs:
        pieces.append(f"\n{_rule(spec.name)}")
        for stub in stubs(mode, spec.name):
            pieces.append(_stub_text(stub, statement(instance, stub, spec.full_name)))
    return "".join(pieces)


def _stub_text(stub: Stub, claim: str) -> str:
    name, kind, spec = stub
    return (
        f"\n-- !benchmark @start proof_aux def={name}\n-- !benchmark @end proof_aux def={name}\n"
        f"\ntheorem {lean_name(name)} : {claim} := by\n"
        f"-- !benchmark @start proof def={name} kind={kind} target={spec}\n"
        f"  sorry\n-- !benchmark @end proof def={name}\n"
    )


_JOINT_ADVICE = """To claim that two or more specs cannot all hold, though each can alone:

1. list them in the `!solution` slot: `-- specs=[spec_a, spec_b]`;
2. in the `claim` slot take away the comment sign and write the same specs, in the same order;
3. in the `proof` slot take away the comment sign and prove it. Lemmas go into `proof_aux`.

The claim that is graded is written anew from the list; what the `claim` slot says is not used. Without a
claim leave everything as it is."""


def _joint_file(instance: Instance, lines: Head, spec_paths: Sequence[str]) -> str:
    modules = [
        module_of(instance.manifest.files.harness),
        *(module_of(path) for path in spec_paths),
    ]
    claim = f"¬ ∃ impl : _root_.{instance.repo_impl}, <spec_a> impl ∧ <spec_b> impl"
    return "".join(
        (
            _start(lines, modules),
            f"/-!\n# {module_of(instance.joint_path)}\n\nThe one joint claim of a submission.\n\n{_JOINT_ADVICE}\n-/\n\n",
            write_slot("global_aux"),
            f"\n{_rule('the joint claim')}\n",
            write_slot(
                SOLUTION,
                "-- specs=[<names of specs, with commas between>]",
                def_name=JOINT_NAME,
                kind=JOINT_KIND,
                prefix=SOLUTION,
            ),
            "\n" + write_slot("proof_aux", def_name=JOINT_NAME),
            "\n"
            + write_slot(
                "claim",
                f"-- theorem {JOINT_NAME} : {claim} := by",
                def_name=JOINT_NAME,
                kind=JOINT_KIND,
            ),
            "\n"
            + write_slot("proof", "-- sorry", def_name=JOINT_NAME, kind=JOINT_KIND),
        )
    )
