"""The table of roles."""

from __future__ import annotations

from unittest import TestCase

from workbench.access.models import Membership
from workbench.access.roles import ADMINISTER, REVIEW, RIGHTS, ROLES, VIEW, roles_with


class RolesTest(TestCase):
    def test_every_role_may_see(self) -> None:
        self.assertEqual(roles_with(VIEW), list(ROLES))

    def test_only_the_admin_gives_and_takes_roles(self) -> None:
        self.assertEqual(roles_with(ADMINISTER), ["admin"])

    def test_who_hands_in_or_reads_may_not_decide(self) -> None:
        for role in ("reader", "submitter"):
            self.assertNotIn(role, roles_with(REVIEW))

    def test_every_right_in_the_table_is_described(self) -> None:
        for role, rights in ROLES.items():
            self.assertLessEqual(rights, set(RIGHTS), role)

    def test_the_database_knows_the_same_roles(self) -> None:
        self.assertEqual(
            [value for value, _ in Membership._meta.get_field("role").choices or ()],
            list(ROLES),
        )
