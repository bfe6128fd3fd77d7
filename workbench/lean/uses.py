"""Which declaration mentions which, as far as text can tell.

Names are looked up as Lean does: longest first, through the namespaces around, then the `open`ed ones, among
what the imports reach and what stands above in the same file. Comments and strings do not count; a name that
the declaration binds itself (parameter, `fun`, `∀`, `let`) does not either. `x.name` counts as a mention of
`T.name` where `T` is the only type here with something so called: too much rather than too little. Not seen:
names made by macros, instances found by search. For reading and navigation, never for verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from workbench.lean.declarations import Declaration, FileScan, name_parts
from workbench.lean.lexer import ID_REST, NAME, NAME_PART

# Of declarations with one full name, how many are looked at and how many one mention can mean. Real files have a
# few; thousands that each mention all the others would fill the memory.
_LOOKED_AT, _MEANT = 500, 20


class Ref(NamedTuple):
    """A declaration: its module and its position among the declarations of the file."""

    module: str
    position: int


def import_closure(imports: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return for each module what it reaches through imports, among the given modules; cycles are harmless."""
    result: dict[str, frozenset[str]] = {}
    for module in imports:
        seen: set[str] = set()
        todo = [module]
        while todo:
            for other in imports.get(todo.pop(), ()):
                if other in imports and other not in seen:
                    if other in result:
                        seen |= result[other]
                    else:
                        todo.append(other)
                    seen.add(other)
        result[module] = frozenset(seen)
    return result


_NAME = re.compile(rf"(?<![{ID_REST}.»]){NAME}")
_GROUP = r"[({\[⦃][^()\[\]{}⦃⦄]*[)}\]⦄]"
_BINDERS = re.compile(
    rf"(?:(?<![{ID_REST}.])fun(?![{ID_REST}])|[λ∀∃])((?:\s*(?:{_GROUP}|{NAME_PART}))+)"
)
_DOT = re.compile(rf"\.({NAME_PART})")
_TYPES = frozenset(("structure", "class", "inductive", "coinductive", "abbrev"))
_LET = re.compile(
    rf"(?<![{ID_REST}.])(?:let|have|haveI|letI|for|set)\s+(?:rec\s+|mut\s+)?({NAME_PART})"
)
_BOUND_IN_GROUP = re.compile(rf"[({{\[⦃]\s*((?:{NAME_PART}\s+)*{NAME_PART})\s*:(?!=)")
_PART = re.compile(NAME_PART)
_KEYWORDS = frozenset(
    (
        "fun",
        "let",
        "if",
        "then",
        "else",
        "match",
        "with",
        "do",
        "by",
        "have",
        "show",
        "from",
        "in",
        "where",
        "at",
    )
)


def bound_names(signature: str, code: str) -> frozenset[str]:
    """Return the names that a declaration binds itself: its parameters, and those of `fun`, `∀`, `∃`, `let`."""
    found = {
        name
        for match in _BOUND_IN_GROUP.finditer(signature)
        for name in _PART.findall(match[1])
    }
    for match in _BINDERS.finditer(code):
        group = match[1]
        if "(" in group or "{" in group or "[" in group or "⦃" in group:
            for inner in _BOUND_IN_GROUP.finditer(group):
                found.update(_PART.findall(inner[1]))
            group = re.sub(_GROUP, " ", group)
        found.update(_PART.findall(group))
    found.update(_LET.findall(code))
    return frozenset(found)


class _Names:
    """Full names of an instance, and how a name written somewhere finds them."""

    def __init__(self, scans: Mapping[str, FileScan]) -> None:
        self.known: dict[str, list[Ref]] = {}
        for module, scan in scans.items():
            for index, item in enumerate(scan.declarations):
                ref = Ref(module, index)
                if item.name:
                    self.known.setdefault(item.name, []).append(ref)
                for member in item.members:
                    self.known.setdefault(member.full_name, []).append(ref)
        self.cache: dict[
            tuple[str, tuple[str, ...], str], tuple[tuple[Ref, ...], ...]
        ] = {}

    def candidates(
        self, namespace: str, opens: tuple[str, ...], name: str
    ) -> tuple[tuple[Ref, ...], ...]:
        """Return what `name` may mean, best first. Refs in one group have the same full name."""
        key = (namespace, opens, name)
        found = self.cache.get(key)
        if found is None:
            found = self.cache[key] = tuple(self._candidates(namespace, opens, name))
        return found

    def _candidates(
        self, namespace: str, opens: tuple[str, ...], name: str
    ) -> Iterable[tuple[Ref, ...]]:
        parts = name_parts(name)
        chain = [""]
        if parts[0] == "_root_":
            parts = parts[1:]
        else:
            around = name_parts(namespace) if namespace else ()
            chain = [".".join(around[:length]) for length in range(len(around), -1, -1)]
            for opened in opens:
                chain += [
                    f"{outer}.{opened}".strip(".") for outer in chain[: len(around) + 1]
                ]
        known = self.known
        for length in range(len(parts), 0, -1):
            written = ".".join(parts[:length])
            for outer in dict.fromkeys(chain):
                found = known.get(f"{outer}.{written}" if outer else written)
                if found:
                    yield tuple(found)


def uses(
    scans: Mapping[str, FileScan], among: frozenset[str] | None = None
) -> dict[Ref, tuple[Ref, ...]]:
    """Return for each declaration of the given modules the declarations it mentions, in order of the text.

    Keys of `scans` are Lean module names. Every declaration has an entry; none mentions itself. Fields and
    constructors count as mentions of the declaration that lists them. With `among`, only names that have one of
    these words as a part are looked up.
    """
    closure = import_closure(
        {m: [i.module for i in scan.header.imports] for m, scan in scans.items()}
    )
    names = _Names(scans)
    # Only names that share a part with a known one are looked up.
    worth = among or {part for name in names.known for part in name_parts(name)}
    promising: dict[str, bool] = dict.fromkeys(_KEYWORDS, False)
    methods = _methods(scans)
    result: dict[Ref, tuple[Ref, ...]] = {}
    for module, scan in scans.items():
        reach = closure[module]
        for index, item in enumerate(scan.declarations):
            me = Ref(module, index)
            code = scan.code[item.code_start : item.end]
            written = dict.fromkeys(_NAME.findall(code))
            wanted = []
            for name in written:
                if name not in promising:
                    promising[name] = not worth.isdisjoint(name_parts(name))
                if promising[name]:
                    wanted.append(name)
            bound = bound_names(item.signature, code) if wanted else frozenset()
            bound |= {member.name for member in item.members}
            found: dict[Ref, None] = {}
            for name in wanted:
                if name_parts(name)[0] in bound:
                    continue
                for group in names.candidates(item.namespace, item.opens, name):
                    seen = [
                        ref
                        for ref in islice(group, _LOOKED_AT)
                        if visible(scans, reach, me, item, ref)
                    ][:_MEANT]
                    if seen:
                        found.update(dict.fromkeys(seen))
                        break
            for part in dict.fromkeys(_DOT.findall(code)):
                for ref in methods.get(part, ()):
                    if visible(scans, reach, me, item, ref):
                        found[ref] = None
            found.pop(me, None)
            result[me] = tuple(found)
    return result


def _methods(scans: Mapping[str, FileScan]) -> dict[str, list[Ref]]:
    """Return by last name what stands in the namespace of a type, where only one type has something so called.

    For `x.name`, where text does not tell the type of `x`. Names of fields are left out: `x.name` is the field.
    """
    types = {
        item.name
        for scan in scans.values()
        for item in scan.declarations
        if item.kind in _TYPES
    }
    fields = {
        member.name
        for scan in scans.values()
        for item in scan.declarations
        for member in item.members
    }
    found: dict[str, list[Ref]] = {}
    owners: dict[str, set[str]] = {}
    for module, scan in scans.items():
        for index, item in enumerate(scan.declarations):
            owner, _, last = item.name.rpartition(".")
            if owner in types and last not in fields:
                found.setdefault(last, []).append(Ref(module, index))
                owners.setdefault(last, set()).add(owner)
    return {last: refs for last, refs in found.items() if len(owners[last]) == 1}


def visible(
    scans: Mapping[str, FileScan],
    reach: frozenset[str],
    me: Ref,
    item: Declaration,
    other: Ref,
) -> bool:
    """Return whether `item`, which is `me` and whose module reaches `reach`, can name `other`."""
    if other.module != me.module:
        return (
            other.module in reach
            and not scans[other.module].declarations[other.position].private
        )
    if other.position <= me.position:
        return True
    return (
        item.mutual is not None
        and scans[other.module].declarations[other.position].mutual == item.mutual
    )
