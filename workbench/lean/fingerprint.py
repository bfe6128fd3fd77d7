"""One hash for what a constant means: its own term and everything below it.

Two constants with equal fingerprints have the same name, kind and statement over constants of which the same holds.
Names of auxiliaries that the compiler makes do not enter (their content does), nor do binder names, metadata, heights,
names of level parameters, or proofs of theorems. So a definition put above another moves no fingerprint below it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from workbench.lean.closure import sorting_key
from workbench.lean.constants import (
    Constant,
    ConstructorData,
    InductiveData,
    QuotData,
    RecursorData,
)
from workbench.lean.entries import Marks
from workbench.lean.library import Environment
from workbench.lean.names import Name, is_auxiliary, show
from workbench.lean.terms import (
    APP,
    BVAR,
    CHILDREN,
    CONST,
    L_PARAM,
    LAM,
    LET,
    LIT,
    PI,
    PROJ,
    SORT,
    Node,
    Term,
)

VERSION = b"proofroom fingerprint 1"
_SIZE = 32


class CircularDefinitions(Exception):
    """Constants that refer to each other outside an inductive family or a mutual block: no compiler makes them."""


class Fingerprints:
    """Fingerprints of the constants of one environment, each computed once.

    `older` are those of another environment of the same library: what has the same home there is not computed again,
    since a constant uses only what its own module sees.
    """

    def __init__(
        self, environment: Environment, older: Fingerprints | None = None
    ) -> None:
        self.environment = environment
        self.bank = environment.bank
        self._known: dict[Name, bytes] = {}
        if older is not None and older.environment.library is environment.library:
            home, before = environment.home, older.environment.home
            self._known.update(
                (name, known)
                for name, known in older._known.items()
                if home(name) is not None and home(name) is before(name)
            )

    def of(self, name: Name) -> str:
        """Return the fingerprint of a constant (64 hex digits). Raises `KeyError` if the environment lacks it."""
        if name not in self.environment:
            raise KeyError(show(name))
        self._compute([name])
        return self.reference(name).hex()

    def of_term(self, term: Term) -> str:
        """Return the fingerprint of a closed term without level parameters, for example a statement."""
        self._compute(sorted(self.bank.constants(term), key=sorting_key))
        return _Terms(self, (), frozenset()).digest(term).hex()

    def reference(self, name: Name) -> bytes:
        """Return what stands for `name` inside other fingerprints, computed before."""
        known = self._known[name]
        return known if is_auxiliary(name) else _hash(b"ref", _name_bytes(name), known)

    def _compute(self, roots: Iterable[Name]) -> None:
        """Compute the fingerprints of `roots`, what they use first."""
        open_: set[Name] = set()
        stack = [(name, False) for name in roots]
        while stack:
            name, ready = stack.pop()
            if name in self._known:
                continue
            group = self._group(name)
            if ready:
                open_ -= group
                self._finish(name, group)
                continue
            if open_ & group:
                raise CircularDefinitions(f"{show(name)} is defined by way of itself")
            open_ |= group
            stack.append((name, True))
            below = (
                frozenset().union(*(self.environment.uses(member) for member in group))
                - group
            )
            stack.extend(
                (used, False)
                for used in sorted(below, key=sorting_key)
                if used not in self._known
            )

    def _group(self, name: Name) -> frozenset[Name]:
        """Return the constants that are defined together with `name` and may refer to each other."""
        constant = self.environment.find(name)
        if constant is None:
            return frozenset((name,))
        data = constant.data
        if isinstance(data, ConstructorData):
            family = self.environment.find(data.inductive)
            data = family.data if family else None
        if isinstance(data, InductiveData):
            members = set(data.all)
            for type_name in data.all:
                member = self.environment.find(type_name)
                if member and isinstance(member.data, InductiveData):
                    members.update(member.data.constructors)
            return frozenset(members | {name})
        if isinstance(data, RecursorData):
            return self._recursors(name, data)
        block = set(constant.all) if constant.safety != "safe" else set()
        return frozenset(block | {name})

    def _recursors(self, name: Name, data: RecursorData) -> frozenset[Name]:
        """Return the recursors of a family: `T.rec` for each type, and `T.rec_1`, … of nested ones under the first."""
        members = {name} | {(*type_name, "rec") for type_name in data.all}
        number = 1
        while data.all and (*data.all[0], f"rec_{number}") in self.environment:
            members.add((*data.all[0], f"rec_{number}"))
            number += 1
        return frozenset(member for member in members if member in self.environment)

    def _finish(self, name: Name, group: frozenset[Name]) -> None:
        members = sorted(group, key=sorting_key)
        if len(members) == 1:
            self._known[name] = self._own(name, group)
            return
        whole = _hash(
            b"group",
            *(
                _hash(_name_bytes(member), self._own(member, group))
                for member in members
            ),
        )
        for member in members:
            self._known.setdefault(member, _hash(b"member", _name_bytes(member), whole))

    def _own(self, name: Name, group: frozenset[Name]) -> bytes:
        constants = self.environment.all(name)
        if not constants:
            return _hash(b"missing")
        constant = constants[0]
        terms = _Terms(self, constant.level_params, group)
        parts = [terms.digest(constant.type)]
        if constant.value is not None and constant.kind != "theorem":
            parts.append(terms.digest(constant.value))
        head = (
            f"{constant.kind} {constant.safety} {len(constant.level_params)}".encode()
        )
        return _hash(VERSION, head, *parts, *_data_parts(constant, terms))


class _Terms:
    """Digests of terms within one constant, whose level parameters count by position and whose group counts by name."""

    def __init__(
        self, owner: Fingerprints, levels: tuple[Name, ...], group: frozenset[Name]
    ) -> None:
        self._owner = owner
        self._nodes = owner.bank.nodes
        self._positions = {name: position for position, name in enumerate(levels)}
        self._group = group
        self._memo: dict[int, bytes] = {}

    def digest(self, root: int) -> bytes:
        """Return the digest of a term or level."""
        memo = self._memo
        stack = [root]
        while stack:
            current = stack[-1]
            if current in memo:
                stack.pop()
                continue
            node = self._nodes[current]
            missing = [child for child in _below(node) if child not in memo]
            if missing:
                stack += missing
            else:
                memo[current] = self._of(node)
        return memo[root]

    def _of(self, node: Node) -> bytes:
        kind = node[0]
        below = [self._memo[child] for child in _below(node)]
        if kind == APP:
            return _hash(b"app", *below)
        if kind in (LAM, PI):
            return _hash(b"fun" if kind == LAM else b"all", *below)
        if kind == BVAR:
            return _hash(b"var", b"%d" % node[1])
        if kind == CONST:
            return _hash(b"const", self._reference(node[1]), *below)
        if kind == SORT:
            return _hash(b"sort", *below)
        if kind == LET:
            return _hash(b"let", *below)
        if kind == PROJ:
            return _hash(b"proj", self._reference(node[1]), b"%d" % node[2], *below)
        if kind == LIT:
            text = isinstance(node[1], str)
            return _hash(
                b"text" if text else b"number",
                (node[1] if text else f"{node[1]:x}").encode(),
            )
        if kind == L_PARAM:
            position = self._positions.get(node[1])
            return _hash(
                b"param",
                b"?" + _name_bytes(node[1]) if position is None else b"%d" % position,
            )
        return _hash(b"level %d" % kind, *below)

    def _reference(self, name: Name) -> bytes:
        return (
            _hash(b"here", _name_bytes(name))
            if name in self._group
            else self._owner.reference(name)
        )


def marks_hash(marks: Marks, name: Name) -> str:
    """Return the hash of what a module says about `name` beside its term (priority, reducibility, attributes)."""
    return _hash(
        b"marks", *(text.encode() for text in marks.by_name.get(name, ()))
    ).hex()


def _data_parts(constant: Constant, terms: _Terms) -> list[bytes]:
    match constant.data:
        case InductiveData() as data:
            counts = (
                data.parameters,
                data.indices,
                data.nested,
                data.recursive,
                data.reflexive,
            )
            return [_numbers(*counts), *map(_name_bytes, data.constructors)]
        case ConstructorData() as data:
            return [_numbers(data.index, data.parameters, data.fields)]
        case RecursorData() as data:
            counts5 = (data.parameters, data.indices, data.motives, data.minors, data.k)
            rules = [
                _hash(
                    _name_bytes(r.constructor),
                    _numbers(r.fields),
                    terms.digest(r.right),
                )
                for r in data.rules
            ]
            return [_numbers(*counts5), *rules]
        case QuotData() as data:
            return [_numbers(data.which)]
    return []


def _below(node: Node) -> tuple[int, ...]:
    kind = node[0]
    if kind == CONST:
        return tuple(node[2])
    if kind in CHILDREN and kind != SORT:
        return tuple(node[place] for place in CHILDREN[kind])
    return () if kind == L_PARAM else tuple(node[1:])


def _hash(*parts: bytes) -> bytes:
    """Return one hash of several byte strings, each with its length before it, so that no two lists look alike."""
    hasher = hashlib.blake2b(digest_size=_SIZE)
    for part in parts:
        hasher.update(len(part).to_bytes(8, "little"))
        hasher.update(part)
    return hasher.digest()


def _numbers(*values: int) -> bytes:
    return b",".join(b"%d" % value for value in values)


def _name_bytes(name: Name) -> bytes:
    return _hash(
        *((b"s" if isinstance(c, str) else b"n") + str(c).encode() for c in name)
    )
