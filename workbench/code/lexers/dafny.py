"""Dafny: the words of its reference manual (section 2), enough to read by."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, default, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from workbench.code.lexers.tokens import Danger

_IDENTIFIER = r"[A-Za-z_?'][\w?']*"
_DECLARES = (
    "class", "codatatype", "datatype", "iterator", "module", "newtype", "trait", "type", "const", "constructor",
    "function", "ghost function", "method", "lemma", "predicate", "copredicate", "inductive", "greatest", "least",
    "twostate", "colemma", "comethod",
)  # fmt: skip
_WORDS = (
    "abstract", "allocated", "as", "assert", "break", "by", "calc", "case", "continue", "decreases",
    "else", "ensures", "exists", "expect", "export", "extends", "for", "forall", "fresh", "ghost", "hide", "if",
    "import", "in", "include", "invariant", "is", "label", "match", "modifies", "modify", "new", "nameonly",
    "old", "opaque", "opened", "print", "protected", "provides", "reads", "refines", "replaceable", "requires",
    "return", "returns", "reveal", "reveals", "static", "then", "this", "to", "downto", "unchanged", "var",
    "where", "while", "witness", "yield", "yields",
)  # fmt: skip
_TYPES = (
    "array", "bool", "char", "imap", "int", "iset", "map", "multiset", "nat", "object", "ORDINAL", "real", "seq",
    "set", "string",
)  # fmt: skip


class DafnyLexer(RegexLexer):
    """Keywords, types, literals, nested comments, attributes; the name after a declaring word is its name."""

    name = "Dafny"
    aliases: ClassVar[list[str]] = ["dafny"]
    filenames: ClassVar[list[str]] = ["*.dfy"]
    url = "https://dafny.org/"

    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            (r"\{:(?:axiom|extern|verify\s+false)[^}\n]*\}", Danger),
            (r"\{:[^}\n]*\}", Name.Decorator),
            (r"(?<![\w?'])assume(?![\w?'])", Danger),
            (r"@(?!\")[A-Za-z_]\w*", Name.Decorator),
            (r'@"(?:[^"]|"")*"', String),
            (r'"', String, "string"),
            (
                r"'(?:\\u[0-9a-fA-F]{4}|\\U\{[0-9a-fA-F_]{1,8}\}|\\.|[^'\\\n])'",
                String.Char,
            ),
            (r"0x[0-9a-fA-F](?:_?[0-9a-fA-F])*", Number.Hex),
            (r"\d(?:_?\d)*(?:\.\d(?:_?\d)*)?", Number.Integer),
            (
                words(_DECLARES, prefix=r"(?<![\w?'])", suffix=r"(?![\w?'])"),
                Keyword.Declaration,
                "declared",
            ),
            (words(_WORDS, prefix=r"(?<![\w?'])", suffix=r"(?![\w?'])"), Keyword),
            (
                rf"(?<![\w?'])(?:{'|'.join(_TYPES)}|bv\d+|array\d+)(?![\w?'])",
                Keyword.Type,
            ),
            (r"(?<![\w?'])(?:true|false|null)(?![\w?'])", Keyword.Constant),
            (_IDENTIFIER, Name),
            (
                r"<==>|==>|<==|:=|:\||:-|->|~>|-->|=>|::|\.\.|!!|!in\b|[-+*/%<>=!&|^~]+",
                Operator,
            ),
            (r"[{}()\[\],.;:`#?]", Punctuation),
        ],
        "declared": [
            (r"\s+", Whitespace),
            (r"\{:(?:axiom|extern|verify\s+false)[^}\n]*\}", Danger),
            (r"\{:[^}\n]*\}", Name.Decorator),
            (
                words((*_DECLARES, "by"), prefix=r"\b", suffix=r"(?![\w?'])"),
                Keyword.Declaration,
            ),
            (rf"{_IDENTIFIER}(?=\.)", Name.Namespace),
            (r"\.", Punctuation),
            (_IDENTIFIER, Name.Function, "#pop"),
            default("#pop"),
        ],
        "comment": [
            (r"[^*/]+", Comment.Multiline),
            (r"/\*", Comment.Multiline, "#push"),
            (r"\*/", Comment.Multiline, "#pop"),
            (r"[*/]", Comment.Multiline),
        ],
        "string": [
            (r'[^"\\\n]+', String),
            (r"\\u[0-9a-fA-F]{4}|\\U\{[0-9a-fA-F_]{1,8}\}|\\.", String.Escape),
            (r'"', String, "#pop"),
            (r"\n", Whitespace, "#pop"),
            (r"\\", String),
        ],
    }
