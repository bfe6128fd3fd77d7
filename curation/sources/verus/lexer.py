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


def _raw_string_end(text: str, start: int, opened: int) -> int:
    """Return the end of `r##"…"##`: the first quote with as many `#` behind it."""
    closing = '"' + "#" * text.count("#", start, opened)
    end = text.find(closing, opened)
    return end + len(closing) if end >= 0 else -1


LEXER = Lexer(
    Lexicon(
        atoms=(
            (COMMENT, r"//[^\n\r]*"),
            (STRING, r'[bc]?"(?:[^"\\]|\\.)*+"'),
            (STRING, r"b?'(?:[^'\\\n\r]|\\(?:x[0-9A-Fa-f]{2}|u\{[0-9A-Fa-f_]+\}|.))'"),
            (SYMBOL, r"'[^\W\d]\w*"),  # a lifetime
            (NAME, r"(?:r#|\$)?[^\W\d]\w*"),
            (NUMBER, r"\d\w*(?:\.\d\w*)?"),
            (
                SYMBOL,
                r"<==>|==>|<==|=~~=|=~=|===|!==|&&&|\|\|\||::|->|=>|==|!=|<=|>=|&&|\|\||\.\.=|\.\.\.|\.\.",
            ),
        ),
        long_string=r'(?:br|cr|r)#*"',
        long_string_end=_raw_string_end,
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
