"""The inventory of a Lean 4 file, as `workbench.lean` reads it."""

from __future__ import annotations

import re

from curation.sources.items import (
    Extraction,
    LineIndex,
    Problem,
    SourceItem,
    fold,
    is_test_path,
    unique,
)
from workbench.lean.declarations import Declaration, scan_file
from workbench.lean.lexer import NAME

_CATEGORIES = {
    "def": "fn",
    "abbrev": "fn",
    "instance": "fn",
    "example": "proof",
    "theorem": "proof",
    "lemma": "proof",
    "structure": "type",
    "class": "type",
    "inductive": "type",
    "coinductive": "type",
    "axiom": "axiom",
    "opaque": "opaque",
}
_NAME = re.compile(NAME)
_UNIVERSE = re.compile(r":\s*(?:[^:]*→\s*)?(Prop|Type\b.*)$")


def extract(path: str, text: str) -> Extraction:
    """Return the declarations of the file, anonymous ones named by their line."""
    scan = scan_file(text)
    lines = LineIndex(text)
    tests = is_test_path(path)
    items = [
        _item(path, text, scan.code, lines, tests, one) for one in scan.declarations
    ]
    problems = [
        Problem("unterminated", path, min(max(one.line, 1), lines.last), one.message)
        for one in scan.problems
    ]
    return Extraction(tuple(items), tuple(problems))


def _item(
    path: str,
    text: str,
    code: str,
    lines: LineIndex,
    tests: bool,
    declaration: Declaration,
) -> SourceItem:
    start, end = declaration.code_start, max(declaration.end, declaration.code_start)
    line = lines.line(start)
    name = declaration.short_name or f"_{declaration.kind}_{line}"
    signature = fold(declaration.signature)
    category = _CATEGORIES[declaration.kind]
    if category == "fn" and (universe := _UNIVERSE.search(signature)):
        category = "spec" if universe[1] == "Prop" else "type"
    return SourceItem(
        kind=declaration.kind,
        category=category,
        name=name,
        qualified_name=declaration.name or name,
        path=path,
        line_start=line,
        line_end=lines.line(max(start, end - 1)),
        signature=signature,
        doc=declaration.doc.strip(),
        parent=declaration.namespace,
        mentions=unique(match.group() for match in _NAME.finditer(code, start, end)),
        is_test=tests or declaration.kind == "example",
        char_start=start,
        char_end=end,
        modifiers=(*declaration.modifiers, *declaration.attributes),
    )
