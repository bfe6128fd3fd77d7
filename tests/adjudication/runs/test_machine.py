"""Which grader a run gets on this machine, and what a worker of it offers."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from django.test import SimpleTestCase, override_settings

from adjudication.grading.canaries import ground
from adjudication.runs import machine
from tests.workbench.lean.elan.made import program
from workbench.commands import WrongUse
from workbench.jobs.capabilities import found_here


class MachineTest(SimpleTestCase):
    def setUp(self) -> None:
        folder = self.enterContext(TemporaryDirectory())
        self.folder = Path(folder)
        self.enterContext(override_settings(LEAN_TOOLCHAINS=folder))
        self.enterContext(patch.dict(machine._graders, clear=True))

    def toolchain(self, version: str) -> None:
        root = self.folder / f"leanprover--lean4---v{version}"
        (root / "bin").mkdir(parents=True)
        program(root / "bin" / "lean", "#!/bin/sh\n")

    def test_a_worker_offers_what_a_run_of_that_version_needs(self) -> None:
        self.toolchain("4.29.1")
        for text in ("leanprover/lean4:v4.29.1\n", "v4.29.1", "4.29.1"):
            with self.subTest(text):
                self.assertLessEqual(set(machine.capability(text)), found_here())
        self.assertEqual(machine.capability("nightly-2026-01-02"), ("lean:nightly-2026-01-02",))  # fmt: skip
        self.assertNotIn("lean:4.30.0", found_here())

    def test_a_run_that_asks_for_a_lean_that_is_not_here_says_which_and_what_is(
        self,
    ) -> None:
        self.toolchain("4.29.1")
        with self.assertRaises(WrongUse) as raised:
            machine.grader_for(ground.instance("leanprover/lean4:v4.30.0"))
        self.assertIn("asks for Lean 4.30.0", str(raised.exception))
        self.assertIn("has leanprover--lean4---v4.29.1", str(raised.exception))

    @pytest.mark.lean
    def test_a_grader_is_made_once_for_each_lean(self) -> None:
        first = machine.grader_for(ground.instance())
        self.assertEqual(first.toolchain.kind, "pocket")
        self.assertIs(machine.grader_for(ground.instance()), first)
