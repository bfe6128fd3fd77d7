"""Many who speak at once, with real commits: nothing lost, nothing said twice."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connections

from curation.reviews.actions.add_comment import About, add_comment, open_thread
from curation.reviews.actions.look import record_look
from curation.reviews.actions.resolve_thread import resolve_thread
from curation.reviews.models import Comment, Look, Thread
from tests.case import CommittedTestCase
from tests.curation.instances.made import import_tiny
from tests.curation.reviews.made import PUSH, Acts
from workbench.events.models import Event

THREADS = 6


class ThreadRaceTest(Acts, CommittedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.instance = import_tiny(self.curator.user, self.team).revision.instance
        now = self.placement(PUSH)
        self.about = About(now.translation, None, now.translation.text, 1, 1)

    def at_once(self, act: Callable[[int], Any]) -> list[Any]:
        """Return what `act` gives to each of THREADS threads that begin together."""
        barrier = Barrier(THREADS)

        def run(number: int) -> Any:
            try:
                barrier.wait()
                return act(number)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(run, range(THREADS)))

    def test_one_form_sent_many_times_at_once_is_said_once(self) -> None:
        definition, user = self.definition(PUSH), self.reviewer.user
        said = self.at_once(
            lambda _: open_thread(user, definition, self.about, "once", "key").pk
        )
        self.assertEqual(len(set(said)), 1)
        self.assertEqual(Thread.objects.count(), 1)
        self.assertEqual(Event.objects.filter(verb="comment.added").count(), 1)

    def test_different_comments_at_once_are_all_kept(self) -> None:
        definition, user = self.definition(PUSH), self.reviewer.user
        thread = open_thread(user, definition, self.about, "first", "first").thread
        people = [self.reviewer.user, self.curator.user]
        self.at_once(
            lambda number: add_comment(
                people[number % 2], thread, f"word {number}", f"key {number}"
            )
        )
        self.assertEqual(Comment.objects.count(), THREADS + 1)
        events = Event.objects.filter(verb="comment.added")
        self.assertEqual(events.count(), THREADS + 1)

    def test_a_thread_is_settled_once(self) -> None:
        definition, user = self.definition(PUSH), self.reviewer.user
        thread = open_thread(user, definition, self.about, "first", "first").thread
        self.at_once(lambda _: resolve_thread(user, thread).pk)
        self.assertEqual(Event.objects.filter(verb="thread.resolved").count(), 1)

    def test_a_page_that_is_opened_twice_at_once_is_one_look(self) -> None:
        now, user = self.placement(PUSH), self.reviewer.user
        self.at_once(lambda _: record_look(user, now).pk)
        self.assertEqual(Look.objects.count(), 1)
