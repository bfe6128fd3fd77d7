"""Template tags for code: each takes what a pure module made and renders the include of the same name."""

from __future__ import annotations

from typing import Any

from django import template

from workbench.code.confusables import LEVELS, Finding, count_levels
from workbench.code.pane import Pane

register = template.Library()

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
            {"level": level, "count": counts[level], "words": _LEVEL_WORDS[level]}
            for level in LEVELS
            if counts[level]
        ],
        "findings": worst_first[:most],
        "more": max(len(findings) - most, 0),
    }
