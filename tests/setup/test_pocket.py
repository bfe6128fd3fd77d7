from __future__ import annotations

import pytest

from workbench.setup.pocket import obstacle


@pytest.mark.parametrize(
    "libc", ["glibc 2.35", "glibc 2.36", "glibc 3.0", "glibc 2.41.9000"]
)
def test_it_finds_nothing_against_a_new_enough_linux(libc: str) -> None:
    assert obstacle("linux", "x86_64", libc) == ""


@pytest.mark.parametrize(
    ("system", "machine", "libc", "word"),
    [
        ("darwin", "x86_64", "", "darwin"),
        ("linux", "aarch64", "glibc 2.36", "aarch64"),
        ("linux", "x86_64", "glibc 2.34", "2.34"),
        ("linux", "x86_64", "", "another C library"),
        ("linux", "x86_64", "musl 1.2", "musl"),
    ],
)
def test_it_names_what_stands_in_the_way(
    system: str, machine: str, libc: str, word: str
) -> None:
    assert word in obstacle(system, machine, libc)
