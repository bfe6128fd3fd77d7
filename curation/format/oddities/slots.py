"""Markers and slots, and how they fit the manifest and the frozen text around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curation.format.findings import Finding, finding
from curation.format.instance import Instance
from curation.format.markers import Slot, body
from curation.format.render import FileTree, frozen, sorry_body
from curation.format.slots import CODEPROOF, IMPL_KEYS
from workbench.lean.declarations import Declaration
from workbench.lean.lexer import ID_REST
from workbench.lean.uses import uses

_ENOUGH_TO_COMPARE = 60


def marker_problems(instance: Instance) -> Iterator[Finding]:
    """Markers that are unbalanced, nested, repeated or misspelt."""
    for path, file in instance.marker_files.items():
        for problem in file.problems:
            yield finding(problem.id, path, problem.message, problem.line)


def manifest_and_markers(instance: Instance) -> Iterator[Finding]:
    """Code slots without an API and APIs without a code slot; the schedule is the union."""
    listed: dict[str, set[str]] = {}
    for _, module in instance.manifest.modules:
        if module.impl:
            listed.setdefault(module.impl, set()).update(
                api.name for api in module.apis
            )
    for path, file in instance.marker_files.items():
        if path not in instance.visible_paths:
            continue
        for slot in file.slots:
            if slot.key == "code" and slot.def_name not in listed.get(path, set()):
                yield finding(
                    "slot-unlisted",
                    path,
                    f"{slot.label} is no API of the manifest",
                    slot.start_line,
                )
    for api in instance.apis:
        if api.code is None and api.path in instance.texts:
            line = api.declaration.line if api.declaration else None
            yield finding(
                "api-without-slot",
                api.path,
                f"the API {api.name} has no code slot",
                line,
            )


def impl_files(instance: Instance) -> Iterator[Finding]:
    """Impl files without markers or without a place for shared helpers."""
    for _, module in instance.manifest.modules:
        if module.impl is None or module.impl not in instance.texts:
            continue
        file = instance.marker_files.get(module.impl)
        keys = {slot.key for slot in file.slots} if file else set()
        if not keys:
            yield finding(
                "impl-without-markers",
                module.impl,
                f"module {module.name} has no slots",
            )
        elif "global_aux" not in keys:
            yield finding("impl-without-global-aux", module.impl, "no global_aux slot")


def misplaced(instance: Instance) -> Iterator[Finding]:
    """Slots in frozen files, and kinds of slots that only generated files have."""
    files = instance.manifest.files
    frozen_files = {files.harness, files.test, files.root_hub}
    for package, module in instance.manifest.modules:
        frozen_files.add(package.bundle)
        if module.spec and module.spec != module.impl:
            frozen_files.add(module.spec)
    for path, file in instance.marker_files.items():
        for slot in file.slots:
            if path in instance.visible_paths and (
                path in frozen_files or slot.key not in IMPL_KEYS
            ):
                yield finding(
                    "slot-misplaced",
                    path,
                    f"{slot.label} does not belong into this file",
                    slot.start_line,
                )


def whole_definitions(instance: Instance) -> Iterator[Finding]:
    """Code slots that hold the head of the definition too."""
    for path, file in instance.marker_files.items():
        if path not in instance.visible_paths:
            continue
        text = instance.texts[path]
        for slot in file.slots:
            if slot.key == "code" and sorry_body(
                body(text, slot), slot.def_name
            ).strip() not in ("sorry", ":= sorry"):
                yield finding(
                    "code-slot-holds-definition",
                    path,
                    f"{slot.label} holds the head too",
                    slot.start_line,
                )


def _emptied(slots: tuple[Slot, ...]) -> list[Slot]:
    return [slot for slot in slots if slot.key in ("global_aux", "code_aux")]


def _inside(item: Declaration, slot: Slot) -> bool:
    return slot.body_start <= item.code_start and item.end <= slot.body_end


def frozen_needs(instance: Instance) -> Iterator[Finding]:
    """Names from slots that `codeproof` empties, mentioned by text that stays."""
    helpers: dict[tuple[str, int], Slot] = {}
    for path, file in instance.marker_files.items():
        slots = _emptied(file.slots)
        if slots and path in instance.visible_paths:
            for position, item in enumerate(instance.scan(path).declarations):
                for slot in slots:
                    if _inside(item, slot):
                        helpers[path, position] = slot
    names = {
        instance.scan(path).declarations[position].short_name
        for path, position in helpers
    } - {""}
    if not names or not _mentioned_in_frozen_text(instance, names):
        return
    paths = {module.name: module.path for module in instance.modules if module.visible}
    scans = {module: instance.scan(path) for module, path in paths.items()}
    found: dict[tuple[str, int], tuple[str, int]] = {}
    for ref, others in uses(scans, frozenset(names)).items():
        path = paths[ref.module]
        wanted = [(paths[other.module], other.position) for other in others]
        wanted = [other for other in wanted if other in helpers and other not in found]
        if (
            not wanted
            or (path, ref.position) in helpers
            or path == instance.manifest.files.test
        ):
            continue
        item = instance.scan(path).declarations[ref.position]
        kept = _kept_code(instance, path, item)
        for other in wanted:
            name = re.escape(instance.scan(other[0]).declarations[other[1]].short_name)
            if re.search(rf"(?<![{ID_REST}]){name}(?![{ID_REST}])", kept):
                found[other] = (item.name or item.kind, item.line)
    for (path, position), (user, line) in found.items():
        helper = instance.scan(path).declarations[position]
        message = f"{helper.name} stands in {helpers[path, position].label}, and {user} (line {line}) needs it"
        yield finding("slot-frozen-needs", path, message, helper.line)


def _mentioned_in_frozen_text(instance: Instance, names: set[str]) -> bool:
    """Return whether one of these words stands outside slots at all; drawing all dependencies is dear."""
    if not names:
        return False
    words = re.compile(
        rf"(?<![{ID_REST}])(?:{'|'.join(map(re.escape, sorted(names)))})(?![{ID_REST}])"
    )
    for path in instance.visible_paths - {instance.manifest.files.test}:
        file = instance.marker_files.get(path)
        bodies = (
            [(slot.body_start, slot.body_end) for slot in file.slots] if file else []
        )
        for match in words.finditer(instance.scan(path).code):
            if not any(start <= match.start() < end for start, end in bodies):
                return True
    return False


def _kept_code(instance: Instance, path: str, item: Declaration) -> str:
    """Return the code of a declaration without what slots hold of it."""
    code = instance.scan(path).code
    start, pieces = item.code_start, []
    file = instance.marker_files.get(path)
    for slot in file.slots if file else ():
        if slot.body_start < item.end and slot.body_end > start:
            pieces.append(code[start : max(start, slot.body_start)])
            start = min(slot.body_end, item.end)
    pieces.append(code[start : item.end])
    return "".join(pieces)


def visible_references(instance: Instance) -> Iterator[Finding]:
    """Reference bodies that stand a second time in what solvers see."""
    if any(file.problems for file in instance.marker_files.values()):
        return
    bodies = [
        (slot, " ".join(body(instance.texts[path], slot).split()))
        for path, file in instance.marker_files.items()
        for slot in file.slots
        if slot.key == "code"
    ]
    bodies = [(slot, text) for slot, text in bodies if len(text) >= _ENOUGH_TO_COMPARE]
    if not bodies:
        return
    tree: FileTree = frozen(instance, CODEPROOF)
    shown = {
        path: " ".join(data.decode().split())
        for path, data in tree.items()
        if path in instance.texts
    }
    everything = "\0".join(shown.values())
    for slot, text in bodies:
        if text in everything:
            places = [path for path, content in shown.items() if text in content]
            message = f"the reference body of {slot.def_name} can be read in {', '.join(places)}"
            yield finding("reference-visible", slot.path, message, slot.start_line)


CHECKS = (
    marker_problems,
    manifest_and_markers,
    impl_files,
    misplaced,
    whole_definitions,
    frozen_needs,
    visible_references,
)
