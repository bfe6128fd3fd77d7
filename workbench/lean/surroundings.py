"""What stands around a declaration and decides how it is read: `open`, `variable`, `set_option`, notations, macros.

The text of a declaration can stay as it is and mean something else because such a command changed. Each declaration
has a digest of the commands in force where it stands: those above it in its file that are not closed again by `end`,
and those of the files that it imports that reach beyond their file. `namespace` is left out, since it is part of the
declaration's name, and so are the imports themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from workbench.lean.declarations import (
    DECLARATION_KINDS,
    Declaration,
    FileScan,
    name_parts,
)
from workbench.lean.essence import essence
from workbench.lean.lexer import words
from workbench.lean.uses import Ref, import_closure

#: In force up to the `end` of their section.
_SCOPED = words("open variable universe set_option include omit")
_OPENING = words("namespace section mutual")
_WITHOUT_MEANING = words("import prelude module end")


def surroundings(
    scans: Mapping[str, FileScan], texts: Mapping[str, str]
) -> dict[Ref, str]:
    """Return a digest for each declaration, "" where nothing is in force. Keys of both mappings are module names."""
    closure = import_closure(
        {
            name: [item.module for item in scan.header.imports]
            for name, scan in scans.items()
        }
    )
    own: dict[str, list[str]] = {}
    beyond: dict[str, str] = {}
    for module, scan in scans.items():
        own[module], beyond[module] = _in_file(scan, texts[module])
    found = {}
    for module, digests in own.items():
        imported = "".join(beyond[other] for other in sorted(closure[module]))
        for position, digest in enumerate(digests):
            found[Ref(module, position)] = (
                _more(digest, imported) if imported else digest
            )
    return found


def _in_file(scan: FileScan, text: str) -> tuple[list[str], str]:
    """Return the digest in force at each declaration, and that of what reaches beyond the file."""
    open_ones, beyond, digests = [""], "", []
    for command in _commands(scan, text):
        if isinstance(command, Declaration):
            digests.append(open_ones[-1])
            continue
        word, said = command
        if word in _OPENING:
            open_ones += [open_ones[-1]] * (_depth(said) if word == "namespace" else 1)
        elif word == "end":
            del open_ones[max(1, len(open_ones) - _depth(said)) :]
        elif word.startswith("#") or word in _WITHOUT_MEANING:
            continue
        else:
            seen = essence(said)
            if word in _SCOPED or said.startswith("local "):
                open_ones[-1] = _more(open_ones[-1], seen)
            else:
                open_ones = [_more(digest, seen) for digest in open_ones]
                beyond = _more(beyond, seen)
    return digests, beyond


def _commands(scan: FileScan, text: str) -> Iterator[Declaration | tuple[str, str]]:
    """Yield in order the declarations, and of all other commands the first word and the text."""
    declarations = iter(scan.declarations)
    found: list[tuple[int, Declaration | str]] = []
    for command in scan.commands:
        word = command.word.split()[0]
        if word in DECLARATION_KINDS:
            declaration = next(declarations)
            found.append((declaration.start, declaration))
        else:
            found.append((command.start, word))
    ends = [start for start, _ in found[1:]] + [len(text)]
    for (start, what), end in zip(found, ends, strict=False):
        yield what if isinstance(what, Declaration) else (what, text[start:end])


def _depth(said: str) -> int:
    """Return how many scopes `namespace A.B` or `end A.B` is about."""
    parts = said.split("\n", 1)[0].split("--", 1)[0].split()
    return len(name_parts(parts[1])) if len(parts) > 1 else 1


def _more(digest: str, said: str) -> str:
    return hashlib.sha256(
        f"{digest}\n{said}".encode("utf-8", "surrogatepass")
    ).hexdigest()
