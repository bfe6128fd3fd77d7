"""What a decision on a declaration may be bound to: one hash of its compiled term, where that says all it means.

A fingerprint (fingerprint.py) leaves out what a kernel does not look at. So this hash takes in the axioms of ours that
the proofs below rest on, and there is none for a term that does not say what its text means:

- something below is unfinished (`sorry`): such a term names the place in the file where it stands;
- so does `panic!`;
- something below runs as another term than its own: `partial` and `unsafe` definitions, `opaque` constants,
  `implemented_by` and the like.

"Below" is looked at in modules of ours, by all that a constant mentions, in proofs too. What the toolchain's library
holds is the same wherever its digest is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from workbench.lean.closure import SORRY, sorting_key
from workbench.lean.components import components
from workbench.lean.entries import marks_of, run_time_marks
from workbench.lean.fingerprint import Fingerprints
from workbench.lean.library import Environment, Library, LibraryError
from workbench.lean.module import Module
from workbench.lean.names import Name

#: Hashes of different schemes say nothing about each other: raise it with every change of what goes in.
SCHEME = "proofroom term 1"
_PLACED: frozenset[Name] = frozenset(
    {SORRY, ("mkPanicMessage",), ("mkPanicMessageWithDecl",)}
)
_RUN_TIME = frozenset(
    (
        "Lean.externAttr", "Lean.exportAttr", "Lean.regularInitAttr", "Lean.builtinInitAttr",
        "Lean.Compiler.implementedByAttr", "Lean.Compiler.CSimp.ext",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Below:
    """What stands below a constant, itself included: axioms of ours, and whether the term says it all."""

    axioms: frozenset[Name]
    told: bool


class _Uses(dict[Name, tuple[Name, ...]]):
    """What a constant of ours mentions of ours; nothing for what is known already."""

    def __init__(self, hashes: TermHashes) -> None:
        super().__init__()
        self.hashes = hashes

    def get(self, name: Name, default: object = ()) -> tuple[Name, ...]:
        return () if name in self.hashes.below else self.hashes.own_uses(name)


class TermHashes:
    """Hashes of the constants of `environment`; `own` are the modules of the instance, all others are library.

    `older` are those of another environment of the same library, of which is taken over what is the same here.
    """

    def __init__(
        self,
        environment: Environment,
        own: Collection[Name],
        older: TermHashes | None = None,
    ) -> None:
        self.environment, self.own = environment, own
        self.fingerprints: Fingerprints = Fingerprints(
            environment, older.fingerprints if older else None
        )
        self.below: dict[Name, _Below] = {}
        self._otherwise: dict[Name, frozenset[Name]] = {}

    def of(self, name: Name) -> str:
        """Return the hash of a constant (64 hex digits), "" where its term does not say what it means.

        Raises `KeyError` if the environment lacks it.
        """
        fingerprint = self.fingerprints.of(name)
        found = self._look_below(name)
        if not found.told:
            return ""
        digest = hashlib.sha256(f"{SCHEME}\n{fingerprint}\n".encode())
        for axiom in sorted(found.axioms, key=sorting_key):
            digest.update(f"{axiom!r} {self.fingerprints.of(axiom)}\n".encode())
        return digest.hexdigest()

    def own_uses(self, name: Name) -> tuple[Name, ...]:
        """Return what a constant of ours mentions of ours."""
        return tuple(
            used
            for used in sorted(self.environment.uses(name), key=sorting_key)
            if self._home(used) is not None
        )

    def _home(self, name: Name) -> Module | None:
        home = self.environment.home(name)
        return home if home is not None and home.name in self.own else None

    def _look_below(self, root: Name) -> _Below:
        if self._home(root) is None:
            return _Below(frozenset(), True)
        for component in components([root], _Uses(self)):
            if component[0] in self.below:
                continue
            axioms: set[Name] = set()
            told = True
            for name in component:
                axioms |= {name} if self._kind(name)[0] == "axiom" else set()
                told = told and self._tells(name)
                for used in self.own_uses(name):
                    if used not in component:
                        axioms |= self.below[used].axioms
                        told = told and self.below[used].told
            found = _Below(frozenset(axioms), told)
            self.below.update(dict.fromkeys(component, found))
        return self.below[root]

    def _tells(self, name: Name) -> bool:
        kind, safety = self._kind(name)
        home = self._home(name)
        assert home is not None
        return (
            kind != "opaque"
            and safety == "safe"
            and _PLACED.isdisjoint(self.environment.uses(name))
            and name not in self._run_otherwise(home)
        )

    def _kind(self, name: Name) -> tuple[str, str]:
        home = self._home(name)
        assert home is not None
        return home.kind(home.positions[name])

    def _run_otherwise(self, home: Module) -> frozenset[Name]:
        """Return the constants that a module marks as run by other code; all of its own where a mark is not understood."""
        if home.name not in self._otherwise:
            marks = marks_of(home)
            found = {name for name, _ in run_time_marks(marks)}
            if not _RUN_TIME.isdisjoint(marks.unread):
                found |= set(home.names)
            self._otherwise[home.name] = frozenset(found)
        return self._otherwise[home.name]


def term_hashes(
    library: Library, own: Collection[Name], wanted: Iterable[tuple[Name, Name]]
) -> Iterator[tuple[tuple[Name, Name], str]]:
    """Yield (module, name) and hash for each of `wanted` that the library holds: only of these is it told that they compiled.

    A name that is private to its module is found by its own name. What the module lacks is passed over, and so is what it
    cannot see without a contradiction (a constant there twice).
    """
    names: dict[Name, list[Name]] = {}
    for module, name in wanted:
        found = library.find(module)
        if found is not None and _constant_in(found, name) is not None:
            names.setdefault(module, []).append(name)
    left = dict.fromkeys(names)
    hashes: TermHashes | None = None
    # What imports most comes first: it sees what the others hold.
    for target in sorted(
        names, key=lambda name: (-_reach(library, name), sorting_key(name))
    ):
        if target not in left:
            continue
        try:
            environment = library.environment(target)
        except LibraryError:
            del left[target]
            continue
        hashes = TermHashes(environment, own, hashes)
        for seen in environment.modules:
            if seen.name in left:
                del left[seen.name]
                for name in names[seen.name]:
                    constant = _constant_in(seen, name)
                    assert constant is not None  # it was asked above
                    yield (seen.name, name), hashes.of(constant)


def _reach(library: Library, module: Name) -> int:
    try:
        return len(library.closure(module))
    except LibraryError:
        return 0


def _constant_in(module: Module, name: Name) -> Name | None:
    """Return the one constant of `module` that a text calls `name`, None where it has none or two."""
    private = ("_private", *module.name, 0, *name)
    found = [each for each in (name, private) if each in module.positions]
    return found[0] if len(found) == 1 else None
