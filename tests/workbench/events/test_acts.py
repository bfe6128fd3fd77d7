"""Acts: what one click did, told as one."""

from __future__ import annotations

import uuid

from tests.case import WorkbenchTestCase
from workbench.events.acts import ActLink, act_links, links_of, told_acts
from workbench.events.correlation import correlated
from workbench.events.log import record
from workbench.events.models import Event


class ToldActsTest(WorkbenchTestCase):
    def test_neighbours_of_one_act_are_one_and_the_person_speaks_for_it(self) -> None:
        with correlated(uuid.uuid4()):
            record("thing.done", self.curator.user, self.team)
            record("thing.followed", self.curator.user, self.team, implicit=True)
        with correlated(uuid.uuid4()):
            record("other.done", self.curator.user, self.team)
        acts = told_acts(self.curator.user, list(Event.objects.order_by("-number")[:3]))
        self.assertEqual(
            [(act.event.verb, len(act.others)) for act in acts],
            [("other.done", 0), ("thing.done", 1)],
        )
        self.assertIn("followed", acts[1].others[0][1])

    def test_links_are_those_that_make_sense_for_the_events(self) -> None:
        link = ActLink(
            "Frame it",
            lambda correlation: f"/frame/{correlation}/",
            lambda user, events: any(one.verb == "thing.done" for one in events),
        )
        act_links.add(link)
        self.addCleanup(act_links.remove, "Frame it")
        with correlated(uuid.uuid4()) as act:
            event = record("thing.done", self.curator.user, self.team)
        other = record("other.done", self.curator.user, self.team)
        user = self.curator.user
        self.assertIn(("Frame it", f"/frame/{act}/"), links_of(user, act, [event]))
        self.assertEqual(links_of(user, act, [other]), [])
        self.assertEqual(links_of(user, None, [event]), [])
