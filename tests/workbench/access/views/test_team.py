"""One team: members, roles, accounts."""

from __future__ import annotations

import re

from tests.case import WorkbenchTestCase, make_user
from workbench.access.models import Membership, User

URL = "/people/teams/logicians/"


class TeamTest(WorkbenchTestCase):
    def test_it_lists_people_with_their_roles(self) -> None:
        response = self.reader.get(URL)
        for name in self.ROLES:
            self.assertContains(response, f'<th class="name">{name}</th>')
        self.assertNotContains(response, "outsider")

    def test_only_admins_see_the_forms(self) -> None:
        self.assertContains(self.admin.get(URL), "Give the role")
        self.assertNotContains(self.maintainer.get(URL), "Give the role")

    def test_another_team_is_not_there(self) -> None:
        self.assertHidden(self.outsider.get(URL))
        self.assertHidden(self.admin.get("/people/teams/strangers/"))

    def test_a_number_of_the_event_log_leads_to_it(self) -> None:
        self.assertRedirects(
            self.reader.get(f"/people/team-number/{self.team.pk}/"), URL
        )
        self.assertHidden(self.outsider.get(f"/people/team-number/{self.team.pk}/"))

    def test_its_queries_do_not_grow_with_its_people(self) -> None:
        Membership.objects.bulk_create(
            Membership(user=make_user(f"more{number}"), team=self.team, role="reader")
            for number in range(30)
        )
        with self.assertMostQueries(10):  # three of them for the numbers in the top bar
            self.admin.get(URL)

    def test_a_visitor_is_sent_to_the_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(URL))

    def test_it_is_not_for_posting(self) -> None:
        self.assertEqual(self.admin.post(URL).status_code, 405)


class GiveTest(WorkbenchTestCase):
    url = URL + "give/"

    def test_it_gives_and_says_so(self) -> None:
        response = self.admin.client.post(
            self.url, {"person": "outsider", "role": "reviewer"}, follow=True
        )
        self.assertContains(response, "outsider is reviewer in Logicians now.")
        self.assertEvent(
            "role.given", by=self.admin.user, about=self.team, person="outsider"
        )

    def test_htmx_gets_the_members_and_words_for_the_live_region(self) -> None:
        response = self.admin.post(
            self.url, {"person": "outsider", "role": "reviewer"}, htmx=True
        )
        self.assertContains(response, "outsider")
        self.assertNotContains(response, "<html")
        self.assertIn("outsider is reviewer in Logicians now.", response["HX-Trigger"])

    def test_what_is_wrong_comes_back_with_what_was_typed(self) -> None:
        for data, words in (
            (
                {"person": "nobody", "role": "reader"},
                "There is no account &#x27;nobody&#x27;",
            ),
            (
                {"person": "outsider", "role": "owner"},
                "owner is not one of the available choices",
            ),
            (
                {"person": "reader", "role": "reader"},
                "reader is reader in Logicians already",
            ),
            ({"person": "", "role": "reader"}, "This field is required"),
        ):
            with self.subTest(words), self.assertNoEvent():
                response = self.admin.post(self.url, data)
                self.assertContains(response, words, status_code=422)
                self.assertContains(
                    response,
                    f'value="{data["person"]}"' if data["person"] else 'name="person"',
                    status_code=422,
                )

    def test_a_closed_account_gets_no_role(self) -> None:
        make_user("gone", is_active=False)
        self.assertEqual(
            self.admin.post(self.url, {"person": "gone", "role": "reader"}).status_code,
            422,
        )

    def test_members_without_the_right_are_refused(self) -> None:
        for name in ("reader", "curator", "maintainer"):
            with self.assertNoEvent():
                self.assertForbidden(
                    getattr(self, name).post(
                        self.url, {"person": name, "role": "admin"}
                    )
                )

    def test_another_team_is_not_there(self) -> None:
        self.assertHidden(
            self.outsider.post(self.url, {"person": "outsider", "role": "admin"})
        )

    def test_a_visitor_is_asked_to_log_in(self) -> None:
        self.assertAsksForLogin(
            self.visitor.post(self.url, {"person": "outsider", "role": "admin"})
        )

    def test_it_is_not_for_getting(self) -> None:
        self.assertEqual(self.admin.get(self.url).status_code, 405)


class TakeTest(WorkbenchTestCase):
    url = URL + "take/"

    def test_it_takes_and_says_so(self) -> None:
        response = self.admin.client.post(
            self.url, {"person": "curator", "role": "curator"}, follow=True
        )
        self.assertContains(response, "curator is no longer curator in Logicians.")
        self.assertEvent(
            "role.taken", by=self.admin.user, about=self.team, person="curator"
        )

    def test_the_last_admin_is_kept_with_the_reason_on_the_page(self) -> None:
        for htmx in (False, True):
            with self.assertNoEvent():
                response = self.admin.post(
                    self.url, {"person": "admin", "role": "admin"}, htmx=htmx
                )
                self.assertContains(
                    response, "admin is the last admin of Logicians", status_code=409
                )

    def test_htmx_gets_the_members(self) -> None:
        response = self.admin.post(
            self.url, {"person": "curator", "role": "curator"}, htmx=True
        )
        self.assertNotContains(response, '<th class="name">curator</th>')
        self.assertIn("no longer curator", response["HX-Trigger"])

    def test_whoever_takes_their_own_last_role_lands_on_a_page_that_they_may_see(
        self,
    ) -> None:
        Membership.objects.create(user=self.curator.user, team=self.team, role="admin")
        response = self.admin.client.post(
            self.url, {"person": "admin", "role": "admin"}, follow=True
        )
        self.assertEqual(response.redirect_chain[-1][0], "/people/")
        self.assertContains(response, "You belong to no team yet")

    def test_somebody_who_is_not_in_the_team_cannot_be_named(self) -> None:
        self.assertHidden(
            self.admin.post(self.url, {"person": "outsider", "role": "admin"})
        )

    def test_a_role_that_is_gone_already_is_a_conflict(self) -> None:
        self.assertEqual(
            self.admin.post(
                self.url, {"person": "reader", "role": "curator"}
            ).status_code,
            409,
        )

    def test_members_without_the_right_are_refused(self) -> None:
        with self.assertNoEvent():
            self.assertForbidden(
                self.maintainer.post(self.url, {"person": "reader", "role": "reader"})
            )

    def test_another_team_is_not_there(self) -> None:
        self.assertHidden(
            self.outsider.post(self.url, {"person": "reader", "role": "reader"})
        )

    def test_it_is_not_for_getting(self) -> None:
        self.assertEqual(self.admin.get(self.url).status_code, 405)


class NewAccountTest(WorkbenchTestCase):
    url = URL + "accounts/"
    data = {
        "username": "nele",
        "full_name": "Nele Brandt",
        "email": "",
        "role": "curator",
    }

    def test_the_password_is_shown_this_once_and_opens_the_account(self) -> None:
        response = self.admin.post(self.url, self.data)
        self.assertEqual(response.status_code, 201)
        self.assertIn("no-store", response["Cache-Control"])
        shown = re.search(r'class="secret"[^>]*>([^<]+)<', response.content.decode())
        assert shown is not None
        self.assertTrue(User.objects.get(username="nele").check_password(shown[1]))
        self.assertNotContains(self.admin.get(URL), shown[1])

    def test_sending_it_twice_makes_one_account(self) -> None:
        self.admin.post(self.url, self.data)
        again = self.admin.post(self.url, self.data)
        self.assertEqual(again.status_code, 422)
        self.assertEqual(User.objects.filter(username="nele").count(), 1)

    def test_what_is_wrong_comes_back_with_what_was_typed(self) -> None:
        for change in (
            {"username": "READER"},
            {"username": "no spaces"},
            {"username": ""},
            {"email": "not-one"},
            {"role": "owner"},
        ):
            with self.subTest(**change), self.assertNoEvent():
                response = self.admin.post(self.url, self.data | change)
                self.assertContains(response, "Nele Brandt", status_code=422)

    def test_members_without_the_right_are_refused(self) -> None:
        with self.assertNoEvent():
            self.assertForbidden(self.maintainer.post(self.url, self.data))

    def test_another_team_is_not_there(self) -> None:
        self.assertHidden(self.outsider.post(self.url, self.data))

    def test_it_is_not_for_getting(self) -> None:
        self.assertEqual(self.admin.get(self.url).status_code, 405)
