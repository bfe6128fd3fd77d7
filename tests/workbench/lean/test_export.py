"""The export for other kernels: read back line by line by a reader of its own, it gives the very terms that went in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.workbench.lean.builds import environment_of
from tests.workbench.lean.test_replay import TEXT
from workbench.lean.constants import InductiveData
from workbench.lean.export import export
from workbench.lean.library import Environment
from workbench.lean.names import Name
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.replay_plan import QUOT_NAMES, plan_replay
from workbench.lean.terms import (
    APP,
    BVAR,
    CONST,
    L_IMAX,
    L_MAX,
    L_PARAM,
    L_SUCC,
    LAM,
    LET,
    LIT,
    PI,
    PROJ,
    SORT,
    Bank,
)

pytestmark = pytest.mark.lean
BINDERS = ["default", "implicit", "strictImplicit", "instImplicit"]
MORE = """
theorem big : 123456789012345678901234567890 = 123456789012345678901234567890 := rfl
theorem named : "a\\"\\\\ü\\n" = "a\\"\\\\ü\\n" := rfl
def unboxed (p : Nat × Nat) : Nat := let q := p.1; q + p.2
theorem projected (p : Nat × Nat) : unboxed p = p.1 + p.2 := rfl
theorem choosy (p : Prop) (h : ¬ ¬ p) : p := (Classical.em p).elim id (fun n => (h n).elim)
"""
ROOTS = ["tree", "cased", "odd", "ext'", "big", "named", "projected", "choosy"]


class Reader:
    """Reads an export into a bank, strictly: numbers in order, nothing used before it is there, no line of another kind."""

    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self.names: list[Name] = [()]
        self.levels = [bank.zero()]
        self.terms: list[int] = []
        self.declared: dict[Name, tuple[str, dict[str, Any]]] = {}

    def read(self, data: bytes) -> Reader:
        first, *lines = data.decode().split("\n")
        assert json.loads(first)["meta"]["format"] == {"version": "3.1.0"}
        assert lines.pop() == ""
        for line in lines:
            self.line(json.loads(line))
        return self

    def line(self, document: dict[str, Any]) -> None:
        if "in" in document:
            assert document.pop("in") == len(self.names)
            ((kind, body),) = document.items()
            self.names.append(self.name(kind, body))
        elif "il" in document:
            assert document.pop("il") == len(self.levels)
            ((kind, body),) = document.items()
            self.levels.append(self.level(kind, body))
        elif "ie" in document:
            assert document.pop("ie") == len(self.terms)
            ((kind, body),) = document.items()
            self.terms.append(self.term(kind, body))
        else:
            ((kind, body),) = document.items()
            self.declaration(kind, body)

    def declaration(self, kind: str, body: dict[str, Any]) -> None:
        if kind == "inductive":
            for part in ("types", "ctors", "recs"):
                for entry in body[part]:
                    self.declare(part, entry)
        else:
            assert kind in ("axiom", "def", "thm", "opaque", "quot")
            self.declare(kind, body)

    def declare(self, kind: str, body: dict[str, Any]) -> None:
        name = self.names[body["name"]]
        assert name not in self.declared
        self.declared[name] = kind, body

    def name(self, kind: str, body: Any) -> Name:
        last = body["str"] if kind == "str" else body["i"]
        return (*self.names[body["pre"]], last)

    def level(self, kind: str, body: Any) -> int:
        at = self.levels
        if kind == "param":
            return self.bank.intern((L_PARAM, self.names[body]))
        if kind == "succ":
            return self.bank.intern((L_SUCC, at[body]))
        tag = {"max": L_MAX, "imax": L_IMAX}[kind]
        return self.bank.intern((tag, at[body[0]], at[body[1]]))

    def term(self, kind: str, body: Any) -> int:
        at, names = self.terms, self.names
        if kind == "app":
            return self.bank.intern((APP, at[body["fn"]], at[body["arg"]]))
        if kind == "bvar":
            return self.bank.intern((BVAR, body))
        if kind == "sort":
            return self.bank.intern((SORT, self.levels[body]))
        if kind == "const":
            levels = tuple(self.levels[level] for level in body["us"])
            return self.bank.intern((CONST, names[body["name"]], levels))
        if kind in ("lam", "forallE"):
            tag, info = {"lam": LAM, "forallE": PI}[kind], body["binderInfo"]
            parts = at[body["type"]], at[body["body"]]
            return self.bank.intern(
                (tag, names[body["name"]], BINDERS.index(info), *parts)
            )
        if kind == "letE":
            three = (at[body[part]] for part in ("type", "value", "body"))
            return self.bank.intern((LET, names[body["name"]], *three))
        if kind == "proj":
            place = names[body["typeName"]], body["idx"]
            return self.bank.intern((PROJ, *place, at[body["struct"]]))
        value = {"natVal": int, "strVal": str}[kind](body)
        return self.bank.intern((LIT, value))


@pytest.fixture(scope="module")
def environment(
    pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    return environment_of(pocket, {"M": TEXT + MORE}, tmp_path_factory.mktemp("export"))


@pytest.fixture(scope="module")
def read(environment: Environment) -> Reader:
    plan = plan_replay(environment, [(root,) for root in ROOTS])
    return Reader(environment.bank).read(export(plan))


def test_it_holds_everything_that_is_replayed(
    environment: Environment, read: Reader
) -> None:
    plan = plan_replay(environment, [(root,) for root in ROOTS])
    assert plan.names() <= read.declared.keys()
    more = read.declared.keys() - plan.names()
    assert {read.declared[name][0] for name in more} <= {"recs"}


def test_types_and_values_are_the_terms_that_went_in(
    environment: Environment, read: Reader
) -> None:
    for name, (kind, body) in read.declared.items():
        constant = environment.find(name)
        assert constant is not None
        assert read.terms[body["type"]] == constant.type
        parameters = tuple(read.names[number] for number in body["levelParams"])
        assert parameters == constant.level_params
        if kind in ("def", "thm", "opaque"):
            assert read.terms[body["value"]] == constant.value
    assert {kind for kind, _ in read.declared.values()} >= {
        "axiom", "def", "thm", "quot", "types", "ctors", "recs",
    }  # fmt: skip


def test_families_come_whole_with_the_recursors_of_nested_types(
    environment: Environment, read: Reader
) -> None:
    assert read.declared["Tree", "rec_1"][0] == "recs"
    assert read.declared["Even", "rec"][0] == "recs"
    kind, body = read.declared["Tree",]
    data = environment.find(("Tree",))
    assert kind == "types"
    assert data is not None
    assert isinstance(data.data, InductiveData)
    assert (body["numParams"], body["numNested"], body["isRec"]) == (0, 1, True)
    assert [read.names[number] for number in body["ctors"]] == [("Tree", "node")]


def test_quotients_come_together_after_equality(read: Reader) -> None:
    order = list(read.declared)
    first = order.index(QUOT_NAMES[0])
    assert tuple(order[first : first + 4]) == QUOT_NAMES
    assert order.index(("Eq",)) < first
    kinds = [read.declared[name][1]["kind"] for name in QUOT_NAMES]
    assert kinds == ["type", "ctor", "lift", "ind"]


def test_every_declaration_comes_after_those_it_uses(
    environment: Environment, read: Reader
) -> None:
    order = {name: number for number, name in enumerate(read.declared)}
    for name, (kind, _) in read.declared.items():
        if kind not in ("def", "thm", "axiom", "opaque"):
            continue
        for used in environment.uses(name) & order.keys():
            assert order[used] < order[name], (name, used)


def test_the_same_plan_gives_the_same_text(environment: Environment) -> None:
    one, two = (export(plan_replay(environment, [("odd",)])) for _ in range(2))
    assert one == two
