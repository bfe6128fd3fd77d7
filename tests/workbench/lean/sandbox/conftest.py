"""The sandboxes of this machine. What cannot be made here is skipped with its reason; a run without gaps needs them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.lean.sandbox.boxes import KINDS, run_python
from workbench.lean.sandbox.box import BoxBroken, NoSandbox, Sandbox


@pytest.fixture(scope="session", params=KINDS)
def sandbox(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Sandbox:
    """Each kind that this machine can make."""
    try:
        made = KINDS[request.param]()
        run_python(made, tmp_path_factory.mktemp("trial"), "pass")
    except (NoSandbox, BoxBroken) as reason:
        pytest.skip(f"{request.param}: {reason}")
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The writable folder of a box."""
    made = tmp_path / "box"
    made.mkdir()
    return made
