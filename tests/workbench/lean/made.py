"""Small compiled modules made by hand, for what a real compiler does not write. No Lean is needed."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.lean.constants import Constant, ConstructorData, InductiveData
from workbench.lean.module import Import, Module
from workbench.lean.olean import Image
from workbench.lean.terms import Bank
from workbench.lean.write import ImageWriter

NAT, ZERO, SUCC = ("Nat",), ("Nat", "zero"), ("Nat", "succ")


def constants(bank: Bank) -> list[Constant]:
    """A type, its constructors, an axiom, two definitions (one with a big number and a let) and a theorem."""
    prop, type_ = bank.sort(bank.zero()), bank.sort(bank.succ(bank.zero()))
    nat, zero = bank.const(NAT), bank.const(ZERO)
    arrow = bank.pi(("n",), nat, nat)
    u = bank.param(("u",))
    data = InductiveData(0, 0, (NAT,), (ZERO, SUCC), 0, True, False)
    big = bank.intern((9, 1 << 200))
    doubled = bank.lam(
        ("x", 7), nat, bank.intern((8, ("y",), nat, bank.bvar(0), bank.bvar(1)))
    )
    holds = bank.app(bank.const(("P",)), bank.app(bank.const(("f",)), zero))
    return [
        Constant(NAT, "inductive", (), type_, data=data),
        Constant(ZERO, "constructor", (), nat, data=ConstructorData(NAT, 0, 0, 0)),
        Constant(SUCC, "constructor", (), arrow, data=ConstructorData(NAT, 1, 0, 1)),
        Constant(("P",), "axiom", (), bank.pi(("n",), nat, prop)),
        Constant(("f",), "def", (), arrow, doubled, hints=1, all=(("f",),)),
        Constant(("big",), "def", (), nat, big, all=(("big",),)),
        Constant(
            ("id", "x"), "def", (("u",),), bank.pi(("α",), bank.sort(u), bank.sort(u)),
            bank.lam(("α",), bank.sort(u), bank.bvar(0)), all=(("id", "x"),),
        ),
        Constant(("holds",), "axiom", (), holds),
        Constant(("t",), "theorem", (), holds, bank.const(("holds",)), all=(("t",),)),
    ]  # fmt: skip


def file_of(bank: Bank, made: Sequence[Constant], imports: Sequence[str] = ()) -> bytes:
    """The bytes of a compiled module with these constants."""
    writer = ImageWriter(bank)
    lines = [Import((name,)) for name in imports]
    return writer.file(writer.module_data(lines, made))


def read(data: bytes, bank: Bank | None = None, name: str = "M") -> Module:
    """Read a module out of bytes. Raises OleanError."""
    return Module(
        (name,), Image(name, [memoryview(data)]), Bank() if bank is None else bank
    )


def module_of(
    bank: Bank, name: str, made: Sequence[Constant], imports: Sequence[str] = ()
) -> Module:
    """Write and read a module."""
    return read(file_of(bank, made, imports), bank, name)
