"""One id for one act, also on the response."""

from __future__ import annotations

import uuid
from unittest import TestCase

from tests.case import WorkbenchTestCase
from workbench.events.correlation import correlated, current_correlation
from workbench.events.models import Event


class CorrelationTest(TestCase):
    def test_outside_of_anything_each_id_is_fresh(self) -> None:
        self.assertNotEqual(current_correlation(), current_correlation())

    def test_inside_it_is_one_and_afterwards_it_is_over(self) -> None:
        with correlated() as outer:
            self.assertEqual(current_correlation(), outer)
            with correlated() as inner:
                self.assertEqual(inner, outer)
            with correlated(uuid.UUID(int=7)):
                self.assertEqual(current_correlation().int, 7)
            self.assertEqual(current_correlation(), outer)
        self.assertNotEqual(current_correlation(), outer)

    def test_an_exception_ends_it_too(self) -> None:
        with self.assertRaises(RuntimeError), correlated() as outer:
            raise RuntimeError
        self.assertNotEqual(current_correlation(), outer)


class CorrelationMiddlewareTest(WorkbenchTestCase):
    def test_the_response_carries_the_id_of_the_events_of_its_request(self) -> None:
        response = self.admin.post("/people/teams/", {"name": "New", "slug": "new"})
        self.assertEqual(
            response["X-Correlation-Id"], str(Event.objects.get().correlation)
        )

    def test_two_requests_are_two_acts(self) -> None:
        ids = {self.reader.get("/")["X-Correlation-Id"] for _ in range(2)}
        self.assertEqual(len(ids), 2)
