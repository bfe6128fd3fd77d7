"""Operations."""

from __future__ import annotations

from tests.case import WorkbenchTestCase
from workbench.ui.checks import BAD, NA, OK, WARN, Answer, Check, checks
from workbench.ui.panels import RAIL, Panel, operations_panels

URL = "/operations/"


class OperationsTest(WorkbenchTestCase):
    def add(self, *made: Check) -> None:
        checks.add(*made)
        for check in made:
            self.addCleanup(checks.remove, check.name)

    def test_it_shows_each_check_with_its_way_out_worst_first(self) -> None:
        self.add(
            Check("Fine one", lambda: Answer(OK, "all good"), 1),
            Check("Broken one", lambda: Answer(BAD, "it broke", "mend it"), 99),
            Check("Absent one", lambda: Answer(NA, "not here"), 3),
            Check("Odd one", lambda: Answer(WARN, "odd"), 4),
        )
        html = self.admin.get(URL).content.decode()
        places = [
            html.index(name)
            for name in ("Broken one", "Odd one", "Absent one", "Fine one")
        ]
        self.assertEqual(places, sorted(places))
        self.assertInHTML('<td class="muted">mend it</td>', html)
        self.assertIn("1 check fails", html)

    def test_folders_and_addresses_are_for_admins(self) -> None:
        self.add(Check("Where", lambda: Answer(OK, "in /secret/place"), private=True))
        self.assertContains(self.admin.get(URL), "/secret/place")
        for persona in (self.reader, self.maintainer):
            self.assertNotContains(persona.get(URL), "/secret/place")
            self.assertContains(persona.get(URL), "shown to admins only")

    def test_the_operator_sees_them_too(self) -> None:
        self.add(Check("Where", lambda: Answer(OK, "in /secret/place"), private=True))
        self.reader.user.is_superuser = True
        self.reader.user.save()
        self.assertContains(self.reader.get(URL), "/secret/place")

    def test_apps_add_panels(self) -> None:
        operations_panels.add(
            Panel(
                "workers",
                "ui/empty.html",
                lambda request: {"words": "no worker yet"},
                place=RAIL,
            )
        )
        self.addCleanup(operations_panels.remove, "workers")
        self.assertContains(self.reader.get(URL), "no worker yet")

    def test_a_visitor_is_sent_to_the_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(URL))

    def test_it_is_not_for_posting(self) -> None:
        self.assertEqual(self.reader.post(URL).status_code, 405)
