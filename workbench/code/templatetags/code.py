"""Template tags for code: each takes what a pure module made and renders the include of the same name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import template

from workbench.code.confusables import LEVELS, MOST, Finding, count_levels
from workbench.code.diff import FileDiff
from workbench.code.diff_view import UNIFIED, DiffView, view_diff
from workbench.code.pane import Pane
from workbench.code.trees import Change, ChangedFile

register = template.Library()

_CHANGE_TONES = {
    Change.ADDED: "ok",
    Change.REMOVED: "bad",
    Change.CHANGED: "info",
    Change.RENAMED: "info",
}
_LEVEL_WORDS = {
    "bad": "hidden or reordering",
    "warn": "suspicious",
    "info": "look-alike",
}


@register.inclusion_tag("code/pane.html")
def code_pane(pane: Pane) -> dict[str, Any]:
    """Show a pane: note, folds and runs of lines."""
    return {"pane": pane}


@register.inclusion_tag("code/segments.html")
def code_fragment(pane: Pane) -> dict[str, Any]:
    """Show what replaces a fold that was opened. Focus goes to the lines that appeared."""
    return {"pane": pane, "focus": True}


@register.inclusion_tag("code/character_findings.html")
def character_findings(findings: tuple[Finding, ...], most: int = 20) -> dict[str, Any]:
    """Show in one line how many characters deceive the eye, and where the first `most` of them are."""
    counts = count_levels(findings)
    worst_first = sorted(
        findings,
        key=lambda finding: (LEVELS.index(finding.level), finding.line, finding.column),
    )
    return {
        "counts": [
            {
                "level": level,
                "count": counts[level],
                "more": counts[level] == MOST,
                "words": _LEVEL_WORDS[level],
            }
            for level in LEVELS
            if counts[level]
        ],
        "findings": worst_first[:most],
        "more": max(len(findings) - most, 0),
    }


@register.inclusion_tag("code/diff.html")
def diff(
    shown: FileDiff | DiffView, label: str = "Changes", mode: str = UNIFIED
) -> dict[str, Any]:
    """Show a diff: what was added, removed, overlooked, and the hunks with gaps between.

    A `DiffView` (from `view_diff`) is coloured and brings its own label and mode; a `FileDiff` is shown plain.
    """
    return {"view": _view(shown, label, mode)}


@register.inclusion_tag("code/diff_segments.html")
def diff_fragment(
    shown: FileDiff | DiffView, label: str = "Changes", mode: str = UNIFIED
) -> dict[str, Any]:
    """Show what replaces a gap that was opened, or the next page of a long diff."""
    return {"view": _view(shown, label, mode), "focus": True}


def _view(shown: FileDiff | DiffView, label: str, mode: str) -> DiffView:
    return (
        view_diff(shown, label=label, mode=mode)
        if isinstance(shown, FileDiff)
        else shown
    )


@register.inclusion_tag("code/changed_files.html")
def changed_files(
    files: Sequence[ChangedFile], urls: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Show the files that differ between two trees; `urls` gives by path the address of a file's diff."""
    links = urls or {}
    return {
        "files": [
            {
                "changed": file,
                "tone": _CHANGE_TONES[file.change],
                "url": links.get(file.path, ""),
            }
            for file in files
        ]
    }
