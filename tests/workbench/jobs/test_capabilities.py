from __future__ import annotations

import unittest
from unittest.mock import patch

from workbench.jobs import capabilities


class CapabilitiesTest(unittest.TestCase):
    def test_they_are_written_in_one_form(self) -> None:
        self.assertEqual(
            capabilities.written(["lean:b", "lean:a", "lean:b"]), "lean:a lean:b"
        )
        self.assertEqual(capabilities.read("lean:a lean:b"), {"lean:a", "lean:b"})
        self.assertEqual(capabilities.read(capabilities.written([])), frozenset())

    def test_a_capability_is_one_word(self) -> None:
        for name in ("", "lean 4", "lean\n4"):
            with self.subTest(name=name), self.assertRaises(ValueError):
                capabilities.written([name])

    def test_every_probe_is_asked(self) -> None:
        with patch.object(capabilities, "_probes", []):
            capabilities.offers(lambda: ["lean:a"])
            capabilities.offers(lambda: ["lean:b", "python-runner"])
            self.assertEqual(
                capabilities.found_here(), {"lean:a", "lean:b", "python-runner"}
            )
