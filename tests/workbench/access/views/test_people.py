"""Teams and what roles may do."""

from __future__ import annotations

from tests.case import WorkbenchTestCase
from workbench.access.models import Team


class PeopleTest(WorkbenchTestCase):
    def test_it_lists_the_teams_of_the_person_and_no_other(self) -> None:
        response = self.reader.get("/people/")
        self.assertContains(response, "Logicians")
        self.assertNotContains(response, "Strangers")

    def test_whoever_is_in_no_team_is_told_what_to_do(self) -> None:
        self.reader.user.memberships.all().delete()
        self.assertContains(self.reader.get("/people/"), "You belong to no team yet")

    def test_only_admins_are_offered_a_new_team(self) -> None:
        self.assertContains(self.admin.get("/people/"), "New team")
        self.assertNotContains(self.maintainer.get("/people/"), "New team")

    def test_its_queries_do_not_grow_with_teams_and_people(self) -> None:
        with self.assertMostQueries(9):  # two of them for the numbers in the top bar
            self.admin.get("/people/")

    def test_a_visitor_is_sent_to_the_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get("/people/"))

    def test_it_is_not_for_posting(self) -> None:
        self.assertEqual(self.reader.post("/people/").status_code, 405)


class NewTeamTest(WorkbenchTestCase):
    url = "/people/teams/"

    def test_it_creates_and_opens_the_team(self) -> None:
        self.assertRedirects(
            self.admin.post(self.url, {"name": "New", "slug": "new"}),
            "/people/teams/new/",
        )
        self.assertEvent(
            "team.created", by=self.admin.user, about=Team.objects.get(slug="new")
        )

    def test_a_wrong_short_name_comes_back_with_what_was_typed(self) -> None:
        for slug in ("Not Ok", "logicians", "", "-x"):
            with self.subTest(slug), self.assertNoEvent():
                response = self.admin.post(
                    self.url, {"name": "Kept name", "slug": slug}
                )
                self.assertContains(response, "Kept name", status_code=422)

    def test_others_are_refused(self) -> None:
        for persona in (self.maintainer, self.reader):
            self.assertForbidden(persona.post(self.url, {"name": "New", "slug": "new"}))
        self.assertFalse(Team.objects.filter(slug="new").exists())

    def test_a_visitor_is_asked_to_log_in_and_keeps_the_text(self) -> None:
        response = self.visitor.post(self.url, {"name": "Kept name", "slug": "new"})
        self.assertContains(response, "Kept name", status_code=401)

    def test_it_is_not_for_getting(self) -> None:
        self.assertEqual(self.admin.get(self.url).status_code, 405)
