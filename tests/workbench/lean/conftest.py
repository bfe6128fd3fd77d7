"""The pocket Lean of this machine, found once a session; tests that use it are marked `lean`."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.lean.pocket.toolchain import PocketToolchain

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def pocket() -> PocketToolchain:
    """Pocket Lean with the core in the repository's own `var`, where it is compiled once for its content."""
    return PocketToolchain(REPOSITORY / "var" / "cache" / "lean")
