"""What the entries of a manifest are in the Lean text: modules, APIs, specs, with their full names and places."""

from __future__ import annotations

import re
from typing import NamedTuple

from curation.format.manifest import Data
from curation.format.markers import Slot
from workbench.lean import lexer
from workbench.lean.declarations import Declaration, name_parts

_PLAIN_PART = re.compile(rf"[{lexer.ID_FIRST}][{lexer.ID_REST}]*")


class DeclarationRef(NamedTuple):
    """A declaration of an instance: its file, and its position among the declarations of the file."""

    path: str
    position: int


class Module(NamedTuple):
    """A Lean file of the instance. `name` is its Lean module, `visible` whether a solver sees it."""

    name: str
    path: str
    imports: tuple[str, ...]
    visible: bool
    listed: bool


class Api(NamedTuple):
    """An API of the manifest, with what the text says about it. Lines are 1-based.

    `full_name` is empty when no declaration was found. `sig_name` is the full name of the signature abbrev, or
    its name as written in the manifest.
    """

    name: str
    full_name: str
    sig: str
    sig_name: str
    package: str
    repo_impl_field: str
    manifest_module: str
    module: str
    path: str
    declaration: Declaration | None
    code: Slot | None
    code_aux: Slot | None
    data: Data


class Spec(NamedTuple):
    """A spec of the manifest, with what the text says about it.

    `bare` is the name without `spec_`, `full_name` is empty when no declaration was found, `apis` are the
    names of the APIs that its text mentions through `impl.<package>.<api>`.
    """

    name: str
    bare: str
    full_name: str
    package: str
    manifest_module: str
    module: str
    path: str
    start_line: int
    end_line: int
    declaration: Declaration | None
    apis: tuple[str, ...]
    data: Data


class Counts(NamedTuple):
    """What an import reports: entries in the manifest and Lean files."""

    modules: int
    apis: int
    specs: int
    files: int
    lean_files: int
    slots: int


def module_of(path: str) -> str:
    """Return the Lean module of a file: `A/B/C.lean` → `A.B.C`; parts that are no identifiers get `«»`."""
    parts = path.removesuffix(".lean").split("/")
    return ".".join(
        part if _PLAIN_PART.fullmatch(part) else f"«{part}»" for part in parts
    )


def path_of(module: str) -> str:
    """Return the file of a Lean module: `A.«b-c».D` → `A/b-c/D.lean`."""
    return "/".join(part.strip("«»") for part in name_parts(module)) + ".lean"


def lean_name(name: str) -> str:
    """Return a name as Lean text: parts that are no identifiers get `«»`."""
    if _PLAIN_PART.fullmatch(name):
        return name
    return ".".join(
        p if p.startswith("«") or _PLAIN_PART.fullmatch(p) else f"«{p}»"
        for p in name_parts(name)
    )
