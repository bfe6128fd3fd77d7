"""compose.yaml and the Dockerfile say nothing that the workbench does not know."""

from __future__ import annotations

import re

from workbench.commandline import product_commands
from workbench.environment import VARIABLES
from workbench.jobs.declared import QUEUES
from workbench.setup.places import ROOT

COMPOSE = (ROOT / "compose.yaml").read_text()
GUIDE = (ROOT / "docs" / "deploy.md").read_text()


def test_every_setting_that_is_named_exists() -> None:
    known = {variable.name for variable in VARIABLES}
    for text in (COMPOSE, GUIDE, (ROOT / "Dockerfile").read_text()):
        named = re.findall(r"\b(?:WORKBENCH|DATABASE)_[A-Z_]+\b", text)
        assert named
        assert {name.removesuffix("_FILE") for name in named} <= known


def test_every_command_that_is_named_exists() -> None:
    named = re.findall(r'"workbench.commandline", "([\w-]+)"', COMPOSE)
    named += re.findall(
        r"(?:bin/workbench|workbench\.commandline) ([a-z][\w-]+)", GUIDE
    )
    assert len(named) > 5
    assert set(named) <= set(product_commands())


def test_together_the_workers_take_every_queue() -> None:
    lists = re.findall(r'"--queues", "([\w,]+)"', COMPOSE)
    assert {queue for one in lists for queue in one.split(",")} == set(QUEUES)


def test_no_secret_is_copied_into_the_image() -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert "COPY . ." in (ROOT / "Dockerfile").read_text()
    assert {"secrets", ".env", "var", ".git"} <= set(ignored)


def test_every_secret_that_is_used_is_a_file_of_the_guide() -> None:
    named = set(re.findall(r"/run/secrets/(\w+)", COMPOSE))
    files = set(re.findall(r"file: \./secrets/(\w+)", COMPOSE))
    assert named == files
    for name in files:
        assert name in GUIDE
