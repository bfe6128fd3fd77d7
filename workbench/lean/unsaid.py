"""What a declaration may rely on without naming it: instances found by search, and methods whose type text cannot tell.

Too much rather than too little. For deciding what a change can reach, never for reading: a reader would not find them.

- An instance: Lean searches for it when it meets its types. So whatever reaches a type may rely on all instances that
  name this type in their signature and stand where it can see them; those that name no type of ours concern everything.
- `x.name` where several types, or a field as well, have something so called (`uses` leaves these out).

Nothing is told that is reached by uses anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from workbench.lean.components import components
from workbench.lean.declarations import Declaration, FileScan
from workbench.lean.lexer import ID_REST, NAME_PART
from workbench.lean.uses import Ref, import_closure, visible

_TYPES = frozenset(("structure", "class", "inductive", "coinductive", "abbrev", "def"))
_OWNERS = _TYPES - {"def"}
_DOT = re.compile(rf"\.({NAME_PART})")

Uses = Mapping[Ref, Iterable[Ref]]


def unsaid(scans: Mapping[str, FileScan], uses: Uses) -> dict[Ref, tuple[Ref, ...]]:
    """Return for each declaration what it may rely on besides its `uses`; those without are left out."""
    return _Unsaid(scans, uses).run()


class _Unsaid:
    def __init__(self, scans: Mapping[str, FileScan], uses: Uses) -> None:
        self.scans, self.uses = scans, uses
        self.items: dict[Ref, Declaration] = {
            Ref(module, index): item
            for module, scan in scans.items()
            for index, item in enumerate(scan.declarations)
        }
        self.reach = import_closure(
            {
                name: [i.module for i in scan.header.imports]
                for name, scan in scans.items()
            }
        )
        self.instances = [
            ref for ref, item in self.items.items() if item.kind == "instance"
        ]
        self.types_of = {ref: self.named_types(ref) for ref in self.instances}
        self.methods = self.doubtful_methods()
        #: Bits: what each declaration reaches, itself included.
        self.bit = {ref: 1 << number for number, ref in enumerate(self.items)}

    def run(self) -> dict[Ref, tuple[Ref, ...]]:
        if not self.instances and not self.methods:
            return {}
        reached: dict[Ref, int] = {}
        found: dict[Ref, tuple[Ref, ...]] = {}
        for component in components(self.items, self.uses):
            inside = set(component)
            bits = 0
            for ref in component:
                bits |= self.bit[ref]
                for used in self.uses.get(ref, ()):
                    if used not in inside:
                        bits |= reached[used]
            for ref in component:
                more = [
                    other
                    for other in self.candidates(ref, bits)
                    if not bits & self.bit[other] and self.sees(ref, other)
                ]
                if more:
                    found[ref] = tuple(more)
            for ref in component:
                for other in found.get(ref, ()):
                    bits |= self.bit[other]
            for ref in component:
                reached[ref] = bits
        return found

    def candidates(self, ref: Ref, bits: int) -> dict[Ref, None]:
        """Return what `ref`, which reaches `bits`, may rely on, wherever it stands."""
        found: dict[Ref, None] = {}
        for instance in self.instances:
            types = self.types_of[instance]
            if not types or any(bits & self.bit[one] for one in types):
                found[instance] = None
        if self.methods:
            item = self.items[ref]
            code = self.scans[ref.module].code[item.code_start : item.end]
            for part in dict.fromkeys(_DOT.findall(code)):
                found.update(dict.fromkeys(self.methods.get(part, ())))
        return found

    def named_types(self, ref: Ref) -> list[Ref]:
        """Return the types of ours that the signature of an instance names."""
        signature = self.items[ref].signature
        return [
            used
            for used in self.uses.get(ref, ())
            if self.items[used].kind in _TYPES
            and re.search(
                rf"(?<![{ID_REST}]){re.escape(self.items[used].short_name)}(?![{ID_REST}])",
                signature,
            )
        ]

    def doubtful_methods(self) -> dict[str, list[Ref]]:
        """Return by last name what stands in the namespace of a type, where another type or a field is so called."""
        owners = {item.name for item in self.items.values() if item.kind in _OWNERS}
        fields = {
            member.name for item in self.items.values() for member in item.members
        }
        found: dict[str, list[Ref]] = {}
        types: dict[str, set[str]] = {}
        for ref, item in self.items.items():
            owner, _, last = item.name.rpartition(".")
            if owner in owners:
                found.setdefault(last, []).append(ref)
                types.setdefault(last, set()).add(owner)
        return {
            last: refs
            for last, refs in found.items()
            if len(types[last]) > 1 or last in fields
        }

    def sees(self, ref: Ref, other: Ref) -> bool:
        return ref != other and visible(
            self.scans, self.reach[ref.module], ref, self.items[ref], other
        )
