"""The event log page: every filter in the URL, a fixed number of queries, nothing of other teams."""

from __future__ import annotations

import re
from datetime import timedelta

from django.utils import timezone

from tests.case import WorkbenchTestCase
from tests.workbench.events.test_log import touch
from workbench.events.actions.verify_events import verify_events
from workbench.events.correlation import correlated
from workbench.events.log import record

URL = "/events/"
QUERIES = 12


class EventLogTest(WorkbenchTestCase):
    def numbers(self, query: object = None, *, by: str = "reader") -> list[int]:
        response = getattr(self, by).get(URL, query)
        self.assertEqual(response.status_code, 200)
        return [
            int(number)
            for number in re.findall(r'id="event-(\d+)"', response.content.decode())
        ]

    def make(self, *verbs: str, by: str = "curator", **data: object) -> None:
        for verb in verbs:
            record(verb, self.users[by], self.team, **data)  # type: ignore[arg-type]  # JSON

    def test_the_newest_is_first(self) -> None:
        self.make("team.a", "team.b", "team.c")
        self.assertEqual(self.numbers(), [3, 2, 1])

    def test_it_says_when_there_is_nothing(self) -> None:
        self.assertContains(self.reader.get(URL), "No event matches these filters")

    def test_nothing_of_another_team_shows_not_even_in_the_filters(self) -> None:
        self.make("team.ours")
        response = self.outsider.get(URL)
        for word in ("ours", "curator", "Logicians"):
            self.assertNotContains(response, word)

    def test_why_and_details_are_shown_escaped(self) -> None:
        record("team.a", self.curator.user, self.team, reason="<because>", old="<x>")
        response = self.reader.get(URL)
        self.assertContains(response, "&lt;because&gt;")
        self.assertContains(response, "&lt;x&gt;")

    def test_filters_by_verb_actor_kind_and_object(self) -> None:
        self.make("team.a", "team.b")
        self.make("team.b", by="maintainer")
        record("preferences.changed", self.reader.user, self.reader.user)
        self.assertEqual(self.numbers({"verb": "team.b"}), [3, 2])
        self.assertEqual(
            self.numbers({"verb": ["team.a", "team.b"], "actor": "curator"}), [2, 1]
        )
        self.assertEqual(self.numbers({"kind": "user"}), [4])
        self.assertEqual(
            self.numbers({"kind": "team", "object": str(self.team.pk)}), [3, 2, 1]
        )
        self.assertEqual(self.numbers({"verb": "never.was"}), [])

    def test_filters_by_day_in_the_zone_of_the_reader_both_ends_included(self) -> None:
        self.make("team.a")
        today = timezone.localdate()
        self.assertEqual(self.numbers({"since": str(today), "until": str(today)}), [1])
        self.assertEqual(self.numbers({"since": str(today + timedelta(days=1))}), [])
        self.assertEqual(self.numbers({"until": str(today - timedelta(days=1))}), [])

    def test_filters_by_who_drew_it(self) -> None:
        self.make("team.a")
        record("approval.dropped", None, self.team, implicit=True)
        self.assertEqual(self.numbers({"implicit": "yes"}), [2])
        self.assertEqual(self.numbers({"implicit": "no"}), [1])

    def test_one_act_and_its_consequences_are_one_click_away(self) -> None:
        with correlated():
            self.make("team.a")
            record("approval.dropped", None, self.team, implicit=True)
        self.make("team.alone")
        html = self.reader.get(URL).content.decode()
        links = re.findall(
            r'href="(\?correlation=[0-9a-f-]+)"[^>]*>2 in this act', html
        )
        self.assertEqual(len(links), 2)
        response = self.reader.get(URL + links[0])
        self.assertContains(response, "One act and its consequences")
        self.assertEqual(
            re.findall(r'id="event-(\d+)"', response.content.decode()), ["2", "1"]
        )

    def test_the_size_of_an_act_does_not_tell_of_other_teams(self) -> None:
        with correlated():
            self.make("team.a")
            record("team.b", self.outsider.user, self.other_team)
        self.assertNotContains(self.reader.get(URL), "in this act")

    def test_a_filter_that_cannot_be_read_is_named(self) -> None:
        self.make("team.a")
        for query, words in (
            ({"since": "yesterday"}, "since: expected a date"), ({"until": "2026-02-30"}, "until: expected a date"),
            ({"until": "9999-12-31"}, "until: expected a date"), ({"since": "0001-01-01"}, "since: expected a date"),
            ({"instance": "x"}, "instance: expected a number"), ({"instance": "9" * 40}, "instance: expected a number"),
            ({"correlation": "zzz"}, "correlation: expected an id"), ({"after": "zzz"}, "not one of this list"),
        ):  # fmt: skip
            with self.subTest(**query):
                response = self.reader.get(URL, query)
                self.assertContains(response, words, status_code=400)
                self.assertNotContains(response, 'id="event-1"', status_code=400)

    def test_odd_but_harmless_values_are_no_error(self) -> None:
        for query in (
            {"verb": "x" * 5000},
            {"actor": "'; --"},
            {"object": "∀"},
            {"implicit": "perhaps"},
            {"nonsense": "1"},
        ):
            with self.subTest(**query):
                self.assertEqual(self.reader.get(URL, query).status_code, 200)

    def test_pages_follow_each_other_and_keep_the_filter(self) -> None:
        self.make(*["team.a", "team.b"] * 60)
        html = self.reader.get(URL, {"verb": "team.a"}).content.decode()
        following = re.search(r'href="(\?[^"]*after=[^"]+)" rel="next"', html)
        assert following is not None
        self.assertIn("verb=team.a", following[1])
        second = self.reader.get(
            URL + following[1].replace("&amp;", "&")
        ).content.decode()
        self.assertEqual(
            re.findall(r'id="event-(\d+)"', second),
            [str(number) for number in range(19, 0, -2)],
        )
        self.assertIn('rel="prev"', second)

    def test_its_queries_are_as_many_for_one_event_as_for_many(self) -> None:
        self.make("team.a")
        with self.assertMostQueries(QUERIES) as few:
            self.reader.get(URL)
        self.make(*["team.a"] * 120)
        with self.assertMostQueries(QUERIES) as many:
            self.reader.get(URL)
        self.assertEqual(len(few), len(many))

    def test_it_says_how_the_last_check_of_the_chain_came_out(self) -> None:
        self.assertContains(self.reader.get(URL), "chain not checked yet")
        self.make("team.a")
        verify_events(None)
        self.assertContains(self.reader.get(URL), "chain whole up to event 1")

    def test_it_says_that_the_chain_is_broken(self) -> None:
        self.make("team.a")
        touch(1, reason="forged")
        verify_events(None)
        self.assertContains(self.reader.get(URL), "chain broken in 1 place")

    def test_a_visitor_is_sent_to_the_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(URL))

    def test_it_is_not_for_posting(self) -> None:
        self.assertEqual(self.reader.post(URL).status_code, 405)
