"""From a checked image to names, levels, terms and constants, each decoded once and when asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from workbench.lean.constants import (
    ABBREV_HINT,
    OPAQUE_HINT,
    Constant,
    ConstructorData,
    Data,
    InductiveData,
    QuotData,
    RecursorData,
    Rule,
)
from workbench.lean.names import Name
from workbench.lean.olean import Image, OleanError
from workbench.lean.shape import (
    CONSTRUCTOR,
    DEFINITION,
    INDUCTIVE,
    QUOT,
    RECURSOR,
    SHAPES,
    constant_kind,
)
from workbench.lean.terms import (
    APP,
    BVAR,
    CONST,
    L_PARAM,
    L_ZERO,
    LAM,
    LET,
    LIT,
    PI,
    PROJ,
    SORT,
    Bank,
    Term,
)
from workbench.lean.typed import MDATA

_SCALAR_ZERO: Final = 1
_PARAM: Final = L_PARAM - L_ZERO
# Which fields of a stored term are terms: from, to (exclusive), counted from its header.
_CHILDREN: Final = {
    BVAR: (1, 1),
    SORT: (1, 1),
    CONST: (1, 1),
    APP: (1, 3),
    LAM: (2, 4),
    PI: (2, 4),
    LET: (2, 5),
    LIT: (1, 1),
    MDATA: (2, 3),
    PROJ: (3, 4),
}

# Visits of terms per word of the file, over all constants; Lean's own files need less than one.
MOST_VISITS: Final = 10
# What the kernel unfolds a number or a string literal to.
LITERAL_NAMES: Final[tuple[tuple[Name, ...], ...]] = (
    (("Nat",), ("Nat", "zero"), ("Nat", "succ")),
    (
        ("String",),
        ("String", "ofList"),
        ("Char",),
        ("Char", "ofNat"),
        ("List", "nil"),
        ("List", "cons"),
        ("Nat",),
    ),
)


class Decoder:
    """Decodes what `image`, checked by `check_module_data`, holds into `bank`. Pointers given to it must be of the right type."""

    def __init__(self, image: Image, bank: Bank) -> None:
        self.image = image
        self.bank = bank
        self._names: dict[int, Name] = {}
        self._levels: dict[int, int] = {}
        self._terms: dict[int, Term] = {}
        self._strings: dict[int, str] = {}
        self._visited = 0
        self._most_visits = MOST_VISITS * len(image.words)

    def name(self, pointer: int) -> Name:
        found = self._names.get(pointer)
        if found is None:
            if pointer == _SCALAR_ZERO:
                return ()
            word = self.image.index(pointer)
            component = self.image.words[word + 2]
            own: str | int = (
                self.number(component)
                if self.image.tag(word) == 2
                else self._string(component)
            )
            found = self._names[pointer] = (
                *self.name(self.image.words[word + 1]),
                own,
            )
        return found

    def number(self, pointer: int) -> int:
        return (
            pointer >> 1
            if pointer & 1
            else self.image.big_number(self.image.index(pointer))
        )

    def items(self, pointer: int) -> list[int]:
        found = []
        while pointer != _SCALAR_ZERO:
            word = self.image.index(pointer)
            found.append(self.image.words[word + 1])
            pointer = self.image.words[word + 2]
        self.spend(len(found))
        return found

    def names(self, pointer: int) -> tuple[Name, ...]:
        return tuple(self.name(item) for item in self.items(pointer))

    def level(self, pointer: int) -> int:
        """Return the level below `pointer` (iteratively: a hostile file may nest levels deeply)."""
        words, memo, index = self.image.words, self._levels, self.image.index
        stack = [pointer]
        while stack:
            current = stack[-1]
            if current in memo:
                stack.pop()
                continue
            if current == _SCALAR_ZERO:
                memo[current] = self.bank.zero()
                continue
            word = index(current)
            tag = words[word] >> 56
            if tag == _PARAM:
                memo[current] = self.bank.intern((L_PARAM, self.name(words[word + 1])))
                continue
            children = words[word + 1 : word + 1 + (words[word] >> 48 & 255)].tolist()
            missing = [child for child in children if child not in memo]
            if missing:
                stack += missing
            else:
                memo[current] = self.bank.intern(
                    (L_ZERO + tag, *(memo[child] for child in children))
                )
        return memo[pointer]

    def term(self, pointer: int) -> Term:
        """Return the term below `pointer`."""
        memo, base, head = self._terms, self.image.base, self.image.words
        intern = self.bank.intern
        stack = [pointer]
        while stack:
            current = stack[-1]
            if current in memo:
                stack.pop()
                continue
            word = (current - base) >> 3
            tag = head[word] >> 56
            if tag == APP:
                # Half of all terms.
                left, right = head[word + 1], head[word + 2]
                function, argument = memo.get(left), memo.get(right)
                if function is not None and argument is not None:
                    memo[current] = intern((APP, function, argument))
                    stack.pop()
                    continue
                if function is None:
                    stack.append(left)
                if argument is None:
                    stack.append(right)
                continue
            first, end = _CHILDREN[tag]
            children = head[word + first : word + end].tolist()
            missing = [child for child in children if child not in memo]
            if missing:
                stack += missing
            else:
                memo[current] = self._node(
                    word, tag, [memo[child] for child in children]
                )
        return memo[pointer]

    def _node(self, word: int, tag: int, children: list[Term]) -> Term:
        words = self.image.words
        if tag == MDATA:
            return children[0]
        if tag in (LAM, PI):
            return self.bank.intern(
                (tag, self.name(words[word + 1]), words[word + 5], *children)
            )
        if tag == LET:
            return self.bank.intern((LET, self.name(words[word + 1]), *children))
        if tag == CONST:
            levels = tuple(self.level(level) for level in self.items(words[word + 2]))
            return self.bank.intern((CONST, self.name(words[word + 1]), levels))
        if tag == PROJ:
            return self.bank.intern(
                (
                    PROJ,
                    self.name(words[word + 1]),
                    self.number(words[word + 2]),
                    *children,
                )
            )
        if tag == SORT:
            return self.bank.intern((SORT, self.level(words[word + 1])))
        if tag == BVAR:
            return self.bank.intern((BVAR, words[word + 1] >> 1))
        literal = self.image.index(words[word + 1])
        value = words[literal + 1]
        return self.bank.intern(
            (
                LIT,
                self._string(value) if self.image.tag(literal) else self.number(value),
            )
        )

    def _string(self, pointer: int) -> str:
        """Return a string, made once however many names end in it."""
        found = self._strings.get(pointer)
        if found is None:
            found = self._strings[pointer] = self.image.string(
                self.image.index(pointer)
            )
        return found

    def spend(self, visits: int) -> None:
        """Count visits to what several constants may share; raise `OleanError` when they grow out of proportion."""
        self._visited += visits
        if self._visited > self._most_visits:
            raise OleanError(
                self.image.label,
                "its constants share more than any compiler makes them",
            )

    def mentioned(self, pointers: Iterable[int]) -> set[Name]:
        """Return the constants in the terms at `pointers`, with those that the kernel makes of a literal.

        Reads the file's words without making terms: this is what a closure costs. Constants of one file share terms;
        raises `OleanError` when they do so much more than any compiler makes them that reading each is quadratic.
        """
        words, base = self.image.words, self.image.base
        names: set[int] = set()
        literals: set[Name] = set()
        seen = set(pointers)
        stack = list(seen)
        push, pop = stack.append, stack.pop
        while stack:
            word = (pop() - base) >> 3
            tag = words[word] >> 56
            while tag == APP:
                # Down the function side without the stack: applications are half of all terms.
                child = words[word + 2]
                if child not in seen:
                    seen.add(child)
                    push(child)
                child = words[word + 1]
                if child in seen:
                    break
                seen.add(child)
                word = (child - base) >> 3
                tag = words[word] >> 56
            if tag == CONST:
                names.add(words[word + 1])
            elif tag == LIT:
                literal = self.image.index(words[word + 1])
                literals.update(LITERAL_NAMES[words[literal] >> 56])
            elif tag not in (APP, BVAR, SORT):
                if tag == PROJ:
                    names.add(words[word + 1])
                first, end = _CHILDREN[tag]
                for child in words[word + first : word + end]:
                    if child not in seen:
                        seen.add(child)
                        push(child)
        self.spend(len(seen))
        return literals.union(self.name(pointer) for pointer in names)

    def constant(self, pointer: int) -> Constant:
        """Return the constant whose `ConstantInfo` lies at `pointer`."""
        words, index = self.image.words, self.image.index
        kind = words[index(pointer)] >> 56
        word = index(words[index(pointer) + 1])
        common = index(words[word + 1])
        letters, flags = SHAPES[kind]
        fields = words[word + 2 : word + 2 + len(letters)].tolist()
        scalar = words[word + 2 + len(letters)] if flags else 0
        kind_name, safety = constant_kind(self.image, pointer)
        valued = kind_name in ("def", "theorem", "opaque")
        return Constant(
            name=self.name(words[common + 1]),
            kind=kind_name,
            safety=safety,
            level_params=self.names(words[common + 2]),
            type=self.term(words[common + 3]),
            value=self.term(fields[0]) if valued else None,
            hints=self._hints(fields[1]) if kind == DEFINITION else OPAQUE_HINT,
            all=self.names(fields[-1]) if valued else (),
            data=self._data(kind, fields, scalar),
        )

    def _hints(self, pointer: int) -> int:
        if pointer & 1:
            return OPAQUE_HINT if pointer == 1 else ABBREV_HINT
        return self.image.words[self.image.index(pointer) + 1]

    def _data(self, kind: int, fields: list[int], scalar: int) -> Data:
        number, names = self.number, self.names
        if kind == QUOT:
            return QuotData(scalar)
        if kind == INDUCTIVE:
            counts = (
                number(fields[0]),
                number(fields[1]),
                names(fields[2]),
                names(fields[3]),
                number(fields[4]),
            )
            return InductiveData(*counts, bool(scalar & 1), bool(scalar >> 16 & 1))
        if kind == CONSTRUCTOR:
            return ConstructorData(
                self.name(fields[0]),
                number(fields[1]),
                number(fields[2]),
                number(fields[3]),
            )
        if kind == RECURSOR:
            rules = tuple(
                self._rule(self.image.index(pointer))
                for pointer in self.items(fields[5])
            )
            parameters, indices, motives, minors = map(number, fields[1:5])
            return RecursorData(
                names(fields[0]),
                parameters,
                indices,
                motives,
                minors,
                rules,
                bool(scalar & 1),
            )
        return None

    def _rule(self, word: int) -> Rule:
        words = self.image.words
        return Rule(
            self.name(words[word + 1]),
            self.number(words[word + 2]),
            self.term(words[word + 3]),
        )
