"""Assign and dismiss many findings: exact preview, exact act, undone as one."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from adjudication.audits.actions.bulk import assign_many
from adjudication.audits.actions.decide_seen import mark_of
from adjudication.audits.models import Finding
from adjudication.audits.selectors.bulk import Seen
from tests.adjudication.audits.test_findings import SPEC, FindingsCase
from tests.adjudication.runs.made import make_run, make_submission
from tests.curation.instances.made import import_tiny, tiny
from workbench.access.models import Membership
from workbench.bulk import CONFIRMED_FROM, MOST, TooMany
from workbench.events.models import Event


class BulkTest(FindingsCase):
    def setUp(self) -> None:
        super().setUp()
        self.bulk, self.do = reverse("audits:bulk"), reverse("audits:bulk_do")
        self.refute()
        make_run(make_submission(self.revision, self.agent), {SPEC: "passed:unsat"})
        self.first, self.second = Finding.objects.order_by("number")

    def fields(self, verb: str, *findings: Finding, **more: Any) -> dict[str, Any]:
        """The form of the preview page."""
        chosen = findings or (self.first, self.second)
        seen = [str(Seen(one.pk, mark_of(one))) for one in chosen]
        return {"verb": verb, "seen": seen, **more}

    def states(self) -> list[str]:
        return list(Finding.objects.order_by("number").values_list("state", flat=True))

    def preview(self, verb: str, who: Any = None, **query: Any) -> Any:
        return (who or self.adjudicator).get(self.bulk, {"verb": verb, **query})

    def test_the_preview_says_what_is_left_out_and_why(self) -> None:
        self.rule_on(self.first)
        page = self.preview("dismiss", item=[self.first.pk, self.second.pk])
        found = page.context["preview"]
        self.assertEqual([one.finding for one in found.chosen], [self.second])
        self.assertContains(page, "somebody confirmed it; dismiss it on its own page")
        self.assertEqual(self.states(), ["confirmed", "new"])

    def test_all_that_the_filters_show_is_chosen_by_the_filter(self) -> None:
        page = self.preview("dismiss", all="yes", filter="route=unsat")
        chosen = [one.finding for one in page.context["preview"].chosen]
        self.assertEqual(chosen, [self.second])

    def test_they_are_dismissed_as_one_act_and_undone_as_one(self) -> None:
        fields = self.fields("dismiss", code="other", reason="the same bound")
        answer = self.adjudicator.post(self.do, fields)
        self.assertEqual(self.states(), ["rejected", "rejected"])
        events = Event.objects.filter(verb="finding.dismissed")
        (act,) = set(events.values_list("correlation", flat=True))
        self.assertRedirects(answer, f"/review/acts/{act}/")
        numbers = list(events.values_list("number", flat=True))
        undo = reverse("reviews:undo", args=[act])
        self.adjudicator.post(undo, {"event": numbers})
        self.assertEqual(self.states(), ["triaged", "triaged"])

    def test_what_changed_since_the_preview_is_left_out_and_said(self) -> None:
        fields = self.fields("dismiss", code="other", reason="x")
        self.refute("late")  # one more closure of the first
        self.adjudicator.post(self.do, fields)
        self.assertEqual(self.states(), ["new", "rejected"])

    def test_assigning_goes_back_to_whom_it_was_given_before(self) -> None:
        fields = self.fields("assign", assignee="adjudicator")
        answer = self.adjudicator.post(self.do, fields)
        self.assertEqual(self.assignees(), ["adjudicator", "adjudicator"])
        act = answer["Location"].split("/")[-2]
        numbers = Event.objects.filter(correlation=act).values_list("number", flat=True)
        self.adjudicator.post(reverse("reviews:undo", args=[act]), {"event": list(numbers)})  # fmt: skip
        self.assertEqual(self.assignees(), [None, None])

    def test_a_second_click_does_nothing_more(self) -> None:
        fields = self.fields("dismiss", code="other", reason="x")
        self.adjudicator.post(self.do, fields)
        with self.assertNoEvent():
            self.adjudicator.post(self.do, fields)

    def test_what_is_missing_keeps_the_words_and_the_selection(self) -> None:
        fields = self.fields("dismiss", code="", reason="my words")
        answer = self.adjudicator.post(self.do, fields)
        self.assertContains(answer, "my words", status_code=422)
        self.assertEqual(len(answer.context["preview"].chosen), 2)
        self.assertEqual(self.states(), ["new", "new"])

    def test_many_are_done_when_somebody_says_that_they_mean_it(self) -> None:
        fields = self.fields("dismiss", code="other", reason="x")
        fields["seen"] += [f"{9_000 + n}:x" for n in range(CONFIRMED_FROM)]
        self.assertEqual(self.adjudicator.post(self.do, fields).status_code, 422)
        self.assertEqual(self.states(), ["new", "new"])
        self.adjudicator.post(self.do, fields | {"sure": "yes"})
        self.assertEqual(self.states(), ["rejected", "rejected"])

    def test_more_than_the_limit_is_refused_whole(self) -> None:
        items = [Seen(n, "x") for n in range(MOST + 1)]
        with self.assertRaises(TooMany):
            assign_many(self.adjudicator.user, items, None)

    def test_who_may_not_rule_changes_nothing(self) -> None:
        fields = self.fields("dismiss", code="other", reason="x")
        for person in (self.curator, self.outsider):
            with self.assertNoEvent():
                person.post(self.do, fields)
        self.assertEqual(self.outsider.get(self.bulk, {"verb": "dismiss", "item": self.first.pk}).context["number"], 0)  # fmt: skip
        self.assertEqual(self.preview("explode").status_code, 400)
        self.assertEqual(self.adjudicator.get(self.do).status_code, 302)
        self.assertAsksForLogin(self.visitor.get(self.bulk, {"verb": "dismiss"}))

    def test_a_role_taken_away_meanwhile_leaves_all_out(self) -> None:
        fields = self.fields("dismiss", code="other", reason="x")
        Membership.objects.filter(user=self.adjudicator.user).update(role="reader")
        self.adjudicator.post(self.do, fields)
        self.assertEqual(self.states(), ["new", "new"])

    def test_findings_of_several_instances_are_one_act(self) -> None:
        other = import_tiny(self.users["curator"], self.team, tiny("other")).revision
        make_run(make_submission(other, self.agent), {SPEC: "passed:disprove"})
        found = list(Finding.objects.order_by("pk"))
        with self.assertMostQueries(110):
            self.adjudicator.post(
                self.do, self.fields("assign", *found, assignee="adjudicator")
            )
        self.assertEqual(self.assignees(), ["adjudicator"] * 3)

    def assignees(self) -> list[str | None]:
        rows = Finding.objects.order_by("pk")
        return list(rows.values_list("assignee__username", flat=True))

    def rule_on(self, finding: Finding) -> None:
        address = reverse("audits:act", args=["tiny", finding.number, "rule"])
        fields = {"category": "vacuous", "severity": "low", "rationale": "x"}
        self.adjudicator.post(address, fields | {"mark": mark_of(finding)})

    def test_an_outsider_does_not_learn_what_a_forged_form_names(self) -> None:
        fields = self.fields("dismiss", code="other", reason="x")
        for seen in (fields["seen"], [f"{self.first.pk}:forged"]):
            page = self.outsider.post(self.do, fields | {"seen": seen}, follow=True)
            self.assertContains(page, "it is not there any more")
            self.assertNotContains(page, str(self.first))
