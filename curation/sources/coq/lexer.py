"""The atoms of Coq (reference manual, "Lexical conventions") and its vernacular."""

from __future__ import annotations

import re

from curation.sources.tokens import NAME, NUMBER, STRING, SYMBOL, Lexer, Lexicon

LEXER = Lexer(
    Lexicon(
        atoms=(
            (STRING, r'"[^"]*(?:""[^"]*)*+"'),
            (NAME, r"[^\W\d][\w']*(?:\.[^\W\d][\w']*)*"),
            (NUMBER, r"\d[\w]*(?:\.\d+)?"),
            (SYMBOL, r":=|=>|<->|->|<-|\.\.\.|\.\.|::|\{\||\|\}|\|\||&&|<=|>=|<>"),
        ),
        comment_open="(*",
        comment_close="*)",
        doc=re.compile(r"\(\*\*(?![*)])"),
        strings_in_comments=True,
    )
)

#: Words that may stand before the one that says what a sentence does.
PREFIXES = frozenset(
    {
        "Local",
        "Global",
        "Program",
        "Polymorphic",
        "Monomorphic",
        "Cumulative",
        "NonCumulative",
        "Private",
        "Export",
        "Time",
        "Fail",
        "Succeed",
        "Canonical",
        "Existing",
        "Declare",
        "Reserved",
        "Tactic",
        "Primitive",
    }
)

STATEMENTS = frozenset(
    {
        "Theorem",
        "Lemma",
        "Remark",
        "Fact",
        "Corollary",
        "Property",
        "Proposition",
        "Goal",
        "Conjecture",
    }
)
DEFINITIONS = frozenset(
    {
        "Definition",
        "Example",
        "Fixpoint",
        "CoFixpoint",
        "Let",
        "Function",
        "Instance",
        "Equations",
        "Coercion",
        "SubClass",
    }
)
ASSUMPTIONS = frozenset(
    {
        "Axiom",
        "Axioms",
        "Parameter",
        "Parameters",
        "Variable",
        "Variables",
        "Hypothesis",
        "Hypotheses",
        "Conjecture",
        "Conjectures",
    }
)
TYPES = frozenset(
    {"Inductive", "CoInductive", "Variant", "Record", "Structure", "Class"}
)
NOTATIONS = frozenset({"Notation", "Infix", "Ltac", "Ltac2", "Abbreviation"})
SCOPES = frozenset({"Module", "Section"})

#: Sentences that end a proof, and those at which a proof that was never ended is given up.
PROOF_ENDS = frozenset({"Qed", "Defined", "Admitted", "Abort", "Save"})
NEVER_IN_PROOFS = (
    STATEMENTS
    | DEFINITIONS
    | TYPES
    | SCOPES
    | (ASSUMPTIONS - {"Hypothesis"})
    | {"End", "Require"}
) - {"Let"}
