"""Approve, give away and re-open many: exact preview, exact act, undone as one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from curation.instances.models import Definition, Translation
from curation.reviews import leases
from curation.reviews.actions.bulk import approve_many, reopen_many
from curation.reviews.entries import place_entries
from curation.reviews.models import (
    Notification,
    QueueEntry,
    Retranslation,
    Review,
    ReviewPolicy,
)
from curation.reviews.selectors.bulk import Read
from tests.curation.instances.made import IMPL, import_tiny, tiny
from tests.curation.reviews.queued import QueueCase
from workbench.bulk import MOST, TooMany
from workbench.events.models import Event

BULK, DO = "/review/bulk/", "/review/bulk/do/"


class BulkCase(QueueCase):
    def ids(self, *names: str) -> list[int]:
        return [self.definition(name).pk for name in names]

    def preview(self, verb: str, *names: str, **query: Any) -> Any:
        """Return the preview page's context for the reviewer, with those definitions ticked."""
        query = {"verb": verb, "item": self.ids(*names), **query}
        return self.reviewer.get(BULK, query).context

    def fields(self, verb: str, *names: str, **more: Any) -> dict[str, Any]:
        """Return the form of the preview page."""
        chosen = self.preview(verb, *names, **more)["preview"].chosen
        return {"verb": verb, "item": [str(one.read) for one in chosen], **more}

    def left_out(self, context: Any) -> dict[str, str]:
        return {
            one.entry.definition.lean_name: one.why
            for one in context["preview"].left_out
        }


class ApproveManyTest(BulkCase):
    def test_it_approves_what_the_preview_showed_as_one_act(self) -> None:
        answer = self.reviewer.post(DO, self.fields("approve", "push", "size"))
        events = Event.objects.filter(verb="translation.approved")
        self.assertEqual(events.count(), 2)
        (correlation,) = set(events.values_list("correlation", flat=True))
        self.assertRedirects(answer, f"/review/acts/{correlation}/")
        for name in ("push", "size"):
            self.assertEqual(self.entry(name).state, QueueEntry.APPROVED)

    def test_an_outsider_does_not_learn_what_a_forged_form_names(self) -> None:
        fields = self.fields("approve", "push") | {"assignee": "outsider"}
        for verb in ("approve", "assign", "reopen"):
            page = self.outsider.post(DO, {**fields, "verb": verb}, follow=True)
            self.assertContains(page, "it is in no queue any more")
            self.assertNotContains(page, "push:")

    def test_the_preview_says_what_is_left_out_and_why(self) -> None:
        self.review("size", self.maintainer.user)
        sent = self.review("cons", self.maintainer.user, Review.RETRANSLATE)
        Retranslation.objects.create(review=sent, definition=sent.definition)
        place_entries(self.instance.revisions.get(is_current=True))
        leases.claim(self.maintainer.user, self.definition("Stack"))
        Translation.objects.filter(definition=self.definition("PushSig")).update(
            author=self.reviewer.user, origin="person"
        )
        ReviewPolicy.objects.create(
            instance=self.instance, kind=Definition.SPEC, approvals=2
        )
        self.review("spec_push_size", self.reviewer.user)
        context = self.preview(
            "approve", "push", "size", "cons", "Stack", "PushSig", "spec_push_size"
        )
        self.assertEqual(
            [one.entry.definition.lean_name for one in context["preview"].chosen],
            ["push"],
        )
        self.assertEqual(
            self.left_out(context),
            {
                "size": "approved",
                "cons": "sent back: a new version is awaited",
                "Stack": "maintainer reads it now",
                "PushSig": "you wrote it; somebody else has to approve it",
                "spec_push_size": "you approved it already; it needs somebody else as well",
            },
        )

    def test_what_changed_since_the_preview_is_left_out_and_said(self) -> None:
        fields = self.fields("approve", "push", "size")
        changed = IMPL.replace("n :: xs", "n :: n :: xs")
        import_tiny(self.curator.user, self.team, tiny(impl=changed))
        answer = self.reviewer.post(DO, fields, follow=True)
        self.assertContains(answer, "Left out: push: push has moved on")
        self.assertEqual(self.entry("push").state, QueueEntry.OPEN)
        self.assertEqual(self.entry("size").state, QueueEntry.APPROVED)

    def test_what_somebody_took_since_the_preview_is_left_out(self) -> None:
        fields = self.fields("approve", "push")
        leases.claim(self.maintainer.user, self.definition("push"))
        answer = self.reviewer.post(DO, fields, follow=True)
        self.assertContains(answer, "maintainer reads it now")
        self.assertFalse(Review.objects.exists())

    def test_all_that_the_filters_show_can_be_meant(self) -> None:
        context = self.preview("approve", all="yes", queue="kind=api")
        self.assertEqual(
            {one.entry.definition.lean_name for one in context["preview"].chosen},
            {"push", "size"},
        )

    def test_from_twenty_on_one_says_that_all_are_meant(self) -> None:
        impl = IMPL + "".join(f"\ndef more{n} := {n}\n" for n in range(30))
        import_tiny(None, self.team, tiny(impl=impl))
        fields = self.fields("approve", all="yes", queue="q=more")
        self.assertEqual(len(fields["item"]), 30)
        answer = self.reviewer.post(DO, fields)
        self.assertIn(BULK, answer["Location"])
        self.assertContains(self.reviewer.get(answer["Location"]), "all 30 of them")
        self.assertFalse(Review.objects.exists())
        self.reviewer.post(DO, fields | {"sure": "yes"})
        self.assertEqual(Review.objects.filter(standing=True).count(), 30)
        fields = self.fields("reopen", all="yes", queue="state=approved&q=more")
        answer = self.reviewer.post(DO, fields | {"reason": 'read "too fast"'})
        self.assertContains(
            self.reviewer.get(answer["Location"]),
            'value="read &quot;too fast&quot;"',
        )

    def test_more_than_the_limit_are_refused(self) -> None:
        with self.assertRaises(TooMany):
            approve_many(self.reviewer.user, [Read(n, 1, "x") for n in range(MOST + 1)])

    def test_nobody_approves_where_they_may_not_review(self) -> None:
        fields = self.fields("approve", "push")
        self.assertEqual(
            self.reader.get(
                BULK, {"verb": "approve", "item": self.ids("push")}
            ).context["preview"].left_out[0].why,
            "you may not review there",
        )  # fmt: skip
        self.reader.post(DO, fields)
        self.outsider.post(DO, fields)
        self.assertFalse(Review.objects.exists())

    def test_another_team_sees_nothing_in_the_preview(self) -> None:
        query = {"verb": "approve", "item": self.ids("push")}
        found = self.outsider.get(BULK, query).context["preview"]
        self.assertEqual((len(found.chosen), len(found.left_out)), (0, 0))

    def test_a_form_that_makes_no_sense_is_answered_in_words(self) -> None:
        self.assertEqual(self.reviewer.get(BULK, {"verb": "eat"}).status_code, 400)
        answer = self.reviewer.post(
            DO, {"verb": "approve", "item": ["x", "1:2", ":::"]}
        )
        self.assertEqual(answer.status_code, 302)
        self.assertAsksForLogin(self.visitor.get(BULK, {"verb": "approve"}))
        self.assertEqual(self.reviewer.post(BULK).status_code, 405)
        self.assertEqual(self.reviewer.get(DO).status_code, 405)

    def test_the_preview_takes_few_queries_however_many_there_are(self) -> None:
        self.preview("approve", "push")
        with self.assertMostQueries(13):
            self.preview("approve", all="yes", queue="")


class AssignManyTest(BulkCase):
    def test_it_gives_them_away_and_tells_the_person(self) -> None:
        fields = self.fields("assign", "push", "size", assignee="maintainer")
        self.reviewer.post(DO, fields)
        for name in ("push", "size"):
            self.assertEqual(self.entry(name).assignee, self.maintainer.user)
        told = Notification.objects.filter(person=self.maintainer.user)
        self.assertEqual(told.filter(kind=Notification.ASSIGNED).count(), 2)

    def test_nobody_is_given_what_they_cannot_decide(self) -> None:
        context = self.preview("assign", "push", assignee="reader")
        self.assertEqual(
            self.left_out(context), {"push": "reader may not review there"}
        )
        answer = self.reviewer.get(
            BULK, {"verb": "assign", "item": self.ids("push"), "assignee": "outsider"}
        )
        self.assertEqual(answer.status_code, 400)

    def test_nobody_in_particular_is_a_choice(self) -> None:
        QueueEntry.objects.filter(definition=self.definition("push")).update(
            assignee=self.reviewer.user
        )
        self.reviewer.post(DO, self.fields("assign", "push", assignee="nobody"))
        self.assertIsNone(self.entry("push").assignee)


class ReopenManyTest(BulkCase):
    def test_approvals_and_skips_of_ones_own_are_taken_back(self) -> None:
        self.review("push", self.reviewer.user)
        self.review("size", self.reviewer.user, Review.SKIP)
        self.reviewer.post(DO, self.fields("reopen", "push", "size"))
        self.assertEqual(self.entry("push").state, QueueEntry.OPEN)
        self.assertFalse(self.entry("size").skipped)

    def test_others_decisions_are_taken_back_by_a_maintainer_only(self) -> None:
        self.review("push", self.maintainer.user)
        context = self.preview("reopen", "push", "size")
        self.assertEqual(
            self.left_out(context),
            {
                "push": "maintainer decided; a maintainer takes back others' decisions",
                "size": "nobody has approved or skipped it: it waits already",
            },
        )
        self.review("size", self.reviewer.user)
        query = {"verb": "reopen", "item": self.ids("push", "size")}
        found = self.maintainer.get(BULK, query).context["preview"]
        self.assertEqual(len(found.chosen), 2)

    def test_what_changed_since_the_preview_is_left_alone(self) -> None:
        self.review("push", self.reviewer.user)
        outcome = reopen_many(
            self.reviewer.user, [Read(self.definition("push").pk, 1, "other")]
        )
        self.assertEqual(outcome.left, [("push", "it has changed since the preview")])
        self.assertTrue(Review.objects.get().standing)


class RowsTest(BulkCase):
    def test_rows_can_be_ticked_by_who_may_review_only(self) -> None:
        self.assertContains(self.reviewer.get("/review/"), 'form="bulk"')
        self.assertNotContains(self.reader.get("/review/"), 'form="bulk"')

    def test_an_expired_lease_is_nobodys(self) -> None:
        entry = leases.claim(self.maintainer.user, self.definition("push"))
        past = timezone.now() - timedelta(seconds=1)
        QueueEntry.objects.filter(pk=entry.pk).update(leased_until=past)
        self.assertEqual(self.left_out(self.preview("approve", "push")), {})
