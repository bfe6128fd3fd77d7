from __future__ import annotations

from pathlib import Path

import pytest

from workbench.lean.sandbox.box import NoSandbox
from workbench.lean.sandbox.bubblewrap import Bubblewrap, outermost


def test_where_it_is_not_installed_the_remedy_is_said() -> None:
    with pytest.raises(NoSandbox, match="no-such-bwrap is not installed"):
        Bubblewrap("no-such-bwrap")


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ("bubblewrap 0.1.8", "bubblewrap 0.1.8 is too old; 0.2 or newer is needed"),
        ("something else", "gives no version: 'something else"),
    ],
)
def test_one_that_will_not_do_is_refused(
    tmp_path: Path, says: str, reason: str
) -> None:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    with pytest.raises(NoSandbox, match=reason):
        Bubblewrap(str(program))


def test_a_program_that_does_not_start_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)
    with pytest.raises(NoSandbox, match="does not start"):
        Bubblewrap(str(program))


def test_paths_below_others_are_left_out() -> None:
    paths = [
        Path(text)
        for text in (
            "/usr/lib",
            "/a/b/c",
            "/usr/lib64",
            "/a/b",
            "/a/b",
            "/a/bc",
            "/usr/lib/x",
        )
    ]
    assert [str(path) for path in outermost(paths)] == [
        "/a/b",
        "/a/bc",
        "/usr/lib",
        "/usr/lib64",
    ]
