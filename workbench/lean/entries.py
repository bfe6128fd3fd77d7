"""What a module says about its constants beside their terms: priorities, reducibility, attributes with run-time effect.

Such facts stand in the entries of environment extensions, whose types a file does not tell. Only a few extensions are
known here (Lean 4.35), each by the way to the constant's name and to the facts; an entry that does not look as
expected is reported as unread, never guessed at. Marks serve fingerprints and screens, not verdicts about terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from workbench.lean.module import Module
from workbench.lean.names import Name, show
from workbench.lean.olean import ARRAY, STRING
from workbench.lean.typed import MOST_COMPONENTS

REDUCIBILITY: Final = {
    0: "reducible",
    1: "semireducible",
    2: "irreducible",
    4: "instance reducible",
}
_LONGEST_NAME = MOST_COMPONENTS


@dataclass(slots=True)
class Marks:
    """Facts by constant, each a short text (`instance priority 1000`), sorted; `unread` names extensions not understood."""

    by_name: dict[Name, tuple[str, ...]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


class _Unread(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Entry:
    """A pointer into entries with checked steps."""

    module: Module
    pointer: int

    def at(self, *path: int) -> _Entry:
        """Follow pointer fields. Raises `_Unread` where there is none."""
        entry = self
        for step in path:
            if entry.pointer & 1:
                raise _Unread
            fields = entry.module.image.fields(entry.module.image.index(entry.pointer))
            if step >= len(fields):
                raise _Unread
            entry = _Entry(self.module, fields[step])
        return entry

    @property
    def tag(self) -> int:
        """The constructor's number."""
        image = self.module.image
        return (
            self.pointer >> 1
            if self.pointer & 1
            else image.tag(image.index(self.pointer))
        )

    def number(self) -> int:
        """A small natural number or flag. Raises `_Unread` for anything else."""
        if not self.pointer & 1:
            raise _Unread
        return self.pointer >> 1

    def scalars(self) -> int:
        """The first word after the pointer fields."""
        image = self.module.image
        word = image.index(self.pointer)
        header = image.words[word]
        count = header >> 48 & 255
        if (
            self.pointer & 1
            or header >> 56 >= ARRAY
            or (header >> 35 & 0x1FFF) < 2 + count
        ):
            raise _Unread
        return image.words[word + 1 + count]

    def name(self) -> Name:
        """A name, its shape checked first. Raises `_Unread` for anything else."""
        image, pointer = self.module.image, self.pointer
        for _ in range(_LONGEST_NAME):
            if pointer == 1:
                return self.module.decoder.name(self.pointer)
            word = image.index(pointer)
            if pointer & 1 or image.words[word] >> 32 not in (0x01020020, 0x02020020):
                raise _Unread
            component = image.words[word + 2]
            text = not component & 1 and image.tag(image.index(component)) == STRING
            if text != (image.tag(word) == 1):
                raise _Unread
            pointer = image.words[word + 1]
        raise _Unread


def _scoped(entry: _Entry) -> tuple[_Entry, str]:
    """Return the entry inside a global or scoped one, and the words that say so."""
    if entry.tag == 0:
        return entry.at(0), ""
    return entry.at(1), f" in {show(entry.at(0).name())}"


def _instance(entry: _Entry) -> tuple[Name, str]:
    inner, scope = _scoped(entry)
    return inner.at(3, 0).name(), f"instance priority {inner.at(2).number()}{scope}"


def _simp(entry: _Entry) -> tuple[Name, str]:
    inner, scope = _scoped(entry)
    if inner.tag == 0:
        lemma = inner.at(0)
        flags = lemma.scalars()
        way = "" if flags & 1 else " before subterms"
        return lemma.at(
            4, 0
        ).name(), f"simp lemma priority {lemma.at(3).number()}{way}{scope}"
    return inner.at(0).name(), f"simp unfolds{scope}"


def _reducibility(entry: _Entry) -> tuple[Name, str]:
    status = entry.at(1).number()
    return entry.at(0).name(), REDUCIBILITY.get(status, f"reducibility {status}")


def _default_instance(entry: _Entry) -> tuple[Name, str]:
    return entry.at(1).name(), f"default instance priority {entry.at(2).number()}"


def _csimp(entry: _Entry) -> tuple[Name, str]:
    inner, _ = _scoped(entry)
    return inner.at(0).name(), f"compiled as {show(inner.at(1).name())} (csimp)"


def _implemented_by(entry: _Entry) -> tuple[Name, str]:
    return entry.at(
        0
    ).name(), f"compiled as {show(entry.at(1).name())} (implemented_by)"


def _alias(entry: _Entry) -> tuple[Name, str]:
    return entry.at(1).name(), f"exported as {show(entry.at(0).name())}"


def _pair(text: str) -> Callable[[_Entry], tuple[Name, str]]:
    return lambda entry: (entry.at(0).name(), text)


_READERS: Final[dict[Name, Callable[[_Entry], tuple[Name, str]]]] = {
    ("reducibilityCore",): _reducibility,
    ("Lean", "Meta", "instanceExtension"): _instance,
    ("Lean", "Meta", "simpExtension"): _simp,
    ("Lean", "Meta", "defaultInstanceExtension"): _default_instance,
    ("Lean", "classExtension"): _pair("class"),
    ("Lean", "aliasExtension"): _alias,
    ("Lean", "externAttr"): _pair("extern"),
    ("Lean", "exportAttr"): _pair("export"),
    ("Lean", "regularInitAttr"): _pair("init"),
    ("Lean", "builtinInitAttr"): _pair("builtin_init"),
    ("Lean", "Compiler", "implementedByAttr"): _implemented_by,
    ("Lean", "Compiler", "CSimp", "ext"): _csimp,
}

RUN_TIME_MARKS: Final = ("compiled as", "extern", "export", "init", "builtin_init")


def marks_of(module: Module) -> Marks:
    """Return what the entries of `module` say about constants, its own or imported ones."""
    found: dict[Name, set[str]] = {}
    unread: set[str] = set()
    for extension, pointers in module.entries():
        reader = _READERS.get(extension)
        for pointer in pointers if reader else ():
            assert reader is not None
            try:
                name, mark = reader(_Entry(module, pointer))
                found.setdefault(name, set()).add(mark)
            except _Unread:
                unread.add(show(extension))
    by_name = {name: tuple(sorted(marks)) for name, marks in found.items()}
    return Marks(by_name, tuple(sorted(unread)))


def run_time_marks(marks: Marks) -> Iterator[tuple[Name, str]]:
    """Yield the marks that make a constant's compiled meaning differ from its logical one, or run code at import."""
    for name, texts in marks.by_name.items():
        for text in texts:
            if text.startswith(RUN_TIME_MARKS) and not text.startswith("exported as"):
                yield name, text
