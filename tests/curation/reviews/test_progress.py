"""The instance page's progress: each number is the length of the list it links to."""

from __future__ import annotations

from curation.instances.models import Definition
from curation.reviews import leases
from curation.reviews.entries import place_entries
from curation.reviews.models import (
    QueueEntry,
    Retranslation,
    Review,
    ReviewPolicy,
)
from curation.reviews.selectors import progress
from tests.curation.instances.made import IMPL, import_tiny, tiny
from tests.curation.reviews.queued import QueueCase, ended, reviewed

PAGE = "/instances/tiny/"


class ProgressTest(QueueCase):
    def setUp(self) -> None:
        super().setUp()
        self.revision = self.instance.revisions.get(is_current=True)
        ReviewPolicy.objects.create(
            instance=self.instance, kind=Definition.SIGNATURE, approvals=0
        )
        ReviewPolicy.objects.create(
            instance=self.instance, kind=Definition.TYPE, approvals=2
        )
        reviewed(self.definition("push"), self.reviewer.user)
        reviewed(self.definition("Stack"), self.reviewer.user)
        ended(reviewed(self.definition("size"), self.maintainer.user))
        sent = reviewed(
            self.definition("cons"), self.maintainer.user, Review.RETRANSLATE
        )
        Retranslation.objects.create(review=sent, definition=sent.definition)
        place_entries(self.revision)
        QueueEntry.objects.filter(definition=self.definition("size")).update(
            assignee=self.maintainer.user
        )
        leases.claim(self.curator.user, self.definition("spec_push_size"))

    def listed(self, url: str) -> int:
        """Return how many rows the list at `url` has."""
        context = self.reviewer.get(url).context
        self.assertEqual(str(len(context["page"].rows)), str(context["total"]))
        return len(context["page"].rows)

    def test_the_numbers_of_each_module_are_those_of_their_lists(self) -> None:
        rows = progress.modules(self.revision)
        self.assertEqual([row.name for row in rows], ["Stack"])
        for row in rows:
            count = row.count
            self.assertEqual(
                (
                    count.approved,
                    count.open,
                    count.dropped,
                    count.sent_back,
                    count.exempt,
                ),
                (1, 2, 1, 1, 2),
            )
            for number, url in (
                (count.total + count.exempt, row.list_url),
                (count.approved, row.approved_url),
                (count.open, row.open_url),
                (count.dropped, row.dropped_url),
                (count.sent_back, row.sent_back_url),
            ):
                with self.subTest(url):
                    self.assertEqual(self.listed(url), number)

    def test_the_numbers_of_each_person_are_those_of_their_lists(self) -> None:
        rows = {row.username: row for row in progress.people(self.revision)}
        self.assertEqual(set(rows), {"reviewer", "maintainer", "curator"})
        self.assertEqual(rows["reviewer"].approved, 2)
        self.assertEqual(rows["maintainer"].given, 1)
        self.assertEqual(rows["curator"].reading, 1)
        for row in rows.values():
            for number, url in (
                (row.approved, row.approved_url),
                (row.given, row.given_url),
                (row.reading, row.reading_url),
            ):
                with self.subTest(url):
                    self.assertEqual(self.listed(url), number)

    def test_the_numbers_of_the_stages_are_those_of_their_lists(self) -> None:
        count = progress.total(self.revision)
        found = {one.name: one for one in progress.stages(self.revision, count)}
        self.assertEqual(list(found), ["import", "versions", "review"])
        for one in found.values():
            with self.subTest(one.name):
                self.assertEqual(self.listed(one.url), one.part)

    def test_the_stage_rail_and_the_blockers_say_the_same(self) -> None:
        for step in progress.steps(self.revision).values():
            with self.subTest(step.name):
                number = int(step.note.split(" ")[0])
                self.assertEqual(self.listed(step.url), number)
        found = progress.blockers(self.revision)
        self.assertEqual(
            [one.kind for one in found], ["dropped", "sent back", "not reviewed"]
        )
        for one in found:
            with self.subTest(one.kind):
                number = int(one.what.split(" ")[0])
                self.assertEqual(self.listed(one.url), number)

    def test_the_page_shows_it_and_a_reader_has_no_next(self) -> None:
        page = self.reviewer.get(PAGE)
        self.assertContains(page, "1 of 5 approved")
        self.assertContains(page, "Review next")
        self.assertContains(page, "1 approval taken away by a change")
        self.assertNotContains(self.reader.get(PAGE), "Review next")

    def test_what_is_wholly_approved_blocks_nothing(self) -> None:
        for entry in QueueEntry.objects.all():
            for person in (self.reviewer.user, self.maintainer.user):
                if not Review.objects.filter(
                    definition=entry.definition, reviewer=person, standing=True
                ).exists():
                    reviewed(entry.definition, person)
        Retranslation.objects.update(state=Retranslation.WITHDRAWN)
        place_entries(self.revision)
        self.assertEqual(progress.blockers(self.revision), [])
        steps = progress.steps(self.revision)
        self.assertEqual({step.tone for step in steps.values()}, {"ok"})

    def test_its_queries_do_not_grow(self) -> None:
        impl = IMPL + "".join(f"\ndef more{n} := {n}\n" for n in range(40))
        import_tiny(None, self.team, tiny(impl=impl))
        revision = self.instance.revisions.get(is_current=True)
        revision.instance = self.instance
        with self.assertMostQueries(5):
            progress.modules(revision)
            progress.total(revision)
            progress.people(revision)
        with self.assertMostQueries(3):
            progress.steps(revision)
            progress.blockers(revision)


class BarTest(QueueCase):
    def test_its_parts_fill_it_in_order(self) -> None:
        bar = progress.Count4(3, 1, 0, 2, 5).bar()
        self.assertEqual([part[0] for part in bar], ["f-full", "f-bad", "f-part"])
        self.assertEqual(bar[0][1], 0)
        self.assertAlmostEqual(bar[-1][1] + bar[-1][2], 119)

    def test_nothing_is_an_empty_bar(self) -> None:
        self.assertEqual(progress.Count4(0, 0, 0, 0, 3).bar(), [])
