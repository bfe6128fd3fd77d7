"""What a manifest or a comment says about where a definition comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_EXTENSIONS = r"(?:py|pyi|dfy|rs|v|lean)"
_FILE = rf"(?P<file>[\w./-]*\w\.{_EXTENSIONS})\b(?![\w(])"
_LINES = r"(?:(?::|,? +(?:lines? |ll?\. ?)?~?)(?P<from>\d+)(?: *[-–] *~?(?P<to>\d+))?)?"
_CITED = re.compile(rf"`?{_FILE}`?{_LINES}")
_NAME = r"[^\W\d][\w'.:?]*"
#: A name directly before a file: "`f` in `a.dfy`", "`f` (a.rs:12)", "`f`, a.v".
_NAME_BEFORE = re.compile(
    rf"`(?P<name>{_NAME})(?:\([^`]*\))?`[\s,;:]*(?:\(|in|of|from|at)?[\s(]*$"
)
#: A name that the text says is the source: "Dafny: `f`", "translated from `f`", "source item `f`".
_NAME_SAID = re.compile(
    rf"(?:\b(?:dafny|verus|rust|coq|rocq|python|upstream|source|lean4)(?:'s)?"
    rf"(?:\s+(?:item|function|method|lemma|theorem|predicate|definition|source|name))?\s*:?\s*"
    rf"|\b(?:translat\w+|port\w*|transcri\w+)\s+(?:from|of)\s+(?:the\s+)?)`(?P<name>{_NAME})(?:\([^`]*\))?`",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in the source that a text points at; what it does not say is "" or 0."""

    name: str = ""
    file: str = ""
    line_start: int = 0
    line_end: int = 0


@dataclass(frozen=True, slots=True)
class SourceId:
    """The parts of a manifest's `source_id`.

    `number` is an offset in characters or a line, the corpus has both. `made` is set when the
    identifier says that the definition has no text of its own upstream (`generated:`), `part`
    when it stands for a clause of what it names (`synthetic:Seq.First.__ensures_spec`).
    """

    name: str = ""
    file: str = ""
    number: int | None = None
    made: bool = False
    part: bool = False


def parse_source_id(text: str) -> SourceId:
    """Return what a `source_id` says; an identifier of no known form comes back as a name."""
    pieces = text.strip().split(":")
    if pieces[0] in ("generated", "baseline", "curator", "new"):
        return SourceId(name=pieces[1] if len(pieces) > 1 else "", made=True)
    if pieces[0] == "synthetic":
        name, _, clause = ":".join(pieces[1:]).partition(".__")
        return SourceId(name=name, part=bool(clause))
    if len(pieces) >= 2 and re.search(rf"\.{_EXTENSIONS}$", pieces[0]):
        last = re.search(r"(\d+)$", pieces[-1]) if len(pieces) > 2 else None
        return SourceId(
            name=pieces[1],
            file=pieces[0],
            number=int(last.group(1)) if last else None,
            part=len(pieces) > 2 and pieces[2].startswith(("ensures", "requires")),
        )
    name, _, clause = text.strip().partition(".__")
    return SourceId(name=name, part=bool(clause))


def citations(text: str) -> Iterator[Citation]:
    """Yield what a comment cites, in order: file, line and name where it gives them.

    A name counts only where the words around it say that it is the source; that a comment
    mentions a name in passing says nothing.
    """
    for match in _CITED.finditer(text):
        before = _NAME_BEFORE.search(text, max(0, match.start() - 120), match.start())
        start = int(match["from"] or 0)
        end = int(match["to"] or start)
        yield Citation(
            before["name"] if before else "", match["file"], start, max(start, end)
        )
    for match in _NAME_SAID.finditer(text):
        yield Citation(name=match["name"].strip(".:"))
