"""What goes after a while, and what stays."""

from __future__ import annotations

import json
import os
import tempfile
import time
from datetime import timedelta
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from django.core.management import call_command
from django.test import SimpleTestCase, override_settings
from django.utils import timezone

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import fresh, running_job, said, waiting_job
from workbench.jobs.models import Job
from workbench.jobs.perform import perform, run_waiting
from workbench.upkeep import own_rules
from workbench.upkeep.retention import (
    Removed,
    Rule,
    clean_up,
    remove_files,
    rules,
    trim_folders,
)

DAY_S = 24 * 3600


class FilesTest(SimpleTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def made(self, name: str, size: int, days: float) -> Path:
        """Return a folder with a file of `size` bytes in it, both last used `days` ago."""
        path = self.folder / name
        path.mkdir()
        (path / "file").write_bytes(b"x" * size)
        for each in (path / "file", path):
            os.utime(each, (time.time() - days * DAY_S,) * 2)
        return path

    def test_the_longest_unused_go_until_the_rest_fits(self) -> None:
        old, older, young = (
            self.made("a", 100, 5),
            self.made("b", 100, 9),
            self.made("c", 100, 2),
        )
        removed = trim_folders(self.folder.iterdir(), 200, dry=False)
        self.assertEqual(removed, Removed(1, 100))
        self.assertEqual(
            [path.exists() for path in (old, older, young)], [True, False, True]
        )

    def test_what_was_used_today_stays_in_any_case(self) -> None:
        path = self.made("a", 100, 0)
        self.assertEqual(trim_folders([path], 0, dry=False), Removed())
        self.assertTrue(path.exists())

    def test_a_dry_run_only_counts(self) -> None:
        path = self.made("a", 100, 9)
        self.assertEqual(trim_folders([path], 0, dry=True), Removed(1, 100))
        self.assertEqual(remove_files([path], DAY_S, dry=True), Removed(1, 100))
        self.assertTrue((path / "file").exists())

    def test_files_go_by_age(self) -> None:
        old, young = self.made("a", 10, 31), self.made("b", 10, 29)
        removed = remove_files([old, young], 30 * DAY_S, dry=False)
        self.assertEqual(removed.count, 1)
        self.assertEqual((old.exists(), young.exists()), (False, True))


@override_settings(KEEP_JOB_LOGS_DAYS=90)
class JobLogsTest(WorkbenchTestCase):
    def ended(self, days: int) -> Job:
        job = running_job()
        perform(job)
        Job.objects.filter(pk=job.pk).update(
            finished_at=timezone.now() - timedelta(days=days)
        )
        return fresh(job)

    def test_what_old_jobs_logged_goes_and_how_they_ended_stays(self) -> None:
        old, young = self.ended(91), self.ended(89)
        self.assertIn("1 + 2", said(old))
        self.assertEqual(own_rules.job_logs(True), Removed(1, 5))
        self.assertIn("1 + 2", said(old))
        self.assertEqual(own_rules.job_logs(False), Removed(1, 5))
        self.assertNotIn("1 + 2", said(old))
        self.assertEqual(said(old)[-1], "1 + 2 = 3")
        self.assertIn("1 + 2", said(young))


class CleanUpTest(WorkbenchTestCase):
    def test_a_rule_that_breaks_stops_no_other_one(self) -> None:
        def broken(dry: bool) -> Removed:
            raise PermissionError(13, "Permission denied")

        rules.add(Rule("broken", "Broken things", lambda: "never", broken, 1))
        self.addCleanup(rules.remove, "broken")
        with self.assertLogs("workbench.upkeep.retention", "ERROR"):
            done = clean_up(dry=True, tell=lambda outcome: None)
        self.assertIn("could not be cleaned up (Permission denied)", done[0].words)
        self.assertEqual(len(done), len(rules))

    def test_the_job_logs_each_rule_and_sums_up(self) -> None:
        gone = Rule("some", "Old things", lambda: "for a day", lambda dry: Removed(3, 2000), 1)  # fmt: skip
        rules.add(gone)
        self.addCleanup(rules.remove, "some")
        job = waiting_job("clean-up")
        run_waiting()
        self.assertIn("Old things, kept for a day: 3 removed, 2 KB", said(job))
        row = fresh(job)
        self.assertEqual(row.outcome["some"], [3, 2000])
        self.assertIn("things removed", row.summary)

    def test_the_command_says_what_it_would_remove(self) -> None:
        out = StringIO()
        call_command("clean_up", dry_run=True, json=True, stdout=out)
        document = json.loads(out.getvalue())
        self.assertTrue(document["dry_run"])
        self.assertEqual(
            [rule["name"] for rule in document["rules"]], [rule.name for rule in rules]
        )

    def test_the_operator_asks_for_one_at_a_time(self) -> None:
        url = "/operations/clean-up/"
        self.assertForbidden(self.admin.post(url))
        self.admin.user.is_superuser = True
        self.admin.user.save()
        first, second = self.admin.post(url), self.admin.post(url)
        self.assertEqual(first["Location"], second["Location"])
        self.assertEqual(Job.objects.filter(name="clean-up").count(), 1)
        self.assertEqual(self.admin.get(url).status_code, 405)

    def test_a_worker_asks_once_a_day(self) -> None:
        from workbench.jobs.worker.clerk import Clerk
        from workbench.jobs.worker.registration import Registration

        for _ in range(2):
            clerk = Clerk(
                Registration("w", 1, [], frozenset()), lambda: None, lambda *told: None
            )
            with override_settings(CLEAN_UP=True):
                clerk._tidy_daily()
        self.assertEqual(Job.objects.filter(name="clean-up").count(), 1)

    def test_the_operations_page_says_what_is_kept(self) -> None:
        page = self.reader.get("/operations/").content.decode()
        self.assertIn("Lines in the logs of ended jobs", page)
        self.assertNotIn("Clean up now", page)


class TroubledWorkerTest(WorkbenchTestCase):
    def test_a_job_says_that_the_workers_have_no_room(self) -> None:
        from workbench.jobs.selectors import why_waiting
        from workbench.jobs.worker.registration import Registration
        from workbench.upkeep import disk

        job = waiting_job()
        with patch.object(disk, "free_bytes", lambda: 0):
            Registration("w", 1, ["interactive"], frozenset()).beat()
        words = why_waiting(job)
        self.assertIn("Worker w takes no new work: the disk", words)
