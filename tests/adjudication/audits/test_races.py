"""Publishing, ruling, repairing, regrading and importing at once, on a real database: no circle of locks, nothing lost."""

from __future__ import annotations

from functools import partial

from django.db import connection

from adjudication.audits.models import Finding
from tests.adjudication.audits.races import Ground
from tests.case import CommittedTestCase
from tests.workbench.jobs.test_races import at_once
from workbench.events.log import broken_links


class LocksTest(CommittedTestCase):
    def test_nobody_waits_in_a_circle(self) -> None:
        place = Ground(self.team, self.users)
        rounds = 6 if connection.vendor == "postgresql" else 1
        works = ("grade", "grade", "settle", "settle", "regrade", "recheck", "revise", "sets")  # fmt: skip
        results = at_once(
            *(
                partial(place.work, what, seed, rounds)
                for seed, what in enumerate(works)
            )
        )
        errors = [one for one in results if isinstance(one, BaseException)]
        self.assertEqual(errors, [])
        self.assertEqual(list(place.faults()), [])
        self.assertTrue(Finding.objects.exists())
        self.assertEqual(list(broken_links()), [])
