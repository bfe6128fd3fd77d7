from __future__ import annotations

import re

import pytest

from workbench.setup.places import ROOT

FOLDER = ROOT / "requirements"
LOCKS = ("base.txt", "dev.txt", "pocket.txt")


def pins(name: str) -> dict[str, str]:
    """Return package → version of a lock."""
    return dict(
        re.findall(
            r"^([\w.-]+)(?:\[[^\]]*\])?==([^ ;]+)",
            (FOLDER / name).read_text(),
            re.MULTILINE,
        )
    )


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_is_a_pin_with_hashes(name: str) -> None:
    text = (FOLDER / name).read_text().replace("\\\n", " ")
    lines = [
        line
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    assert lines
    for line in lines:
        assert re.match(r"[\w.-]+(\[[^\]]*\])?==\S+", line), line
        assert "--hash=sha256:" in line, line


@pytest.mark.parametrize("name", [*LOCKS, "base.in", "dev.in", "pocket.in"])
def test_no_address_is_written_down(name: str) -> None:
    assert "://" not in (FOLDER / name).read_text()


def test_tests_run_on_what_is_shipped() -> None:
    shipped, tested = pins("base.txt"), pins("dev.txt")
    assert len(shipped) > 10
    assert {name: tested.get(name) for name in shipped} == shipped


@pytest.mark.parametrize("name", ["base", "pocket", "dev"])
def test_everything_asked_for_is_pinned(name: str) -> None:
    asked = re.findall(
        r"^([a-z][\w.-]*)", (FOLDER / f"{name}.in").read_text(), re.MULTILINE
    )
    assert {each.lower() for each in asked} <= set(pins(f"{name}.txt"))
