"""Roles on one object alone, tried on instances."""

from __future__ import annotations

from django.urls import reverse

from curation.instances.models import Instance
from tests.case import WorkbenchTestCase
from workbench.access.actions.give_role import give_role_on
from workbench.access.actions.take_role import NotHeld, take_role_on
from workbench.access.models import Grant
from workbench.access.rights import AccessDenied, allowed
from workbench.access.roles import REVIEW


class ObjectCase(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.instance = Instance.objects.create(
            team=self.team, slug="ledger", benchmark_id="ledger"
        )
        self.url = reverse("roles_on", args=["instance", self.instance.pk])


class RolesOnTest(ObjectCase):
    def test_it_lists_who_holds_a_role_here_alone(self) -> None:
        self.assertContains(
            self.reader.get(self.url), "Nobody holds a role on this alone"
        )
        give_role_on(self.admin.user, self.outsider.user, self.instance, "reviewer")
        self.assertContains(self.reader.get(self.url), '<th class="name">outsider</th>')

    def test_only_admins_see_the_forms(self) -> None:
        self.assertContains(self.admin.get(self.url), "Give the role")
        self.assertNotContains(self.maintainer.get(self.url), "Give the role")

    def test_what_may_not_be_seen_and_what_takes_no_roles_is_not_there(self) -> None:
        self.assertHidden(self.outsider.get(self.url))
        for kind in ("team", "user", "never-was"):
            self.assertHidden(
                self.admin.get(reverse("roles_on", args=[kind, self.team.pk]))
            )

    def test_a_visitor_is_sent_to_the_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(self.url))

    def test_it_is_not_for_posting(self) -> None:
        self.assertEqual(self.admin.post(self.url).status_code, 405)


class GiveOnTest(ObjectCase):
    def setUp(self) -> None:
        super().setUp()
        self.url += "give/"

    def test_it_opens_this_object_to_somebody_of_another_team_and_nothing_else(
        self,
    ) -> None:
        other = Instance.objects.create(
            team=self.team, slug="other", benchmark_id="other"
        )
        response = self.admin.client.post(
            self.url, {"person": "outsider", "role": "reviewer"}, follow=True
        )
        self.assertContains(response, "outsider is reviewer on ledger now.")
        self.assertTrue(allowed(self.outsider.user, REVIEW, self.instance))
        self.assertFalse(allowed(self.outsider.user, REVIEW, other))
        self.assertEqual(
            list(Instance.objects.visible_to(self.outsider.user)), [self.instance]
        )
        event = self.assertEvent(
            "role.given",
            by=self.admin.user,
            about=self.instance,
            person="outsider",
            role="reviewer",
        )
        self.assertEqual((event.instance_id, event.team), (self.instance.pk, self.team))

    def test_the_event_shows_to_whoever_got_the_role(self) -> None:
        self.admin.post(self.url, {"person": "outsider", "role": "reader"})
        self.assertContains(
            self.outsider.get("/events/"), "gave outsider the role reader in"
        )

    def test_what_is_wrong_comes_back_with_what_was_typed(self) -> None:
        give_role_on(self.admin.user, self.outsider.user, self.instance, "reader")
        for data in (
            {"person": "nobody", "role": "reader"},
            {"person": "outsider", "role": "reader"},
            {"person": "outsider", "role": "owner"},
        ):
            with self.subTest(**data), self.assertNoEvent():
                self.assertContains(
                    self.admin.post(self.url, data),
                    f'value="{data["person"]}"',
                    status_code=422,
                )

    def test_members_without_the_right_are_refused(self) -> None:
        for persona in (self.maintainer, self.reader):
            with self.assertNoEvent():
                self.assertForbidden(
                    persona.post(self.url, {"person": "outsider", "role": "reader"})
                )

    def test_whoever_may_only_see_it_by_a_grant_may_not_give(self) -> None:
        give_role_on(self.admin.user, self.outsider.user, self.instance, "maintainer")
        with self.assertNoEvent():
            self.assertForbidden(
                self.outsider.post(self.url, {"person": "outsider", "role": "admin"})
            )

    def test_another_team_does_not_see_it(self) -> None:
        self.assertHidden(
            self.outsider.post(self.url, {"person": "outsider", "role": "admin"})
        )

    def test_it_is_not_for_getting(self) -> None:
        self.assertEqual(self.admin.get(self.url).status_code, 405)


class TakeOnTest(ObjectCase):
    def setUp(self) -> None:
        super().setUp()
        self.url += "take/"
        give_role_on(self.admin.user, self.outsider.user, self.instance, "reader")

    def test_it_takes_and_says_so(self) -> None:
        response = self.admin.client.post(
            self.url, {"person": "outsider", "role": "reader"}, follow=True
        )
        self.assertContains(response, "outsider is no longer reader on ledger.")
        self.assertFalse(Grant.objects.exists())
        self.assertEvent(
            "role.taken", by=self.admin.user, about=self.instance, person="outsider"
        )

    def test_a_role_that_is_gone_already_is_a_conflict(self) -> None:
        with self.assertNoEvent():
            self.assertContains(
                self.admin.post(self.url, {"person": "outsider", "role": "curator"}),
                "outsider is not curator here",
                status_code=409,
            )

    def test_members_without_the_right_are_refused(self) -> None:
        with self.assertNoEvent():
            self.assertForbidden(
                self.maintainer.post(self.url, {"person": "outsider", "role": "reader"})
            )

    def test_the_actions_refuse_too(self) -> None:
        with self.assertNoEvent():
            with self.assertRaises(AccessDenied):
                take_role_on(
                    self.maintainer.user, self.outsider.user, self.instance, "reader"
                )
            with self.assertRaises(NotHeld):
                take_role_on(self.admin.user, self.reader.user, self.instance, "reader")

    def test_it_is_not_for_getting(self) -> None:
        self.assertEqual(self.admin.get(self.url).status_code, 405)
