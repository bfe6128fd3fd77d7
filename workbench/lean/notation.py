"""Which constants of Lean's core are printed as operators, with the precedences of Lean's own notation."""

from __future__ import annotations

from typing import Final

from workbench.lean.names import Name

# Operators by constant: how many arguments there are, which two are shown, symbol, precedence of the whole and of both sides.
INFIX: Final[dict[Name, tuple[int, int, int, str, int, int, int]]] = {
    ("Iff",): (2, 0, 1, "↔", 20, 21, 21),
    ("Or",): (2, 0, 1, "∨", 30, 31, 30),
    ("And",): (2, 0, 1, "∧", 35, 36, 35),
    ("Eq",): (3, 1, 2, "=", 50, 51, 51),
    ("Ne",): (3, 1, 2, "≠", 50, 51, 51),
    ("HEq",): (4, 1, 3, "≍", 50, 51, 51),
    ("LE", "le"): (4, 2, 3, "≤", 50, 51, 51),
    ("LT", "lt"): (4, 2, 3, "<", 50, 51, 51),
    ("GE", "ge"): (4, 2, 3, "≥", 50, 51, 51),
    ("GT", "gt"): (4, 2, 3, ">", 50, 51, 51),
    ("BEq", "beq"): (4, 2, 3, "==", 50, 51, 51),
    ("bne",): (4, 2, 3, "!=", 50, 51, 51),
    ("Membership", "mem"): (5, 4, 3, "∈", 50, 51, 51),
    ("HasSubset", "Subset"): (4, 2, 3, "⊆", 50, 51, 51),
    ("Dvd", "dvd"): (4, 2, 3, "∣", 50, 51, 51),
    ("or",): (2, 0, 1, "||", 30, 30, 31),
    ("and",): (2, 0, 1, "&&", 35, 35, 36),
    ("HAppend", "hAppend"): (6, 4, 5, "++", 65, 65, 66),
    ("HAdd", "hAdd"): (6, 4, 5, "+", 65, 65, 66),
    ("HSub", "hSub"): (6, 4, 5, "-", 65, 65, 66),
    ("HMul", "hMul"): (6, 4, 5, "*", 70, 70, 71),
    ("HDiv", "hDiv"): (6, 4, 5, "/", 70, 70, 71),
    ("HMod", "hMod"): (6, 4, 5, "%", 70, 70, 71),
    ("HPow", "hPow"): (6, 4, 5, "^", 75, 76, 75),
    ("List", "cons"): (3, 1, 2, "::", 67, 68, 67),
    ("Prod",): (2, 0, 1, "×", 35, 36, 35),
    ("Sum",): (2, 0, 1, "⊕", 30, 31, 30),
    ("Function", "comp"): (5, 3, 4, "∘", 90, 91, 90),
}
PREFIX: Final[dict[Name, tuple[int, int, str, int]]] = {
    ("Not",): (1, 0, "¬", 40),
    ("not",): (1, 0, "!", 40),
    ("Neg", "neg"): (3, 2, "-", 75),
}
