"""Verus: Rust with specifications and proofs, through a tokenizer and a reader of items."""

from __future__ import annotations

import re
from pathlib import Path

from curation.sources.language import BY_CONTENT, BY_NAME, Language
from curation.sources.verus.extract import extract

_VERUS = re.compile(
    r"\bverus(?:_|_impl)?\s*!\s*[{(]|\bvstd::|\bverus_builtin|\bbuiltin_macros::"
)


def detect(path: str, text: str) -> int:
    """Return how sure it is that `text` is Verus; Rust beside it is read by the same rules."""
    return BY_CONTENT if _VERUS.search(text) else BY_NAME


LANGUAGE = Language(
    id="verus",
    title="Verus",
    track=1,
    suffixes=(".rs",),
    detect=detect,
    extract=extract,
    folder=Path(__file__).parent,
    aliases=("rust", "rs"),
)
