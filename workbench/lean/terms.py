"""Terms and universe levels, shared: within one bank equal terms are equal numbers.

A node is a tuple that starts with its kind; children are numbers of the same bank. Levels live in the same table.

    (BVAR, index)  (SORT, level)  (CONST, name, (level, …))  (APP, function, argument)  (LIT, number or text)
    (LAM, binder, info, type, body)  (PI, binder, info, type, body)  (LET, binder, type, value, body)
    (PROJ, structure, index, term)
    (L_ZERO,)  (L_SUCC, level)  (L_MAX, level, level)  (L_IMAX, level, level)  (L_PARAM, name)

Metadata are not kept: the kernel does not see them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from workbench.lean.names import Name

Term = int
Level = int
Node = tuple[Any, ...]

BVAR, SORT, CONST, APP, LAM, PI, LET, LIT, PROJ = 0, 3, 4, 5, 6, 7, 8, 9, 11
L_ZERO, L_SUCC, L_MAX, L_IMAX, L_PARAM = 16, 17, 18, 19, 20
DEFAULT, IMPLICIT, STRICT_IMPLICIT, INSTANCE = range(4)

# Where the terms below a node stand in its tuple; levels are not among them.
CHILDREN: dict[int, tuple[int, ...]] = {
    BVAR: (),
    SORT: (),
    CONST: (),
    APP: (1, 2),
    LAM: (3, 4),
    PI: (3, 4),
    LET: (2, 3, 4),
    LIT: (),
    PROJ: (3,),
}
# Nodes whose last child stands under one more binder.
BINDERS = (LAM, PI, LET)
KIND_NAMES = {
    BVAR: "bound variable",
    SORT: "sort",
    CONST: "constant",
    APP: "application",
    LAM: "function",
    PI: "∀",
    LET: "let",
    LIT: "literal",
    PROJ: "projection",
}


class Bank:
    """A table of terms that only grows. Numbers of different banks must not be mixed."""

    __slots__ = ("_erased", "_loose", "_numbers", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._numbers: dict[Node, int] = {}
        self._erased: dict[Term, Term] = {}
        self._loose: dict[Term, int] = {}

    def intern(self, node: Node) -> int:
        """Return the number of `node`, whose children are numbers of this bank."""
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return number

    def __getitem__(self, term: Term) -> Node:
        return self.nodes[term]

    def zero(self) -> Level:
        """Return the level 0."""
        return self.intern((L_ZERO,))

    def succ(self, level: Level) -> Level:
        """Return `level` + 1."""
        return self.intern((L_SUCC, level))

    def param(self, name: Name) -> Level:
        """Return the level parameter `name`."""
        return self.intern((L_PARAM, name))

    def sort(self, level: Level) -> Term:
        """Return `Sort level` (`Prop` is the sort of level 0)."""
        return self.intern((SORT, level))

    def bvar(self, index: int) -> Term:
        """Return the variable bound `index` binders further out (0: the innermost)."""
        return self.intern((BVAR, index))

    def const(self, name: Name, levels: Sequence[Level] = ()) -> Term:
        """Return the constant `name` at `levels`."""
        return self.intern((CONST, name, tuple(levels)))

    def app(self, function: Term, *arguments: Term) -> Term:
        """Return `function` applied to `arguments`, left to right."""
        for argument in arguments:
            function = self.intern((APP, function, argument))
        return function

    def lam(self, binder: Name, kind: Term, body: Term, info: int = DEFAULT) -> Term:
        """Return `fun binder : kind => body`."""
        return self.intern((LAM, binder, info, kind, body))

    def pi(self, binder: Name, kind: Term, body: Term, info: int = DEFAULT) -> Term:
        """Return `(binder : kind) → body`."""
        return self.intern((PI, binder, info, kind, body))

    def spine(self, term: Term) -> tuple[Term, list[Term]]:
        """Return the head of an application and its arguments in order."""
        arguments: list[Term] = []
        node = self.nodes[term]
        while node[0] == APP:
            arguments.append(node[2])
            term = node[1]
            node = self.nodes[term]
        arguments.reverse()
        return term, arguments

    def below(self, *roots: Term) -> Iterator[Term]:
        """Yield every term in `roots` and below once; levels are left out."""
        seen = set(roots)
        stack = list(roots)
        while stack:
            term = stack.pop()
            yield term
            node = self.nodes[term]
            for place in CHILDREN[node[0]]:
                child = node[place]
                if child not in seen:
                    seen.add(child)
                    stack.append(child)

    def constants(self, *roots: Term) -> set[Name]:
        """Return the names that occur in `roots` as constants or as structures of projections."""
        return {
            self.nodes[t][1]
            for t in self.below(*roots)
            if self.nodes[t][0] in (CONST, PROJ)
        }

    def erased(self, term: Term) -> Term:
        """Return `term` with anonymous default binders: equal for two terms exactly when they differ in binders only."""
        memo = self._erased
        stack = [term]
        while stack:
            current = stack[-1]
            if current in memo:
                stack.pop()
                continue
            node = self.nodes[current]
            places = CHILDREN[node[0]]
            missing = [node[place] for place in places if node[place] not in memo]
            if missing:
                stack += missing
                continue
            parts = list(node)
            for place in places:
                parts[place] = memo[node[place]]
            if node[0] in (LAM, PI):
                parts[1], parts[2] = (), DEFAULT
            elif node[0] == LET:
                parts[1] = ()
            memo[current] = self.intern(tuple(parts))
        return memo[term]

    def loose(self, term: Term) -> int:
        """Return one more than the index of the outermost variable that `term` does not bind, 0 for a closed term."""
        memo, stack = self._loose, [term]
        while stack:
            current = stack[-1]
            node = self.nodes[current]
            children = [node[place] for place in CHILDREN[node[0]]]
            missing = [child for child in children if child not in memo]
            if missing:
                stack += missing
                continue
            stack.pop()
            values = [memo[child] for child in children]
            if node[0] in BINDERS:
                values[-1] -= 1
            memo[current] = node[1] + 1 if node[0] == BVAR else max(0, 0, *values)
        return memo[term]

    def uses_variable(self, body: Term) -> bool:
        """Return whether the body of a binder uses what it binds."""
        stack, seen = [(body, 0)], set()
        while stack:
            both = stack.pop()
            term, index = both
            if both in seen or self.loose(term) <= index:
                continue
            seen.add(both)
            node = self.nodes[term]
            if node[0] == BVAR and node[1] == index:
                return True
            places = CHILDREN[node[0]]
            last = places[-1] if node[0] in BINDERS else 0
            stack.extend((node[place], index + (place == last)) for place in places)
        return False
