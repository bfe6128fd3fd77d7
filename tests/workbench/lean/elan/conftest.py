from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.lean.elan import made
from workbench.lean.pocket.toolchain import PocketToolchain


@pytest.fixture(scope="session")
def root(pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toolchain folder with pocket Lean in it and the double of `leanchecker`. Not to be changed."""
    return made.toolchain_folder(
        pocket, tmp_path_factory.mktemp("toolchains"), checker=True
    )
