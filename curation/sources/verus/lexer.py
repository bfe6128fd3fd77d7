"""The atoms of Rust (reference, chapter 2) and the words that Verus adds."""

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
            (
                STRING,
                r'(?:br|cr|r)###".*?"###|(?:br|cr|r)##".*?"##|(?:br|cr|r)#".*?"#|(?:br|cr|r)"[^"]*"',
            ),
            (STRING, r'[bc]?"(?:[^"\\]|\\.)*"'),
            (STRING, r"b?'(?:[^'\\\n\r]|\\(?:x[0-9A-Fa-f]{2}|u\{[0-9A-Fa-f_]+\}|.))'"),
            (SYMBOL, r"'[^\W\d]\w*"),  # a lifetime
            (NAME, r"(?:r#|\$)?[^\W\d]\w*"),
            (NUMBER, r"\d\w*(?:\.\d\w*)?"),
            (
                SYMBOL,
                r"<==>|==>|<==|=~~=|=~=|===|!==|&&&|\|\|\||::|->|=>|==|!=|<=|>=|&&|\|\||\.\.=|\.\.\.|\.\.",
            ),
        ),
        comment_open="/*",
        comment_close="*/",
        doc=re.compile(r"///(?!/)|/\*\*(?![*/])"),
    )
)

#: Words that may stand before the one that says what is declared.
MODIFIERS = frozenset(
    {
        "pub",
        "open",
        "closed",
        "uninterp",
        "broadcast",
        "spec",
        "proof",
        "exec",
        "axiom",
        "tracked",
        "ghost",
        "default",
        "async",
        "unsafe",
        "extern",
        "const",
        "static",
    }
)

DECLARING = frozenset({"fn", "struct", "enum", "union", "trait", "impl", "mod", "type"})

CLAUSES = frozenset(
    {
        "requires",
        "ensures",
        "recommends",
        "decreases",
        "returns",
        "invariant",
        "opens_invariants",
        "no_unwind",
        "default_ensures",
        "where",
        "via",
        "when",
    }
)

#: Words after which an expression is still to come, so that `{` opens a block of it.
EXPECTING = frozenset(
    {
        "requires",
        "ensures",
        "recommends",
        "decreases",
        "returns",
        "else",
        "in",
        "by",
        "return",
        "move",
    }
)

#: Signs after which an expression is still to come.
OPERATORS = frozenset(
    {
        *(
            "==>",
            "<==>",
            "<==",
            "==",
            "===",
            "!=",
            "!==",
            "=~=",
            "=~~=",
            "<",
            "<=",
            ">=",
            "=>",
            "=",
        ),
        *("&&&", "|||", "&&", "||", "!", "+", "-", "*", "/", "%", "&", "|", "^"),
        *("::", ".", "..", "..=", ":", "(", "[", "{"),
    }
)
