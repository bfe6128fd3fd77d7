"""Creating accounts."""

from __future__ import annotations

from tests.case import WorkbenchTestCase
from workbench.access.actions.create_user import NameTaken, create_user
from workbench.access.models import User
from workbench.access.rights import AccessDenied, allowed
from workbench.access.roles import CURATE
from workbench.events.models import Event


class CreateUserTest(WorkbenchTestCase):
    def test_the_account_opens_with_the_password_that_was_shown_and_holds_its_role(
        self,
    ) -> None:
        user, password = create_user(
            self.admin.user,
            self.team,
            "nele",
            "curator",
            full_name="Nele van Brandt",
            email="n@example.org",
        )
        self.assertTrue(User.objects.get(username="nele").check_password(password))
        self.assertEqual(
            (user.first_name, user.last_name, user.email),
            ("Nele", "van Brandt", "n@example.org"),
        )
        self.assertTrue(allowed(user, CURATE, self.team))
        self.assertFalse(user.is_superuser or user.is_staff)
        self.assertEvent(
            "account.created",
            by=self.admin.user,
            about=self.team,
            person="nele",
            role="curator",
        )

    def test_the_password_is_long_random_and_nowhere_in_the_record(self) -> None:
        passwords = {
            create_user(self.admin.user, self.team, f"user{number}", "reader")[1]
            for number in range(5)
        }
        self.assertEqual(len(passwords), 5)
        self.assertTrue(all(len(password) == 20 for password in passwords))
        told = " ".join(event.data + event.reason for event in Event.objects.all())
        self.assertFalse(any(password in told for password in passwords))

    def test_a_name_that_differs_in_case_only_is_taken(self) -> None:
        with (
            self.assertNoEvent(),
            self.assertRaisesRegex(NameTaken, "There is an account 'CURATOR' already"),
        ):
            create_user(self.admin.user, self.team, "CURATOR", "reader")

    def test_only_admins_of_this_team_create(self) -> None:
        for name in ("maintainer", "outsider"):
            with (
                self.subTest(name),
                self.assertNoEvent(),
                self.assertRaises(AccessDenied),
            ):
                create_user(self.users[name], self.team, "nele", "reader")
        self.assertFalse(User.objects.filter(username="nele").exists())
