"""What a kernel is asked to check: declarations in order, written as an image out of validated terms.

The image holds an array of `Declaration`s, each after those it uses, and an array of the constants that the kernel makes by itself
out of an inductive or quotient declaration (types, constructors, recursors), to be compared with what it made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from workbench.lean.closure import reachable, sorting_key
from workbench.lean.constants import Constant, ConstructorData, InductiveData
from workbench.lean.library import Environment
from workbench.lean.names import Name
from workbench.lean.write import ImageWriter, Pointer, scalar

# Far from where Linux puts programs, libraries and Lean's heap.
BASE = 1 << 45
_AXIOM, _DEF, _THEOREM, _OPAQUE, _QUOT, _INDUCTIVE = 0, 1, 2, 3, 4, 6
_SIMPLE = {"axiom": _AXIOM, "def": _DEF, "theorem": _THEOREM, "opaque": _OPAQUE}
_EQ: Name = ("Eq",)
QUOT_NAMES: tuple[Name, ...] = (
    ("Quot",),
    ("Quot", "mk"),
    ("Quot", "lift"),
    ("Quot", "ind"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """`steps[i]` are the constants that declaration `i` adds, `expected[j]` the constant that comparison `j` is about.

    `environment` is where they are; a kernel that takes another form than the image makes it out of that (replay_file.py).
    `left_out` are constants that no kernel is asked about: unsafe and partial ones, which may not occur below a theorem.
    """

    image: bytes
    steps: tuple[tuple[Name, ...], ...]
    expected: tuple[Name, ...]
    left_out: frozenset[Name]
    environment: Environment

    def names(self) -> frozenset[Name]:
        """Return every constant that is replayed."""
        return frozenset(name for step in self.steps for name in step) | frozenset(
            self.expected
        )


def plan_replay(environment: Environment, roots: Iterable[Name]) -> Plan:
    """Return the plan that checks `roots` and everything below them, all proofs of duplicated theorems included."""
    return _Planner(environment).plan(roots)


class _Planner:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.writer = ImageWriter(environment.bank, BASE)
        self.declarations: list[Pointer] = []
        self.steps: list[tuple[Name, ...]] = []
        self.compared: list[Constant] = []
        self.left_out: set[Name] = set()

    def plan(self, roots: Iterable[Name]) -> Plan:
        names = reachable(self.environment, roots)
        for name in self._in_order(names):
            self._add(name)
        self.compared.sort(key=lambda constant: sorting_key(constant.name))
        writer = self.writer
        declarations = writer.array_of(self.declarations)
        compared = writer.array_of(
            [writer.constant(constant) for constant in self.compared]
        )
        image = writer.file(writer.object(0, (declarations, compared)))
        expected = tuple(constant.name for constant in self.compared)
        return Plan(
            image,
            tuple(self.steps),
            expected,
            frozenset(self.left_out),
            self.environment,
        )

    def _in_order(self, names: set[Name]) -> list[Name]:
        """Return `names` so that each comes after what it uses; a family counts as its first type."""
        order: list[Name] = []
        seen: set[Name] = set()
        stack = [(name, False) for name in sorted(names, key=sorting_key, reverse=True)]
        while stack:
            name, ready = stack.pop()
            if ready:
                order.append(name)
                continue
            head = self._head(name)
            if head in seen:
                continue
            seen.add(head)
            stack.append((head, True))
            below = self._below(head)
            stack.extend(
                (used, False)
                for used in sorted(below, key=sorting_key)
                if self._head(used) not in seen
            )
        return order

    def _head(self, name: Name) -> Name:
        """Return the constant whose declaration adds `name`."""
        if name in QUOT_NAMES:
            return QUOT_NAMES[0]
        constant = self.environment.find(name)
        data = constant.data if constant else None
        if isinstance(data, ConstructorData):
            family = self.environment.find(data.inductive)
            name, data = data.inductive, family.data if family else None
        if (
            isinstance(data, InductiveData)
            and data.all
            and data.all[0] in self.environment
        ):
            return data.all[0]
        return name

    def _below(self, head: Name) -> set[Name]:
        if head == QUOT_NAMES[0]:
            return {_EQ} if _EQ in self.environment else set()
        used = set(self.environment.uses(head))
        constant = self.environment.find(head)
        if constant and isinstance(constant.data, InductiveData):
            for member in self._family(constant.data):
                used |= self.environment.uses(member)
        return used

    def _family(self, data: InductiveData) -> list[Name]:
        """Return the types and constructors of a family."""
        names = list(data.all)
        for type_name in data.all:
            member = self.environment.find(type_name)
            if member and isinstance(member.data, InductiveData):
                names += member.data.constructors
        return names

    def _add(self, name: Name) -> None:
        for number, constant in enumerate(self.environment.all(name)):
            if constant.safety != "safe":
                self.left_out.add(name)
            elif constant.kind in _SIMPLE:
                # A second proof of one theorem is checked under a name that nothing else has.
                own = (
                    constant
                    if not number
                    else replace(constant, name=(*name, "_duplicate", number))
                )
                tag = _SIMPLE[constant.kind]
                self._declare(
                    self.writer.object(tag, (self.writer.constant_val(own),)), (name,)
                )
            elif constant.kind == "quot":
                self._declare(scalar(_QUOT), QUOT_NAMES)
                self.compared += filter(None, map(self.environment.find, QUOT_NAMES))
            elif isinstance(constant.data, InductiveData):
                self._declare_family(constant, constant.data)
            else:
                self.compared.append(constant)

    def _declare(self, declaration: Pointer, names: tuple[Name, ...]) -> None:
        self.declarations.append(declaration)
        self.steps.append(names)

    def _declare_family(self, first: Constant, data: InductiveData) -> None:
        writer, find = self.writer, self.environment.find
        types = []
        for type_name in data.all:
            member = find(type_name)
            if member is None or not isinstance(member.data, InductiveData):
                continue
            constructors = [c for c in map(find, member.data.constructors) if c]
            pairs = [
                writer.object(0, (writer.name(c.name), writer.term(c.type)))
                for c in constructors
            ]
            types.append(
                writer.object(
                    0,
                    (
                        writer.name(type_name),
                        writer.term(member.type),
                        writer.list_of(pairs),
                    ),
                )
            )
            self.compared += [member, *constructors]
        fields = (
            writer.names(first.level_params),
            writer.number(data.parameters),
            writer.list_of(types),
        )
        self._declare(
            writer.object(_INDUCTIVE, fields, (0,)), tuple(self._family(data))
        )
