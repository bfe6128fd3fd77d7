"""Verus: Rust with specifications."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import inherit, words
from pygments.lexers.rust import RustLexer
from pygments.token import Keyword, Operator

from workbench.code.lexers.tokens import Danger

_CLAUSES = (
    "requires", "ensures", "recommends", "invariant", "invariant_except_break", "decreases", "returns", "via",
    "opens_invariants", "no_unwind", "default_ensures",
)  # fmt: skip
_MODES = (
    "spec",
    "proof",
    "exec",
    "open",
    "closed",
    "uninterp",
    "ghost",
    "tracked",
    "broadcast",
    "global",
    "axiom",
)
_TYPES = (
    "int",
    "nat",
    "Seq",
    "Set",
    "Map",
    "Multiset",
    "Ghost",
    "Tracked",
    "FnSpec",
    "spec_fn",
    "real",
)
_PROOF = (
    "assert",
    "by",
    "forall",
    "exists",
    "choose",
    "implies",
    "is",
    "has",
    "matches",
)
_ESCAPES = ("admit", "assume", "external_body", "assume_specification")


class VerusLexer(RustLexer):
    """Rust plus Verus's modes, clauses, quantifiers and ghost types."""

    name = "Verus"
    aliases: ClassVar[list[str]] = ["verus"]
    filenames: ClassVar[list[str]] = ["*.rs"]
    url = "https://verus-lang.github.io/verus/"

    tokens = {
        "base": [
            (r"#!?\[verifier::(?:external|assume|admit)\w*[^\]\n]*\]", Danger),
            (words(_CLAUSES, prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\bspec\b(?=\s*\()", Keyword),
            (words(_MODES, prefix=r"\b", suffix=r"\b(?=\s+(?:\w|\())"), Keyword),
            (words(_TYPES, prefix=r"\b", suffix=r"\b"), Keyword.Type),
            (words(_ESCAPES, prefix=r"\b", suffix=r"\b"), Danger),
            (words(_PROOF, prefix=r"\b", suffix=r"\b(?!\s*!)"), Keyword),
            (r"<==>|==>|<==|=~=|=~~=|===|!==|&&&|\|\|\|", Operator),
            inherit,
        ],
        "typename": [
            (words(_TYPES, prefix=r"\b", suffix=r"\b"), Keyword.Type, "#pop"),
            inherit,
        ],
    }
