"""Taking roles; a team always keeps an admin."""

from __future__ import annotations

import threading

from django.db import connection

from tests.case import CommittedTestCase, WorkbenchTestCase
from workbench.access.actions.give_role import give_role
from workbench.access.actions.take_role import LastAdmin, NotHeld, take_role
from workbench.access.models import Membership
from workbench.access.rights import AccessDenied


class TakeRoleTest(WorkbenchTestCase):
    def test_the_role_is_gone_and_the_team_is_told(self) -> None:
        take_role(self.admin.user, self.curator.user, self.team, "curator")
        self.assertFalse(Membership.objects.filter(user=self.curator.user).exists())
        self.assertEvent(
            "role.taken",
            by=self.admin.user,
            about=self.team,
            person="curator",
            role="curator",
        )

    def test_the_last_admin_stays(self) -> None:
        with (
            self.assertNoEvent(),
            self.assertRaisesRegex(LastAdmin, "admin is the last admin of Logicians"),
        ):
            take_role(self.admin.user, self.admin.user, self.team, "admin")
        self.assertTrue(
            Membership.objects.filter(user=self.admin.user, role="admin").exists()
        )

    def test_one_of_two_admins_may_go(self) -> None:
        give_role(self.admin.user, self.curator.user, self.team, "admin")
        take_role(self.curator.user, self.admin.user, self.team, "admin")
        self.assertEqual(
            Membership.objects.get(team=self.team, role="admin").user, self.curator.user
        )

    def test_an_admin_whose_account_is_closed_does_not_count(self) -> None:
        give_role(self.admin.user, self.curator.user, self.team, "admin")
        self.curator.user.is_active = False
        self.curator.user.save()
        with self.assertRaises(LastAdmin):
            take_role(self.admin.user, self.admin.user, self.team, "admin")

    def test_an_admin_of_another_team_does_not_count(self) -> None:
        self.assertTrue(
            Membership.objects.filter(team=self.other_team, role="admin").exists()
        )
        with self.assertRaises(LastAdmin):
            take_role(self.admin.user, self.admin.user, self.team, "admin")

    def test_a_role_that_is_not_held_cannot_be_taken(self) -> None:
        with (
            self.assertNoEvent(),
            self.assertRaisesRegex(NotHeld, "reader is not curator in Logicians"),
        ):
            take_role(self.admin.user, self.reader.user, self.team, "curator")

    def test_only_admins_of_this_team_take(self) -> None:
        for name in ("reader", "curator", "maintainer", "outsider"):
            with (
                self.subTest(name),
                self.assertNoEvent(),
                self.assertRaises(AccessDenied),
            ):
                take_role(self.users[name], self.reader.user, self.team, "reader")


class TwoAdminsAtOnceTest(CommittedTestCase):
    def test_two_admins_who_take_each_others_role_at_once_do_not_both_succeed(
        self,
    ) -> None:
        other = self.curator.user
        give_role(self.admin.user, other, self.team, "admin")
        start = threading.Barrier(2)
        outcomes: list[str] = []

        def take(admin: object, person: object) -> None:
            start.wait(10)
            try:
                take_role(admin, person, self.team, "admin")  # type: ignore[arg-type]  # both are users
                outcomes.append("taken")
            except (LastAdmin, AccessDenied) as error:
                outcomes.append(type(error).__name__)
            finally:
                connection.close()

        threads = [
            threading.Thread(target=take, args=(self.admin.user, other)),
            threading.Thread(target=take, args=(other, self.admin.user)),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        self.assertEqual(outcomes.count("taken"), 1, outcomes)
        self.assertEqual(
            Membership.objects.filter(team=self.team, role="admin").count(), 1
        )
