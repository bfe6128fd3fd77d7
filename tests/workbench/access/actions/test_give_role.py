"""Giving roles."""

from __future__ import annotations

from tests.case import WorkbenchTestCase
from workbench.access.actions.give_role import AlreadyGiven, UnknownRole, give_role
from workbench.access.models import Membership
from workbench.access.rights import AccessDenied


class GiveRoleTest(WorkbenchTestCase):
    def test_the_person_holds_the_role_and_the_team_is_told(self) -> None:
        membership = give_role(
            self.admin.user, self.outsider.user, self.team, "reviewer"
        )
        self.assertEqual(
            (membership.user, membership.team, membership.role),
            (self.outsider.user, self.team, "reviewer"),
        )
        event = self.assertEvent(
            "role.given",
            by=self.admin.user,
            about=self.team,
            person="outsider",
            role="reviewer",
        )
        self.assertEqual(event.team, self.team)

    def test_only_admins_of_this_team_give(self) -> None:
        for name in (
            "reader",
            "submitter",
            "curator",
            "reviewer",
            "adjudicator",
            "maintainer",
            "outsider",
        ):
            with (
                self.subTest(name),
                self.assertNoEvent(),
                self.assertRaises(AccessDenied),
            ):
                give_role(self.users[name], self.users[name], self.team, "admin")
        self.assertEqual(
            Membership.objects.filter(team=self.team, role="admin").count(), 1
        )

    def test_a_role_that_is_held_already_is_refused_and_not_recorded(self) -> None:
        with (
            self.assertNoEvent(),
            self.assertRaisesRegex(
                AlreadyGiven, "reader is reader in Logicians already"
            ),
        ):
            give_role(self.admin.user, self.reader.user, self.team, "reader")

    def test_a_role_that_is_not_there_is_refused(self) -> None:
        with (
            self.assertNoEvent(),
            self.assertRaisesRegex(UnknownRole, "no role 'owner'"),
        ):
            give_role(self.admin.user, self.reader.user, self.team, "owner")
