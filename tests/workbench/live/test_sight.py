from __future__ import annotations

from tests.case import WorkbenchTestCase, make_user
from tests.workbench.jobs.made import waiting_job
from workbench.access.models import Grant
from workbench.live.sight import may_follow, sight_of


class MayFollowTest(WorkbenchTestCase):
    def test_lists_are_everybodys(self) -> None:
        self.assertTrue(may_follow(self.outsider.user, "jobs"))
        self.assertTrue(may_follow(self.outsider.user, "events"))

    def test_a_thing_is_followed_by_those_who_see_it(self) -> None:
        topic = f"job:{waiting_job(owner=self.curator.user, team=self.team).pk}"
        self.assertTrue(may_follow(self.reader.user, topic))
        self.assertFalse(may_follow(self.outsider.user, topic))

    def test_what_is_no_topic_is_followed_by_nobody(self) -> None:
        root = make_user("root", is_superuser=True)
        for topic in (
            "",
            "job",
            "job:",
            "job:x",
            "job:-1",
            "job:1:2",
            "nothing:1",
            "jobs:1",
            "job:²",
            f"job:{10**30}",
        ):
            with self.subTest(topic=topic):
                self.assertFalse(may_follow(root, topic))


class SightTest(WorkbenchTestCase):
    def covers(self, user_name: str, **what: int | None) -> bool:
        given: dict[str, int | None] = {
            "owner_id": None,
            "team_id": None,
            "instance_id": None,
        }
        return sight_of(self.users[user_name]).covers(**{**given, **what})

    def test_it_covers_ones_teams_and_ones_own(self) -> None:
        self.assertTrue(self.covers("reader", team_id=self.team.pk))
        self.assertFalse(self.covers("reader", team_id=self.other_team.pk))
        self.assertTrue(self.covers("reader", owner_id=self.reader.user.pk))
        self.assertFalse(self.covers("reader", owner_id=self.curator.user.pk))

    def test_what_belongs_to_nobody_is_covered_by_superusers_only(self) -> None:
        self.assertFalse(self.covers("admin"))
        self.users["root"] = make_user("root", is_superuser=True)
        self.assertTrue(self.covers("root"))

    def test_a_role_on_an_instance_covers_it(self) -> None:
        self.assertFalse(self.covers("outsider", instance_id=5))
        Grant.objects.create(
            user=self.outsider.user, role="reader", object_kind="instance", object_id=5
        )
        self.assertTrue(self.covers("outsider", instance_id=5))

    def test_it_costs_two_queries(self) -> None:
        with self.assertNumQueries(2):
            sight_of(self.reader.user)
