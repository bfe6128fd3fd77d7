"""What happens to what people type and press: late, twice, without the right, or with what no text should hold."""

from __future__ import annotations

import json
from typing import Any

from django.urls import reverse

from adjudication.audits.actions.decide_seen import mark_of
from adjudication.audits.actions.repair_finding import link_repair
from adjudication.audits.models import Closure, Finding
from adjudication.runs.models import Submission
from tests.adjudication.audits.test_findings import SPEC, FindingsCase
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from workbench.access.models import Membership
from workbench.content.trees import store_tree

NASTY = "a\u202eb </textarea></script><b>&amp; ‘q’\r\nline"


class PeopleCase(FindingsCase):
    def setUp(self) -> None:
        super().setUp()
        self.refute()
        self.page = reverse("audits:finding", args=["tiny", 1])

    def act(self, act: str, who: Any = None, **fields: Any) -> Any:
        fields.setdefault("mark", mark_of(self.finding()))
        return (who or self.adjudicator).post(reverse("audits:act", args=["tiny", 1, act]), fields)  # fmt: skip

    def ruling(self, **fields: str) -> Any:
        words = {"category": "vacuous", "severity": "low", "rationale": "never true"}
        return self.act("rule", **(words | fields))


class TypedTest(PeopleCase):
    def test_odd_characters_are_kept_and_escaped(self) -> None:
        nul = self.ruling(rationale="my words \0")
        self.assertContains(nul, "my words", status_code=400)
        self.ruling(rationale=NASTY)
        kept = self.finding().rulings.get().rationale
        self.assertEqual(kept, NASTY)
        page = self.reader.get(self.page)
        self.assertNotContains(page, "</script><b>")
        self.assertContains(page, "<bdi>a\u202eb &lt;/textarea&gt;&lt;/script&gt;")

    def test_a_megabyte_is_refused_in_words_and_stays_in_its_field(self) -> None:
        long = "é" * 500_000
        for act, field in (
            ("rule", "rationale"), ("rule", "root_cause"), ("triage", "reason"),
            ("dismiss", "reason"), ("evidence", "reason"),
        ):  # fmt: skip
            fields = {"category": "vacuous", "severity": "low", "rationale": "x", "code": "other"}  # fmt: skip
            answer = self.act(act, **(fields | {field: long}))
            self.assertContains(answer, "500,000 characters", status_code=422)
            self.assertContains(answer, long, status_code=422)
        self.assertEqual(self.finding().state, "new")

    def test_a_second_click_rules_once(self) -> None:
        mark = mark_of(self.finding())
        self.assertEqual(self.ruling(mark=mark).status_code, 302)
        again = self.ruling(mark=mark)
        self.assertContains(again, "never true", status_code=409)
        self.assertEqual(self.finding().rulings.count(), 1)

    def test_a_role_taken_away_meanwhile_gives_the_text_back(self) -> None:
        Membership.objects.filter(user=self.adjudicator.user).update(role="reader")
        answer = self.ruling(rationale="my long words")
        self.assertContains(answer, "my long words", status_code=403)
        self.assertFalse(self.finding().rulings.exists())

    def test_dismissing_while_a_repair_is_linked_is_told(self) -> None:
        self.rule()
        mark = mark_of(self.finding())
        link_repair(self.maintainer.user, self.finding(), self.newer())
        late = self.act("dismiss", mark=mark, code="other", reason="my words")
        self.assertContains(late, "my words", status_code=409)
        self.assertContains(late, "repair drafted", status_code=409)

    def test_who_takes_what_somebody_else_got_meanwhile_is_told(self) -> None:
        self.act("take", self.maintainer, was="")
        late = self.act("take", was="")
        self.assertContains(late, "was given to maintainer meanwhile", status_code=409)
        self.assertEqual(self.finding().assignee, self.maintainer.user)
        self.act("take", was=str(self.maintainer.user.pk))
        self.assertEqual(self.finding().assignee, self.adjudicator.user)


class ActsTest(PeopleCase):
    def test_closures_are_split_merged_joined_and_taken_apart(self) -> None:
        self.refute("other")
        second = Closure.objects.order_by("-pk")[0]
        self.act("split", closure=[second.pk], reason="another bound")
        self.assertEqual(Finding.objects.count(), 2)
        made = Finding.objects.get(number=2)
        address = reverse("audits:act", args=["tiny", 2, "join"])
        self.adjudicator.post(address, {"mark": mark_of(made)})
        self.assertEqual(Finding.objects.get(number=2).state, "duplicate")
        merged = self.reader.get(reverse("audits:finding", args=["tiny", 2]))
        self.assertContains(merged, "Its closures went to the other finding")
        self.assertContains(self.reader.get(self.page), "merged F-2 into this")
        made.refresh_from_db()
        address = reverse("audits:act", args=["tiny", 2, "apart"])
        self.adjudicator.post(address, {"mark": mark_of(made)})
        self.assertEqual(self.finding_of(second).number, 2)

    def finding_of(self, closure: Closure) -> Finding:
        return Closure.objects.get(pk=closure.pk).finding

    def test_the_address_names_the_closure_whose_proof_is_shown(self) -> None:
        self.refute("other")
        second = Closure.objects.order_by("-pk")[0]
        page = self.reader.get(self.page, {"closure": second.pk})
        self.assertEqual(page.context["shown"].closure, second)
        self.assertEqual(self.reader.get(self.page, {"closure": "²"}).status_code, 200)


class WitnessTest(PeopleCase):
    def test_it_is_shown_as_a_table_that_says_who_gives_it(self) -> None:
        other = make_configuration(self.team, "other")
        made = make_submission(self.revision, other)
        witness = {"spec": SPEC, "variables": [{"name": "s", "value": "</td>\u202e"}]}
        files = {
            "artifact.json": b'{"slots": []}',
            "witness.json": json.dumps(witness).encode(),
        }
        Submission.objects.filter(pk=made.pk).update(files=store_tree(files))
        made.refresh_from_db()
        make_run(made, {SPEC: "passed:disprove"})
        page = self.reader.get(self.page)
        self.assertContains(page, r"<bdi>&lt;/td&gt;\u202e</bdi>")
        self.assertContains(page, "nobody checked it")


class ClaimPageTest(PeopleCase):
    def post(self, who: Any = None, **fields: Any) -> Any:
        given = {"instance": "tiny", "spec": self.definition(SPEC).pk, "route": "unsat"}
        return (who or self.curator).post(reverse("audits:claim"), given | fields)

    def test_a_curator_reports_a_spec_and_it_is_shown_as_not_proved(self) -> None:
        spec = self.definition(SPEC)
        form = self.curator.get(reverse("audits:claim"), {"instance": "tiny", "spec": spec.pk})  # fmt: skip
        self.assertContains(form, f'value="{spec.pk}" id="spec-{spec.pk}"')
        self.assertContains(form, "checked")
        self.post(words=NASTY)
        page = self.reader.get(reverse("audits:finding", args=["tiny", 2]))
        self.assertContains(page, "claimed by hand, not proved")
        self.assertContains(page, "spec_push_size: said to be unsatisfiable")
        self.assertContains(self.reader.get(reverse("audits:list")), "not proved")

    def test_what_is_missing_keeps_the_words(self) -> None:
        answer = self.post(words="my words", route="x")
        self.assertContains(answer, "my words", status_code=422)
        self.assertEqual(Finding.objects.count(), 1)

    def test_who_may_not_is_refused_and_others_see_nothing(self) -> None:
        self.assertForbidden(self.post(self.reader, words="x"))
        self.assertHidden(self.post(self.outsider, words="x"))
        self.assertAsksForLogin(self.visitor.get(reverse("audits:claim")))
        self.assertContains(self.reader.get(reverse("audits:claim")), "no instance of which")  # fmt: skip

    def test_the_page_of_a_spec_names_its_findings(self) -> None:
        spec = self.definition(SPEC)
        page = reverse("instances:definition", args=["tiny", spec.pk])
        self.assertContains(self.reader.get(page), self.page)
        self.assertNotContains(self.reader.get(page), "Report it as wrong")
        self.assertContains(self.curator.get(page), "Report it as wrong")
        api = reverse("instances:definition", args=["tiny", self.definition("push").pk])
        self.assertNotContains(self.reader.get(api), "Nobody has refuted")
