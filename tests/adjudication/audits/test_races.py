"""Publishing, ruling, repairing, regrading and importing at once, on a real database: no circle of locks, nothing lost."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import partial
from uuid import uuid4

import pytest
from django.db import transaction

from adjudication.audits.actions.claim_finding import claim_finding
from adjudication.audits.actions.decide_seen import Moved, hold_as_seen, mark_of
from adjudication.audits.actions.merge_findings import merge_findings
from adjudication.audits.actions.repair_finding import link_repair
from adjudication.audits.actions.settle_finding import assign_finding, dismiss, rule
from adjudication.audits.models import Closure, Finding
from adjudication.audits.states import WrongMove
from adjudication.runs.consequences import consequences
from adjudication.runs.models import GradingRun
from curation.instances.models import Definition
from tests.adjudication.audits.races import Ground, publish
from tests.adjudication.runs.test_pages import SPEC
from tests.case import CommittedTestCase
from tests.workbench.jobs.test_races import at_once
from workbench.events.correlation import correlated
from workbench.events.log import broken_links
from workbench.events.models import Event

# SQLite has one writer: nothing races there.
pytestmark = pytest.mark.one_database


class PeopleRacesTest(CommittedTestCase):
    """Two at the same finding at the same moment: one is obeyed, the other is told, and the history is whole."""

    def setUp(self) -> None:
        super().setUp()
        self.place = Ground(self.team, self.users, ("tiny",))
        self.dice = random.Random("people")
        self.refute()
        self.finding = Finding.objects.get()

    def refute(self) -> None:
        with correlated(uuid4()):
            publish(self.place.submit(self.dice, name="tiny"), "passed", "disprove")

    def both(self, *calls: Callable[[], object]) -> list[object]:
        """Do these at once, each an act of its own."""

        def act(call: Callable[[], object]) -> object:
            with correlated(uuid4()):
                return call()

        results = at_once(*(partial(act, call) for call in calls))
        self.assertEqual(list(self.place.faults()), [])
        self.assertEqual(list(broken_links()), [])
        return results

    def decide(self, mark: str, call: Callable[[], object]) -> object:
        """Do what a form does: hold the finding as it was seen, then act."""
        with transaction.atomic():
            hold_as_seen(self.finding, mark)
            return call()

    def told(self, results: list[object]) -> list[type]:
        return [type(one) for one in results if isinstance(one, BaseException)]

    def ruling(self, name: str, category: str = "vacuous") -> object:
        return rule(
            self.users[name], self.finding, category=category, severity="low", rationale=name
        )  # fmt: skip

    def test_of_two_rulings_one_stands(self) -> None:
        mark = mark_of(self.finding)
        people = ("adjudicator", "maintainer", "admin")
        results = self.both(
            *(partial(self.decide, mark, partial(self.ruling, name)) for name in people)
        )
        self.assertEqual(self.told(results), [Moved, Moved])
        self.assertEqual(self.finding.rulings.count(), 1)

    def test_who_dismisses_while_a_repair_is_linked_or_the_other_way_is_told(
        self,
    ) -> None:
        with correlated(uuid4()):
            self.ruling("adjudicator")
        self.place.revise(self.dice, name="tiny")
        mark, newest = mark_of(self.finding), self.place.newest("tiny")
        user = self.users["maintainer"]
        results = self.both(
            partial(
                self.decide, mark, partial(link_repair, user, self.finding, newest)
            ),
            partial(
                self.decide,
                mark,
                partial(dismiss, user, self.finding, code="other", reason="no"),
            ),
        )
        self.assertEqual(self.told(results), [Moved])

    def test_who_dismisses_while_another_closure_arrives_has_seen_it_or_is_told(
        self,
    ) -> None:
        mark, user = mark_of(self.finding), self.users["adjudicator"]
        drop = partial(dismiss, user, self.finding, code="other", reason="no")
        results = self.both(partial(self.decide, mark, drop), self.refute)
        self.finding.refresh_from_db()
        self.assertEqual(self.told(results) == [Moved], self.finding.state == "new")
        self.assertEqual(self.finding.closures.count(), 2)

    def test_it_is_opened_again_whichever_comes_first_a_dismissal_or_a_later_proof(
        self,
    ) -> None:
        user = self.users["adjudicator"]
        self.place.revise(self.dice, name="tiny")
        drop = partial(dismiss, user, self.finding, code="other", reason="no")
        self.both(partial(self.decide, mark_of(self.finding), drop), self.refute)
        self.finding.refresh_from_db()
        self.assertIn(self.finding.state, ("new", "triaged"))

    def test_of_two_who_take_it_one_gets_it(self) -> None:
        people = ("adjudicator", "maintainer")
        results = self.both(
            *(
                partial(assign_finding, self.users[name], self.finding, self.users[name], was="")
                for name in people
            )
        )  # fmt: skip
        self.assertEqual(self.told(results), [WrongMove])
        self.assertEqual(Event.objects.filter(verb="finding.assigned").count(), 1)

    def test_of_two_merges_into_each_other_one_is_done(self) -> None:
        with correlated(uuid4()):
            run = self.place.submit(self.dice, name="tiny")
            publish(run, "passed", "unsat")
        one, other = Finding.objects.order_by("number")
        user = self.users["adjudicator"]
        results = self.both(
            partial(merge_findings, user, one, other),
            partial(merge_findings, user, other, one),
        )
        self.assertEqual(self.told(results), [WrongMove])
        self.assertEqual(Finding.objects.filter(state="duplicate").count(), 1)

    def test_the_same_claim_pressed_twice_is_one(self) -> None:
        spec = Definition.objects.get(instance__slug="tiny", lean_name=SPEC)
        claim = partial(
            claim_finding, self.users["curator"], spec.instance, [spec.pk], route="unsat", words="x"
        )  # fmt: skip
        self.both(claim, claim)
        self.assertEqual(Closure.objects.filter(run=None).count(), 1)


class LocksTest(CommittedTestCase):
    def test_what_begins_while_a_verdict_is_half_published_waits_and_is_done(
        self,
    ) -> None:
        place = Ground(self.team, self.users, ("tiny", "other"))
        dice, users = random.Random("half"), self.users
        with correlated(uuid4()):
            publish(place.submit(dice, name="tiny"), "passed", "disprove")
            publish(place.submit(dice, name="other"), "passed", "disprove")
        finding = Finding.objects.select_related("instance__team").get(
            instance__slug="tiny"
        )
        user, curator = users["adjudicator"], users["curator"]
        spec = Definition.objects.get(instance=finding.instance_id, lean_name=SPEC)
        claim = partial(claim_finding, curator, finding.instance, [spec.pk], route="unsat")  # fmt: skip
        ruling = partial(rule, user, finding, category="vacuous", severity="low")
        acts: dict[str, Callable[[], object]] = {
            "assign": partial(assign_finding, user, finding, user),
            "rule": partial(ruling, rationale="never"),
            "claim": partial(claim, words="x"),
            "submit": partial(place.submit, dice, name="tiny"),
            "revise": partial(place.revise, dice, name="tiny"),
            "fill a set": partial(place.sets, dice),
            "regrade": partial(place.regrade, dice),
        }
        for name, act in acts.items():
            with self.subTest(name):
                self.assertEqual(self.during_publication(place, dice, act), [])
        self.assertEqual(list(place.faults()), [])

    def during_publication(
        self, place: Ground, dice: random.Random, act: Callable[[], object]
    ) -> list[BaseException]:
        """Begin `act` while a verdict is published that has the head of the record but not its closures yet; return errors."""
        run = place.submit(dice, name="tiny")
        half, over = threading.Event(), threading.Event()

        def pause(graded: GradingRun) -> None:
            if graded.pk == run.pk:
                half.set()
                over.wait(0.25)  # long enough for the other to take what it can get

        def work() -> None:
            half.wait()
            with correlated(uuid4()):
                act()
            over.set()

        def grade() -> None:
            with correlated(uuid4()):
                publish(run, "passed", "disprove")

        consequences.insert(0, pause)
        try:
            results = at_once(grade, work)
        finally:
            consequences.remove(pause)
        return [one for one in results if isinstance(one, BaseException)]

    def test_nobody_waits_in_a_circle(self) -> None:
        place = Ground(self.team, self.users, ("tiny", "other"))
        rounds, dice = 4, random.Random("first")
        with correlated(uuid4()):
            for name in place.names:  # so that nobody has nothing to do
                publish(place.submit(dice, name=name), "passed", "disprove")
        # What people do is quick beside a grading: so they do more of it.
        works = [
            *(
                ("grade", 1),
                ("grade", 1),
                ("regrade", 1),
                ("recheck", 1),
                ("revise", 1),
            ),
            *(("sets", 1), ("settle", 5), ("settle", 5), ("group", 4)),
        ]
        results = at_once(
            *(
                partial(place.work, what, seed, times * rounds)
                for seed, (what, times) in enumerate(works)
            )
        )
        errors = [one for one in results if isinstance(one, BaseException)]
        self.assertEqual(errors, [])
        self.assertEqual(list(place.faults()), [])
        verbs = set(Event.objects.values_list("verb", flat=True))
        self.assertLessEqual({"closure.opened", "finding.triaged", "regrade.applied", "set.filled"}, verbs)  # fmt: skip
        self.assertEqual(list(broken_links()), [])
