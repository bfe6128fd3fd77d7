"""Where a spec's proof stands in the graded tree, with what Lean said about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from adjudication.grading.checking import Checked, check
from adjudication.grading.intake import from_tree
from adjudication.grading.overlay import overlay
from adjudication.grading.screen import Policy
from adjudication.runs.models import GradingRun, Outcome
from curation.format.archive import Tree
from curation.format.findings import FormatError
from curation.format.instance import load_files
from workbench.content.trees import read_tree

_PLACE = re.compile(r"(?:^|/|\s)([\w./-]+\.lean):(\d+)(?::(\d+))?")
_AROUND = 6
_MOST = 400


@dataclass(frozen=True)
class Line:
    """One line of the graded file; `said` is what Lean said there, line by line."""

    number: int
    text: str
    said: tuple[str, ...] = ()

    @property
    def is_fault(self) -> bool:
        """Whether something that was said there is more than a warning or a note."""
        return any(
            not text.startswith(("warning:", "information:", " ")) for text in self.said
        )


@dataclass(frozen=True)
class SlotContext:
    """The lines of a file around a slot, or around the place that a verdict names. `cut`: there are more lines.

    `expected` is the statement as the frozen text of the file writes it; "" where it has none.
    """

    path: str
    lines: tuple[Line, ...]
    cut: bool
    expected: str = ""


def slot_context(
    run: GradingRun, outcome: Outcome, receipt: Mapping[str, Any]
) -> SlotContext | None:
    """Return the lines of `outcome`'s proof in the tree as it was graded, with diagnostics; None where there are none.

    The tree is rendered anew from revision and submission, as the grader does; it is kept for the next row.
    """
    try:
        checked, tree = _graded(run.pk, run.receipt_hash)
    except FormatError:
        return None
    place = _place(checked, outcome)
    if place is None:
        return None
    path, begin, end = place
    text = tree[path].decode("utf-8", "replace").splitlines()
    said = _said(receipt, path, outcome)
    begin, end = max(begin, 1), min(end, len(text))
    shown = range(begin, min(end, begin + _MOST) + 1)
    lines = tuple(Line(n, text[n - 1], tuple(said.get(n, ()))) for n in shown)
    return SlotContext(
        path, lines, end - begin > _MOST, _statement("\n".join(text), outcome.theorem)
    )


def _statement(text: str, theorem: str) -> str:
    """Return the type of `theorem` as its stub in `text` writes it, on one line."""
    name = re.escape(theorem.rpartition(".")[2])
    found = re.search(rf"^theorem {name} :(.*?):= by$", text, re.DOTALL | re.MULTILINE)
    return " ".join(found[1].replace("_root_.", "").split()) if found else ""


@lru_cache(maxsize=8)
def _graded(run: int, receipt: str) -> tuple[Checked, Mapping[str, bytes]]:
    """Return the checked submission and the tree with its slots in it. The hash tells runs of test databases apart."""
    found = GradingRun.objects.select_related(
        "submission__files", "revision__snapshot", "instance"
    ).get(pk=run)
    instance = load_files(read_tree(found.revision.snapshot), found.instance.slug)
    files = Tree("submission", read_tree(found.submission.files))
    mode = found.submission.mode
    checked = check(instance, mode, from_tree(instance, mode, files), Policy())
    return checked, overlay(checked).graded


def _place(checked: Checked, outcome: Outcome) -> tuple[str, int, int] | None:
    """Return file, first and last line: of the spec's own slot, a few lines around it, else where the verdict points to."""
    tree = overlay(checked).graded
    group = checked.obligations.get(outcome.spec) or next(
        (
            g
            for name, g in checked.obligations.items()
            if name.endswith(f".{outcome.spec}")
        ),
        (),
    )
    for item in group:
        report = checked.report(item.file, "proof", item.def_name)
        if report is None or not report.filled or item.file not in tree:
            continue
        marker = f"@start proof def={item.def_name} "
        lines = tree[item.file].decode("utf-8", "replace").splitlines()
        for number, line in enumerate(lines, 1):
            if marker in f"{line} ":
                return (
                    item.file,
                    number - _AROUND,
                    number + len(report.item.body_lines) + _AROUND,
                )
    pointed = _PLACE.search(outcome.detail)
    if pointed and (path := _known(tree, pointed[1])):
        return path, int(pointed[2]) - _AROUND, int(pointed[2]) + _AROUND
    return None


def _known(tree: Mapping[str, bytes], named: str) -> str:
    return next(
        (path for path in tree if path == named or named.endswith(f"/{path}")), ""
    )


def _said(
    receipt: Mapping[str, Any], path: str, outcome: Outcome
) -> dict[int, list[str]]:
    """Return line → what Lean said there: from the receipt, and from the verdict on a slot that was taken out."""
    found: dict[int, list[str]] = {}
    told = [
        text
        for module in receipt["modules"]["graded"].values()
        for text in module["diagnostics"]
    ]
    for text in [*told, outcome.detail]:
        match = _PLACE.match(text)
        if match and (match[1] == path or match[1].endswith(f"/{path}")):
            words = text[match.end() :].lstrip(": ")
            # The lines after its first are indented, so that a fault is known by how it begins.
            lines = words[:2000].replace("\n", "\n  ").split("\n")
            if lines[0] not in found.setdefault(int(match[2]), []):
                found[int(match[2])] += lines
    return found
