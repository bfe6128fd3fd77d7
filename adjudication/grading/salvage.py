"""Which specs are to blame for a Proof module that does not build, and what is left when their slots are emptied."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from adjudication.grading.building import Built, Workshop, build, graph_of
from adjudication.grading.checking import Checked
from adjudication.grading.overlay import Trees, overlay
from curation.format.markers import read_markers
from workbench.lean.toolchain import Diagnostic, ModuleResult

ROUNDS = 3
Slot = tuple[str, str]


def blamed(
    path: str, text: str, result: ModuleResult, candidates: Collection[Slot]
) -> dict[Slot, Diagnostic] | None:
    """Return the slots (file and `def`) in which the errors of a module lie, each with its first error.

    None if an error lies elsewhere: then the whole module is to blame. Where an error lies is what Lean printed; it is believed
    only against the specs concerned.
    """
    if result.outcome != "failed" or not result.errors:
        return None
    regions: dict[str, tuple[int, int]] = {}
    for slot in read_markers(path, text).slots:
        if slot.def_name:
            first, last = regions.get(slot.def_name, (slot.start_line, 0))
            regions[slot.def_name] = first, max(last, slot.end_line)
    found: dict[Slot, Diagnostic] = {}
    for error in result.errors:
        names = [n for n, (a, b) in regions.items() if a <= error.line <= b]
        if len(names) != 1 or (path, names[0]) not in candidates:
            return None
        found.setdefault((path, names[0]), error)
    return found


def salvage(
    workshop: Workshop,
    checked: Checked,
    trees: Trees,
    built: Built,
    folder: Path,
    wanted: Collection[str],
    private: Collection[str],
) -> tuple[Trees, Built, Mapping[Slot, Diagnostic]]:
    """Return the graded tree without the slots that broke their modules, what became of it, and those slots."""
    emptied: dict[Slot, Diagnostic] = {}
    candidates = {
        (item.file, item.def_name)
        for group in checked.obligations.values()
        for item in group
    }
    for _ in range(ROUNDS):
        more: dict[Slot, Diagnostic] = {}
        for module, result in built.results.items():
            path = built.graph.paths[module]
            if path in checked.by_file and not result.ok:
                text = trees.graded[path].decode()
                more |= blamed(path, text, result, candidates - emptied.keys()) or {}
        if not more:
            break
        emptied |= more
        trees = overlay(checked, emptied.keys())
        graph = graph_of(trees.graded, wanted)
        changed = {
            module
            for module, path in graph.paths.items()
            if path in {p for p, _ in more}
        }
        only = graph.above(changed)
        again = build(workshop, graph, folder, private=private, only=only)
        built = replace(
            again,
            results={**built.results, **again.results},
            files={
                **{m: f for m, f in built.files.items() if m not in only},
                **again.files,
            },
            digests={
                **{m: d for m, d in built.digests.items() if m not in only},
                **again.digests,
            },
            reused=built.reused - only | again.reused,
            seconds=built.seconds + again.seconds,
        )
    return trees, built, emptied
