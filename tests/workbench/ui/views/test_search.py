"""Search."""

from __future__ import annotations

from collections.abc import Sequence

from tests.case import WorkbenchTestCase
from workbench.access.models import Team, User
from workbench.access.rights import sight
from workbench.ui.search import Hit, Provider, found, providers


def find_teams(user: User, words: str, limit: int) -> Sequence[Hit]:
    rows = Team.objects.filter(sight(user, team="pk"), name__icontains=words)[:limit]
    return [
        Hit(team.name, f"/people/teams/{team.slug}/", "a team", "found by name")
        for team in rows
    ]


class SearchTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        providers.add(
            Provider("teams", find_teams, 1, more=lambda words: f"/people/?q={words}")
        )
        self.addCleanup(providers.remove, "teams")

    def test_it_finds_what_the_person_may_see(self) -> None:
        response = self.reader.get("/search/", {"q": "logic"})
        self.assertContains(
            response, '<a class="name" href="/people/teams/logicians/">Logicians</a>'
        )
        self.assertContains(response, 'href="/people/?q=logic"')

    def test_it_does_not_find_what_is_of_others(self) -> None:
        response = self.reader.get("/search/", {"q": "strangers"})
        self.assertNotContains(response, "/people/teams/strangers/")
        self.assertContains(response, "Nothing that you may see is called")

    def test_the_words_stay_in_the_field_escaped(self) -> None:
        response = self.reader.get("/search/", {"q": '"><script>alert(1)</script>'})
        self.assertNotContains(response, "<script>alert")
        self.assertContains(response, "&quot;&gt;&lt;script&gt;alert(1)")

    def test_one_character_is_too_few(self) -> None:
        self.assertContains(
            self.reader.get("/search/", {"q": "l"}), "Two characters or more"
        )
        self.assertEqual(found(self.reader.user, "l"), [])

    def test_odd_words_are_no_error(self) -> None:
        for words in ("", "  ", "%", "_", "'", "x" * 10_000, "∀ ∣"):
            with self.subTest(words[:10]):
                self.assertEqual(
                    self.reader.get("/search/", {"q": words}).status_code, 200
                )

    def test_no_more_than_asked_for_and_it_says_so(self) -> None:
        Team.objects.bulk_create(
            Team(slug=f"logic{number}", name=f"Logic {number}") for number in range(3)
        )
        self.admin.user.is_superuser = True
        (group,) = [
            group
            for group in found(self.admin.user, "logic", limit=2)
            if group.name == "teams"
        ]
        self.assertEqual((len(group.hits), group.partial, group.shown), (2, True, "2+"))
        (group,) = [
            group
            for group in found(self.admin.user, "logic", limit=4)
            if group.name == "teams"
        ]
        self.assertEqual((len(group.hits), group.partial, group.shown), (4, False, "4"))

    def test_a_visitor_is_sent_to_the_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get("/search/"))

    def test_it_is_not_for_posting(self) -> None:
        self.assertEqual(self.reader.post("/search/").status_code, 405)
