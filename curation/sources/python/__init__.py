"""Python, through the standard library's own parser."""

from __future__ import annotations

from pathlib import Path

from curation.sources.language import BY_NAME, Language
from curation.sources.python.extract import extract


def detect(path: str, text: str) -> int:
    """Return how sure it is that `text` is Python: by its name, nothing else ends in .py."""
    return BY_NAME


LANGUAGE = Language(
    id="python",
    title="Python",
    track=2,
    suffixes=(".py", ".pyi"),
    detect=detect,
    extract=extract,
    folder=Path(__file__).parent,
    aliases=("python3", "py"),
)
