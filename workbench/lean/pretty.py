"""A term as text for a reviewer: notation where the core has it, implicit arguments and instances on demand.

For reading, not for parsing back: two different terms can look alike while implicit arguments are hidden. Shown with
`Shown.ALL` they look alike only when they differ in the names of bound variables, or beyond the size at which the printer
stops and says so with an ellipsis.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final

from workbench.lean.constants import Constant, InductiveData
from workbench.lean.layout import LINE, Doc, group, joined, render
from workbench.lean.levels import parenthesised, pretty_level
from workbench.lean.names import Name, show
from workbench.lean.notation import INFIX, PREFIX
from workbench.lean.terms import (
    BVAR,
    CONST,
    DEFAULT,
    IMPLICIT,
    INSTANCE,
    L_SUCC,
    L_ZERO,
    LAM,
    LET,
    LIT,
    PI,
    PROJ,
    SORT,
    STRICT_IMPLICIT,
    Bank,
    Level,
    Node,
    Term,
)

Find = Callable[[Name], Constant | None]
MOST_NODES = 20_000
DEEPEST = 120
ELLIPSIS = "⋯"
MAX_PRECEDENCE, ARGUMENT, ARROW, LOWEST = 1024, 1023, 25, 0
_BRACKETS: Final = {
    DEFAULT: "()",
    IMPLICIT: "{}",
    STRICT_IMPLICIT: "⦃⦄",
    INSTANCE: "[]",
}


class Shown(Enum):
    """How much of the arguments is printed: explicit ones; instances too; all of them, with universe levels."""

    EXPLICIT = "explicit"
    INSTANCES = "instances"
    ALL = "all"


def pretty(
    bank: Bank,
    term: Term,
    find: Find = lambda name: None,
    *,
    shown: Shown = Shown.EXPLICIT,
    width: int = 88,
) -> str:
    """Return `term`, a closed term, as text of one or more lines.

    `find` gives constants, whose types tell which arguments are implicit; arguments of unknown constants are all shown.
    """
    printer = _Printer(bank, find, shown)
    return render(printer.doc(term, LOWEST, ()), width)


class _Printer:
    def __init__(self, bank: Bank, find: Find, shown: Shown) -> None:
        self.bank = bank
        self.find = find
        self.shown = shown
        self._left = MOST_NODES
        self._depth = 0
        self._infos: dict[Name, tuple[int, ...]] = {}

    def doc(self, term: Term, precedence: int, names: tuple[str, ...]) -> Doc:
        """Return the document of `term` under binders called `names`, innermost last, in brackets if looser than `precedence`."""
        self._left -= 1
        if self._left < 0 or self._depth > DEEPEST:
            return ELLIPSIS
        self._depth += 1
        doc, own = self._of(self.bank[term], term, names)
        self._depth -= 1
        return group("(", doc, ")", indent=1) if own < precedence else doc

    def _of(self, node: Node, term: Term, names: tuple[str, ...]) -> tuple[Doc, int]:
        kind = node[0]
        if kind == BVAR:
            return (
                names[-1 - node[1]] if node[1] < len(names) else f"#{node[1]}"
            ), MAX_PRECEDENCE
        if kind == SORT:
            return self._sort(node[1])
        if kind == LIT:
            return (
                self._quoted(node[1]) if isinstance(node[1], str) else str(node[1])
            ), MAX_PRECEDENCE
        if kind == LAM:
            return self._function(term, names), LOWEST
        if kind == PI:
            return self._pi(term, names)
        if kind == LET:
            return self._let(node, names), LOWEST
        if kind == PROJ:
            field = self._field_name(node[1], node[2])
            return group(
                self.doc(node[3], MAX_PRECEDENCE, names), f".{field}"
            ), MAX_PRECEDENCE
        return self._application(term, names)

    # Binders

    def _fresh(self, binder: Name, names: tuple[str, ...]) -> str:
        """Return a name for a binder that no enclosing one has; hygiene marks are dropped."""
        word = str(binder[0]) if binder else "x"
        word = show((word,))
        candidate, number = word, 0
        while candidate in names:
            number += 1
            candidate = word + "".join(
                chr(0x2080 + int(digit)) for digit in str(number)
            )
        return candidate

    def _function(self, term: Term, names: tuple[str, ...]) -> Doc:
        binders: list[Doc] = []
        node = self.bank[term]
        while node[0] == LAM and len(binders) < DEEPEST:
            name = self._fresh(node[1], names)
            if self.shown is Shown.ALL or node[2] != DEFAULT:
                kind = self.doc(node[3], LOWEST, names)
                binders.append(self._bracketed(node[2], name, kind))
            else:
                binders.append(name)
            names = (*names, name)
            term = node[4]
            node = self.bank[term]
        head = group("fun ", *joined(binders, [LINE]), " =>", indent=4)
        return group(head, LINE, self.doc(term, LOWEST, names))

    def _bracketed(self, info: int, called: str, kind: Doc) -> Doc:
        opened, closed = tuple(_BRACKETS[info])
        return group(opened, f"{called} : ", kind, closed, indent=1)

    def _pi(self, term: Term, names: tuple[str, ...]) -> tuple[Doc, int]:
        node = self.bank[term]
        if not self._opens_forall(node):
            left = self.doc(node[3], ARROW + 1, names)
            right = self.doc(node[4], ARROW, (*names, "_"))
            return group(left, " →", LINE, right, indent=0), ARROW
        runs: list[tuple[int, Doc, list[str]]] = []
        while self._opens_forall(node) and len(names) < DEEPEST:
            name = self._fresh(node[1], names)
            kind = self.doc(node[3], LOWEST, names)
            # No two names in scope are equal, so equal documents are equal types.
            if runs and runs[-1][:2] == (node[2], kind) and node[2] != INSTANCE:
                runs[-1][2].append(name)
            else:
                runs.append((node[2], kind, [name]))
            names = (*names, name)
            term = node[4]
            node = self.bank[term]
        binders = [
            self._bracketed(info, " ".join(called), kind) for info, kind, called in runs
        ]
        head = group("∀ ", *joined(binders, [LINE]), ",", indent=4)
        return group(head, LINE, self.doc(term, LOWEST, names)), LOWEST

    def _opens_forall(self, node: Node) -> bool:
        """Return whether a node is a `∀` that an arrow cannot stand for."""
        return node[0] == PI and (
            node[2] != DEFAULT or self.bank.uses_variable(node[4])
        )

    def _let(self, node: Node, names: tuple[str, ...]) -> Doc:
        name = self._fresh(node[1], names)
        kind, value = self.doc(node[2], LOWEST, names), self.doc(node[3], LOWEST, names)
        head = group(f"let {name} : ", kind, " :=", LINE, value, ";")
        return group(head, LINE, self.doc(node[4], LOWEST, (*names, name)), indent=0)

    # Leaves

    def _sort(self, level: Level) -> tuple[Doc, int]:
        node = self.bank[level]
        if node[0] == L_ZERO:
            return "Prop", MAX_PRECEDENCE
        if node[0] == L_SUCC:
            inner = pretty_level(self.bank, node[1])
            return (
                ("Type", MAX_PRECEDENCE)
                if inner == "0"
                else (f"Type {parenthesised(inner)}", ARGUMENT)
            )
        return f"Sort {parenthesised(pretty_level(self.bank, level))}", ARGUMENT

    def _quoted(self, text: str) -> str:
        escaped = (
            text.replace("\\", "\\\\")
            .replace('"', '\\"')
            .replace("\n", "\\n")
            .replace("\t", "\\t")
        )
        return (
            '"'
            + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped)
            + '"'
        )

    def _constant(self, node: Node) -> str:
        if self.shown is Shown.ALL and node[2]:
            levels = ", ".join(pretty_level(self.bank, level) for level in node[2])
            return f"{show(node[1])}.{{{levels}}}"
        return show(node[1])

    # Applications

    def _application(self, term: Term, names: tuple[str, ...]) -> tuple[Doc, int]:
        head, arguments = self.bank.spine(term)
        node = self.bank[head]
        if node[0] != CONST:
            return self._call(self.doc(head, ARGUMENT, names), arguments, (), names)
        instances = INSTANCE in self._argument_infos(node[1])
        if self.shown is Shown.EXPLICIT or (
            self.shown is Shown.INSTANCES and not instances
        ):
            found = self._notation(node[1], arguments, names)
            if found:
                return found
        infos = self._argument_infos(node[1])
        name = self._constant(node)
        if self.shown is Shown.ALL and any(
            info != DEFAULT for info in infos[: len(arguments)]
        ):
            name = f"@{name}"
        return self._call(name, arguments, infos, names)

    def _call(
        self,
        head: Doc,
        arguments: list[Term],
        infos: tuple[int, ...],
        names: tuple[str, ...],
    ) -> tuple[Doc, int]:
        shown: list[Doc] = []
        for number, argument in enumerate(arguments):
            info = infos[number] if number < len(infos) else DEFAULT
            if self.shown is Shown.ALL or info == DEFAULT:
                shown.append(self.doc(argument, MAX_PRECEDENCE, names))
            elif info == INSTANCE and self.shown is Shown.INSTANCES:
                shown.append(
                    group("[", self.doc(argument, LOWEST, names), "]", indent=1)
                )
        if not shown:
            return head, MAX_PRECEDENCE
        return group(head, LINE, *joined(shown, [LINE])), ARGUMENT

    def _argument_infos(self, name: Name) -> tuple[int, ...]:
        found = self._infos.get(name)
        if found is None:
            constant = self.find(name)
            infos: list[int] = []
            node: Node = self.bank[constant.type] if constant else (SORT,)
            while node[0] == PI:
                infos.append(node[2])
                node = self.bank[node[4]]
            found = self._infos[name] = tuple(infos)
        return found

    def _notation(
        self, name: Name, arguments: list[Term], names: tuple[str, ...]
    ) -> tuple[Doc, int] | None:
        infix = INFIX.get(name)
        if infix and infix[0] == len(arguments):
            _, left, right, symbol, own, above, below = infix
            first = self.doc(arguments[left], above, names)
            return group(
                first,
                f" {symbol}",
                LINE,
                self.doc(arguments[right], below, names),
                indent=0,
            ), own
        prefix = PREFIX.get(name)
        if prefix and prefix[0] == len(arguments):
            return group(
                prefix[2], self.doc(arguments[prefix[1]], prefix[3], names)
            ), prefix[3]
        if (
            name == ("OfNat", "ofNat")
            and len(arguments) == 3
            and self.bank[arguments[1]][0] == LIT
        ):
            return str(self.bank[arguments[1]][1]), MAX_PRECEDENCE
        if (
            name == ("Exists",)
            and len(arguments) == 2
            and self.bank[arguments[1]][0] == LAM
        ):
            return self._exists(arguments[1], names), LOWEST
        if name in (("ite",), ("dite",)) and len(arguments) == 5:
            return self._conditional(name, arguments, names)
        if name == ("List", "nil") and len(arguments) == 1:
            return "[]", MAX_PRECEDENCE
        if name == ("Prod", "mk") and len(arguments) == 4:
            sides = [self.doc(side, LOWEST, names) for side in arguments[2:]]
            return group(
                "(", sides[0], ",", LINE, sides[1], ")", indent=1
            ), MAX_PRECEDENCE
        return self._field_access(name, arguments, names)

    def _exists(self, predicate: Term, names: tuple[str, ...]) -> Doc:
        node = self.bank[predicate]
        name = self._fresh(node[1], names)
        kind = self.doc(node[3], LOWEST, names)
        return group(
            f"∃ {name} : ", kind, ",", LINE, self.doc(node[4], LOWEST, (*names, name))
        )

    def _conditional(
        self, name: Name, arguments: list[Term], names: tuple[str, ...]
    ) -> tuple[Doc, int] | None:
        test = self.doc(arguments[1], LOWEST, names)
        if name == ("ite",):
            yes, no = (self.doc(branch, LOWEST, names) for branch in arguments[3:])
            return self._if(group("if ", test, " then", LINE, yes), no)
        nodes = [self.bank[branch] for branch in arguments[3:]]
        if any(node[0] != LAM for node in nodes):
            return None
        called = self._fresh(nodes[0][1], names)
        yes, no = (self.doc(node[4], LOWEST, (*names, called)) for node in nodes)
        return self._if(group(f"if {called} : ", test, " then", LINE, yes), no)

    def _if(self, head: Doc, otherwise: Doc) -> tuple[Doc, int]:
        return group(head, LINE, group("else", LINE, otherwise), indent=0), LOWEST

    def _field_access(
        self, name: Name, arguments: list[Term], names: tuple[str, ...]
    ) -> tuple[Doc, int] | None:
        """Return `s.field …` for a projection function applied to its structure."""
        fields = self._fields(name[:-1])
        infos = self._argument_infos(name)
        if not fields or name[-1] not in fields:
            return None
        at = self._parameters(name[:-1])
        if at >= len(arguments) or infos[at : at + 1] != (DEFAULT,):
            return None
        head = group(
            self.doc(arguments[at], MAX_PRECEDENCE, names), f".{show(name[-1:])}"
        )
        return self._call(head, arguments[at + 1 :], infos[at + 1 :], names)

    def _parameters(self, structure: Name) -> int:
        constant = self.find(structure)
        data = constant.data if constant else None
        return data.parameters if isinstance(data, InductiveData) else 0

    def _field_name(self, structure: Name, index: int) -> str:
        fields = self._fields(structure)
        return (
            show(fields[index : index + 1]) if index < len(fields) else str(index + 1)
        )

    def _fields(self, structure: Name) -> Name:
        """Return the field names of a structure, nothing for anything else."""
        constant = self.find(structure) if structure else None
        if (
            not constant
            or not isinstance(constant.data, InductiveData)
            or len(constant.data.constructors) != 1
        ):
            return ()
        constructor = self.find(constant.data.constructors[0])
        fields: list[str | int] = []
        node: Node = self.bank[constructor.type] if constructor else (SORT,)
        while node[0] == PI:
            fields.append(node[1][0] if node[1] else "")
            node = self.bank[node[4]]
        return tuple(fields[constant.data.parameters :])
