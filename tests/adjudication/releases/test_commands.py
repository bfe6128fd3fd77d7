"""`bin/workbench release`."""

from __future__ import annotations

import io
import json

from django.core.management import call_command
from django.test import override_settings

from adjudication.releases.models import Release
from tests.adjudication.releases.made import ReleaseCase


class CommandTest(ReleaseCase):
    def test_build_stops_at_blockers_and_verify_says_what_it_checked(self) -> None:
        with override_settings(DATA_DIR=self.folder):
            out = io.StringIO()
            with self.assertRaises(SystemExit) as stopped:
                call_command(
                    "release",
                    "build",
                    "--set",
                    "small",
                    "--number",
                    "1.0",
                    "--json",
                    stdout=out,
                    stderr=io.StringIO(),
                )
            self.assertEqual(stopped.exception.code, 1)
            self.assertTrue(json.loads(out.getvalue())["blockers"])
            release = Release.objects.get()
            self.waive_all(release)
            target = self.folder / "out.tar.gz"
            call_command(
                "release",
                "build",
                "--set",
                "small",
                "--number",
                "1.0",
                "--out",
                str(target),
                stdout=io.StringIO(),
            )
            out = io.StringIO()
            call_command("release", "verify", str(target), "--json", stdout=out)
            self.assertTrue(json.loads(out.getvalue())["ok"])
            target.write_bytes(target.read_bytes()[:-200])
            with self.assertRaises(SystemExit) as stopped:
                call_command(
                    "release",
                    "verify",
                    str(target),
                    stdout=io.StringIO(),
                    stderr=io.StringIO(),
                )
            self.assertEqual(stopped.exception.code, 1)
