"""Submissions of ours to public instances: proof text only, keyed by slot. README.md says how they are written."""

from __future__ import annotations

import re
from pathlib import Path

from curation.format.archive import Tree
from curation.format.instance import Instance
from curation.format.markers import read_markers, rewrite
from curation.format.render import render

FOLDER = Path(__file__).resolve().parent
_HEAD = re.compile(r"^=== (?P<slot>\S+)\n", re.MULTILINE)
_KEYS = {"": "proof", "aux": "proof_aux", "code": "code", "code_aux": "code_aux"}
_STUB = re.compile(r"(prove|disprove|unsat|sat)_(?P<bare>.+)")


def slot_texts(path: Path) -> dict[tuple[str, str], str]:
    """Return (key, definition) → body of the slots in a `.slots` file. `=== x` is the `proof` slot of `x`."""
    text = path.read_text()
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    found: dict[tuple[str, str], str] = {}
    for head, end in zip(heads, ends, strict=True):
        slot = head["slot"]
        prefix, _, name = slot.rpartition(":")
        key = (_KEYS[prefix], name)
        if slot == "global_aux":
            key = ("global_aux", "")
        if key in found:
            raise ValueError(f"{path}: the slot {slot} is there twice")
        found[key] = text[head.end() : end].rstrip("\n") + "\n"
    return found


def claims(folder: Path) -> dict[str, str]:
    """Return bare name of a spec → route that the submission in `folder` takes."""
    slots = [slot for path in folder.rglob("*.slots") for slot in slot_texts(path)]
    stubs = [_STUB.fullmatch(name) for key, name in slots if key == "proof"]
    return {stub["bare"]: stub[1] for stub in stubs if stub}


def filled(instance: Instance, mode: str, folder: Path) -> Tree:
    """Return what a solver of `instance` (adapted) hands in: its tree in `mode`, with the slots of `folder` filled.

    KeyError where a slot is not in the tree.
    """
    tree = render(instance, mode)
    for path in sorted(folder.rglob("*.slots")):
        file = path.relative_to(folder).with_suffix(".lean").as_posix()
        text = tree[file].decode()
        slots = read_markers(file, text).slots
        by_name = {(slot.key, slot.def_name): slot.identity for slot in slots}
        bodies = {by_name[key]: body for key, body in slot_texts(path).items()}
        tree[file] = rewrite(text, bodies, slots).encode()
    return Tree(str(folder), tree)
