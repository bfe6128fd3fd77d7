"""Where a broker puts messages."""

from __future__ import annotations

from unittest import TestCase

from workbench.jobs.engines.lanes import lane, lanes, served


class LanesTest(TestCase):
    def test_a_job_without_needs_is_in_the_queue_itself(self) -> None:
        self.assertEqual(lane("grading", ""), "grading")

    def test_each_set_of_needs_has_a_lane_which_says_what_it_is(self) -> None:
        name = lane("grading", "lean:4.29.1 python-runner")
        self.assertEqual(name, "grading+lean:4.29.1+python-runner")
        self.assertEqual(served(name), ("grading", "lean:4.29.1 python-runner"))
        self.assertEqual(served("grading"), ("grading", ""))

    def test_a_worker_listens_to_what_it_can_serve_most_urgent_first(self) -> None:
        self.assertEqual(
            lanes(["interactive", "grading"], {"b", "a"}),
            [
                "interactive", "interactive+a", "interactive+b", "interactive+a+b",
                "grading", "grading+a", "grading+b", "grading+a+b",
            ],
        )  # fmt: skip

    def test_many_offers_do_not_make_lanes_without_number(self) -> None:
        self.assertEqual(len(lanes(["grading"], map(str, range(10)))), 1 + 10 + 45)
