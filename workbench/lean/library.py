"""Modules and what a target module sees of them: its import closure, and nothing that it does not import."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from workbench.lean.constants import Constant
from workbench.lean.module import Module
from workbench.lean.names import Name, show
from workbench.lean.olean import open_image
from workbench.lean.terms import Bank

# Part of the key under which digests of checked files are kept: raise it when a check is added.
READER = "reader 2"


class LibraryError(Exception):
    """A set of modules that do not make an environment: an import is missing or circular, or a constant occurs twice."""


class Library:
    """Compiled modules by name, sharing one bank.

    `parent` is asked for modules that are not here (a toolchain's library). `checked` holds the digests of files that
    passed every check; put those of an earlier run of the same `READER` there, and their files are not checked again.
    """

    def __init__(self, bank: Bank, parent: Library | None = None) -> None:
        if parent is not None and parent.bank is not bank:
            raise ValueError("a library and its parent share one bank")
        self.bank: Bank = bank
        self._parent = parent
        self._modules: dict[Name, Module] = {}
        self._keys: dict[Name, str] = {}
        self.checked: set[str] = set()

    def load(self, name: Name, path: Path) -> Module:
        """Read and validate the file of module `name`. Raises `OleanError` and `OSError`."""
        image = open_image(path, label=show(name), checked=self.checked)
        module = Module(name, image, self.bank)
        self.add(module)
        self.checked.add(image.digest)
        return module

    def load_tree(self, root: Path) -> None:
        """Read every `.olean` below `root`, whose folders are the first components of the module names."""
        for path in sorted(root.rglob("*.olean")):
            self.load(path.relative_to(root).with_suffix("").parts, path)

    def load_below(self, roots: Sequence[Path], wanted: Iterable[Name]) -> None:
        """Read the modules `wanted` and all that they import, each from the first of the folders `roots` that has it.

        A wanted module that none of them has is passed over: it is for whoever imports it to miss it. Raises `OleanError`,
        `OSError`, and `LibraryError` for a module of the folders whose import is not there.
        """
        waiting: list[tuple[Name, Name | None]] = [(name, None) for name in wanted]
        while waiting:
            name, importer = waiting.pop()
            if self.find(name) is not None:
                continue
            path = _found(roots, name)
            if path is not None:
                module = self.load(name, path)
                waiting += [(line.module, name) for line in module.imports]
            elif importer is not None:
                raise LibraryError(
                    f"module {show(name)}, imported by {show(importer)}, is not there"
                )

    def add(self, module: Module) -> None:
        """Take a module that was read into the same bank. Raises `LibraryError` for a name that is here already."""
        if self.find(module.name) is not None:
            raise LibraryError(f"module {show(module.name)} is there twice")
        self._modules[module.name] = module

    def find(self, name: Name) -> Module | None:
        """Return the module `name`, or None."""
        found = self._modules.get(name)
        return self._parent.find(name) if found is None and self._parent else found

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def key(self, name: Name) -> str:
        """Return the content key of a module: a hash of its bytes and, recursively, of the keys of its imports.

        Constants of modules with equal keys are equal, with everything below them.
        """
        # Modules are only ever added, each name once, so what a key was made of stays.
        if name in self._keys:
            return self._keys[name]
        for module in self.closure(name):
            if module.name not in self._keys:
                parts = [
                    module.digest,
                    *(self._keys[line.module] for line in module.imports),
                ]
                self._keys[module.name] = hashlib.sha256(
                    " ".join(parts).encode()
                ).hexdigest()
        return self._keys[name]

    def closure(self, target: Name) -> list[Module]:
        """Return `target` and all it imports, each after its imports. Raises `LibraryError` (missing, circular)."""
        order: list[Module] = []
        done: set[Name] = set()
        trail: dict[Name, None] = {}
        stack: list[tuple[Name, Iterator[Name]]] = []

        def enter(name: Name, importer: Name | None) -> None:
            module = self.find(name)
            if module is None:
                by = f", imported by {show(importer)}," if importer else ""
                raise LibraryError(f"module {show(name)}{by} is not there")
            trail[name] = None
            stack.append((name, iter([line.module for line in module.imports])))

        enter(target, None)
        while stack:
            name, rest = stack[-1]
            needed = next((module for module in rest if module not in done), None)
            if needed is None:
                stack.pop()
                trail.pop(name)
                done.add(name)
                module = self.find(name)
                assert module is not None
                order.append(module)
            elif needed in trail:
                raise LibraryError(
                    f"import cycle: {' → '.join(map(show, [*trail, needed]))}"
                )
            else:
                enter(needed, name)
        return order

    def environment(self, target: Name) -> Environment:
        """Return what `target` sees. Raises `LibraryError`, also for constants that occur twice in it."""
        return Environment(self, target)


def _found(roots: Sequence[Path], name: Name) -> Path | None:
    """Return the compiled file of a module in the first folder that has it; none for a name that is no path."""
    parts = [part for part in name if isinstance(part, str) and part not in ("", ".", "..") and "/" not in part and "\0" not in part]  # fmt: skip
    if len(parts) != len(name) or not parts:
        return None
    for root in roots:
        path = root.joinpath(*parts[:-1], f"{parts[-1]}.olean")
        if path.is_file():
            return path
    return None


class Environment:
    """The constants of one module and of everything it imports.

    `duplicates` gives, for each theorem that several modules hold with one and the same type, all those modules;
    a duplicate of any other kind is a `LibraryError`.
    """

    def __init__(self, library: Library, target: Name) -> None:
        self.library = library
        self.bank = library.bank
        self.target = target
        self.modules = tuple(library.closure(target))
        self.duplicates: dict[Name, tuple[Module, ...]] = {}
        self._homes: dict[Name, Module] = {}
        for module in self.modules:
            own = dict.fromkeys(module.names, module)
            for name in sorted(self._homes.keys() & own.keys(), key=show):
                self._accept_duplicate(name, module)
                del own[name]
            self._homes.update(own)

    def __contains__(self, name: Name) -> bool:
        return name in self._homes

    def __iter__(self) -> Iterator[Name]:
        return iter(self._homes)

    def home(self, name: Name) -> Module | None:
        """Return the module that defines `name` (the first one, for a duplicate)."""
        return self._homes.get(name)

    def find(self, name: Name) -> Constant | None:
        """Return the constant `name`, or None."""
        module = self._homes.get(name)
        return None if module is None else module.constant(module.positions[name])

    def all(self, name: Name) -> list[Constant]:
        """Return the constant `name` with its duplicates: none, one, or several theorems of one type."""
        return [
            module.constant(module.positions[name]) for module in self._modules_of(name)
        ]

    def uses(self, name: Name) -> frozenset[Name]:
        """Return what `name` uses directly, in all its occurrences."""
        modules = self._modules_of(name)
        return frozenset().union(
            *(module.uses(module.positions[name]) for module in modules)
        )

    def _modules_of(self, name: Name) -> tuple[Module, ...]:
        if name in self.duplicates:
            return self.duplicates[name]
        module = self._homes.get(name)
        return () if module is None else (module,)

    def _accept_duplicate(self, name: Name, module: Module) -> None:
        first = self._homes[name]
        ours, theirs = (
            first.constant(first.positions[name]),
            module.constant(module.positions[name]),
        )
        erased = self.bank.erased
        if not (
            ours.kind == theirs.kind == "theorem"
            and ours.level_params == theirs.level_params
            and erased(ours.type) == erased(theirs.type)
        ):
            where = f"{show(first.name)} and {show(module.name)}"
            raise LibraryError(
                f"{show(name)} is defined in both {where}, and not as the same theorem"
            )
        self.duplicates[name] = (*self.duplicates.get(name, (first,)), module)
