"""A disk that fills up."""

from __future__ import annotations

from unittest.mock import patch

from django.test import override_settings

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import waiting_job
from workbench.jobs.models import Job
from workbench.upkeep import disk
from workbench.upkeep.disk import NoRoom, demand_room, obstacle


def left(megabytes: int):
    """Stand in for the disk, with so much free."""
    return patch.object(disk, "free_bytes", lambda: megabytes * 10**6)


@override_settings(DISK_RESERVE_MB=500)
class DiskTest(WorkbenchTestCase):
    def test_room_enough_is_no_obstacle(self) -> None:
        with left(501):
            self.assertEqual(obstacle(), "")
            demand_room(10**6)

    def test_too_little_is_said_with_figures_and_the_way_out(self) -> None:
        with left(499):
            words = obstacle()
        for part in ("499 MB free", "500 MB are kept in reserve", "clean-up"):
            self.assertIn(part, words)

    def test_what_is_wanted_counts(self) -> None:
        with left(600), self.assertRaisesMessage(NoRoom, "200 MB are needed"):
            demand_room(200 * 10**6)

    def test_no_job_is_accepted_and_what_was_there_is_still_found(self) -> None:
        job = waiting_job(key="k")
        with left(1):
            with self.assertRaises(NoRoom):
                waiting_job()
            self.assertEqual(waiting_job(key="k"), job)
        self.assertEqual(Job.objects.count(), 1)

    def test_a_page_says_it_with_its_own_status(self) -> None:
        self.admin.user.is_superuser = True
        self.admin.user.save()
        with left(1):
            response = self.admin.post("/operations/clean-up/")
        self.assertContains(response, "nearly full", status_code=507)
