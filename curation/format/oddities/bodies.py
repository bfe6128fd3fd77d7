"""Missing reference bodies, axioms, and text that does not close."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curation.format import jsontext
from curation.format.findings import Finding, finding
from curation.format.instance import Instance
from curation.format.manifest import MANIFEST_NAME
from curation.format.markers import Slot
from workbench.lean import lexer
from workbench.lean.declarations import Declaration

_SORRY = re.compile(r"(?<![\w.'])(?:sorry|admit)(?![\w'])")


def _missing(instance: Instance, slot: Slot) -> bool:
    text = instance.texts[slot.path][slot.body_start : slot.body_end]
    found = lexer.spans(text)
    code = lexer.mask(text, found)
    empty = not code.strip() and all(kind in lexer.COMMENTS for kind, _, _ in found)
    return empty or _SORRY.search(code) is not None


def references(instance: Instance) -> Iterator[Finding]:
    """APIs whose reference body is `sorry`, and what that means for `proof` mode."""
    slots = [api.code for api in instance.apis if api.code is not None]
    missing = [slot for slot in slots if _missing(instance, slot)]
    for slot in missing:
        yield finding(
            "reference-sorry",
            slot.path,
            f"{slot.label} holds no reference body",
            slot.start_line,
        )
    if missing and "proof" in instance.manifest.modes_supported:
        line = instance.manifest.line_of("modes_supported")
        message = f"{len(missing)} of {len(slots)} reference bodies are missing, so every proof depends on sorryAx"
        yield finding("proof-mode-hollow", MANIFEST_NAME, message, line)


def frozen_sorries(instance: Instance) -> Iterator[Finding]:
    """Declarations outside slots that use `sorry`."""
    for path in sorted(instance.visible_paths):
        text = instance.texts[path]
        if "sorry" not in text and "admit" not in text:
            continue
        scan = instance.scan(path)
        file = instance.marker_files.get(path)
        slots = file.slots if file else ()
        for match in _SORRY.finditer(scan.code):
            if any(slot.body_start <= match.start() < slot.body_end for slot in slots):
                continue
            item = next(
                (d for d in scan.declarations if d.code_start <= match.start() < d.end),
                None,
            )
            if item is not None:
                line = scan.code.count("\n", 0, match.start()) + 1
                yield finding(
                    "frozen-sorry",
                    path,
                    f"{item.name or item.kind} uses {match.group()}",
                    line,
                )


def axioms(instance: Instance) -> Iterator[Finding]:
    """Trusted axioms against the axioms that are declared."""
    declared: dict[str, tuple[str, Declaration]] = {}
    for path in sorted(instance.visible_paths):
        text = instance.texts[path]
        if "axiom" in text or "opaque" in text:
            for item in instance.scan(path).declarations:
                if item.kind in ("axiom", "opaque"):
                    declared.setdefault(item.name, (path, item))
    trusted: set[str] = set()
    names = instance.manifest.trusted_axioms
    lines = (
        jsontext.lines_of(instance.manifest.text(), ("trusted_axioms",))
        if names
        else []
    )
    for name, line in zip(names, lines, strict=True):
        found = (
            [name]
            if name in declared
            else [full for full in declared if full.endswith("." + name)]
        )
        if not found:
            yield finding(
                "axiom-not-declared",
                MANIFEST_NAME,
                f"no visible file declares {name}",
                line,
            )
            continue
        trusted.update(found)
        if len(found) > 1:
            yield finding(
                "axiom-ambiguous",
                MANIFEST_NAME,
                f"{name} fits {', '.join(found)}",
                line,
            )
        elif found[0] != name:
            yield finding(
                "axiom-bare-name", MANIFEST_NAME, f"{name} is {found[0]}", line
            )
        if declared[found[0]][1].kind == "opaque":
            path, item = declared[found[0]]
            yield finding(
                "axiom-opaque",
                path,
                f"{item.name} is trusted as an axiom and is opaque",
                item.line,
            )
    for name, (path, item) in declared.items():
        if item.kind == "axiom" and name not in trusted:
            yield finding(
                "axiom-untrusted", path, f"{name} is not in trusted_axioms", item.line
            )


def unbalanced(instance: Instance) -> Iterator[Finding]:
    """Comments, strings and scopes that do not close."""
    for path in sorted(instance.visible_paths):
        for problem in instance.scan(path).problems:
            yield finding("lean-unbalanced", path, problem.message, problem.line)


CHECKS = (references, frozen_sorries, axioms, unbalanced)
