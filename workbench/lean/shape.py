"""The shape of a module's data: what the root and the constants of a compiled file have to look like.

Facts (Lean 4.35): the root is `ModuleData` with imports, constant names, constants, extra names, entries and, as a
scalar, whether the file is part of a module in three parts. A `ConstantInfo` holds one object per constant whose first
field is its name, level parameters and type.
"""

from __future__ import annotations

from typing import Final

from workbench.lean.constants import KINDS, SAFETIES, Kind, Safety
from workbench.lean.olean import ARRAY, Image
from workbench.lean.typed import Typing, header

IMPORTS, NAMES, CONSTANTS, EXTRA_NAMES, ENTRIES = range(1, 6)
DEFINITION, QUOT, INDUCTIVE, CONSTRUCTOR, RECURSOR = 1, 4, 5, 6, 7
_ROOT: Final = header(0, 5, 1)
_IMPORT: Final = header(0, 1, 1)
_PAIR: Final = header(0, 2, 0)
_CONSTANT_INFOS: Final = tuple(header(kind, 1, 0) for kind in range(8))
_CONSTANT_VAL: Final = header(0, 3, 0)
_REGULAR_HINT: Final = header(2, 0, 1)
_CONS: Final = header(1, 2, 0)
_RULE: Final = header(0, 3, 0)

# Fields after the common part, by kind of constant (letters as in typed.py; E a closed term, h hints, r rules), and
# the largest value of each flag byte.
SHAPES: Final[tuple[tuple[str, tuple[int, ...]], ...]] = (
    ("", (1,)),
    ("EhN", (2,)),
    ("EN", ()),
    ("EN", (1,)),
    ("", (3,)),
    ("kkNNk", (1, 1, 1)),
    ("nkkk", (1,)),
    ("Nkkkkr", (1, 1)),
)


def check_module_data(image: Image) -> None:
    """Check the root, every constant and all they lead to. Raises `OleanError` for what no compiler writes."""
    _ModuleData(image).check()


def constant_kind(image: Image, pointer: int) -> tuple[Kind, Safety]:
    """Return kind and safety of a checked constant."""
    words = image.words
    outer = image.index(pointer)
    kind = words[outer] >> 56
    fields, flags = SHAPES[kind]
    word = image.index(words[outer + 1])
    scalar = words[word + 2 + len(fields)] if flags else 0
    if kind == DEFINITION:
        return KINDS[kind], SAFETIES[scalar]
    # The flag stands after `isRec` in inductive types and after `k` in recursors.
    unsafe = kind != QUOT and scalar >> (8 if kind in (INDUCTIVE, RECURSOR) else 0) & 1
    return KINDS[kind], "unsafe" if unsafe else "safe"


def constant_pointers(image: Image, pointer: int) -> tuple[list[int], list[int]]:
    """Return pointers to the terms of a checked constant and to the names it mentions beside them (family, rules)."""
    words, index = image.words, image.index
    outer = index(pointer)
    kind = words[outer] >> 56
    word = index(words[outer + 1])
    terms, names = [words[index(words[word + 1]) + 3]], []
    for place, letter in enumerate(SHAPES[kind][0], word + 2):
        if letter == "E":
            terms.append(words[place])
        elif letter == "n":
            names.append(words[place])
        elif letter == "N" and kind >= INDUCTIVE:
            names += _items(image, words[place])
        elif letter == "r":
            for rule in map(index, _items(image, words[place])):
                names.append(words[rule + 1])
                terms.append(words[rule + 3])
    return terms, names


def _items(image: Image, pointer: int) -> list[int]:
    """Return the elements of a checked list."""
    found = []
    while pointer != 1:
        word = image.index(pointer)
        found.append(image.words[word + 1])
        pointer = image.words[word + 2]
    return found


class _ModuleData:
    def __init__(self, image: Image) -> None:
        self.image = image
        self._typing = Typing(image)
        self._rules_seen = 0

    def check(self) -> None:
        image, words, root = self.image, self.image.words, self.image.root
        require = self._typing.require
        for place in image.roots:
            if words[place] != _ROOT or words[place + 6] != (image.parts > 1):
                raise image.error(place, self._wrong_root(place))
        for field in (IMPORTS, NAMES, CONSTANTS, EXTRA_NAMES, ENTRIES):
            self._array(words[root + field], root)
        for pointer in self._array(words[root + IMPORTS], root):
            word = self._object(pointer, (_IMPORT,), root, "an import")
            require("n", words[word + 1], word)
            self._flags(word, words[word + 2], (1, 1, 1))
        for field in (NAMES, EXTRA_NAMES):
            for pointer in self._array(words[root + field], root):
                require("n", pointer, root)
        for pointer in self._array(words[root + ENTRIES], root):
            word = self._object(pointer, (_PAIR,), root, "an extension's entries")
            require("n", words[word + 1], word)
            self._array(words[word + 2], word)
        for pointer in self._array(words[root + CONSTANTS], root):
            self._constant(pointer)
        self._typing.check()

    def _wrong_root(self, root: int) -> str:
        words = self.image.words
        if words[root] == _ROOT and words[root + 6] == 1:
            return "one part of a module in three; .olean, .olean.server and .olean.private are read together"
        if words[root] == _ROOT and words[root + 6] == 0:
            return "the parts of another module lie beside a module in one file"
        return "the root is not the data of a module"

    def _array(self, pointer: int, owner: int) -> list[int]:
        """Return the elements of an array of objects."""
        if pointer & 1 or self.image.tag(self.image.index(pointer)) != ARRAY:
            raise self.image.error(owner, "something else where an array belongs")
        return self.image.fields(self.image.index(pointer))

    def _object(
        self, pointer: int, headers: tuple[int, ...], owner: int, what: str
    ) -> int:
        """Return the word of an object whose header must be one of `headers`."""
        word = self.image.index(pointer)
        if pointer & 1 or self.image.words[word] not in headers:
            raise self.image.error(owner, f"something else where {what} belongs")
        return word

    def _flags(self, word: int, flags: int, largest: tuple[int, ...]) -> None:
        for limit in largest:
            if flags & 255 > limit:
                raise self.image.error(word, "flag out of range")
            flags >>= 8
        if flags:
            raise self.image.error(word, "padding is not zero")

    def _constant(self, pointer: int) -> None:
        words, typing = self.image.words, self._typing
        outer = self._object(
            pointer,
            _CONSTANT_INFOS,
            self.image.root,
            "a constant",
        )
        fields, flags = SHAPES[words[outer] >> 56]
        word = self._object(
            words[outer + 1],
            (header(0, 1 + len(fields), bool(flags)),),
            outer,
            "the data of a constant",
        )
        if flags:
            self._flags(word, words[word + 2 + len(fields)], flags)
        common = self._object(
            words[word + 1], (_CONSTANT_VAL,), word, "name, levels and type"
        )
        typing.require("n", words[common + 1], common)
        typing.require("N", words[common + 2], common)
        typing.closed(words[common + 3], common)
        for place, kind in enumerate(fields, word + 2):
            if kind == "E":
                typing.closed(words[place], word)
            elif kind == "h":
                if words[place] not in (1, 3):
                    hints = self._object(
                        words[place], (_REGULAR_HINT,), word, "reducibility hints"
                    )
                    self._flags(hints, words[hints + 1] >> 32, ())
            elif kind == "r":
                self._rules(words[place], word)
            else:
                typing.require(kind, words[place], word)

    def _rules(self, pointer: int, owner: int) -> None:
        words, typing = self.image.words, self._typing
        while pointer != 1:
            cell = self._object(pointer, (_CONS,), owner, "the rules of a recursor")
            rule = self._object(words[cell + 1], (_RULE,), cell, "a rule")
            typing.require("n", words[rule + 1], rule)
            typing.require("k", words[rule + 2], rule)
            typing.closed(words[rule + 3], rule)
            pointer, owner = words[cell + 2], cell
            self._rules_seen += 1
            if self._rules_seen > len(words):
                raise self.image.error(
                    cell, "more rules than there is room for: recursors share them"
                )
