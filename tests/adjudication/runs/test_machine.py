"""Which grader a run gets on this machine, and what a worker of it offers."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from django.test import SimpleTestCase, override_settings

from adjudication.grading.canaries import ground
from adjudication.runs import machine
from adjudication.runs.actions.queue_run import queue_run
from adjudication.runs.models import GradingRun
from tests.adjudication.runs.made import make_configuration, make_submission
from tests.curation.instances.made import InstanceCase, import_tiny, tiny
from tests.workbench.lean.elan.made import program
from workbench.commands import WrongUse
from workbench.jobs.capabilities import found_here
from workbench.lean.wanted import wanted


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
                needed = machine.capability(wanted(text.encode(), ""))
                self.assertLessEqual(set(needed), found_here())
        nightly = wanted(b"leanprover/lean4:nightly-2026-01-02", "")
        self.assertEqual(machine.capability(nightly), ("elan:nightly-2026-01-02",))
        self.assertNotIn("elan:4.30.0", found_here())

    def test_a_run_on_pocket_lean_is_no_job_for_a_worker_with_the_same_version_of_elan(
        self,
    ) -> None:
        self.toolchain("4.35.0")
        needed = machine.capability(wanted(b"v4.35.0", "", "pocket"))
        self.assertEqual(needed, ("pocket:4.35.0",))
        self.assertEqual(machine.capability(wanted(b"v4.35.0", "")), ("elan:4.35.0",))

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


class NeedsTest(InstanceCase):
    def test_a_run_asks_for_the_lean_of_the_revision_that_it_is_graded_against(
        self,
    ) -> None:
        first = self.instance.revisions.get(is_current=True)
        self.assertEqual(machine.needs_of(first), ("elan:4.29.1",))
        files = tiny()
        manifest = json.loads(files["manifest.json"]) | {
            "toolchain": {"kind": "pocket"}
        }
        files |= {"manifest.json": json.dumps(manifest).encode()}
        files["lean-toolchain"] = b"leanprover/lean4:v4.35.0\n"
        second = import_tiny(self.curator.user, self.team, files).revision
        self.assertEqual(machine.needs_of(second), ("pocket:4.35.0",))
        made = make_submission(first, make_configuration(self.team))
        for against, purpose in (
            (first, GradingRun.GRADING),
            (second, GradingRun.REGRADE),
            (second, GradingRun.RECHECK),
        ):
            run = queue_run(None, made, revision=against, purpose=purpose)
            assert run.job is not None
            self.assertEqual(run.job.needs, " ".join(machine.needs_of(against)))

    def test_a_revision_that_does_not_say_which_lean_it_wants_can_go_to_any_worker(
        self,
    ) -> None:
        files = tiny() | {"lean-toolchain": b"two words\n"}
        found = import_tiny(self.curator.user, self.team, files).revision
        self.assertEqual(machine.needs_of(found), ())
