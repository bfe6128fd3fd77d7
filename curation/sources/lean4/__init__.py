"""Lean 4 as a source, through the reader of Lean text that the whole project uses."""

from __future__ import annotations

from pathlib import Path

from curation.sources.language import BY_NAME, Language
from curation.sources.lean4.extract import extract


def detect(path: str, text: str) -> int:
    """Return how sure it is that `text` is Lean 4: by its name; Lean 3 has the same ending."""
    return BY_NAME


LANGUAGE = Language(
    id="lean4",
    title="Lean 4",
    track=1,
    suffixes=(".lean",),
    detect=detect,
    extract=extract,
    folder=Path(__file__).parent,
    aliases=("lean",),
)
