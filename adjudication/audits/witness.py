"""The counterexample in readable form, as a submission gives it in `witness.json`. Pure; format: docs/adjudicator/audit.md.

It is what the submitter says: nothing here was computed or checked by us, and nothing depends on it. Whatever the file
holds, reading it raises nothing: what cannot be read becomes a sentence beside the spec.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

MOST_BYTES, MOST_ROWS, MOST_CHARACTERS = 256 << 10, 200, 2_000
_HELD = {True: "true", False: "false"}


class Named(Protocol):
    """A spec, as far as a witness names it."""

    @property
    def lean_name(self) -> str: ...
    @property
    def short_name(self) -> str: ...


@dataclass(frozen=True)
class Variable:
    """A variable of the spec and its value; `words` is what the submitter says about it."""

    name: str
    value: str
    words: str = ""


@dataclass(frozen=True)
class Part:
    """A part of the spec and what each side comes to; `holds` is "true", "false" or "" where it was not said."""

    part: str
    left: str
    right: str
    holds: str = ""


@dataclass(frozen=True)
class Witness:
    """A witness as it is shown. `problem` says what could not be read; `cut` that more was given than is kept."""

    variables: Sequence[Variable] = ()
    parts: Sequence[Part] = ()
    words: str = ""
    problem: str = ""
    cut: bool = False
    raw: str = field(default="", compare=False)


def witness_for(raw: bytes | None, theorem: str, specs: Iterable[Named]) -> str:
    """Return the JSON that a closure keeps of the file `raw` for its theorem or specs; "" where it says nothing of them."""
    if raw is None:
        return ""
    if len(raw) > MOST_BYTES:
        return _problem(f"witness.json has {len(raw):,} bytes; at most {MOST_BYTES:,} are read")  # fmt: skip
    try:
        document = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return _problem(f"witness.json is not JSON: {str(error)[:200]}")
    listed = document.get("witnesses", [document]) if isinstance(document, dict) else document  # fmt: skip
    if not isinstance(listed, list):
        return _problem("witness.json: expected an object, or a list under `witnesses`")
    names = {theorem, theorem.rsplit(".", 1)[-1]}
    names |= {name for spec in specs for name in (spec.lean_name, spec.short_name)}
    for entry in listed[:MOST_ROWS]:
        if not isinstance(entry, dict):
            return _problem("witness.json: expected objects under `witnesses`")
        if len(listed) == 1 and not {"theorem", "spec"} & entry.keys():
            return _kept(entry)
        if names & {entry.get(key) for key in ("theorem", "spec") if isinstance(entry.get(key), str)}:  # fmt: skip
            return _kept(entry)
    return ""


def read_witness(kept: str) -> Witness | None:
    """Return what a closure keeps, ready to be shown; None where nothing was given."""
    if not kept:
        return None
    document: dict[str, Any] = json.loads(kept)
    return Witness(
        tuple(Variable(*row) for row in document.get("variables", ())),
        tuple(Part(*row) for row in document.get("parts", ())),
        document.get("words", ""),
        document.get("problem", ""),
        bool(document.get("cut")),
        json.dumps(document, indent=1, ensure_ascii=False),
    )


def _kept(entry: Mapping[str, Any]) -> str:
    try:
        variables = list(_variables(entry.get("variables", [])))
        parts = list(_parts(entry.get("parts", [])))
        words = shown(entry.get("words", ""))
    except _Unreadable as error:
        return _problem(f"witness.json: {error}")
    except RecursionError:
        return _problem("witness.json: a value is nested too deeply")
    document = {
        "variables": variables[:MOST_ROWS],
        "parts": parts[:MOST_ROWS],
        "words": words,
        "cut": max(len(variables), len(parts)) > MOST_ROWS,
    }
    return json.dumps(document, ensure_ascii=False)


class _Unreadable(ValueError):
    """What was expected instead."""


def _variables(given: object) -> Iterable[list[str]]:
    if isinstance(given, dict):
        given = [{"name": name, "value": value} for name, value in given.items()]
    if not isinstance(given, list):
        raise _Unreadable("expected a list or an object under `variables`")
    for row in given[: MOST_ROWS + 1]:
        if not isinstance(row, dict) or "name" not in row or "value" not in row:
            raise _Unreadable("expected objects with `name` and `value` under `variables`")  # fmt: skip
        yield [shown(row["name"]), shown(row["value"]), shown(row.get("words", ""))]


def _parts(given: object) -> Iterable[list[str]]:
    if not isinstance(given, list):
        raise _Unreadable("expected a list under `parts`")
    for row in given[: MOST_ROWS + 1]:
        if not isinstance(row, dict) or "part" not in row:
            raise _Unreadable("expected objects with `part` under `parts`")
        holds = row.get("holds")
        yield [
            shown(row["part"]),
            shown(row.get("left", "")),
            shown(row.get("right", "")),
            _HELD[holds] if isinstance(holds, bool) else "",
        ]


def shown(value: object) -> str:
    """Return a value as text of at most 2,000 characters, in which nothing is invisible or turns what follows around.

    Control and formatting characters (NUL, bidirectional overrides, zero width), and what is no text, are written out.
    """
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    text = value[: MOST_CHARACTERS + 1]
    found = "".join(
        char
        if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co")
        else f"\\u{ord(char):04x}"
        for char in text[:MOST_CHARACTERS]
    )
    return f"{found}…" if len(text) > MOST_CHARACTERS else found


def _problem(words: str) -> str:
    return json.dumps({"problem": shown(words)})
