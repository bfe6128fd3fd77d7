"""bin/workbench rebuild-queue."""

from __future__ import annotations

import io
import json

from django.core.management import call_command

from curation.reviews.models import QueueEntry
from tests.curation.reviews.queued import QueueCase, reviewed


class RebuildQueueTest(QueueCase):
    def run_it(self) -> dict[str, int]:
        out = io.StringIO()
        call_command("rebuild_queue", "--json", stdout=out)
        document: dict[str, int] = json.loads(out.getvalue())
        return document

    def test_it_finds_nothing_to_put_right_in_a_queue_that_was_kept(self) -> None:
        self.assertEqual(self.run_it(), {"instances": 1, "entries": 7, "put_right": 0})

    def test_it_puts_right_what_was_lost(self) -> None:
        reviewed(self.definition("push"), self.reviewer.user)
        QueueEntry.objects.filter(definition=self.definition("size")).delete()
        self.assertEqual(self.run_it(), {"instances": 1, "entries": 7, "put_right": 2})
        self.assertEqual(self.entry("push").state, QueueEntry.APPROVED)
        self.assertEqual(self.entry("size").state, QueueEntry.OPEN)
