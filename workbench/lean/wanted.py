"""Which Lean an instance asks for: its `lean-toolchain` says the version, its manifest whether it is written for pocket Lean."""

from __future__ import annotations

import re
from dataclasses import dataclass

POCKET, ELAN = "pocket", "elan"
KINDS = (POCKET, ELAN)
VERSION = re.compile(r"v?(\d+\.\d+\.\d+(?:-[\w.]+)?)")
# What may stand in the file: nothing that could lead out of the folder with the toolchains.
_SPEC = re.compile(r"(?:[\w.-]+/[\w.-]+:)?[A-Za-z0-9][\w.+-]*")
_ORIGIN = "leanprover/lean4"


class WantedError(ValueError):
    """What an instance says about its Lean cannot be understood. Names file and line, and what was expected."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A Lean that is asked for. `spec` is how elan names it (`leanprover/lean4:v4.29.1`), `version` without the `v`.

    `version` is empty where the name says none (a channel, a toolchain of somebody's own): whatever has that name is right.
    """

    kind: str
    version: str
    spec: str

    @property
    def words(self) -> str:
        """Return what messages call it: `pocket Lean 4.35.0`, `Lean 4.29.1 (leanprover/lean4:v4.29.1)`."""
        if self.kind == POCKET:
            return f"pocket Lean {self.version}"
        return f"Lean {self.version} ({self.spec})" if self.version else f"the toolchain {self.spec}"  # fmt: skip

    @property
    def folder(self) -> str:
        """Return the folder that elan keeps it in."""
        return self.spec.replace("/", "--").replace(":", "---")


def wanted(toolchain_file: bytes | None, lean_version: str, kind: str = "") -> Wanted:
    """Return what an instance asks for, from its `lean-toolchain` and its manifest's `lean_version` and `toolchain.kind`.

    Without the file the manifest's version counts; without a kind it is elan's. Raises WantedError.
    """
    kind = kind or ELAN
    if kind not in KINDS:
        raise WantedError(
            f"manifest.json: toolchain.kind is {kind!r}; expected {' or '.join(KINDS)}"
        )
    where = "manifest.json: lean_version"
    text = lean_version.strip()
    if toolchain_file is not None:
        where = "lean-toolchain, line 1"
        text = toolchain_file.decode("utf-8", "replace").strip()
    if not _SPEC.fullmatch(text):
        raise WantedError(
            f"{where}: {text[:80]!r}; expected the name of a toolchain, for example {_ORIGIN}:v4.35.0"
        )
    found = VERSION.fullmatch(text.rpartition(":")[2])
    version = found.group(1) if found else ""
    if version and ":" not in text:
        text = f"{_ORIGIN}:v{version}"
    if kind == POCKET and not version:
        raise WantedError(
            f"{where}: {text[:80]!r}; expected a version, for example {_ORIGIN}:v4.35.0"
        )
    return Wanted(kind, version, text)
