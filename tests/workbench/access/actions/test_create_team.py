"""Creating teams."""

from __future__ import annotations

from tests.case import WorkbenchTestCase, make_user
from workbench.access.actions.create_team import create_team
from workbench.access.models import Membership, Team
from workbench.access.rights import AccessDenied


class CreateTeamTest(WorkbenchTestCase):
    def test_who_creates_it_is_its_admin(self) -> None:
        team = create_team(self.admin.user, "topologists", "Topologists")
        self.assertEqual(Membership.objects.get(team=team).role, "admin")
        self.assertEvent("team.created", by=self.admin.user, about=team)

    def test_an_operator_without_any_team_may(self) -> None:
        create_team(make_user("operator", is_superuser=True), "first", "First")
        self.assertTrue(Team.objects.filter(slug="first").exists())

    def test_nobody_else_may(self) -> None:
        with (
            self.assertNoEvent(),
            self.assertRaisesRegex(AccessDenied, "Only admins create teams"),
        ):
            create_team(self.maintainer.user, "topologists", "Topologists")
        self.assertFalse(Team.objects.filter(slug="topologists").exists())
