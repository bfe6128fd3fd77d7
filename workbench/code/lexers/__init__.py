"""Which lexer reads which file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers.configs import TOMLLexer
from pygments.lexers.data import JsonLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.special import TextLexer

from workbench.code.lexers.coq import CoqLexer
from workbench.code.lexers.dafny import DafnyLexer
from workbench.code.lexers.lean import LeanLexer
from workbench.code.lexers.verus import VerusLexer

PLAIN = "text"

_LEXERS: dict[str, Callable[[], Lexer]] = {
    "lean": LeanLexer,
    "dafny": DafnyLexer,
    "verus": VerusLexer,
    "coq": CoqLexer,
    "python": PythonLexer,
    "json": JsonLexer,
    "toml": TOMLLexer,
    PLAIN: TextLexer,
}
_ALIASES = {
    "lean4": "lean",
    "lean 4": "lean",
    "rust": "verus",
    "rocq": "coq",
    "gallina": "coq",
    "python3": "python",
    "py": "python",
    "plain": PLAIN,
    "": "",
}
_ENDINGS = {
    ".lean": "lean",
    ".dfy": "dafny",
    ".rs": "verus",
    ".v": "coq",
    ".py": "python",
    ".pyi": "python",
    ".json": "json",
    ".toml": "toml",
}


def language_of(language: str = "", path: str = "") -> str:
    """Return the name of the language that a text is shown in: `lean, dafny, verus, coq, python, json, toml, text`.

    `language` (any case, common aliases) wins over the ending of `path`; what is unknown is `text`. `*.lean` is
    always Lean 4.
    """
    wanted = language.strip().lower()
    wanted = _ALIASES.get(wanted, wanted)
    if wanted in _LEXERS:
        return wanted
    name = path.rpartition("/")[2].lower()
    for ending, found in _ENDINGS.items():
        if name.endswith(ending):
            return found
    return PLAIN


@cache
def lexer_for(language: str) -> Lexer:
    """Return the lexer of a name that `language_of` gave. Lexers keep no state between texts."""
    return _LEXERS[language]()
