"""One compiled module: imports, constants and entries, checked as a whole and decoded when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from workbench.lean.constants import Constant, Kind, Safety
from workbench.lean.decode import Decoder
from workbench.lean.names import Name, show
from workbench.lean.olean import Image
from workbench.lean.shape import (
    CONSTANTS,
    ENTRIES,
    IMPORTS,
    NAMES,
    check_module_data,
    constant_kind,
    constant_pointers,
)
from workbench.lean.terms import Bank


@dataclass(frozen=True, slots=True)
class Import:
    """One line of a module's header as compiled."""

    module: Name
    all: bool = False
    exported: bool = True
    meta: bool = False


class Module:
    """The module `name`, read from `image` into `bank`.

    Raises `OleanError` unless all its constants, to the leaves, are what Lean's compiler writes.
    """

    def __init__(self, name: Name, image: Image, bank: Bank) -> None:
        if not image.trusted:
            check_module_data(image)
        self.name = name
        self.image = image
        self.bank = bank
        self.decoder = Decoder(image, bank)
        self._constants: dict[int, Constant] = {}
        self._uses: dict[int, frozenset[Name]] = {}
        self._pointers = self._array(CONSTANTS)
        self._check_names()

    @property
    def digest(self) -> str:
        """SHA-256 of the file, of all its parts if it has several."""
        return self.image.digest

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The direct imports, in order."""
        found = []
        for pointer in self._array(IMPORTS):
            word = self.image.index(pointer)
            flags = self.image.words[word + 2]
            all_, exported, meta = (bool(flags >> shift & 1) for shift in (0, 8, 16))
            name = self.decoder.name(self.image.words[word + 1])
            found.append(Import(name, all_, exported, meta))
        return tuple(found)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The names of its constants, in the order of the file."""
        return tuple(self.decoder.name(pointer) for pointer in self._array(NAMES))

    @cached_property
    def positions(self) -> dict[Name, int]:
        """Where each name stands in `names`."""
        return {name: position for position, name in enumerate(self.names)}

    def constant(self, position: int) -> Constant:
        """Return the constant at a position of `names`."""
        found = self._constants.get(position)
        if found is None:
            found = self.decoder.constant(self._pointers[position])
            self._constants[position] = found
        return found

    def constants(self) -> Iterator[Constant]:
        """Yield every constant in the order of the file."""
        return (self.constant(position) for position in range(len(self.names)))

    def kind(self, position: int) -> tuple[Kind, Safety]:
        """Return what sort of constant stands at a position of `names`, without decoding it."""
        return constant_kind(self.image, self._pointers[position])

    def uses(self, position: int) -> frozenset[Name]:
        """Return the constants that the one at a position of `names` uses directly, in terms or as its family."""
        found = self._uses.get(position)
        if found is None:
            terms, names = constant_pointers(self.image, self._pointers[position])
            self.decoder.spend(len(names))
            mentioned = self.decoder.mentioned(terms)
            mentioned.update(self.decoder.name(pointer) for pointer in names)
            found = self._uses[position] = frozenset(mentioned)
        return found

    def entries(self) -> Iterator[tuple[Name, list[int]]]:
        """Yield each environment extension's name and the pointers to its entries, of which nothing is known."""
        for pointer in self._array(ENTRIES):
            word = self.image.index(pointer)
            array = self.image.index(self.image.words[word + 2])
            name = self.decoder.name(self.image.words[word + 1])
            yield name, self.image.fields(array)

    def _array(self, field: int) -> list[int]:
        words = self.image.words
        return self.image.fields(self.image.index(words[self.image.root + field]))

    def _check_names(self) -> None:
        """Check that the list of names is that of the constants, each once."""
        words, index, pointers = (
            self.image.words,
            self.image.index,
            self._pointers,
        )
        if len(self.names) != len(pointers):
            raise self.image.error(
                self.image.root,
                f"{len(self.names)} names for {len(pointers)} constants",
            )
        for name, pointer in zip(self.names, pointers, strict=True):
            common = index(words[index(words[index(pointer) + 1]) + 1])
            if self.decoder.name(words[common + 1]) != name:
                raise self.image.error(
                    common, f"constant listed as {show(name)} has another name"
                )
        if len(self.positions) != len(pointers):
            raise self.image.error(
                self.image.root, "a constant occurs twice in one module"
            )
