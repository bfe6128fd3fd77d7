"""Universe levels as text."""

from __future__ import annotations

from workbench.lean.names import show
from workbench.lean.terms import L_MAX, L_PARAM, L_SUCC, L_ZERO, Bank, Level


def pretty_level(bank: Bank, level: Level) -> str:
    """Return a universe level as Lean writes it."""
    node, offset = bank[level], 0
    while node[0] == L_SUCC:
        node, offset = bank[node[1]], offset + 1
    if node[0] == L_ZERO:
        return str(offset)
    if node[0] == L_PARAM:
        text = show(node[1])
    else:
        sides = " ".join(parenthesised(pretty_level(bank, side)) for side in node[1:])
        text = f"{'max' if node[0] == L_MAX else 'imax'} {sides}"
        text = f"({text})" if offset else text
    return f"{text}+{offset}" if offset else text


def parenthesised(text: str) -> str:
    """Return `text` in parentheses if it is more than one word."""
    return f"({text})" if " " in text or "+" in text else text
