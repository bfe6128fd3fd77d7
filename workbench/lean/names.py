"""Lean names as tuples, and the hash functions that Lean caches in compiled files.

A name is a tuple of components, each a `str` or a non-negative `int`; the anonymous name is `()`. Names are never
joined into one string for a decision: `("a.b",)` and `("a", "b")` are different names.
"""

from __future__ import annotations

import re

Name = tuple[str | int, ...]

_MASK = 0xFFFFFFFFFFFFFFFF
_M = 0xC6A4A7935BD1E995
ANONYMOUS_HASH = 1723
_STRING_SEED = 11
_PLAIN = re.compile(r"[^\W\d][\w'!?]*")
_AUXILIARY = re.compile(
    r"match_\d+|_match_\d+|_?proof_\d+|_?eq_\d+|_?eq_def|_simp_\d+|_unfold|_sunfold|_unary|_mutual|_sizeOf_\d+|_sizeOf_inst"
    r"|splitter|congr_simp|congr_eq_\d+|_auxLemma|_lambda_\d+|_elam_\d+|_aux|_omega_\d+|_f|match_\d+_\d+|congr|hcongr_\d+|congr_simp_\d+"
)


def mix_hash(first: int, second: int) -> int:
    """Return Lean's `mixHash` of two 64-bit numbers (`lean_uint64_mix_hash`)."""
    second = (second * _M) & _MASK
    second ^= second >> 47
    second ^= _M
    return ((first ^ second) * _M) & _MASK


def bytes_hash(data: bytes, seed: int = _STRING_SEED) -> int:
    """Return Lean's 64-bit hash of a string's UTF-8 bytes (MurmurHash64A as in `lean::hash_str`)."""
    size = len(data)
    whole = size & ~7
    result = (seed ^ (size * _M)) & _MASK
    for at in range(0, whole, 8):
        word = (int.from_bytes(data[at : at + 8], "little") * _M) & _MASK
        word = ((word ^ (word >> 47)) * _M) & _MASK
        result = ((result ^ word) * _M) & _MASK
    if size > whole:
        result = ((result ^ int.from_bytes(data[whole:], "little")) * _M) & _MASK
    result = ((result ^ (result >> 47)) * _M) & _MASK
    return result ^ (result >> 47)


def name_hash(name: Name) -> int:
    """Return the hash that Lean caches in a `Name` object (1723 for the anonymous name)."""
    result = ANONYMOUS_HASH
    for component in name:
        if isinstance(component, str):
            result = mix_hash(result, bytes_hash(component.encode()))
        else:
            result = mix_hash(result, number_hash(component))
    return result


def number_hash(component: int) -> int:
    """Return the hash of a numeric name component: itself, or 17 when it does not fit 64 bits."""
    return component if component <= _MASK else 17


def show(name: Name) -> str:
    """Return `name` as Lean would write it: unusual components in «», control characters escaped, so that it is one line.

    For reading only. Two different names can look alike when they contain `»`; decisions compare tuples.
    """
    if not name:
        return "[anonymous]"
    return ".".join(_show_component(component) for component in name)


def _show_component(component: str | int) -> str:
    if isinstance(component, int):
        return str(component)
    if _PLAIN.fullmatch(component):
        return component
    escaped = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in component
    )
    return f"«{escaped}»"


def parse(text: str) -> Name:
    """Return the name that `text` writes, components split at dots outside «»; all-digit components become numbers.

    Raises `ValueError` for an empty component or an unclosed «.
    """
    components: list[str | int] = []
    at = 0
    while True:
        if text.startswith("«", at):
            end = text.find("»", at)
            if end < 0:
                raise ValueError(f"name {text!r}: « without »")
            components.append(text[at + 1 : end])
            at = end + 1
        else:
            end = text.find(".", at)
            end = len(text) if end < 0 else end
            word = text[at:end]
            if not word:
                raise ValueError(f"name {text!r}: a component is empty")
            components.append(
                int(word) if word.isascii() and word.isdecimal() else word
            )
            at = end
        if at == len(text):
            return tuple(components)
        if text[at] != ".":
            raise ValueError(f"name {text!r}: expected a dot at column {at + 1}")
        at += 1


def is_auxiliary(name: Name) -> bool:
    """Return whether the compiler makes constants called so by itself: matchers, lifted proofs, equation lemmas."""
    last = next((c for c in reversed(name) if isinstance(c, str)), "")
    return _AUXILIARY.fullmatch(last) is not None
