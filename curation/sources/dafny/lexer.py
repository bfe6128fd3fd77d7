"""The atoms of Dafny (reference manual, chapter 2) and its reserved words."""

from __future__ import annotations

import re

from curation.sources.tokens import (
    COMMENT,
    NAME,
    NUMBER,
    STRING,
    SYMBOL,
    Lexer,
    Lexicon,
)

LEXER = Lexer(
    Lexicon(
        atoms=(
            (COMMENT, r"//[^\n\r]*"),
            (STRING, r'@"[^"]*(?:""[^"]*)*+"'),
            (STRING, r'"(?:[^"\\\n\r]|\\[^\n\r])*+"'),
            # A character literal, told from a primed name by what it may hold.
            (STRING, r"'(?:[^'\\\n\r]|\\(?:u[0-9A-Fa-f]{4}|U\{[0-9A-Fa-f_]+\}|.))'"),
            (NAME, r"(?:[^\W\d]|['?])[\w'?]*"),
            (NUMBER, r"\d[\w]*(?:\.\d[\d_]*)?"),
            (
                SYMBOL,
                r"<==>|==>|<==|::|:=|:-|:\||=>|->|~>|-->|\.\.|==|!=|<=|>=|&&|\|\||!in\b|!!",
            ),
        ),
        comment_open="/*",
        comment_close="*/",
        doc=re.compile(r"/\*\*(?!/)|///"),
    )
)

MODIFIERS = frozenset(
    [
        "abstract",
        "ghost",
        "static",
        "opaque",
        "protected",
        "replaceable",
        "twostate",
        "least",
        "greatest",
        "inductive",
    ]
)

#: Declaring word → category of what it declares. `function method` and the like are compiled.
DECLARING = {
    "module": "module",
    "class": "type",
    "trait": "type",
    "datatype": "type",
    "codatatype": "type",
    "newtype": "type",
    "type": "type",
    "iterator": "fn",
    "function": "fn",
    "predicate": "spec",
    "copredicate": "spec",
    "method": "fn",
    "constructor": "fn",
    "lemma": "proof",
    "colemma": "proof",
    "const": "const",
    "var": "const",
}

#: Words that begin a declaration at which no item is made.
PASSED_OVER = frozenset({"import", "export", "include"})

CLAUSES = frozenset(
    {"requires", "ensures", "modifies", "reads", "decreases", "invariant", "yield"}
)

#: Words after which an expression is still to come, so that `{` opens a set.
EXPECTING = frozenset(
    [
        "in",
        "then",
        "else",
        "multiset",
        "set",
        "iset",
        "requires",
        "ensures",
        "modifies",
        "reads",
        "decreases",
        "invariant",
        "if",
        "assert",
        "assume",
        "returns",
        "by",
        "old",
        "allocated",
        "fresh",
        "unchanged",
        "case",
    ]
)
