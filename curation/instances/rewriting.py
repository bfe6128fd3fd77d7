"""Put another text in the place of one definition, and make sure that nothing else in the files changed by it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from curation.format.findings import FormatError
from curation.format.instance import Instance, load_files
from curation.instances.models import Definition
from curation.instances.reading import declared_names, find_declaration
from workbench.lean import lexer
from workbench.lean.declarations import Declaration

#: What a person or an agent may write for one definition, in characters.
LONGEST_TEXT = 1_000_000
_MARKER = re.compile(r"^[ \t]*--[ \t]*!(?:benchmark|solution)\b.*$", re.MULTILINE)


class BadText(ValueError):
    """The text cannot take the place of the definition. `line` is 1-based in the text, None where no line is meant."""

    def __init__(self, words: str, line: int | None = None) -> None:
        super().__init__(f"Line {line}: {words}" if line else words)
        self.words = words
        self.line = line

    def at(self, first_line: int) -> str:
        """Return the same with the line as its file counts, for a text that begins in `first_line`."""
        if self.line is None:
            return self.words
        return f"Line {first_line + self.line - 1}: {self.words}"


def clean_text(text: str) -> str:
    """Return `text` with plain line ends and without white space around it. Raises `BadText`."""
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise BadText("there is a NUL character, which Lean does not read", line)
    if len(text) > LONGEST_TEXT:
        raise BadText(
            f"The text has {len(text):,} characters; at most {LONGEST_TEXT:,} are taken."
        )
    cleaned = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not cleaned:
        raise BadText("There is no text.")
    return cleaned


def rewritten(
    files: Mapping[str, bytes], name: str, definition: Definition, text: str
) -> Instance:
    """Return the instance `files` (called `name`) with `text`, a cleaned one, as the text of `definition`.

    Everything else stays byte for byte. Raises `BadText`: the text must declare exactly that definition, leave the
    other declarations of the file as they are, and keep its benchmark markers.
    """
    before = load_files(files, name)
    path = definition.path
    old = find_declaration(before, path, definition.lean_name, definition.ordinal)
    if old is None:
        raise BadText(f"{path} does not declare {definition.lean_name} any more.")
    _demand_closed(text)
    _demand_markers(old.text, text)
    whole = before.texts[path]
    written = text.replace("\n", "\r\n") if "\r\n" in whole else text
    changed = whole[: old.start] + written + whole[old.end :]
    try:
        after = load_files({**files, path: changed.encode()}, name)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, max(0, error.start - old.start)) + 1
        raise BadText("half a character cannot be stored", line) from None
    except FormatError as error:
        raise BadText(str(error)) from error
    _demand_same_around(before, after, definition, old, written)
    return after


def _demand_closed(text: str) -> None:
    for problem in lexer.problems(text):
        raise BadText(problem.message, problem.line)


def _demand_markers(old: str, new: str) -> None:
    """The marker lines are the format's: what a submission fills lies between them."""
    had = [match.group().strip() for match in _MARKER.finditer(old)]
    has = [(match.group().strip(), match.start()) for match in _MARKER.finditer(new)]
    for number, (marker, start) in enumerate(has):
        if number >= len(had) or marker != had[number]:
            expected = f"expected {had[number]!r}" if number < len(had) else "remove it"
            raise BadText(
                f"{marker!r} is a benchmark marker; {expected}",
                new.count("\n", 0, start) + 1,
            )
    if len(has) < len(had):
        raise BadText(
            f"The benchmark marker {had[len(has)]!r} is missing; markers stay as they are."
        )


def _demand_same_around(
    before: Instance,
    after: Instance,
    definition: Definition,
    old: Declaration,
    written: str,
) -> None:
    path = definition.path
    had, has = declared_names(before, path), declared_names(after, path)
    now = find_declaration(after, path, definition.lean_name, definition.ordinal)
    index = before.scan(path).declarations.index(old)
    if now is None:
        extra = next((name for name in has if name not in had), "")
        instead = f"; it declares {extra}" if extra else ""
        raise BadText(
            f"The text has to declare {definition.lean_name}, a definition keeps its name{instead}."
        )
    _demand_one(after, path, had, old, written)
    texts = [item.text for item in before.scan(path).declarations]
    texts[index] = written
    if now.text != written:
        raise _not_whole(old.start, now, written)
    now_texts = [item.text for item in after.scan(path).declarations]
    if now_texts != texts or has != had or _slots(before, path) != _slots(after, path):
        raise BadText(
            "The text changes how the rest of the file is read: look for a bracket, comment or string left open."
        )


def _demand_one(
    after: Instance, path: str, had: list[str], old: Declaration, written: str
) -> None:
    """The lines of the text may declare one definition."""
    has = declared_names(after, path)
    first = after.texts[path].count("\n", 0, old.start)
    found = list(zip(after.scan(path).declarations, has, strict=True))
    for declaration, name in reversed(found):
        inside = old.start <= declaration.start < old.start + len(written)
        if inside and has.count(name) > had.count(name):
            words = f"{name} is declared here as well; a text declares one definition"
            raise BadText(words, declaration.line - first)


def _not_whole(start: int, now: Declaration, written: str) -> BadText:
    """Return what is said where something in the text is no part of the declaration."""
    if now.start > start:
        return BadText("there is something in front of the declaration", 1)
    line = now.text.count("\n") + 1
    rest = written[len(now.text) :].lstrip()
    line += written[: len(written) - len(rest)].count("\n") - now.text.count("\n")
    word = rest.split(None, 1)[0] if rest else ""
    return BadText(f"{word!r} is no part of the declaration any more", line)


def _slots(instance: Instance, path: str) -> list[tuple[str, str, str]]:
    found = instance.marker_files.get(path)
    return [slot.identity for slot in found.slots] if found else []
