"""The top bar."""

from __future__ import annotations

from tests.case import WorkbenchTestCase
from workbench.ui.navigation import Entry, navigation


class NavigationTest(WorkbenchTestCase):
    def add(self, entry: Entry) -> None:
        navigation.add(entry)
        self.addCleanup(navigation.remove, entry.name)

    def test_the_place_one_is_at_is_marked_and_no_other(self) -> None:
        for path, name in (
            ("/", "Home"),
            ("/events/?verb=x", "Events"),
            ("/operations/", "Operations"),
        ):
            html = self.reader.get(path).content.decode()
            nav = html.split('<nav aria-label="Main">')[1].split("</nav>")[0]
            self.assertEqual(nav.count("aria-current"), 1, path)
            self.assertIn(f'aria-current="page">{name}', nav)

    def test_below_a_place_it_is_marked_too(self) -> None:
        self.add(Entry("People", "people"))
        html = self.reader.get("/people/teams/logicians/").content.decode()
        self.assertIn('href="/people/" aria-current="page">People', html)

    def test_an_entry_may_show_a_number_and_be_hidden(self) -> None:
        self.add(Entry("Counted", "people", count=lambda request: 14))
        self.add(Entry("Secret", "keys", shown=lambda request: False))
        response = self.reader.get("/")
        self.assertContains(response, 'Counted<span class="count">14</span>')
        self.assertNotContains(response, "Secret")

    def test_a_visitor_sees_no_places(self) -> None:
        self.assertNotContains(self.visitor.get("/login/"), 'aria-label="Main"')
