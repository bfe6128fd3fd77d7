"""The Leans of a machine: the one that an instance asks for, and what all of them are called as capabilities of a worker."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.lean.elan.found import find, installed, tag_in
from workbench.lean.elan.packages import packages_of
from workbench.lean.elan.toolchain import ElanToolchain
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.toolchain import Toolchain, ToolchainMissing
from workbench.lean.wanted import ELAN, POCKET, Wanted


@dataclass(frozen=True)
class Leans:
    """Where this machine has them: `cache` for what is compiled and hashed once, `toolchains` of elan, `packages` (a Lake workspace for each
    toolchain, or None)."""

    cache: Path
    toolchains: Path
    packages: Path | None = None

    def toolchain(self, wanted: Wanted) -> Toolchain:
        """Return the Lean that is wanted. Raises ToolchainMissing, which names it and what is there."""
        if wanted.kind == POCKET:
            pocket = PocketToolchain(self.cache)
            demand(pocket, wanted)
            return pocket
        root = find(wanted, self.toolchains)
        elan = ElanToolchain(
            root, self.cache, packages=packages_of(root, self.packages)
        )
        demand(elan, wanted)
        return elan

    def capabilities(self) -> Iterator[str]:
        """Yield a word for each Lean that is here: `lean:4.29.1`, and with its kind `elan:4.29.1` or `pocket:4.35.0`.

        Toolchains of elan are taken by the names of their folders (`lean:nightly-2026-01-02`); nothing of them is started, unless
        the setting leads to a single one.
        """
        for name, path in installed(self.toolchains).items():
            tag = tag_in(name)
            if path == self.toolchains:
                with contextlib.suppress(ToolchainMissing):
                    tag = ElanToolchain(path, self.cache).version
            if not any(character.isspace() for character in tag):
                yield f"lean:{tag}"
                yield f"{ELAN}:{tag}"
        try:
            version = PocketToolchain(self.cache).version
        except ToolchainMissing:
            return
        yield f"lean:{version}"
        yield f"{POCKET}:{version}"


def demand(toolchain: Toolchain, wanted: Wanted) -> None:
    """Raise ToolchainMissing unless `toolchain` is the Lean that is wanted; the message names both."""
    right = not wanted.version or toolchain.version == wanted.version
    if toolchain.kind == wanted.kind and right:
        return
    remedy = (
        "adapt the instance to this pocket Lean"
        if wanted.kind == POCKET
        else f"elan toolchain install {wanted.spec}, or bin/workbench adapt INSTANCE --to pocket"
    )
    raise ToolchainMissing(
        f"the instance asks for {wanted.words}, and this is {called(toolchain)}. Remedy: {remedy}"
    )


def called(toolchain: Toolchain) -> str:
    """Return what verdicts call a toolchain: `pocket Lean 4.35.0` or `Lean 4.29.1 of elan`."""
    if toolchain.kind == POCKET:
        return f"pocket Lean {toolchain.version}"
    return f"Lean {toolchain.version} of elan"
