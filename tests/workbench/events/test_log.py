"""The record: complete, in order, and found out when it was touched."""

from __future__ import annotations

import json
import threading
import uuid
from typing import Any

from django.db import IntegrityError, connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase as HypothesisTestCase

from tests.case import CommittedTestCase, WorkbenchTestCase, make_user
from workbench.events.correlation import correlated
from workbench.events.log import broken_links, event_hash, record
from workbench.events.models import AppendOnly, Event, Head


def touch(number: int, /, **changes: Any) -> None:
    """Change an event behind the back of the models, as somebody with the database could."""
    columns = ", ".join(f"{name} = %s" for name in changes)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE events_event SET {columns} WHERE number = %s",
            [*changes.values(), number],
        )


def drop(number: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM events_event WHERE number = %s", [number])


class RecordTest(WorkbenchTestCase):
    def test_it_keeps_who_what_about_what_and_why(self) -> None:
        user = self.curator.user
        event = record(
            "team.renamed",
            user,
            self.team,
            reason="too long",
            old="Logicians of the north",
            parts=[1, True],
        )
        event.refresh_from_db()
        self.assertEqual(
            (event.verb, event.actor, event.actor_name),
            ("team.renamed", user, "curator"),
        )
        self.assertEqual(
            (event.object_kind, event.object_id, event.object_name),
            ("team", str(self.team.pk), "Logicians"),
        )
        self.assertEqual(
            (event.team, event.instance_id, event.reason), (self.team, None, "too long")
        )
        self.assertEqual(
            json.loads(event.data),
            {"old": "Logicians of the north", "parts": [1, True]},
        )
        self.assertFalse(event.implicit)

    def test_numbers_have_no_gaps_and_each_carries_the_hash_before_it(self) -> None:
        events = [record("x", self.curator.user, self.team) for _ in range(3)]
        self.assertEqual([event.number for event in events], [1, 2, 3])
        self.assertEqual(
            [event.previous_hash for event in events],
            ["0" * 64, events[0].hash, events[1].hash],
        )

    def test_the_system_has_a_name_and_no_account(self) -> None:
        event = record("x", None, self.team, implicit=True)
        self.assertEqual(
            (event.actor, event.actor_name, event.implicit), (None, "system", True)
        )

    def test_what_belongs_together_shares_a_correlation(self) -> None:
        with correlated() as correlation:
            one, two = record("x", None, self.team), record("y", None, self.team)
        other = record("z", None, self.team)
        self.assertEqual((one.correlation, two.correlation), (correlation, correlation))
        self.assertNotEqual(other.correlation, correlation)

    def test_a_given_correlation_is_taken(self) -> None:
        wanted = uuid.uuid4()
        with correlated(wanted), correlated():
            self.assertEqual(record("x", None, self.team).correlation, wanted)

    def test_a_very_long_name_is_cut_and_not_refused(self) -> None:
        self.team.name = "x" * 400
        self.assertEqual(len(record("x", None, self.team).object_name), 300)

    def test_no_event_can_be_changed_or_deleted_through_the_models(self) -> None:
        event = record("x", None, self.team)
        event.verb = "y"
        for attempt in (
            event.save,
            event.delete,
            Event.objects.all().delete,
            lambda: Event.objects.update(verb="y"),
            lambda: Event.objects.bulk_update([event], ["verb"]),
            lambda: Event.objects.bulk_create(
                [event],
                update_conflicts=True,
                unique_fields=["number"],
                update_fields=["verb"],
            ),
            lambda: Event._base_manager.update(verb="y"),
            lambda: Event._base_manager.all().delete(),
            lambda: Event.objects.all()._raw_delete("default"),
        ):
            with self.assertRaises(AppendOnly), transaction.atomic():
                attempt()
        self.assertEqual(Event.objects.get().verb, "x")

    def test_a_new_event_is_never_written_over_one_with_the_same_key(self) -> None:
        old = record("x", None, self.team)
        values = {
            field.attname: getattr(old, field.attname) for field in Event._meta.fields
        }
        with self.assertRaises(IntegrityError), transaction.atomic():
            Event(**{**values, "verb": "forged"}).save()
        self.assertEqual(Event.objects.get().verb, "x")

    def test_the_account_of_an_actor_cannot_be_deleted_away(self) -> None:
        user = make_user("leaver")
        record("x", user, self.team)
        with self.assertRaises(Exception) as caught:
            user.delete()
        self.assertEqual(type(caught.exception).__name__, "ProtectedError")


class OutsideOfATransactionTest(CommittedTestCase):
    def test_recording_outside_of_a_transaction_is_refused(self) -> None:
        with self.assertRaises(transaction.TransactionManagementError):
            record("x", None, self.team)

    def test_an_act_that_fails_leaves_no_event_and_no_gap(self) -> None:
        with transaction.atomic():
            record("one", None, self.team)
        with self.assertRaises(RuntimeError), transaction.atomic():
            record("failed", None, self.team)
            raise RuntimeError
        with transaction.atomic():
            record("two", None, self.team)
        self.assertEqual(
            list(Event.objects.order_by("number").values_list("number", "verb")),
            [(1, "one"), (2, "two")],
        )
        self.assertEqual(list(broken_links()), [])


class BrokenLinksTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        for number in range(1, 6):
            record(
                "x",
                self.curator.user,
                self.team,
                reason=f"reason {number}",
                number=number,
            )

    def test_an_untouched_record_is_whole(self) -> None:
        self.assertEqual(list(broken_links()), [])

    def test_an_empty_record_is_whole(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM events_event")
            cursor.execute("DELETE FROM events_head")
        self.assertEqual(list(broken_links()), [])

    def test_a_change_of_any_field_is_found(self) -> None:
        for changes in (
            {"verb": "y"}, {"actor_name": "nobody"}, {"object_id": "77"}, {"object_name": "other"}, {"object_kind": "user"},
            {"reason": "because"}, {"data": "{}"}, {"implicit": True}, {"instance_id": 7}, {"at": "2020-01-01 00:00:00+00:00"},
            {"correlation": "0" * 32}, {"team_id": self.other_team.pk}, {"actor_id": self.reader.user.pk},
        ):  # fmt: skip
            with self.subTest(**changes):
                point = transaction.savepoint()
                touch(3, **changes)
                self.assertEqual(list(broken_links()), ["event 3 was changed"])
                transaction.savepoint_rollback(point)

    def test_a_change_with_a_hash_that_fits_is_found_at_the_next_event(self) -> None:
        event = Event.objects.get(number=3)
        event.reason = "forged"
        touch(3, reason="forged", hash=event_hash(event))
        self.assertEqual(
            list(broken_links()), ["event 4 does not follow the event before it"]
        )

    def test_a_change_of_the_last_event_with_a_hash_that_fits_is_found_at_the_head(
        self,
    ) -> None:
        event = Event.objects.get(number=5)
        event.reason = "forged"
        touch(5, reason="forged", hash=event_hash(event))
        self.assertEqual(
            list(broken_links()),
            ["the head does not carry the hash of event 5, the last one"],
        )

    def test_a_removed_event_is_found(self) -> None:
        drop(3)
        self.assertEqual(
            list(broken_links()),
            ["event 3 is missing", "event 4 does not follow the event before it"],
        )

    def test_a_removed_end_is_found(self) -> None:
        drop(4)
        drop(5)
        self.assertEqual(
            list(broken_links()), ["event 4 is missing", "event 5 is missing"]
        )

    def test_an_event_put_behind_the_head_is_found(self) -> None:
        Event.objects.bulk_create([Event(
            number=6, at=Event.objects.get(number=5).at, verb="x", actor_name="forger", object_kind="team", object_id="1",
            object_name="x", correlation=uuid.uuid4(), previous_hash=Event.objects.get(number=5).hash, hash="0" * 64,
        )])  # fmt: skip
        self.assertEqual(
            list(broken_links()), ["the record goes on to event 6, its head says 5"]
        )

    def test_a_missing_head_is_found(self) -> None:
        Head.objects.all().delete()
        self.assertEqual(
            list(broken_links()), ["the record goes on to event 5, its head says 0"]
        )

    def test_two_events_that_changed_places_are_found(self) -> None:
        touch(2, number=99)
        touch(3, number=2)
        touch(99, number=3)
        self.assertIn("event 2 was changed", list(broken_links()))


class AnyTextTest(HypothesisTestCase):
    @settings(max_examples=25, deadline=None)
    @given(
        st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40),
        st.dictionaries(
            st.text(
                st.characters(codec="utf-8", exclude_characters="\x00"),
                min_size=1,
                max_size=8,
            ),
            st.integers(-(2**60), 2**60) | st.booleans(),
            max_size=4,
        ),
    )
    def test_what_was_recorded_is_read_back_to_the_same_hash(
        self, reason: str, data: dict[str, Any]
    ) -> None:
        user = make_user(f"user-{uuid.uuid4().hex}")
        data = {
            key: value
            for key, value in data.items()
            if key not in ("verb", "actor", "about", "reason", "implicit")
        }
        event = record("x", user, user, reason=reason, **data)
        read = Event.objects.get(pk=event.pk)
        self.assertEqual(event_hash(read), read.hash)
        self.assertEqual((read.reason, json.loads(read.data)), (reason, data))


class ManyWritersTest(CommittedTestCase):
    WRITERS, EACH = 6, 15

    def test_many_who_record_at_once_make_one_whole_chain(self) -> None:
        start = threading.Barrier(self.WRITERS)
        failures: list[BaseException] = []

        def write(writer: int) -> None:
            try:
                start.wait(10)
                for number in range(self.EACH):
                    with transaction.atomic():
                        record("x", None, self.team, writer=writer, number=number)
            except BaseException as error:  # reported in the test's own thread
                failures.append(error)
            finally:
                connection.close()

        threads = [
            threading.Thread(target=write, args=(writer,))
            for writer in range(self.WRITERS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(failures, [])
        events = list(Event.objects.order_by("number"))
        self.assertEqual(
            [event.number for event in events],
            list(range(1, self.WRITERS * self.EACH + 1)),
        )
        self.assertEqual(list(broken_links()), [])
        for writer in range(self.WRITERS):
            told = [
                json.loads(event.data)["number"]
                for event in events
                if json.loads(event.data)["writer"] == writer
            ]
            self.assertEqual(told, list(range(self.EACH)))
