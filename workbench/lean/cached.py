"""The words that Lean caches in levels and terms, computed from those of their children.

Facts (Lean 4.35, `Level.data`, `Expr.data`). A level's word: 32 bits of hash, bit 32 meta variables, bit 33 parameters,
depth from bit 40. A term's word: 32 bits of hash, 8 of depth (255 at most), four flags (free, meta, level meta
variables, level parameters), and from bit 44 one more than the largest loose bound variable.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.lean.names import mix_hash

LEVEL_ZERO = 2221
LOOSE_SHIFT = 44
LARGEST_LOOSE = (1 << 20) - 1
_LOW = 0xFFFFFFFF
_FLAGS = 15 << 40
_LEVEL_FLAGS = 3 << 32
_M = 0xC6A4A7935BD1E995
_MASK = 0xFFFFFFFFFFFFFFFF


def level_param(name: int) -> int:
    """Return the word of a level parameter whose name has hash `name`."""
    return mix_hash(2239, name) & _LOW | 1 << 33


def level_succ(level: int) -> int:
    """Return the word of the successor of a level."""
    return (
        mix_hash(2243, level & _LOW) & _LOW
        | level & _LEVEL_FLAGS
        | (level >> 40) + 1 << 40
    )


def level_max(first: int, second: int, seed: int = 2251) -> int:
    """Return the word of `max`."""
    mixed = mix_hash(seed, mix_hash(first & _LOW, second & _LOW)) & _LOW
    depth = max(first >> 40, second >> 40) + 1
    return mixed | (first | second) & _LEVEL_FLAGS | depth << 40


def level_imax(first: int, second: int) -> int:
    """Return the word of `imax`."""
    return level_max(first, second, 2267)


def bvar(index: int) -> int:
    """Return the word of a bound variable, `index` below `LARGEST_LOOSE`."""
    return mix_hash(7, index) & _LOW | index + 1 << LOOSE_SHIFT


def sort(level: int) -> int:
    """Return the word of a sort."""
    return mix_hash(11, level & _LOW) & _LOW | (level >> 32 & 3) << 42


def const(name: int, levels: Iterable[int]) -> int:
    """Return the word of a constant at levels given by their words."""
    hashed, flags = 7, 0
    for level in levels:
        hashed, flags = mix_hash(hashed, level & _LOW), flags | level
    return mix_hash(5, mix_hash(name, hashed)) & _LOW | (flags >> 32 & 3) << 42


def app(function: int, argument: int) -> int:
    """Return the word of an application. `mix_hash` is written out here: this is half of all terms."""
    mixed = (argument * _M) & _MASK
    mixed ^= mixed >> 47
    mixed = ((function ^ mixed ^ _M) * _M) & _LOW
    depth = max(function >> 32 & 255, argument >> 32 & 255) + 1
    loose = max(function >> LOOSE_SHIFT, argument >> LOOSE_SHIFT)
    return (
        (function | argument) & _FLAGS
        | mixed
        | min(depth, 255) << 32
        | loose << LOOSE_SHIFT
    )


def binder(kind: int, body: int) -> int:
    """Return the word of a `fun` or `∀` with that type and body."""
    depth = max(kind >> 32 & 255, body >> 32 & 255) + 1
    mixed = mix_hash(depth, mix_hash(kind & _LOW, body & _LOW)) & _LOW
    loose = max(kind >> LOOSE_SHIFT, (body >> LOOSE_SHIFT) - 1)
    return (kind | body) & _FLAGS | mixed | min(depth, 255) << 32 | loose << LOOSE_SHIFT


def let(kind: int, value: int, body: int) -> int:
    """Return the word of a `let`."""
    depth = max(kind >> 32 & 255, value >> 32 & 255, body >> 32 & 255) + 1
    inner = mix_hash(kind & _LOW, mix_hash(value & _LOW, body & _LOW))
    loose = max(kind >> LOOSE_SHIFT, value >> LOOSE_SHIFT, (body >> LOOSE_SHIFT) - 1)
    return (
        (kind | value | body) & _FLAGS
        | mix_hash(depth, inner) & _LOW
        | min(depth, 255) << 32
        | loose << LOOSE_SHIFT
    )


def literal(value: int) -> int:
    """Return the word of a literal whose own hash is `value` (a number modulo 2⁶⁴, or a string's hash)."""
    return mix_hash(3, value & _MASK) & _LOW


def mdata(term: int) -> int:
    """Return the word of a term with metadata around it."""
    return _wrapped(term, term & _LOW)


def proj(structure: int, index: int, term: int) -> int:
    """Return the word of a projection out of the structure whose name has hash `structure`."""
    return _wrapped(term, mix_hash(structure, mix_hash(index & _MASK, term & _LOW)))


def _wrapped(term: int, inner: int) -> int:
    depth = (term >> 32 & 255) + 1
    keep = term & _FLAGS | term >> LOOSE_SHIFT << LOOSE_SHIFT
    return keep | mix_hash(depth, inner) & _LOW | min(depth, 255) << 32
