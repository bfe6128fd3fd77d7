from __future__ import annotations

import json
import os
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from django.core.management import call_command
from django.db import OperationalError, ProgrammingError
from django.test import SimpleTestCase, TestCase, override_settings

from tests.workbench.lean.elan.made import program
from workbench import databases, doctor
from workbench.lean import machine
from workbench.lean.sandbox.box import NoSandbox
from workbench.lean.toolchain import ToolchainMissing
from workbench.ui.checks import BAD, NA, OK, WARN, Check, checks


def ask() -> tuple[int, dict[str, Any]]:
    """Return the exit code and the document of `bin/workbench doctor --json`."""
    out = StringIO()
    code = 0
    try:
        call_command("doctor", json=True, stdout=out, stderr=StringIO())
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, json.loads(out.getvalue())


class DoctorCommandTest(TestCase):
    def test_a_whole_installation_has_nothing_broken(self) -> None:
        code, document = ask()
        self.assertEqual((code, document["broken"]), (0, []))
        names = [check["name"] for check in document["checks"]]
        for wanted in (
            "Python",
            "Database",
            "Migrations",
            "Data folder",
            "Workers",
            "Pocket Lean",
            "Sandbox",
        ):
            self.assertIn(wanted, names)

    def test_something_broken_is_exit_code_1_with_its_name(self) -> None:
        broken = Check(
            "Planted", lambda: doctor.Answer(BAD, "it is broken", "Mend it."), 1
        )
        checks.add(broken)
        self.addCleanup(checks.remove, "Planted")
        code, document = ask()
        self.assertEqual((code, document["broken"]), (1, ["Planted"]))
        self.assertIn(
            {
                "name": "Planted",
                "state": "broken",
                "words": "it is broken",
                "remedy": "Mend it.",
            },
            document["checks"],
        )

    def test_a_person_reads_the_remedy_below_the_words(self) -> None:
        note = Check("Planted", lambda: doctor.Answer(WARN, "it limps", "Mend it."), 1)
        checks.add(note)
        self.addCleanup(checks.remove, "Planted")
        out = StringIO()
        call_command("doctor", stdout=out)
        lines = out.getvalue().splitlines()
        at = next(number for number, line in enumerate(lines) if "it limps" in line)
        self.assertTrue(lines[at].startswith("note"))
        self.assertTrue(lines[at + 1].endswith("→ Mend it."))
        self.assertIn("Nothing that is needed is broken", lines[-1])


class AnswersTest(TestCase):
    def test_missing_migrations_are_broken_with_the_command(self) -> None:
        with patch.object(databases, "unapplied", lambda: ["jobs.0007_more"]):
            answer = doctor.tables()
        self.assertEqual(
            (answer.tone, answer.remedy), (BAD, "Run: bin/workbench upgrade-database")
        )
        self.assertIn("jobs.0007_more", answer.words)

    def test_a_database_that_does_not_answer_is_broken(self) -> None:
        def refuse() -> None:
            raise OperationalError("connection refused")

        with patch.object(databases, "demand_reachable", refuse):
            answer = doctor.database()
        self.assertEqual(answer.tone, BAD)
        self.assertIn("connection refused", answer.words)


class OpennessTest(SimpleTestCase):
    @override_settings(DEBUG=False, ALLOWED_HOSTS=["localhost"], HTTPS=False)
    def test_this_machine_only_needs_no_https(self) -> None:
        self.assertEqual(doctor.openness().tone, OK)

    @override_settings(DEBUG=False, ALLOWED_HOSTS=["bench.example"], HTTPS=False)
    def test_others_without_https_are_a_note(self) -> None:
        self.assertEqual(doctor.openness().tone, WARN)

    @override_settings(DEBUG=False, ALLOWED_HOSTS=["bench.example"], HTTPS=True)
    def test_others_with_https_are_fine(self) -> None:
        self.assertEqual(doctor.openness().tone, OK)

    @override_settings(DEBUG=True, ALLOWED_HOSTS=["bench.example"], HTTPS=True)
    def test_debug_before_others_is_broken(self) -> None:
        self.assertEqual(doctor.openness().tone, BAD)

    @override_settings(DEBUG=True, ALLOWED_HOSTS=["localhost"], HTTPS=False)
    def test_debug_on_this_machine_is_a_note(self) -> None:
        self.assertEqual(doctor.openness().tone, WARN)


class GroundTest(SimpleTestCase):
    def test_a_full_disk_is_broken_and_a_filling_one_a_note(self) -> None:
        for free, tone in ((50 << 20, BAD), (500 << 20, WARN), (5 << 30, OK)):
            usage = type("Usage", (), {"free": free})
            with patch.object(
                doctor.shutil, "disk_usage", lambda folder, usage=usage: usage
            ):
                self.assertEqual(doctor.data_folder().tone, tone)

    def test_a_secret_key_that_others_can_read_is_broken(self) -> None:
        from django.conf import settings

        path = settings.DATA_DIR / "secret-key"
        with patch.dict(os.environ):
            os.environ.pop("WORKBENCH_SECRET_KEY", None)
            path.touch(0o600)
            path.chmod(0o644)
            self.assertEqual(doctor.secret_key().tone, BAD)
            path.chmod(0o600)
            self.assertEqual(doctor.secret_key().tone, OK)

    def test_styles_are_found(self) -> None:
        self.assertEqual(doctor.static_files().tone, OK)

    def test_without_the_pocket_lean_the_reason_is_said(self) -> None:
        with (
            patch.object(doctor.importlib.util, "find_spec", lambda name: None),
            patch.object(
                doctor.pocket, "obstacle", lambda: "it is built for another machine"
            ),
        ):
            answer = doctor.pocket_lean()
        self.assertEqual(answer.tone, NA)
        self.assertIn("it is built for another machine", answer.words)

    def test_without_any_sandbox_the_reasons_are_said(self) -> None:
        with patch.object(doctor, "chosen_sandbox", side_effect=NoSandbox("no kernel")):
            answer = doctor.sandbox()
        self.assertEqual((answer.tone, answer.words), (WARN, "no kernel"))
        self.assertIn("docs/operator/sandbox.md", answer.remedy)

    @override_settings(SANDBOX="none")
    def test_a_sandbox_that_was_switched_off_is_a_note(self) -> None:
        answer = doctor.sandbox()
        self.assertEqual(answer.tone, WARN)
        self.assertIn("every verdict says so", answer.words)


class LeanTest(SimpleTestCase):
    def setUp(self) -> None:
        folder = self.enterContext(TemporaryDirectory())
        self.folder = Path(folder)
        self.enterContext(override_settings(LEAN_TOOLCHAINS=folder))

    def toolchain(self, version: str) -> Path:
        root = self.folder / f"leanprover--lean4---v{version}"
        (root / "bin").mkdir(parents=True)
        (root / "lib" / "lean").mkdir(parents=True)
        program(root / "bin" / "lean", "#!/bin/sh\n")
        return root

    def test_without_toolchains_of_elan_the_folder_is_named(self) -> None:
        answer = doctor.elan()
        self.assertEqual(answer.tone, NA)
        self.assertIn(f"no toolchain in {self.folder}", answer.words)

    def test_a_version_that_the_reader_does_not_know_is_a_note_naming_both(
        self,
    ) -> None:
        self.toolchain("4.29.1")
        answer = doctor.elan()
        self.assertEqual(answer.tone, WARN)
        self.assertIn(
            "files of Lean 4.29.1 are not read, those of 4.35.0 are", answer.words
        )
        self.assertIn("no leanchecker", answer.words)

    def test_a_version_that_it_knows_is_fine(self) -> None:
        self.toolchain("4.29.1")
        right = self.toolchain("4.35.0")
        answer = doctor.elan()
        self.assertEqual(answer.tone, OK)
        self.assertTrue(answer.words.endswith(f", {right.name}"))

    def test_what_a_worker_offers_is_said_in_the_words_of_gradings(self) -> None:
        self.toolchain("4.29.1")
        answer = doctor.offered_leans()
        self.assertEqual(answer.tone, OK)
        self.assertIn("lean:4.29.1 elan:4.29.1", answer.words)

    def test_a_machine_without_any_lean_grades_nothing(self) -> None:
        with patch.object(machine, "PocketToolchain", side_effect=ToolchainMissing):
            doctor._offers.cache_clear()
            answer = doctor.offered_leans()
        doctor._offers.cache_clear()
        self.assertEqual(answer.tone, WARN)
        self.assertIn("offers no Lean", answer.words)


class BrokenDatabaseTest(TestCase):
    def test_what_cannot_be_known_without_tables_is_neither_fine_nor_broken(
        self,
    ) -> None:
        def ask_a_table() -> doctor.Answer:
            raise OperationalError("no such table: x")

        checks.add(Check("Planted", ask_a_table, 1))
        self.addCleanup(checks.remove, "Planted")
        _, document = ask()
        self.assertIn(
            {
                "name": "Planted",
                "state": "absent",
                "words": "not known while the database is not in order",
                "remedy": "",
            },
            document["checks"],
        )

    def test_a_database_error_of_the_programs_own_is_broken(self) -> None:
        def ask_wrongly() -> doctor.Answer:
            raise ProgrammingError("syntax error at SELEKT")

        checks.add(Check("Planted", ask_wrongly, 1))
        self.addCleanup(checks.remove, "Planted")
        self.assertIn("Planted", ask()[1]["broken"])
