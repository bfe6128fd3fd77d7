"""Images of terms as Lean's compaction would write them, made from values and from nothing else.

What goes to a kernel is written here out of validated terms, so no byte of a submission's file reaches it. Equal
objects are stored once; every object comes after what it points to; counters are zero, which Lean takes for objects that
are never freed.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from workbench.lean import cached
from workbench.lean.constants import (
    ABBREV_HINT,
    KINDS,
    OPAQUE_HINT,
    SAFETIES,
    Constant,
    ConstructorData,
    InductiveData,
    QuotData,
    RecursorData,
)
from workbench.lean.layouts import LAYOUTS
from workbench.lean.module import Import, Module
from workbench.lean.names import (
    ANONYMOUS_HASH,
    Name,
    bytes_hash,
    mix_hash,
    name_hash,
    number_hash,
)
from workbench.lean.olean import (
    HEADER_WORDS,
    PART_ALIGNMENT,
    SMALL_NAT,
)
from workbench.lean.terms import (
    APP,
    BVAR,
    CHILDREN,
    CONST,
    L_IMAX,
    L_MAX,
    L_PARAM,
    L_SUCC,
    L_ZERO,
    LET,
    LIT,
    PROJ,
    SORT,
    Bank,
    Level,
    Node,
    Term,
)

NIL = ZERO = 1
_ARRAY, _STRING, _BIG_NUMBER = 0xF6_00_0001 << 32, 0xF9_00_0001 << 32, 0xFA << 56
_APP = APP << 56 | 2 << 48 | 32 << 32
_MASK = 0xFFFFFFFFFFFFFFFF
# Lean spreads modules over the addresses below 127 TiB.
_ADDRESSES = 0x7F0000000000
BASE_AT = 80
Pointer = int


def scalar(value: int) -> Pointer:
    """Return the pointer that stands for a small number, a flag or a constructor without fields."""
    return value << 1 | 1


class ImageWriter:
    """Collects objects for an image that will lie at address `base`. Terms given to it are of `bank`."""

    def __init__(self, bank: Bank, base: int = 1 << 32) -> None:
        self.bank = bank
        self.base = base
        self.words = array("Q", bytes(HEADER_WORDS * 8))
        self._objects: dict[tuple[int, ...], Pointer] = {}
        self._names: dict[Name, tuple[Pointer, int]] = {(): (ZERO, ANONYMOUS_HASH)}
        self._nodes: dict[int, tuple[Pointer, int]] = {}
        self._texts: dict[str, tuple[Pointer, int]] = {}

    # Objects of any type

    def object(
        self, tag: int, fields: Sequence[Pointer] = (), scalars: Sequence[int] = ()
    ) -> Pointer:
        """Return a constructor object; `scalars` are whole words after the fields."""
        size = 8 * (1 + len(fields) + len(scalars))
        return self._store(
            (tag << 56 | len(fields) << 48 | size << 32, *fields, *scalars)
        )

    def array_of(self, elements: Sequence[Pointer]) -> Pointer:
        """Return an array object."""
        return self._store((_ARRAY, len(elements), len(elements), *elements))

    def list_of(self, elements: Sequence[Pointer]) -> Pointer:
        """Return a Lean list."""
        result = NIL
        for element in reversed(elements):
            result = self.object(1, (element, result))
        return result

    def string(self, text: str) -> Pointer:
        """Return a string object."""
        return self._text(text)[0]

    def _text(self, text: str) -> tuple[Pointer, int]:
        found = self._texts.get(text)
        if found is None:
            data = text.encode()
            size = len(data) + 1
            padded = array("Q", data + bytes(8 - len(data) % 8))
            pointer = self._store((_STRING, size, size, len(text), *padded))
            found = self._texts[text] = pointer, bytes_hash(data)
        return found

    def number(self, value: int) -> Pointer:
        """Return a natural number, boxed when it is small."""
        if value < SMALL_NAT:
            return scalar(value)
        digits = array(
            "Q", value.to_bytes((value.bit_length() + 63) // 64 * 8, "little")
        )
        size = len(digits)
        here = self.base + 8 * (len(self.words) + 3)
        header = _BIG_NUMBER | (24 + 8 * size & 0xFFFF) << 32
        return self._store((header, size | size << 32, here, *digits))

    def _store(self, words: tuple[int, ...]) -> Pointer:
        found = self._objects.get(words)
        if found is None:
            found = self._objects[words] = self.base + 8 * len(self.words)
            self.words.extend(words)
        return found

    # Names, levels, terms

    def name(self, name: Name) -> Pointer:
        """Return a `Name`."""
        return self._name(name)[0]

    def names(self, names: Iterable[Name]) -> Pointer:
        """Return a list of names."""
        return self.list_of([self.name(name) for name in names])

    def _name(self, name: Name) -> tuple[Pointer, int]:
        found = self._names.get(name)
        if found is None:
            prefix, hashed = self._name(name[:-1])
            last = name[-1]
            if isinstance(last, str):
                text, text_hash = self._text(last)
                hashed = mix_hash(hashed, text_hash)
                pointer = self.object(1, (prefix, text), (hashed,))
            else:
                hashed = mix_hash(hashed, number_hash(last))
                pointer = self.object(2, (prefix, self.number(last)), (hashed,))
            found = self._names[name] = pointer, hashed
        return found

    def level(self, level: Level) -> Pointer:
        """Return a `Level`."""
        return self._write(level)[0]

    def term(self, term: Term) -> Pointer:
        """Return an `Expr`."""
        return self._write(term)[0]

    def _write(self, root: int) -> tuple[Pointer, int]:
        done, nodes, words, base = self._nodes, self.bank.nodes, self.words, self.base
        stack = [root]
        while stack:
            number = stack[-1]
            if number in done:
                stack.pop()
                continue
            node = nodes[number]
            if node[0] == APP:
                # Half of all terms. A bank holds each once, so there is nothing to look up.
                function, argument = done.get(node[1]), done.get(node[2])
                if function is not None and argument is not None:
                    word = cached.app(function[1], argument[1])
                    done[number] = base + 8 * len(words), word
                    words.extend((_APP, function[0], argument[0], word))
                    stack.pop()
                    continue
                if function is None:
                    stack.append(node[1])
                if argument is None:
                    stack.append(node[2])
                continue
            below = _below(node)
            missing = [child for child in below if child not in done]
            if missing:
                stack += missing
            else:
                done[number] = self._node(node, [done[child] for child in below])
                stack.pop()
        return done[root]

    def _node(
        self, node: Node, below: Sequence[tuple[Pointer, int]]
    ) -> tuple[Pointer, int]:
        """Write a node that is no application; `below` is what was written of its children."""
        kind = node[0]
        fields, words = [pointer for pointer, _ in below], [word for _, word in below]
        if kind >= L_ZERO:
            return self._level_node(kind, node, fields, words)
        if kind in (BVAR, SORT, LIT):
            return self._leaf(kind, node, fields, words)
        pointer, hashed = self._name(node[1])
        if kind == CONST:
            return self._cached(
                CONST, (pointer, self.list_of(fields)), cached.const(hashed, words)
            )
        if kind == PROJ:
            word = cached.proj(hashed, node[2], words[0])
            return self._cached(PROJ, (pointer, self.number(node[2]), *fields), word)
        if kind == LET:
            return self._cached(LET, (pointer, *fields), cached.let(*words), 0)
        return self._cached(kind, (pointer, *fields), cached.binder(*words), node[2])

    def _level_node(
        self, kind: int, node: Node, fields: list[Pointer], words: list[int]
    ) -> tuple[Pointer, int]:
        if kind == L_ZERO:
            return ZERO, cached.LEVEL_ZERO
        if kind == L_PARAM:
            pointer, hashed = self._name(node[1])
            return self._cached(4, (pointer,), cached.level_param(hashed))
        if kind == L_SUCC:
            return self._cached(1, fields, cached.level_succ(words[0]))
        compute = cached.level_max if kind == L_MAX else cached.level_imax
        return self._cached(kind - L_ZERO, fields, compute(*words))

    def _leaf(
        self, kind: int, node: Node, fields: list[Pointer], words: list[int]
    ) -> tuple[Pointer, int]:
        if kind == BVAR:
            return self._cached(BVAR, (scalar(node[1]),), cached.bvar(node[1]))
        if kind == SORT:
            return self._cached(SORT, fields, cached.sort(words[0]))
        value = node[1]
        if isinstance(value, str):
            text, hashed = self._text(value)
            literal = self.object(1, (text,))
        else:
            literal, hashed = self.object(0, (self.number(value),)), value & _MASK
        return self._cached(LIT, (literal,), cached.literal(hashed))

    def _cached(
        self, tag: int, fields: Sequence[Pointer], *scalars: int
    ) -> tuple[Pointer, int]:
        return self.object(tag, fields, scalars), scalars[0]

    # Constants and modules

    def common(self, constant: Constant) -> Pointer:
        """Return the `ConstantVal` of a constant: name, level parameters, type."""
        fields = (
            self.name(constant.name),
            self.names(constant.level_params),
            self.term(constant.type),
        )
        return self.object(0, fields)

    def constant_val(self, constant: Constant) -> Pointer:
        """Return the `AxiomVal`, `DefinitionVal`, … of a constant."""
        common, unsafe = self.common(constant), constant.safety == "unsafe"
        number = self.number
        match constant.data:
            case InductiveData() as data:
                names = self.names(data.all), self.names(data.constructors)
                fields = (
                    common,
                    number(data.parameters),
                    number(data.indices),
                    *names,
                    number(data.nested),
                )
                return self.object(
                    0, fields, (data.recursive | unsafe << 8 | data.reflexive << 16,)
                )
            case ConstructorData() as data:
                counts = (
                    number(data.index),
                    number(data.parameters),
                    number(data.fields),
                )
                return self.object(
                    0, (common, self.name(data.inductive), *counts), (unsafe,)
                )
            case RecursorData() as data:
                counts4 = map(
                    number, (data.parameters, data.indices, data.motives, data.minors)
                )
                rules = [
                    self.object(
                        0,
                        (
                            self.name(rule.constructor),
                            number(rule.fields),
                            self.term(rule.right),
                        ),
                    )
                    for rule in data.rules
                ]
                parts = (common, self.names(data.all), *counts4, self.list_of(rules))
                return self.object(0, parts, (data.k | unsafe << 8,))
            case QuotData() as data:
                return self.object(0, (common,), (data.which,))
        if constant.value is None:
            return self.object(0, (common,), (unsafe,))
        return self._valued(constant, common)

    def _valued(self, constant: Constant, common: Pointer) -> Pointer:
        assert constant.value is not None
        value, block = self.term(constant.value), self.names(constant.all)
        if constant.kind == "theorem":
            return self.object(0, (common, value, block))
        if constant.kind == "opaque":
            return self.object(
                0, (common, value, block), (constant.safety == "unsafe",)
            )
        safety = SAFETIES.index(constant.safety)
        return self.object(
            0, (common, value, self._hints(constant.hints), block), (safety,)
        )

    def _hints(self, hints: int) -> Pointer:
        if hints in (OPAQUE_HINT, ABBREV_HINT):
            return scalar(0 if hints == OPAQUE_HINT else 1)
        return self.object(2, (), (hints,))

    def constant(self, constant: Constant) -> Pointer:
        """Return a `ConstantInfo`."""
        return self.object(KINDS.index(constant.kind), (self.constant_val(constant),))

    def module_data(
        self,
        imports: Sequence[Import],
        constants: Sequence[Constant],
        entries: Sequence[tuple[Name, Sequence[Pointer]]] = (),
    ) -> Pointer:
        """Return a `ModuleData`, for `file`."""
        lines = [
            self.object(
                0, (self.name(i.module),), (i.all | i.exported << 8 | i.meta << 16,)
            )
            for i in imports
        ]
        names = self.array_of([self.name(constant.name) for constant in constants])
        infos = self.array_of([self.constant(constant) for constant in constants])
        pairs = [
            self.object(0, (self.name(name), self.array_of(items)))
            for name, items in entries
        ]
        fields = (
            self.array_of(lines),
            names,
            infos,
            self.array_of([]),
            self.array_of(pairs),
        )
        return self.object(0, fields, (0,))

    def file(self, root: Pointer) -> bytes:
        """Return the finished file whose root is `root`, the object made last."""
        header = (
            b"olean"
            + bytes((LAYOUTS[0].format, LAYOUTS[0].flags))
            + LAYOUTS[0].lean.encode().ljust(33, b"\0")
        )
        header += (
            bytes(40) + self.base.to_bytes(8, "little") + root.to_bytes(8, "little")
        )
        return header + self.words[HEADER_WORDS:].tobytes()


def base_of(name: Name) -> int:
    """Return the base address that Lean gives to the file of the module `name`."""
    return name_hash(name) % _ADDRESSES & ~(PART_ALIGNMENT - 1)


def finished(data: bytes, header: bytes) -> bytes:
    """Return a file of `ImageWriter.file` as the Lean would have written it whose files begin with `header`.

    That is everything before the base address: format, flags, version and build.
    """
    return header[:BASE_AT] + data[BASE_AT:]


def rebuilt(module: Module) -> bytes:
    """Return a compiled file with the imports and constants of `module`, written from its terms alone.

    It has no entries of extensions, so importing it runs nothing; it serves checkers that take files. The base address is the
    one that Lean gives to a module of that name.
    """
    writer = ImageWriter(module.bank, base_of(module.name))
    data = writer.file(writer.module_data(module.imports, list(module.constants())))
    return finished(data, bytes(module.image.data[:BASE_AT]))


def _below(node: Node) -> tuple[int, ...]:
    """Return the terms and levels that a node holds, in the order of the stored fields."""
    kind = node[0]
    if kind == CONST:
        return tuple(node[2])
    if kind == SORT or kind in (L_SUCC, L_MAX, L_IMAX):
        return tuple(node[1:])
    if kind >= L_ZERO:
        return ()
    places = CHILDREN[kind]
    return node[places[0] : places[-1] + 1] if places else ()
