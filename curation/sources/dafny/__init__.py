"""Dafny, through a tokenizer and a reader of declarations."""

from __future__ import annotations

from pathlib import Path

from curation.sources.dafny.extract import extract
from curation.sources.language import BY_NAME, Language


def detect(path: str, text: str) -> int:
    """Return how sure it is that `text` is Dafny: by its name, nothing else ends in .dfy."""
    return BY_NAME


LANGUAGE = Language(
    id="dafny",
    title="Dafny",
    track=1,
    suffixes=(".dfy",),
    detect=detect,
    extract=extract,
    folder=Path(__file__).parent,
    aliases=("dfy",),
)
