"""What a Lean file imports, and in which order the files of a tree have to be compiled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

HEADER_WORDS = frozenset({"module", "prelude", "public", "private", "meta"})
WORD = re.compile(r"(?:«[^»\n]*»|[^\s«»/-])+")
BLOCK_MARK = re.compile(r"/-|-/")


class TreeError(Exception):
    """A tree of Lean files that cannot be compiled in any order. The message names the files."""


def module_name(relative: Path) -> str:
    """Return the module of a file, `A/B.lean` giving `A.B`.

    Raises TreeError for a dot in a component, and for a path that Lean would take for an option.
    """
    if str(relative).startswith("-"):
        raise TreeError(f"{relative}: the path starts with a hyphen")
    parts = relative.with_suffix("").parts
    for part in parts:
        if "." in part:
            raise TreeError(
                f"{relative}: {part!r} contains a dot; a module takes its name from the path, so dots cannot be told apart"
            )
    return ".".join(parts)


def sources_below(root: Path) -> dict[str, Path]:
    """Return module name → path, relative to `root`, of every Lean file below it, sorted by path.

    Raises TreeError if there is none, for a link (it could lead out of the tree), and for a name that is no module.
    """
    paths = sorted(root.rglob("*.lean"))
    for path in paths:
        if path.is_symlink():
            raise TreeError(f"{path.relative_to(root)}: a link; expected a plain file")
    found = [path.relative_to(root) for path in paths if path.is_file()]
    if not found:
        raise TreeError(f"{root}: no .lean file below this directory")
    return {module_name(path): path for path in found}


def header_imports(text: str) -> list[str]:
    """Return the modules that the header of a Lean file imports, in order, without `«»`.

    A header is `module`? `prelude`? and imports; the first other word ends it (Lean's `Module.Header`).
    """
    found: list[str] = []
    expected_name = False
    for word in _words(text.removeprefix("\ufeff")):
        if expected_name and word == "all":
            continue
        if expected_name:
            found.append(word.replace("«", "").replace("»", ""))
            expected_name = False
        elif word == "import":
            expected_name = True
        elif word not in HEADER_WORDS:
            break
    return found


def _words(text: str) -> Iterator[str]:
    """Yield the words of `text` outside comments. Lean nests block comments."""
    at = 0
    while at < len(text):
        word = WORD.match(text, at)
        if word:
            yield word.group()
            at = word.end()
        elif text.startswith("--", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("/-", at):
            at = _end_of_block(text, at)
        elif text[at].isspace():
            at += 1
        else:
            yield text[at]
            at += 1


def _end_of_block(text: str, start: int) -> int:
    depth = 0
    for mark in BLOCK_MARK.finditer(text, start):
        depth += 1 if mark.group() == "/-" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def imports_below(root: Path, sources: Mapping[str, Path]) -> dict[str, list[str]]:
    """Return module → imports for the files `sources` below `root`. Raises TreeError for a file that is not UTF-8."""
    found: dict[str, list[str]] = {}
    for module, path in sources.items():
        try:
            found[module] = header_imports((root / path).read_text(encoding="utf-8"))
        except UnicodeDecodeError as wrong:
            raise TreeError(f"{path}: byte {wrong.start} is not UTF-8") from wrong
    return found


def in_import_order(
    wanted: Iterable[str], imports: Mapping[str, Iterable[str]]
) -> list[str]:
    """Return `wanted` and everything it needs among the keys of `imports`, each after its imports.

    Imports that are no key (library modules) are left to Lean. Raises TreeError for an import cycle, naming it,
    and for a wanted module that is no key.
    """
    order: list[str] = []
    done: set[str] = set()
    for first in wanted:
        if first not in imports:
            raise TreeError(f"there is no module {first} in this tree")
        open_names: dict[str, Iterator[str]] = {}
        stack = [] if first in done else [first]
        while stack:
            name = stack[-1]
            rest = open_names.setdefault(name, iter(imports[name]))
            following = next(
                (module for module in rest if module in imports and module not in done),
                None,
            )
            if following is None:
                done.add(name)
                order.append(name)
                stack.pop()
            elif following in open_names:
                cycle = [*stack[stack.index(following) :], following]
                raise TreeError("import cycle: " + " -> ".join(cycle))
            else:
                stack.append(following)
    return order
