"""The audit queue and the page of a finding: what they show, to whom, and what they take."""

from __future__ import annotations

from typing import Any

from django.test import SimpleTestCase
from django.urls import reverse

from adjudication.audits.actions.decide_seen import mark_of
from adjudication.audits.actions.settle_finding import dismiss, snooze
from adjudication.audits.models import Closure
from adjudication.audits.panels import blockers
from adjudication.audits.selectors.finding_page import ShownClosure, reasons
from tests.adjudication.audits.test_findings import SPEC, FindingsCase
from tests.adjudication.runs.made import make_run, make_submission
from tests.curation.instances.made import SPEC as SPEC_TEXT
from tests.curation.instances.made import import_tiny, tiny


class PagesCase(FindingsCase):
    def setUp(self) -> None:
        super().setUp()
        self.refute()
        self.page = reverse("audits:finding", args=["tiny", 1])

    def act(self, act: str, who: Any = None, **fields: str) -> Any:
        fields.setdefault("mark", mark_of(self.finding()))
        address = reverse("audits:act", args=["tiny", 1, act])
        return (who or self.adjudicator).post(address, fields)

    def ruling(self, **fields: str) -> Any:
        words = {"category": "vacuous", "severity": "low", "rationale": "never true"}
        return self.act("rule", **(words | fields))


class QueueTest(PagesCase):
    def listed(self, query: str = "") -> bool:
        response = self.reader.get(reverse("audits:list") + query)
        self.assertEqual(response.status_code, 200)
        return self.page in response.content.decode()

    def test_what_was_refuted_waits_there_and_on_the_home_page(self) -> None:
        self.assertTrue(self.listed())
        self.assertContains(self.reader.get(reverse("home")), self.page)

    def test_each_filter_finds_it_and_another_value_does_not(self) -> None:
        for right, wrong in (
            ("instance=tiny", "instance=x"),
            ("route=disprove", "route=unsat"),
            ("language=python", "language=x"),
            ("state=new", "state=confirmed"),
            ("severity=high", "severity=low"),
            ("assignee=-", "assignee=reader"),
            ("configuration=agent", "configuration=x"),
            ("age=day", "age=older"),
        ):
            self.assertTrue(self.listed(f"?{right}"), right)
            self.assertFalse(self.listed(f"?{wrong}"), wrong)
        self.rule()
        self.assertTrue(self.listed("?category=missing_condition"))
        self.assertFalse(self.listed("?category=vacuous"))

    def test_closed_and_snoozed_ones_show_when_asked_for(self) -> None:
        snooze(self.adjudicator.user, self.finding())
        self.assertFalse(self.listed())
        self.assertTrue(self.listed("?snoozed=yes"))
        snooze(self.adjudicator.user, self.finding(), until_changed=False)
        dismiss(self.adjudicator.user, self.finding(), code="intended", reason="it is")
        self.assertFalse(self.listed())
        self.assertTrue(self.listed("?state=rejected"))

    def test_another_team_sees_nothing_of_it(self) -> None:
        response = self.outsider.get(reverse("audits:list"))
        self.assertNotContains(response, self.page)
        self.assertHidden(self.outsider.get(self.page))
        self.assertHidden(self.act("triage", self.outsider))
        self.assertAsksForLogin(self.visitor.get(self.page))

    def test_the_list_asks_as_much_for_many_as_for_one(self) -> None:
        with self.assertMostQueries(24):
            self.reader.get(reverse("audits:list"))
        with self.assertMostQueries(30):
            self.reader.get(self.page)


class FindingPageTest(PagesCase):
    def test_it_shows_spec_proof_closures_and_why_grouped(self) -> None:
        response = self.reader.get(self.page)
        for words in ("Pushing makes it one larger", "clean certificate", "the same spec", "Not computed"):  # fmt: skip
            self.assertContains(response, words)
        self.assertNotContains(response, "Rule</button>")
        self.assertContains(self.adjudicator.get(self.page), "Rule</button>")

    def test_by_id_leads_there(self) -> None:
        address = reverse("audits:by_id", args=[self.finding().pk])
        self.assertRedirects(self.reader.get(address), self.page, fetch_redirect_response=False)  # fmt: skip
        self.assertHidden(self.outsider.get(address))

    def test_an_adjudicator_rules_and_it_blocks_the_instance(self) -> None:
        self.assertRedirects(self.ruling(), self.page, fetch_redirect_response=False)
        self.assertEqual(self.finding().state, "confirmed")
        self.assertContains(self.reader.get(self.page), "never true")
        self.assertIn("F-1", next(iter(blockers(self.revision))).what)

    def test_who_decides_on_an_outdated_page_is_told_and_keeps_the_text(self) -> None:
        mark = mark_of(self.finding())
        self.ruling()
        late = self.ruling(mark=mark, category="vacuous", rationale="my long words")
        self.assertContains(late, "my long words", status_code=409)
        self.assertEqual(self.finding().rulings.count(), 1)

    def test_a_closure_that_came_meanwhile_is_read_before_it_is_dismissed(self) -> None:
        mark = mark_of(self.finding())
        self.refute("another")
        late = self.act("dismiss", mark=mark, code="intended", reason="it is so")
        self.assertContains(late, "it is so", status_code=409)
        self.assertEqual(self.finding().state, "new")

    def test_what_is_missing_is_said_and_the_rest_kept(self) -> None:
        answer = self.ruling(category="nonsense", rationale="kept words")
        self.assertContains(answer, "kept words", status_code=422)
        for act, fields in (
            ("dismiss", {"code": "x", "reason": "y"}),
            ("evidence", {}),
            ("assign", {"assignee": "nobody-here"}),
            ("merge", {"into": "²"}),
            ("repair", {"revision": "99"}),
        ):
            self.assertEqual(self.act(act, **fields).status_code, 422, act)

    def test_the_small_acts_work(self) -> None:
        for act, fields in (
            ("triage", {}),
            ("take", {}),
            ("evidence", {"reason": "which numbers?"}),
            ("snooze", {}),
            ("wake", {}),
            ("dismiss", {"code": "other", "reason": "see there"}),
        ):
            self.assertEqual(self.act(act, **fields).status_code, 302, act)
        found = self.finding()
        self.assertEqual((found.state, found.assignee), ("rejected", self.adjudicator.user))  # fmt: skip

    def test_wrong_methods_and_missing_rights_are_refused(self) -> None:
        address = reverse("audits:act", args=["tiny", 1, "triage"])
        self.assertEqual(self.adjudicator.get(address).status_code, 302)
        self.assertEqual(self.adjudicator.post(self.page).status_code, 405)
        self.assertForbidden(self.act("triage", self.curator))
        self.assertHidden(self.act("explode"))

    def test_proved_and_refuted_on_one_revision_is_an_alarm_and_blocks(self) -> None:
        self.assertNotContains(self.reader.get(self.page), "Proved and refuted")
        make_run(make_submission(self.revision, self.agent), {SPEC: "passed:prove"})
        self.assertContains(self.reader.get(self.page), "Proved and refuted")
        waits, alarm = blockers(self.revision)
        self.assertEqual((waits.tone, alarm.tone), ("warn", "bad"))
        self.assertIn("F-1 waits for a decision", waits.what)
        self.assertIn("proved of the reference", alarm.what)


class SnoozeTest(PagesCase):
    def test_it_wakes_when_its_spec_means_something_else_and_not_before(self) -> None:
        snooze(self.adjudicator.user, self.finding())
        files = tiny() | {"README.md": b"words\n"}
        import_tiny(self.users["curator"], self.team, files)
        self.assertTrue(self.finding().snoozed_hash)
        changed = tiny(spec=SPEC_TEXT.replace("+ 1", "+ 2"))
        import_tiny(self.users["curator"], self.team, changed)
        self.assertEqual(self.finding().snoozed_hash, "")


class ReasonsTest(SimpleTestCase):
    def test_a_reason_that_many_closures_share_is_said_once(self) -> None:
        made = [
            Closure(pk=number, grouped_because=why)
            for number, why in enumerate(("same spec", "by hand", "same spec"), 1)
        ]
        rows = [ShownClosure(closure, (), False) for closure in made]
        self.assertEqual(
            reasons(rows),
            [([made[0], made[2]], "same spec"), ([made[1]], "by hand")],
        )
