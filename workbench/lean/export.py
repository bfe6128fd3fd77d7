"""A plan as text for kernels of other makers: the Lean 4 export format, version 3.1.0 (NDJSON, as `lean4export` writes it).

Every line is one JSON object: first `meta`, then names, levels and terms with their numbers in the order of the numbers, each after what it
refers to, and declarations, each after those it uses. Everything is written from validated terms; metadata are not kept. A second
proof of one theorem stands under a name that nothing else has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from workbench.lean.constants import (
    ABBREV_HINT,
    OPAQUE_HINT,
    Constant,
    ConstructorData,
    InductiveData,
    QuotData,
    RecursorData,
)
from workbench.lean.layouts import LAYOUTS
from workbench.lean.library import Environment
from workbench.lean.names import Name
from workbench.lean.replay_plan import QUOT_NAMES, Plan
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
    LAM,
    LET,
    LIT,
    PI,
    PROJ,
    SORT,
    Level,
    Node,
    Term,
)

FORMAT = "3.1.0"
_BINDERS = ("default", "implicit", "strictImplicit", "instImplicit")
_QUOT_KINDS = ("type", "ctor", "lift", "ind")


def export(plan: Plan) -> bytes:
    """Return the whole text of a plan. Raises ValueError for a number that Python does not write in decimal digits."""
    return "\n".join((*_Exporter(plan.environment).lines(plan), "")).encode()


class _Exporter:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.nodes = environment.bank.nodes
        self.out: list[str] = []
        self._names: dict[Name, int] = {(): 0}
        # Numbers of the bank to numbers of the text; levels and terms count apart, and level zero is there from the start.
        self._levels: dict[int, int] = {}
        self._terms: dict[int, int] = {}

    def lines(self, plan: Plan) -> Iterator[str]:
        maker = {"name": "proofroom", "version": "1"}
        lean = {"version": LAYOUTS[0].lean, "githash": ""}
        meta = {"exporter": maker, "lean": lean, "format": {"version": FORMAT}}
        self._put({"meta": meta})
        done: set[Name] = set()
        for step in plan.steps:
            if done.isdisjoint(step):
                done.update(step)
                self._step(step)
        return iter(self.out)

    def _put(self, document: Any) -> None:
        self.out.append(json.dumps(document, ensure_ascii=False, separators=(",", ":")))

    # Names, levels, terms

    def name(self, name: Name) -> int:
        found = self._names.get(name)
        if found is None:
            before, last = self.name(name[:-1]), name[-1]
            found = self._names[name] = len(self._names)
            part: dict[str, Any] = (
                {"str": {"pre": before, "str": last}}
                if isinstance(last, str)
                else {"num": {"pre": before, "i": last}}
            )
            self._put({"in": found, **part})
        return found

    def names(self, names: Sequence[Name]) -> list[int]:
        return [self.name(name) for name in names]

    def level(self, root: Level) -> int:
        done, stack = self._levels, [root]
        while stack:
            level = stack[-1]
            if level in done:
                stack.pop()
                continue
            node = self.nodes[level]
            below = [] if node[0] in (L_ZERO, L_PARAM) else node[1:]
            missing = [child for child in below if child not in done]
            if missing:
                stack += missing
            elif node[0] == L_ZERO:
                done[level] = 0
            else:
                body = self._level(node)
                # One more than those before, of which zero may not have come up yet.
                done[level] = len(done) + (self.environment.bank.zero() not in done)
                self.out.append(f'{{"il":{done[level]},{body}}}')
        return done[root]

    def _level(self, node: Node) -> str:
        kind = node[0]
        if kind == L_PARAM:
            return f'"param":{self.name(node[1])}'
        if kind == L_SUCC:
            return f'"succ":{self._levels[node[1]]}'
        word = {L_MAX: "max", L_IMAX: "imax"}[kind]
        return f'"{word}":[{self._levels[node[1]]},{self._levels[node[2]]}]'

    def term(self, root: Term) -> int:
        done, nodes, stack = self._terms, self.nodes, [root]
        while stack:
            term = stack[-1]
            if term in done:
                stack.pop()
                continue
            node = nodes[term]
            missing = [
                node[place] for place in CHILDREN[node[0]] if node[place] not in done
            ]
            if missing:
                stack += missing
                continue
            body = self._term(node)
            done[term] = len(done)
            self.out.append(f'{{"ie":{done[term]},{body}}}')
        return done[root]

    def _term(self, node: Node) -> str:
        kind, at = node[0], self._terms
        if kind == APP:
            return f'"app":{{"fn":{at[node[1]]},"arg":{at[node[2]]}}}'
        if kind == BVAR:
            return f'"bvar":{node[1]}'
        if kind == SORT:
            return f'"sort":{self.level(node[1])}'
        if kind == CONST:
            levels = ",".join(str(self.level(level)) for level in node[2])
            return f'"const":{{"name":{self.name(node[1])},"us":[{levels}]}}'
        if kind in (LAM, PI):
            word = "lam" if kind == LAM else "forallE"
            parts = (
                f'"name":{self.name(node[1])},"type":{at[node[3]]},"body":{at[node[4]]}'
            )
            return f'"{word}":{{{parts},"binderInfo":"{_BINDERS[node[2]]}"}}'
        if kind == LET:
            parts = f'"name":{self.name(node[1])},"type":{at[node[2]]},"value":{at[node[3]]},"body":{at[node[4]]}'
            return f'"letE":{{{parts},"nondep":false}}'
        if kind == PROJ:
            return f'"proj":{{"typeName":{self.name(node[1])},"idx":{node[2]},"struct":{at[node[3]]}}}'
        assert kind == LIT
        if isinstance(node[1], str):
            return f'"strVal":{json.dumps(node[1], ensure_ascii=False)}'
        return f'"natVal":"{node[1]}"'

    # Declarations

    def _step(self, step: tuple[Name, ...]) -> None:
        if step == QUOT_NAMES:
            for name in QUOT_NAMES:
                constant = self.environment.find(name)
                if constant is not None and isinstance(constant.data, QuotData):
                    kind = _QUOT_KINDS[constant.data.which]
                    self._put({"quot": {**self._common(constant), "kind": kind}})
            return
        for number, constant in enumerate(self.environment.all(step[0])):
            if isinstance(constant.data, InductiveData):
                self._family(step)
            else:
                own = (*constant.name, "_duplicate", number) if number else ()
                self._simple(replace(constant, name=own) if own else constant)

    def _common(self, constant: Constant) -> dict[str, Any]:
        return {
            "name": self.name(constant.name),
            "levelParams": self.names(constant.level_params),
            "type": self.term(constant.type),
        }

    def _simple(self, constant: Constant) -> None:
        document = self._common(constant)
        if constant.kind == "axiom":
            self._put({"axiom": {**document, "isUnsafe": False}})
            return
        assert constant.value is not None
        document["value"] = self.term(constant.value)
        document["all"] = self.names(constant.all)
        if constant.kind == "theorem":
            self._put({"thm": document})
        elif constant.kind == "opaque":
            self._put({"opaque": {**document, "isUnsafe": False}})
        else:
            hints: Any = {"regular": constant.hints}
            hints = {OPAQUE_HINT: "opaque", ABBREV_HINT: "abbrev"}.get(
                constant.hints, hints
            )
            self._put({"def": {**document, "hints": hints, "safety": "safe"}})

    def _family(self, step: tuple[Name, ...]) -> None:
        found: dict[str, list[dict[str, Any]]] = {"types": [], "ctors": [], "recs": []}
        types: list[Name] = []
        for name in step:
            constant = self.environment.find(name)
            if constant is None:
                continue
            if isinstance(constant.data, InductiveData):
                types = list(constant.data.all)
                found["types"].append(self._inductive(constant, constant.data))
            elif isinstance(constant.data, ConstructorData):
                found["ctors"].append(self._constructor(constant, constant.data))
        for name in self._recursors(types):
            constant = self.environment.find(name)
            if constant is not None and isinstance(constant.data, RecursorData):
                found["recs"].append(self._recursor(constant, constant.data))
        self._put({"inductive": found})

    def _recursors(self, types: Sequence[Name]) -> list[Name]:
        """Return the recursors of a family: `T.rec` for each type, and `T.rec_1`, … of nested ones under the first."""
        names = [(*name, "rec") for name in types]
        number = 1
        while types and (*types[0], f"rec_{number}") in self.environment:
            names.append((*types[0], f"rec_{number}"))
            number += 1
        return names

    def _inductive(self, constant: Constant, data: InductiveData) -> dict[str, Any]:
        return {
            **self._common(constant),
            "numParams": data.parameters,
            "numIndices": data.indices,
            "all": self.names(data.all),
            "ctors": self.names(data.constructors),
            "numNested": data.nested,
            "isRec": data.recursive,
            "isUnsafe": False,
            "isReflexive": data.reflexive,
        }

    def _constructor(self, constant: Constant, data: ConstructorData) -> dict[str, Any]:
        return {
            **self._common(constant),
            "induct": self.name(data.inductive),
            "cidx": data.index,
            "numParams": data.parameters,
            "numFields": data.fields,
            "isUnsafe": False,
        }

    def _recursor(self, constant: Constant, data: RecursorData) -> dict[str, Any]:
        return {
            **self._common(constant),
            "all": self.names(data.all),
            "numParams": data.parameters,
            "numIndices": data.indices,
            "numMotives": data.motives,
            "numMinors": data.minors,
            "rules": [
                {
                    "ctor": self.name(rule.constructor),
                    "nfields": rule.fields,
                    "rhs": self.term(rule.right),
                }
                for rule in data.rules
            ],
            "k": data.k,
            "isUnsafe": False,
        }
