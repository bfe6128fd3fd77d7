"""What the files of a release must look like before anything in them is believed: file, line, key and what was expected.

No database. What `verify` (bundle.py) reads by key is asked for here, no more: whatever else stands in a file is covered
by its digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

Keys = Mapping[str, type]

_WORDS: Final = {
    str: "text",
    dict: "an object",
    list: "a list",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_OUTCOME: Final[Keys] = dict.fromkeys(("instance", "mode", "spec", "outcome", "receipt"), str)  # fmt: skip
_LINES: Final[Mapping[str, Keys]] = {
    "specs.jsonl": {"instance": str},
    "outcomes.jsonl": _OUTCOME,
    "trials.jsonl": _OUTCOME,
}
_MANIFEST: Final[Keys] = {"files": dict, "instances": list}
_MEMBER: Final[Keys] = {"name": str, "tree": str}
_RECEIPT: Final[Keys] = {
    "hash": str,
    "mode": str,
    "instance.tree": str,
    "toolchain.publishable": bool,
    "specs": list,
}
_SPEC: Final[Keys] = {"spec": str, "outcome": str}
# More of one file would hide what is wrong with the others.
_MOST = 10


def rows_of(name: str, data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the objects of a table of JSON Lines, and a sentence for each line that is none of them; those are left out."""
    rows: list[dict[str, Any]] = []
    wrong: list[str] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line:
            continue
        row, faults = _object(f"{name}, line {number}", line, _LINES[name])
        wrong += faults
        if not faults:
            rows.append(row)
    return rows, _few(name, wrong)


def manifest_of(name: str, data: bytes) -> tuple[dict[str, Any], list[str]]:
    """Return the manifest, and what is missing of it or shaped otherwise; it is empty where anything is."""
    found, wrong = _object(name, data, _MANIFEST)
    if not wrong:
        for path, digest in found["files"].items():
            wrong += _kind(name, f"files.{path}", digest, str)
        wrong += _each(name, "instances", found["instances"], _MEMBER)
        for number, member in enumerate(found["instances"] if not wrong else ()):
            counts = member.get("counts", {})
            wrong += _kind(name, f"instances[{number}].counts", counts, dict)
    return ({}, _few(name, wrong)) if wrong else (found, [])


def receipt_of(name: str, data: bytes) -> tuple[dict[str, Any], list[str]]:
    """Return a receipt, and what is missing of it or shaped otherwise; it is empty where anything is."""
    found, wrong = _object(name, data, _RECEIPT)
    if not wrong:
        wrong += _each(name, "specs", found["specs"], _SPEC)
    return ({}, _few(name, wrong)) if wrong else (found, [])


def _object(where: str, data: bytes, keys: Keys) -> tuple[dict[str, Any], list[str]]:
    try:
        found = json.loads(data)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}"
        if b"\n" in data.strip():
            place = f"line {error.lineno}, {place}"
        said = f"{where}: {place}: {error.msg}; expected JSON, one object"
        return {}, [said]
    except UnicodeDecodeError as error:
        return {}, [f"{where}: byte {error.start}: expected UTF-8, found {error.object[error.start]:#04x}"]  # fmt: skip
    except (ValueError, RecursionError) as error:
        return {}, [f"{where}: expected JSON, one object: {error}"]
    if not isinstance(found, dict):
        return {}, [f"{where}: expected an object, found {_called(found)}"]
    return found, _lacking(where, found, keys)


def _lacking(
    where: str, found: Mapping[str, Any], keys: Keys, before: str = ""
) -> list[str]:
    wrong = []
    for key, kind in keys.items():
        value: Any = found
        for part in key.split("."):
            value = value.get(part, ...) if isinstance(value, dict) else ...
        wrong += _kind(where, f"{before}{key}", value, kind)
    return wrong


def _each(where: str, key: str, found: Iterable[Any], keys: Keys) -> list[str]:
    wrong: list[str] = []
    for number, one in enumerate(found):
        name = f"{key}[{number}]"
        fault = _kind(where, name, one, dict)
        wrong += fault or _lacking(where, one, keys, f"{name}.")
    return wrong


def _kind(where: str, key: str, value: Any, kind: type) -> list[str]:
    if isinstance(value, kind):
        return []
    return [f"{where}: key {key}: expected {_WORDS[kind]}, found {_called(value)}"]


def _called(value: Any) -> str:
    return "nothing" if value is ... else _WORDS[type(value)]


def _few(name: str, wrong: list[str]) -> list[str]:
    more = len(wrong) - _MOST
    return [*wrong[:_MOST], f"{name}: {more} more faults like these"] if more > 0 else wrong  # fmt: skip
