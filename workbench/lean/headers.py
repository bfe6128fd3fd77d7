"""What stands before the first command of a Lean file: `prelude`, `module`, imports."""

from __future__ import annotations

import re
from typing import NamedTuple

from workbench.lean import lexer
from workbench.lean.lexer import ID_REST, NAME


class Import(NamedTuple):
    """An `import` line of a file. `module` is as written, `modifiers` are `public`, `meta`, `all`."""

    module: str
    line: int
    modifiers: tuple[str, ...] = ()


class Header(NamedTuple):
    """What stands before the first command. `end` is the offset behind the last import."""

    prelude: bool
    module: bool
    imports: tuple[Import, ...]
    end: int


_HEADER_WORD = re.compile(
    rf"(?P<prelude>prelude|module)(?![{ID_REST}])"
    rf"|(?P<modifiers>(?:public\s+|meta\s+|private\s+)*)import\s+(?P<all>all\s+)?(?P<name>{NAME})"
)
_SPACE_OR_LINE_COMMENT = re.compile(r"(?:\s+|--[^\n]*)*")


def header(text: str) -> Header:
    """Return `prelude`, `module` and the imports of a file; comments between them are skipped."""
    position = 1 if text.startswith("\ufeff") else 0
    words: list[str] = []
    imports: list[Import] = []
    end = line_at = 0
    line = 1
    while True:
        position = _SPACE_OR_LINE_COMMENT.match(text, position).end()  # type: ignore[union-attr]  # matches empty
        if text.startswith("/-", position) and text[
            position + 2 : position + 3
        ] not in ("-", "!"):
            position = lexer.block_end(text, position)[0]
            continue
        match = _HEADER_WORD.match(text, position)
        if match is None:
            return Header("prelude" in words, "module" in words, tuple(imports), end)
        if match["prelude"]:
            words.append(match["prelude"])
        else:
            line += text.count("\n", line_at, match.start())
            line_at = match.start()
            extra = (*match["modifiers"].split(), *(match["all"] or "").split())
            imports.append(Import(match["name"], line, extra))
        position = end = match.end()
