"""Coq, called Rocq since 2025, through a tokenizer and a reader of sentences."""

from __future__ import annotations

import re
from pathlib import Path

from curation.sources.coq.extract import extract
from curation.sources.language import BY_CONTENT, BY_NAME, NO, Language

_COQ = re.compile(
    r"^\s*(?:From\s+\S+\s+)?Require\b|^\s*(?:Definition|Lemma|Theorem|Inductive|Fixpoint|Section)\s",
    re.M,
)
_VERILOG = re.compile(
    r"^\s*(?:module\s+\w+\s*[#(;]|endmodule\b|`timescale\b|always\s*@)", re.M
)


def detect(path: str, text: str) -> int:
    """Return how sure it is that `text` is Coq; Verilog has the same ending and is refused."""
    if _COQ.search(text):
        return BY_CONTENT
    return NO if _VERILOG.search(text) else BY_NAME


LANGUAGE = Language(
    id="coq",
    title="Rocq (Coq)",
    track=1,
    suffixes=(".v",),
    detect=detect,
    extract=extract,
    folder=Path(__file__).parent,
    aliases=("rocq", "gallina"),
)
