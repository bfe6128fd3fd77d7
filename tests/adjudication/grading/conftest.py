"""The grader of this machine, made once a session; tests that use it are marked `lean`."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudication.grading.boxes import boxed
from adjudication.grading.grader import Grader
from curation.format.instance import Instance, load_directory
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.sandbox.choose import choose

REPOSITORY = Path(__file__).resolve().parents[3]
FIXTURES = REPOSITORY / "fixtures"


@pytest.fixture(scope="session")
def grader() -> Grader:
    """A grader with the caches of the repository's own `var`."""
    cache = REPOSITORY / "var" / "cache"
    toolchain = PocketToolchain(cache / "lean")
    sandbox = choose("auto", thorough=False)
    kernels = toolchain.kernels(boxed(sandbox.sandbox))
    return Grader(toolchain, sandbox, kernels, cache / "grading")


@pytest.fixture(scope="session")
def ivalset() -> Instance:
    return load_directory(FIXTURES / "instances" / "ivalset")
