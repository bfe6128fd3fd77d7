"""Home."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpRequest

from tests.case import WorkbenchTestCase
from workbench.events.correlation import correlated
from workbench.events.log import record
from workbench.ui.panels import Fact, Panel, home_facts, home_panels


def _words(words: str, request: HttpRequest) -> dict[str, Any]:
    return {"words": words}


def _fact(words: str, request: HttpRequest) -> tuple[str, str]:
    return "warn", words


class HomeTest(WorkbenchTestCase):
    def test_it_shows_what_happened_in_ones_teams_and_nowhere_else(self) -> None:
        record("team.renamed", self.curator.user, self.team)
        record("team.dissolved", self.outsider.user, self.other_team)
        response = self.reader.get("/")
        self.assertContains(response, "<b>curator</b> renamed team")
        self.assertNotContains(response, "dissolved")

    def test_consequences_and_private_settings_are_not_activity(self) -> None:
        record("approval.dropped", None, self.team, implicit=True)
        record("preferences.changed", self.reader.user, self.reader.user)
        self.assertContains(self.reader.get("/"), "What people do will be told here")

    def test_one_act_is_one_line_however_much_it_did(self) -> None:
        with correlated():
            for _ in range(5):
                record("team.counted", self.curator.user, self.team)
        record("team.renamed", self.curator.user, self.team)
        html = self.reader.get("/").content.decode()
        self.assertEqual(html.count("counted team"), 1)
        self.assertIn("and 4 more</a>", html)

    def test_apps_add_panels_and_facts_in_order(self) -> None:
        for name, order in (("zeta", 1), ("alpha", 2)):
            home_panels.add(
                Panel(
                    name,
                    "ui/empty.html",
                    partial(_words, f"panel {name}"),
                    order,
                )
            )
            home_facts.add(Fact(name, partial(_fact, f"fact {name}"), order))
            self.addCleanup(home_panels.remove, name)
            self.addCleanup(home_facts.remove, name)
        home_panels.add(Panel("gone", "ui/empty.html", lambda request: None))
        home_facts.add(Fact("gone", lambda request: None))
        self.addCleanup(home_panels.remove, "gone")
        self.addCleanup(home_facts.remove, "gone")
        html = self.reader.get("/").content.decode()
        self.assertLess(html.index("panel zeta"), html.index("panel alpha"))
        self.assertLess(html.index("fact zeta"), html.index("fact alpha"))

    def test_a_visitor_is_sent_to_the_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get("/"))

    def test_it_is_not_for_posting(self) -> None:
        self.assertEqual(self.reader.post("/").status_code, 405)
