"""Does a theorem of a graded build say what the pristine build says it must? Rules (i)–(iv) of the grading design, step 8.

The statement is walked in both builds in step, through the constants that it uses:

(i)   an API constant under its own name: a safe def with the same levels and type; its value is free;
(ii)  any other constant under its own name: same module, kind, safety, levels, type and value, data of inductive families;
(iii) two auxiliaries of the compiler, under any names: same kind, type and value;
(iv)  anything else is a difference, reported with the path that leads to it.

Binder names and infos, metadata and reducibility heights do not count. Of a theorem inside a statement only the type
counts: two proofs of one proposition are one to the kernel, and what they rest on is the axiom closure's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from workbench.lean.closure import AxiomUse, Closure, reachable
from workbench.lean.constants import Constant, InductiveData, RecursorData
from workbench.lean.library import Environment
from workbench.lean.names import Name, is_auxiliary, show
from workbench.lean.terms import (
    APP,
    BVAR,
    CONST,
    KIND_NAMES,
    L_PARAM,
    L_ZERO,
    LAM,
    LET,
    LIT,
    PI,
    PROJ,
    SORT,
    Level,
    Term,
)

Path = tuple["Path", str] | None
# Level parameters of the pristine constant and of the graded one, when they are called differently.
Renaming = tuple[tuple[Name, ...], tuple[Name, ...]] | None
_EXISTS: Name = ("Exists",)


@dataclass(frozen=True, slots=True)
class Difference:
    """Why two builds differ. `path` leads from the statement to the place, outermost step first; `reason` is one clause."""

    reason: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = " › ".join(self.path)
        return f"differs because {self.reason}" + (f" (at {where})" if where else "")


@dataclass(frozen=True, slots=True)
class _Pair:
    """Something left to compare: two terms, or two constants by name."""

    left: Term | Name
    right: Term | Name
    path: Path
    renaming: Renaming = None


class _Differs(Exception):
    def __init__(self, reason: str, path: Path) -> None:
        super().__init__(reason)
        self.difference = Difference(reason, _steps(path))


class Comparison:
    """Compares what one environment means with what another means. `api` are full names of API constants (rule i)."""

    def __init__(
        self, pristine: Environment, graded: Environment, api: Set[Name] = frozenset()
    ) -> None:
        if pristine.bank is not graded.bank:
            raise ValueError("two environments to compare share one bank")
        self.pristine = pristine
        self.graded = graded
        self.api = api
        self.bank = pristine.bank
        self._done: set[tuple[Term | Name, Term | Name, Renaming]] = set()

    def theorem(self, name: Name, module: Name, expected: Term) -> Difference | None:
        """Return why the graded theorem `name` does not prove `expected`, a term of the pristine build, in `module`."""
        home = self.graded.home(name)
        constant = self.graded.find(name)
        if home is None or constant is None:
            return Difference(f"there is no {show(name)}")
        if home.name != module or name in self.graded.duplicates:
            return Difference(
                f"{show(name)} is in module {show(home.name)}, not in {show(module)} alone"
            )
        if constant.kind != "theorem":
            return Difference(f"{show(name)} is a {constant.kind}, not a theorem")
        if constant.level_params:
            return Difference(f"{show(name)} has universe levels")
        return self.terms(expected, constant.type) or self._chosen(expected)

    def terms(self, pristine: Term, graded: Term) -> Difference | None:
        """Return the first difference between a term of the pristine build and one of the graded build, or None."""
        return self._run(_Pair(pristine, graded, None))

    def constants(self, pristine: Name, graded: Name) -> Difference | None:
        """Return the first difference between two constants and all that they use, or None."""
        return self._run(_Pair(pristine, graded, None))

    def forbidden_axioms(
        self, closure: Closure, allowed: Set[Name]
    ) -> list[tuple[AxiomUse, str]]:
        """Return the axioms of a graded closure that may not be used, each with the reason.

        An axiom may be used if its name is in `allowed` and it is, by rule (ii), the axiom of the pristine build, and says nothing of an
        API: whoever chooses the value of that could make the axiom false, and prove anything by it.
        """
        found = []
        for use in closure.axioms:
            if use.name not in allowed:
                found.append((use, f"{show(use.name)} is not among the axioms allowed"))
                continue
            if api := self._api_below(use.name):
                found.append((use, f"{show(use.name)} speaks of {api}, which the submission writes: nothing vouches for it"))  # fmt: skip
                continue
            difference = self.constants(use.name, use.name)
            if difference is not None:
                found.append(
                    (
                        use,
                        f"{show(use.name)} is not the axiom of the pristine build: {difference.reason}",
                    )
                )
        return found

    def _chosen(self, expected: Term) -> Difference | None:
        """Return what is wrong with a claim about every implementation that rests on code of one.

        Only `S canonical` is about the submission's own. A spec may name an API itself: by a wrong value of that it could be
        made false of all implementations (`unsat`, joint claims), or true of some (`sat`).
        """
        names = self.bank.constants(expected)
        api = self._api_below(*names) if _EXISTS in names else ""
        return (
            Difference(f"it is about all implementations, and speaks of {api}, which the submission writes")
            if api
            else None
        )  # fmt: skip

    def _api_below(self, *names: Name) -> str:
        """Return an API that constants of the graded build speak of, directly or not; empty for none.

        A proof in them does not count, as what they mean is the same with any other.
        """
        if not self.api:
            return ""
        found = self.api & reachable(self.graded, names, proofs=False)
        return min(map(show, found), default="")

    def _run(self, first: _Pair) -> Difference | None:
        # What was reached before a difference is not known to be equal: keep it only when the whole walk ends well.
        done = set(self._done)
        stack = [first]
        try:
            while stack:
                pair = stack.pop()
                key = (pair.left, pair.right, pair.renaming)
                if key not in done:
                    done.add(key)
                    stack.extend(reversed(list(self._expand(pair))))
        except _Differs as found:
            return found.difference
        self._done = done
        return None

    def _expand(self, pair: _Pair) -> Iterator[_Pair]:
        if isinstance(pair.left, tuple):
            assert isinstance(pair.right, tuple)
            return self._expand_constants(pair.left, pair.right, pair.path)
        assert isinstance(pair.right, int)
        return self._expand_terms(pair, pair.left, pair.right)

    # Terms

    def _expand_terms(self, pair: _Pair, left: Term, right: Term) -> Iterator[_Pair]:
        nodes, path = self.bank.nodes, pair.path
        a, b = nodes[left], nodes[right]
        if a[0] != b[0]:
            raise _Differs(f"{self._said(left)} became {self._said(right)}", path)
        kind = a[0]
        if kind == APP:
            yield from self._expand_application(pair, left, right)
        elif kind == CONST:
            yield _Pair(a[1], b[1], path)
            if len(a[2]) != len(b[2]) or not all(
                self._same_level(x, y, pair.renaming)
                for x, y in zip(a[2], b[2], strict=True)
            ):
                raise _Differs(f"{show(a[1])} is used at other universe levels", path)
        elif kind in (LAM, PI):
            binder = _binder(a[1])
            yield replace(pair, left=a[3], right=b[3], path=(path, f"type of {binder}"))
            yield replace(
                pair,
                left=a[4],
                right=b[4],
                path=(path, f"under {'fun' if kind == LAM else '∀'} {binder}"),
            )
        elif kind == LET:
            for place, step in (
                (2, "type of let"),
                (3, "value of let"),
                (4, "under let"),
            ):
                yield replace(
                    pair,
                    left=a[place],
                    right=b[place],
                    path=(path, f"{step} {_binder(a[1])}"),
                )
        elif kind == PROJ:
            if a[2] != b[2]:
                raise _Differs(
                    f"field {a[2]} of {show(a[1])} became field {b[2]} of {show(b[1])}",
                    path,
                )
            yield _Pair(a[1], b[1], path)
            yield replace(
                pair, left=a[3], right=b[3], path=(path, f"structure of field {a[2]}")
            )
        elif kind == SORT:
            if not self._same_level(a[1], b[1], pair.renaming):
                raise _Differs("a sort has another universe level", path)
        elif a != b:
            raise _Differs(f"{self._said(left)} became {self._said(right)}", path)

    def _expand_application(
        self, pair: _Pair, left: Term, right: Term
    ) -> Iterator[_Pair]:
        (head, arguments), (other_head, other_arguments) = (
            self.bank.spine(left),
            self.bank.spine(right),
        )
        if len(arguments) != len(other_arguments):
            what, other = self._said(head), self._said(other_head)
            count = f"{len(arguments)} arguments became {len(other_arguments)}"
            raise _Differs(
                f"{what}: {count}" if what == other else f"{what} became {other}",
                pair.path,
            )
        yield replace(pair, left=head, right=other_head)
        what = self._said(head)
        for number, (a, b) in enumerate(
            zip(arguments, other_arguments, strict=True), 1
        ):
            yield replace(
                pair, left=a, right=b, path=(pair.path, f"argument {number} of {what}")
            )

    def _same_level(self, left: Level, right: Level, renaming: Renaming) -> bool:
        if renaming is None:
            return left == right
        nodes = self.bank.nodes
        stack, seen = [(left, right)], set()
        while stack:
            both = stack.pop()
            if both in seen:
                continue
            seen.add(both)
            a, b = nodes[both[0]], nodes[both[1]]
            if a[0] != b[0]:
                return False
            if a[0] == L_PARAM:
                if a[1] not in renaming[0] or b[1] not in renaming[1]:
                    return False
                if renaming[0].index(a[1]) != renaming[1].index(b[1]):
                    return False
            elif a[0] > L_ZERO:
                stack.extend(zip(a[1:], b[1:], strict=True))
        return True

    def _said(self, term: Term) -> str:
        node = self.bank[term]
        if node[0] == CONST:
            return show(node[1])
        if node[0] == APP:
            return f"an application of {self._said(self.bank.spine(term)[0])}"
        if node[0] in (LIT, BVAR):
            return f"{KIND_NAMES[node[0]]} {node[1]!r}"
        return f"a {KIND_NAMES[node[0]]}"

    # Constants

    def _expand_constants(self, left: Name, right: Name, path: Path) -> Iterator[_Pair]:
        here = self.pristine.find(left)
        there = self.graded.find(right)
        if here is None or there is None:
            where = "pristine" if here is None else "graded"
            raise _Differs(
                f"the {where} build has no {show(left if here is None else right)}",
                path,
            )
        if left == right and self._same_home(left):
            return
        # An axiom, an opaque constant or a type is itself and no other, whatever it is called.
        free = here.kind in ("def", "theorem")
        auxiliary = free and is_auxiliary(left) and is_auxiliary(right)
        if left != right and not auxiliary:
            raise _Differs(f"{show(left)} became {show(right)}", path)
        if not auxiliary:
            self._check_home(left, path)
        path = (path, show(left))
        if left in self.api:
            yield from self._expand_api(here, there, path)
            return
        renaming = self._check_heads(here, there, path, named=not auxiliary)
        yield _Pair(here.type, there.type, (path, "type"), renaming)
        if (
            here.value is not None
            and there.value is not None
            and here.kind != "theorem"
        ):
            yield _Pair(here.value, there.value, (path, "value"), renaming)
        yield from self._expand_family(here, there, path, renaming)

    def _expand_api(
        self, here: Constant, there: Constant, path: Path
    ) -> Iterator[_Pair]:
        for constant, build in ((here, "pristine"), (there, "graded")):
            if constant.kind != "def" or constant.safety != "safe":
                found = f"{'' if constant.safety == 'safe' else constant.safety + ' '}{constant.kind}"
                raise _Differs(
                    f"the API {show(constant.name)} is a {found} in the {build} build, not a safe def",
                    path,
                )
        self._check_heads(here, there, path, named=True)
        yield _Pair(here.type, there.type, (path, "type"))

    def _check_heads(
        self, here: Constant, there: Constant, path: Path, *, named: bool
    ) -> Renaming:
        """Check all but the terms and the family; return how level parameters correspond."""
        if here.kind != there.kind:
            raise _Differs(f"it was a {here.kind} and is a {there.kind}", path)
        if here.safety != there.safety:
            raise _Differs(f"it was {here.safety} and is {there.safety}", path)
        if here.level_params == there.level_params:
            return None
        if named or len(here.level_params) != len(there.level_params):
            raise _Differs("its universe parameters are others", path)
        return here.level_params, there.level_params

    def _expand_family(
        self, here: Constant, there: Constant, path: Path, renaming: Renaming
    ) -> Iterator[_Pair]:
        ours, theirs = here.data, there.data
        if isinstance(ours, RecursorData) and isinstance(theirs, RecursorData):
            if len(ours.rules) != len(theirs.rules) or any(
                (a.constructor, a.fields) != (b.constructor, b.fields)
                for a, b in zip(ours.rules, theirs.rules, strict=True)
            ):
                raise _Differs("the recursor has rules for other constructors", path)
            if replace(ours, rules=()) != replace(theirs, rules=()):
                raise _Differs("the recursor's counts are others", path)
            for a, b in zip(ours.rules, theirs.rules, strict=True):
                yield _Pair(
                    a.right,
                    b.right,
                    (path, f"rule for {show(a.constructor)}"),
                    renaming,
                )
        elif ours != theirs:
            raise _Differs(f"the data of the {here.kind} are others", path)
        for name in self._family(here):
            yield _Pair(name, name, path)

    def _family(self, constant: Constant) -> Iterator[Name]:
        yield from constant.mentions()
        if isinstance(constant.data, InductiveData):
            for name in constant.data.all:
                if (*name, "rec") in self.pristine:
                    yield (*name, "rec")

    def _same_home(self, name: Name) -> bool:
        """Return whether both builds take `name` from a module with the same bytes above the same imports."""
        ours, theirs = self.pristine.home(name), self.graded.home(name)
        if ours is None or theirs is None or ours.name != theirs.name:
            return False
        if name in self.pristine.duplicates or name in self.graded.duplicates:
            return False
        return self.pristine.library.key(ours.name) == self.graded.library.key(
            theirs.name
        )

    def _check_home(self, name: Name, path: Path) -> None:
        ours, theirs = self.pristine.home(name), self.graded.home(name)
        assert ours is not None
        assert theirs is not None
        if ours.name != theirs.name:
            moved = f"from module {show(ours.name)} to {show(theirs.name)}"
            raise _Differs(f"{show(name)} moved {moved}", path)


def _steps(path: Path) -> tuple[str, ...]:
    steps = []
    while path is not None:
        path, step = path
        steps.append(step)
    return tuple(reversed(steps))


def _binder(name: Name) -> str:
    """Return a binder as Lean shows it: with a dagger where the elaborator made up the name."""
    made_up = "_@" in name or "_hyg" in name
    return f"{show(name[:1])}✝" if made_up else show(name)
