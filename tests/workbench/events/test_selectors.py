"""What a person may know of the record."""

from __future__ import annotations

from tests.case import WorkbenchTestCase, make_user
from workbench.access.models import Grant, User
from workbench.events.log import record
from workbench.events.models import Event
from workbench.events.selectors import COUNTED, visible_events


class VisibleEventsTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.ours = record("team.ours", self.curator.user, self.team)
        self.theirs = record("team.theirs", self.outsider.user, self.other_team)
        self.private = record(
            "preferences.changed", self.curator.user, self.curator.user
        )

    def seen(self, user: User) -> set[str]:
        return set(visible_events(user).values_list("verb", flat=True))

    def test_one_sees_what_happens_in_ones_teams(self) -> None:
        self.assertEqual(self.seen(self.reader.user), {"team.ours"})
        self.assertEqual(self.seen(self.outsider.user), {"team.theirs"})

    def test_ones_own_account_is_ones_own_business(self) -> None:
        self.assertEqual(
            self.seen(self.curator.user), {"team.ours", "preferences.changed"}
        )
        self.assertNotIn("preferences.changed", self.seen(self.admin.user))

    def test_what_was_done_to_ones_account_is_seen(self) -> None:
        record(
            "account.closed", make_user("operator", is_superuser=True), self.reader.user
        )
        self.assertIn("account.closed", self.seen(self.reader.user))
        self.assertNotIn("account.closed", self.seen(self.curator.user))

    def test_a_role_on_an_instance_shows_its_events(self) -> None:
        Event.objects.bulk_create([_of_instance(self.ours, 77)])
        self.assertNotIn("instance.opened", self.seen(self.outsider.user))
        Grant.objects.create(
            user=self.outsider.user, role="reader", object_kind="instance", object_id=77
        )
        self.assertIn("instance.opened", self.seen(self.outsider.user))

    def test_the_operator_sees_everything(self) -> None:
        operator = make_user("operator", is_superuser=True)
        self.assertEqual(
            self.seen(operator), {"team.ours", "team.theirs", "preferences.changed"}
        )

    def test_leaving_a_team_ends_the_sight(self) -> None:
        self.reader.user.memberships.all().delete()
        self.assertEqual(self.seen(self.reader.user), set())

    def test_facets_count_a_bounded_number(self) -> None:
        self.assertLessEqual(COUNTED, 5000)


def _of_instance(like: Event, instance_id: int) -> Event:
    return Event(
        number=99, at=like.at, verb="instance.opened", actor_name="x", object_kind="instance", object_id=str(instance_id),
        object_name="i", instance_id=instance_id, team=like.team, correlation=like.correlation, previous_hash="0", hash="0",
    )  # fmt: skip
