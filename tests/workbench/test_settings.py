"""The start: what is wrong in the environment stops it, with one sentence and no traceback."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import TestCase

ROOT = Path(__file__).resolve().parents[2]


class SettingsTest(TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(
        self, code: str = "import workbench.settings", **environ: str
    ) -> subprocess.CompletedProcess[str]:
        ours = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("WORKBENCH_", "DATABASE_URL"))
        }
        return subprocess.run(
            [sys.executable, "-c", code],
            env=ours | {"WORKBENCH_DATA_DIR": str(self.folder / "data")} | environ,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def assertStopped(
        self, started: subprocess.CompletedProcess[str], *words: str
    ) -> None:
        self.assertEqual(started.returncode, 1, started.stderr)
        self.assertNotIn("Traceback", started.stderr)
        self.assertEqual(len(started.stderr.strip().splitlines()), 1, started.stderr)
        for word in words:
            self.assertIn(word, started.stderr)

    def test_it_starts_with_nothing_set(self) -> None:
        self.assertEqual(self.start().returncode, 0)

    def test_an_unknown_variable_stops_it(self) -> None:
        self.assertStopped(self.start(WORKBENCH_DEBGU="1"), "WORKBENCH_DEBGU")

    def test_a_malformed_value_stops_it(self) -> None:
        for name, value in (
            ("WORKBENCH_DEBUG", "maybe"),
            ("WORKBENCH_TIME_ZONE", "Mars/Olympus"),
            ("WORKBENCH_TIME_ZONE", "../etc/passwd"),
            ("WORKBENCH_LOGIN_FAILURES", "none"),
            ("WORKBENCH_JOB_ENGINE", "carrier-pigeon"),
            ("WORKBENCH_JUDGE_URL", "file:///etc/passwd"),
            ("WORKBENCH_JUDGE_SECONDS", "0"),
            ("DATABASE_URL", "oracle-of-delphi://x/y"),
            ("DATABASE_URL", "mysql://u:p@h/n"),
        ):
            with self.subTest(name=name, value=value):
                self.assertStopped(self.start(**{name: value}), name)

    def test_an_endpoint_of_a_judge_needs_a_model(self) -> None:
        url = "https://judge.example/v1/chat/completions"
        self.assertStopped(self.start(WORKBENCH_JUDGE_URL=url), "WORKBENCH_JUDGE_MODEL")
        started = self.start(WORKBENCH_JUDGE_URL=url, WORKBENCH_JUDGE_MODEL="m")
        self.assertEqual(started.returncode, 0)

    def test_a_data_folder_that_cannot_be_made_stops_it(self) -> None:
        (self.folder / "file").write_text("")
        self.assertStopped(
            self.start(WORKBENCH_DATA_DIR=str(self.folder / "file" / "below")),
            "WORKBENCH_DATA_DIR",
        )

    def test_the_secret_key_is_made_once_and_is_the_owners_alone(self) -> None:
        code = "import workbench.settings as s; print(s.SECRET_KEY)"
        first, second = self.start(code), self.start(code)
        self.assertEqual(first.stdout, second.stdout)
        self.assertGreater(len(first.stdout.strip()), 49)
        self.assertEqual(
            stat.S_IMODE((self.folder / "data" / "secret-key").stat().st_mode), 0o600
        )

    def test_a_password_in_a_bad_database_address_is_not_printed(self) -> None:
        started = self.start(DATABASE_URL="postgres//user:hunter2@host/name")
        self.assertStopped(started, "DATABASE_URL")
        self.assertNotIn("hunter2", started.stderr)

    def test_https_makes_cookies_secure(self) -> None:
        code = "import workbench.settings as s; print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS > 0)"
        self.assertEqual(
            self.start(code, WORKBENCH_HTTPS="1").stdout.split(),
            ["True", "True", "True"],
        )
        self.assertEqual(self.start(code).stdout.split(), ["False", "False", "False"])
