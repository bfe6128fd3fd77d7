"""Types of the objects below a module's constants, and the words that Lean caches in names, levels and terms.

Two passes over an image whose outer form is known to be good: downwards, to find out what each object has to be, and
upwards, to recompute what Lean caches in it from children that have been checked already. Facts: Lean 4.35,
`Name.hash`, `Level.data`, `Expr.data`, `ConstantInfo`; each constructor is stored as its fields in order (pointers
first), then the 64-bit cache, then small scalars.
"""

from __future__ import annotations

from typing import Final

from workbench.lean import cached
from workbench.lean.names import ANONYMOUS_HASH, bytes_hash, mix_hash, number_hash
from workbench.lean.olean import BIG_NUMBER, SMALL_NAT, STRING, Image

NAME, EXPR, LEVEL, NAMES, LEVELS = 1, 2, 4, 8, 16
# The constructors of `Expr` and `Level` by number. Free and meta variables (1, 2; level 5) do not occur in constants.
BVAR, SORT, CONST, APP, LAM, PI, LET, LIT, MDATA, PROJ = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11
SUCC, MAX, IMAX, PARAM = range(1, 5)
# Beyond what any compiler writes; they keep the cost of a hostile file linear in its size.
MOST_COMPONENTS = 100
MOST_LEVELS = 100


def header(tag: int, pointers: int, scalar_words: int) -> int:
    """Return the header word of a stored constructor."""
    return tag << 56 | pointers << 48 | (1 + pointers + scalar_words) * 8 << 32


# What each field of a constructor is: n name, e term, l level, N names, L levels, k number, s string, x checked by hand, . anything.
_EXPR_FIELDS: Final = {
    header(BVAR, 1, 1): "x",
    header(SORT, 1, 1): "l",
    header(CONST, 2, 1): "nL",
    header(APP, 2, 1): "ee",
    header(LAM, 3, 2): "nee",
    header(PI, 3, 2): "nee",
    header(LET, 4, 2): "neee",
    header(LIT, 1, 1): "x",
    header(MDATA, 2, 1): ".e",
    header(PROJ, 3, 1): "nke",
}
_LEVEL_FIELDS: Final = {
    header(SUCC, 1, 1): "l",
    header(MAX, 2, 1): "ll",
    header(IMAX, 2, 1): "ll",
    header(PARAM, 1, 1): "n",
}
_NAME_FIELDS: Final = {header(1, 2, 1): "ns", header(2, 2, 1): "nk"}
_CONS: Final = header(1, 2, 0)
_OBJECT_ROLES: Final = {"e": EXPR}
# The anonymous name, level zero and the empty list are stored as the scalar 0.
_NULLABLE_ROLES: Final = {"n": NAME, "l": LEVEL, "N": NAMES, "L": LEVELS}


class Typing:
    """What the objects of one image have to be. Say with `require` what the constants need, then `check` once."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self._roles = bytearray(len(image.words))
        self._strings: dict[int, int] = {}
        self._components: dict[int, int] = {}
        self._closed: list[int] = []

    def require(self, kind: str, pointer: int, owner: int) -> None:
        """Mark what `pointer`, a field of the object at word `owner`, must lead to (a letter as above).

        Raises `OleanError` when that can be seen at once.
        """
        role = _NULLABLE_ROLES.get(kind)
        if role is not None:
            if pointer == 1:
                return
        else:
            role = _OBJECT_ROLES.get(kind, 0)
        if role:
            if pointer & 1:
                raise self.image.error(
                    owner, "a number where a name, level, term or list belongs"
                )
            self._roles[(pointer - self.image.base) >> 3] |= role
        elif kind == "k":
            self.number(pointer, owner)
        elif kind == "s" and (
            pointer & 1 or self.image.tag(self.image.index(pointer)) != STRING
        ):
            raise self.image.error(owner, "something else where a string belongs")

    def number(self, pointer: int, owner: int) -> int:
        """Return the natural number that a field holds. Raises `OleanError` for a negative or non-canonical one."""
        if pointer & 1:
            return pointer >> 1
        word = self.image.index(pointer)
        if self.image.tag(word) != BIG_NUMBER:
            raise self.image.error(
                owner, "something else where a natural number belongs"
            )
        value = self.image.big_number(word)
        if value < SMALL_NAT:
            raise self.image.error(word, "big number that is negative or small")
        return value

    def closed(self, pointer: int, owner: int) -> None:
        """Mark a term that must have no loose bound variable."""
        self.require("e", pointer, owner)
        self._closed.append(pointer)

    def check(self) -> None:
        """Check everything that was required, to the leaves. Raises `OleanError`."""
        starts, roles = self.image.starts, self._roles
        for at in reversed(starts):
            if roles[at]:
                self._descend(at, roles[at])
        name, level, expr = self._check_name, self._check_level, self._check_expr
        for at in starts:
            role = roles[at]
            if role:
                if role & EXPR:
                    expr(at)
                if role & NAME:
                    name(at)
                if role & LEVEL:
                    level(at)
        for pointer in self._closed:
            if self._cached(pointer) >> cached.LOOSE_SHIFT:
                raise self.image.error(
                    self.image.index(pointer),
                    "a type or value has a loose bound variable",
                )

    def _descend(self, at: int, role: int) -> None:
        words, head = self.image.words, self.image.words[at]
        for bit, shapes, what in (
            (EXPR, _EXPR_FIELDS, "term"),
            (NAME, _NAME_FIELDS, "name"),
            (LEVEL, _LEVEL_FIELDS, "level"),
        ):
            if role & bit:
                shape = shapes.get(head)
                if shape is None:
                    raise self.image.error(at, f"not a {what} that a constant can have")
                self._descend_fields(at, shape)
        if role & (NAMES | LEVELS):
            if head != _CONS:
                raise self.image.error(at, "not a list")
            if role & NAMES:
                self.require("n", words[at + 1], at)
                self.require("N", words[at + 2], at)
            if role & LEVELS:
                self.require("l", words[at + 1], at)
                self.require("L", words[at + 2], at)

    def _descend_fields(self, at: int, shape: str) -> None:
        words, roles, base = self.image.words, self._roles, self.image.base
        for kind in shape:
            at += 1
            pointer = words[at]
            if kind == "e" and not pointer & 1:
                roles[(pointer - base) >> 3] |= EXPR
            elif kind == "n" and not pointer & 1:
                roles[(pointer - base) >> 3] |= NAME
            elif kind not in ".x":
                self.require(kind, pointer, at)

    def _check_name(self, at: int) -> None:
        words = self.image.words
        parent = words[at + 1]
        prefix = self._name_hash(parent)
        count = self._components[at] = (
            self._components.get(self.image.index(parent), 0) + 1
        )
        if count > MOST_COMPONENTS:
            raise self.image.error(
                at, f"a name with more than {MOST_COMPONENTS} components"
            )
        component = words[at + 2]
        if words[at] >> 56 == 1:
            own = self._string_hash(self.image.index(component))
        else:
            own = number_hash(self.number(component, at))
        if words[at + 3] != mix_hash(prefix, own):
            raise self.image.error(
                at, "the cached hash of a name does not match its content"
            )

    def _string_hash(self, word: int) -> int:
        found = self._strings.get(word)
        if found is None:
            found = self._strings[word] = bytes_hash(self.image.string_bytes(word))
        return found

    def _name_hash(self, pointer: int) -> int:
        return (
            ANONYMOUS_HASH
            if pointer == 1
            else self.image.words[self.image.index(pointer) + 3]
        )

    def _cached(self, pointer: int) -> int:
        """Return the word that the term or level below `pointer` caches, checked before if it lies below."""
        if pointer == 1:
            return cached.LEVEL_ZERO
        word = self.image.index(pointer)
        return self.image.words[word + 1 + (self.image.words[word] >> 48 & 255)]

    def _check_level(self, at: int) -> None:
        words = self.image.words
        tag = words[at] >> 56
        if tag == PARAM:
            found, expected = (
                words[at + 2],
                cached.level_param(self._name_hash(words[at + 1])),
            )
        elif tag == SUCC:
            found, expected = (
                words[at + 2],
                cached.level_succ(self._cached(words[at + 1])),
            )
        else:
            compute = cached.level_max if tag == MAX else cached.level_imax
            found = words[at + 3]
            expected = compute(self._cached(words[at + 1]), self._cached(words[at + 2]))
        if found != expected:
            raise self.image.error(
                at, "the cached data of a level do not match its content"
            )

    def _check_expr(self, at: int) -> None:
        words, base = self.image.words, self.image.base
        head = words[at]
        tag = head >> 56
        if tag == APP:
            found = words[at + 3]
            child = (words[at + 1] - base) >> 3
            function = words[child + 1 + (words[child] >> 48 & 255)]
            child = (words[at + 2] - base) >> 3
            expected = cached.app(
                function, words[child + 1 + (words[child] >> 48 & 255)]
            )
        elif tag in (LAM, PI):
            found = words[at + 4]
            expected = cached.binder(
                self._cached(words[at + 2]), self._cached(words[at + 3])
            )
            if words[at + 5] > 3:
                raise self.image.error(at, "not a binder info")
        elif tag == LET:
            found = words[at + 5]
            expected = cached.let(
                *(self._cached(pointer) for pointer in words[at + 2 : at + 5])
            )
            if words[at + 6] > 1:
                raise self.image.error(at, "not a flag of let")
        else:
            found = words[at + 1 + (head >> 48 & 255)]
            expected = self._small_data(at, tag)
        if found != expected:
            raise self.image.error(
                at, "the cached data of a term do not match its content"
            )

    def _small_data(self, at: int, tag: int) -> int:
        """Return the word that a term without two terms below it has to cache."""
        words = self.image.words
        field = words[at + 1]
        if tag == BVAR:
            if not field & 1 or field >> 1 >= cached.LARGEST_LOOSE:
                raise self.image.error(at, "bound variable out of range")
            return cached.bvar(field >> 1)
        if tag == SORT:
            return cached.sort(self._cached(field))
        if tag == CONST:
            return cached.const(self._name_hash(field), self._levels(words[at + 2], at))
        if tag == MDATA:
            return cached.mdata(self._cached(words[at + 2]))
        if tag == PROJ:
            index = self.number(words[at + 2], at)
            return cached.proj(
                self._name_hash(field), index, self._cached(words[at + 3])
            )
        return cached.literal(self._literal_hash(field, at))

    def _levels(self, pointer: int, owner: int) -> list[int]:
        """Return the cached words of a list of levels."""
        words = self.image.words
        found: list[int] = []
        while pointer != 1:
            if len(found) == MOST_LEVELS:
                raise self.image.error(
                    owner, f"a constant with more than {MOST_LEVELS} levels"
                )
            cell = self.image.index(pointer)
            found.append(self._cached(words[cell + 1]))
            pointer = words[cell + 2]
        return found

    def _literal_hash(self, pointer: int, owner: int) -> int:
        """Return the hash of the literal object, a number (tag 0) or a string (tag 1), that `pointer` leads to."""
        word = self.image.index(pointer)
        if pointer & 1 or self.image.words[word] not in (
            header(0, 1, 0),
            header(1, 1, 0),
        ):
            raise self.image.error(owner, "not a literal")
        value = self.image.words[word + 1]
        if self.image.tag(word) == 0:
            return self.number(value, word)
        self.require("s", value, word)
        return self._string_hash(self.image.index(value))
