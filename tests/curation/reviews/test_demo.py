"""The demo shows the review loop in the middle of its work."""

from __future__ import annotations

import io
import tempfile

from django.core.management import call_command
from django.test import TestCase, override_settings

from curation.reviews.models import (
    Draft,
    FileMark,
    Notification,
    QueueEntry,
    Retranslation,
    Review,
    ReviewEnd,
    Thread,
)
from workbench.events.models import Event


class DemoTest(TestCase):
    def test_every_page_has_something_true_to_show(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with override_settings(DATA_DIR=folder):
            call_command("seed_demo", stdout=io.StringIO())
        standing = Review.objects.filter(standing=True)
        self.assertEqual(
            set(standing.values_list("decision", flat=True)),
            {"approve", "retranslate", "skip"},
        )
        dropped = ReviewEnd.objects.filter(kind=ReviewEnd.USED)
        paths = {end.review.definition.short_name: end.steps for end in dropped}
        self.assertEqual(paths["add"], ["Ivalset.add", "Ivalset.insertMerged"], paths)
        self.assertTrue(QueueEntry.objects.filter(dropped=True, state="open").exists())
        self.assertEqual(
            Retranslation.objects.get(state="open").assignee, Draft.objects.get().author
        )
        answered = Retranslation.objects.get(state="answered")
        self.assertEqual(answered.definition.short_name, "peek")
        self.assertEqual(QueueEntry.objects.filter(skipped=True).count(), 2)
        self.assertEqual(
            Thread.objects.filter(resolved_at=None).get().comments.count(), 3
        )
        self.assertTrue(Notification.objects.filter(kind="mention").exists())
        self.assertTrue(FileMark.objects.exclude(conflict="").exists())
        decided = Event.objects.filter(verb="translation.approved", implicit=False)
        self.assertEqual(
            decided.values("correlation").distinct().count(), decided.count()
        )
