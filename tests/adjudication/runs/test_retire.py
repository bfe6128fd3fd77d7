"""A submission is retired, with a reason: it counts nowhere, everything of it stays, and it can be put back."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.urls import reverse

from adjudication.runs.actions.retire_submission import (
    NoReason,
    may_retire,
    retire_submission,
)
from adjudication.runs.models import Submission
from adjudication.standings.cells import rebuild_cells
from adjudication.standings.models import Cell
from curation.reviews.undo import act_of, undo_act
from tests.adjudication.runs.made import make_run
from tests.adjudication.standings.made import SPEC, BoardCase
from workbench.events.models import Event


class RetireTest(BoardCase):
    def setUp(self) -> None:
        super().setUp()
        self.run_ = self.run_of()
        self.made = self.run_.submission
        self.made.submitter = self.submitter.user
        self.made.save()

    def cells(self) -> list[tuple[int | None, int]]:
        return list(Cell.objects.values_list("run", "passed"))

    def retire(self, who: Any, to: str = "retire", reason: str = "a bug of ours") -> Any:  # fmt: skip
        return who.post(
            reverse(f"runs:{to}", args=[self.made.pk]), {"reason": reason}, follow=True
        )

    def test_it_leaves_the_board_and_comes_back(self) -> None:
        self.assertEqual(self.cells(), [(self.run_.pk, 1)])
        self.assertContains(self.retire(self.submitter), "counts on no board")
        self.assertEqual(self.cells(), [])
        self.assertEvent("board.moved", after="nothing")
        event = Event.objects.get(verb="submission.retired")
        self.assertEqual((event.actor, event.reason), (self.submitter.user, "a bug of ours"))  # fmt: skip
        rebuild_cells(self.set)
        self.assertEqual(self.cells(), [])
        self.assertContains(self.retire(self.maintainer, "restore"), "counts again")
        self.assertEqual(self.cells(), [(self.run_.pk, 1)])

    def test_another_submission_of_the_place_takes_over(self) -> None:
        other = self.run_of(outcome="sorry")
        retire_submission(None, self.made, retired=True, reason="r")
        self.assertEqual(self.cells(), [(other.pk, 0)])

    def test_its_pages_stay_and_say_so_while_lists_leave_it_out(self) -> None:
        retire_submission(self.submitter.user, self.made, retired=True, reason="<b>")
        page = self.reader.get(self.made.get_absolute_url())
        for words in ("Retired.", "&lt;b&gt;", self.run_.get_absolute_url()):
            self.assertContains(page, words)
        self.assertNotContains(page, "counts for scores")
        self.assertNotContains(page, "Put back")
        run = self.reader.get(self.run_.get_absolute_url())
        self.assertContains(run, "its submission is retired")
        self.assertNotContains(run, "counts for scores")
        for name in ("list", "submissions"):
            listed = self.reader.get(reverse(f"runs:{name}"))
            self.assertEqual(list(listed.context["page"].rows), [])
        asked = self.reader.get(reverse("runs:submissions"), {"retired": "retired"})
        self.assertEqual(list(asked.context["page"].rows), [self.made])

    def test_only_who_handed_it_in_or_a_maintainer_may(self) -> None:
        for who in (self.reader, self.curator, self.adjudicator):
            self.assertFalse(may_retire(who.user, self.made))
            self.assertForbidden(self.retire(who))
        self.assertHidden(self.retire(self.outsider))
        self.made.submitter = self.maintainer.user
        self.made.save()
        self.assertForbidden(self.retire(self.submitter))
        self.made.refresh_from_db()
        self.assertFalse(self.made.hidden)
        self.assertNotContains(self.reader.get(self.made.get_absolute_url()), "Retire…")

    def test_without_a_reason_nothing_happens(self) -> None:
        answer = self.retire(self.submitter, reason=" ")
        self.assertContains(answer, "Say why", status_code=422)
        with self.assertRaises(NoReason), self.assertNoEvent():
            retire_submission(None, self.made, retired=True, reason="")
        self.assertFalse(Submission.objects.get().hidden)

    def test_twice_is_once(self) -> None:
        retire_submission(None, self.made, retired=True, reason="r")
        with self.assertNoEvent():
            retire_submission(None, self.made, retired=True, reason="again")

    def test_what_ended_meanwhile_counts_when_it_is_put_back(self) -> None:
        self.run_.is_current = False
        self.run_.save()
        self.made.hidden = True
        self.made.save()
        late = make_run(self.made, {SPEC: "passed"}, current=False)
        retire_submission(None, self.made, retired=False, reason="r")
        late.refresh_from_db()
        self.assertTrue(late.is_current)
        self.assertEqual(self.cells(), [(late.pk, 1)])

    def test_it_is_undone_as_an_act_and_that_again(self) -> None:
        self.retire(self.submitter)
        for verb, hidden in (("retired", False), ("restored", True)):
            event = Event.objects.filter(verb=f"submission.{verb}").order_by("number").last()  # fmt: skip
            assert event is not None
            act = act_of(self.submitter.user, event.correlation)
            steps = [step.event.number for step in act.possible]
            self.assertEqual(steps, [event.number])
            undo_act(self.submitter.user, act.correlation, expected=steps)
            self.assertEqual(Submission.objects.get().hidden, hidden)

    def test_the_command_does_the_same(self) -> None:
        def told(*words: str) -> tuple[int, Any]:
            out = StringIO()
            try:
                call_command("retire", *words, json=True, stdout=out, stderr=StringIO())
                code = 0
            except SystemExit as ended:
                code = int(ended.code or 0)
            return code, json.loads(out.getvalue())

        number = str(self.made.pk)
        self.assertEqual(told(number)[0], 2)
        self.assertEqual(told("999999", "--reason=r")[0], 2)
        said = {"submission": self.made.pk, "retired": True, "changed": True}
        self.assertEqual(told(number, "--reason=r"), (0, said))
        self.assertEqual(self.cells(), [])
        self.assertFalse(told(number, "--undo", "--reason=r")[1]["retired"])
        self.assertEqual(len(self.cells()), 1)
