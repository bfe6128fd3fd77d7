from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing

from django.db import connection, transaction
from django.test import TransactionTestCase

from tests.workbench.jobs.made import waiting_job
from workbench.jobs.doorbell import JOBS, LIVE, Nudge, doorbell


class DoorbellTest(TransactionTestCase):
    def setUp(self) -> None:
        self.nudge = Nudge()
        self.addCleanup(self.nudge.close)

    def elsewhere(self, act: Callable[[], object]) -> None:
        """Do `act` on a connection of its own."""

        def run() -> None:
            try:
                act()
            finally:
                connection.close()

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()

    def test_it_rings_when_a_job_was_submitted(self) -> None:
        with closing(doorbell(self.nudge, [JOBS])) as bell:
            self.assertFalse(bell.wait(0.05))
            self.elsewhere(waiting_job)
            self.assertTrue(bell.wait(30))

    def test_it_rings_for_browsers_when_something_happened_in_a_job(self) -> None:
        with closing(doorbell(self.nudge, [LIVE])) as bell:
            self.elsewhere(waiting_job)
            self.assertTrue(bell.wait(30))

    def test_after_many_rings_it_is_silent_again(self) -> None:
        with closing(doorbell(self.nudge, [JOBS])) as bell:
            for _ in range(5):
                self.elsewhere(waiting_job)
            heard = 0
            while bell.wait(0.5):  # the server may deliver them one by one
                heard += 1
            self.assertTrue(1 <= heard <= 5, heard)

    def test_it_is_silent_about_what_was_taken_back(self) -> None:
        def fail() -> None:
            with transaction.atomic():
                waiting_job()
                transaction.set_rollback(True)

        with closing(doorbell(self.nudge, [JOBS, LIVE])) as bell:
            self.elsewhere(fail)
            self.assertFalse(bell.wait(0.3))

    def test_a_nudge_rings_it_and_is_forgotten(self) -> None:
        with closing(doorbell(self.nudge, [JOBS])) as bell:
            for _ in range(100_000):  # more than the pipe holds
                self.nudge()
            self.assertTrue(bell.wait(30))
            while bell.wait(0.05):
                pass
            self.assertFalse(bell.wait(0.05))
