"""Checking the chain, as an act of its own and as a command."""

from __future__ import annotations

import json
from io import StringIO

from django.core.management import call_command
from django.db import connection

from tests.case import WorkbenchTestCase
from tests.workbench.events.test_log import touch
from workbench.events.actions.verify_events import MOST_TOLD, verify_events
from workbench.events.log import broken_links, head_mark, record
from workbench.events.models import Event, Head


class VerifyEventsTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        for _ in range(3):
            record("x", None, self.team)

    def test_a_whole_chain_is_said_to_be_whole_and_the_check_is_recorded(self) -> None:
        result = verify_events(self.admin.user)
        self.assertEqual((result.events, result.broken), (3, []))
        self.assertEvent("record.verified", by=self.admin.user, events=3, broken=0)
        self.assertEqual(list(broken_links()), [])

    def test_a_broken_chain_is_told_place_by_place(self) -> None:
        touch(2, reason="forged")
        result = verify_events(None)
        self.assertEqual(result.broken, ["event 2 was changed"])
        self.assertEvent("record.broken", events=3, broken=1)

    def test_it_stops_telling_after_a_hundred(self) -> None:
        for _ in range(MOST_TOLD + 10):
            record("x", None, self.team)
        for number in range(1, MOST_TOLD + 5):
            touch(number, reason="forged")
        self.assertEqual(len(verify_events(None).broken), MOST_TOLD)

    def test_an_empty_record_can_be_checked(self) -> None:
        self.assertEqual(verify_events(None).broken, [])


class ExpectTest(WorkbenchTestCase):
    def test_an_end_that_was_cut_off_with_its_head_shows_against_the_mark(self) -> None:
        for _ in range(3):
            record("x", None, self.team)
        mark = verify_events(None).head
        first = Event.objects.get(number=1)
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM events_event WHERE number > 1")
        Head.objects.update(number=1, hash=first.hash)
        self.assertEqual(list(broken_links()), [])
        (said,) = verify_events(None, mark).broken
        self.assertIn("event 4, which was there once, is missing", said)

    def test_a_record_that_was_replaced_shows(self) -> None:
        record("x", None, self.team)
        (said,) = verify_events(None, f"1:{'0' * 64}").broken
        self.assertIn("event 1 is another one", said)

    def test_a_record_that_went_on_is_whole(self) -> None:
        record("x", None, self.team)
        mark = head_mark()
        record("x", None, self.team)
        self.assertEqual(verify_events(None, mark).broken, [])

    def test_what_is_no_mark_is_refused(self) -> None:
        for text in ("7", "x:y", f"-1:{'0' * 64}", f"1:{'0' * 63}"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                verify_events(None, text)


class VerifyEventsCommandTest(WorkbenchTestCase):
    def run_command(self, *args: str) -> tuple[int, str, str]:
        out, err = StringIO(), StringIO()
        try:
            call_command("verify_events", *args, stdout=out, stderr=err)
        except SystemExit as stop:
            return int(str(stop.code)), out.getvalue(), err.getvalue()
        return 0, out.getvalue(), err.getvalue()

    def test_it_says_that_the_chain_is_whole(self) -> None:
        record("x", None, self.team)
        code, said, _ = self.run_command()
        self.assertEqual(code, 0)
        self.assertIn("The chain of one event is whole.\n", said)
        mark = said.split()[-1]
        self.assertEqual(mark, head_mark())
        self.assertEqual(self.run_command("--expect", mark)[0], 0)
        self.assertEqual(self.run_command("--expect", "5:5")[0], 2)

    def test_a_broken_chain_is_exit_code_1_with_the_places(self) -> None:
        record("x", None, self.team)
        touch(1, verb="y")
        code, out, err = self.run_command()
        self.assertEqual((code, out), (1, "event 1 was changed\n"))
        self.assertIn("broken", err)

    def test_json_is_one_document(self) -> None:
        record("x", None, self.team)
        touch(1, verb="y")
        code, out, _ = self.run_command("--json")
        self.assertEqual(
            (code, json.loads(out)),
            (
                1,
                {
                    "events": 1,
                    "broken": ["event 1 was changed"],
                    "head": head_mark(),
                },
            ),
        )
