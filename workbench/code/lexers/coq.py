"""Coq (Rocq): Pygments' lexer, and what it does not tell: declared names, and what stays unproved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from pygments.lexers.theorem import RocqLexer
from pygments.token import Comment, Keyword, Name, Whitespace, _TokenType

from workbench.code.lexers.tokens import Danger

_FUNCTION_WORDS = """Theorem Lemma Fact Remark Corollary Proposition Property Example Definition Fixpoint CoFixpoint Function
    Let Instance Axiom Conjecture Parameter Hypothesis Variable Canonical Ltac Equations"""
_NAMES_FUNCTION = frozenset(_FUNCTION_WORDS.split())
_NAMES_TYPE = frozenset(
    ("Inductive", "CoInductive", "Variant", "Record", "Structure", "Class")
)
_NAMES_SPACE = frozenset(("Module", "Section", "End", "Import", "Export"))
_DANGER = frozenset(
    (
        "Admitted",
        "admit",
        "Axiom",
        "Axioms",
        "Conjecture",
        "Parameter",
        "Parameters",
        "give_up",
    )
)


class CoqLexer(RocqLexer):
    """As Pygments', with names after the words that declare them."""

    aliases: ClassVar[list[str]] = ["coq"]
    filenames: ClassVar[list[str]] = ["*.v"]

    def get_tokens_unprocessed(
        self, text: str, stack: Iterable[str] = ("root",)
    ) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield offset, type and spelling of each token."""
        naming: _TokenType | None = None
        for start, kind, value in super().get_tokens_unprocessed(text, stack):
            if kind in Comment or kind in Whitespace or value.isspace():
                yield start, kind, value
                continue
            if kind in Name and naming is not None:
                kind = naming
            naming = _named_by(value) if kind in Keyword else None
            yield start, Danger if value in _DANGER else kind, value


def _named_by(word: str) -> _TokenType | None:
    if word in _NAMES_FUNCTION:
        return Name.Function
    if word in _NAMES_TYPE:
        return Name.Class
    return Name.Namespace if word in _NAMES_SPACE else None
