"""Log in and out."""

from __future__ import annotations

from typing import Any

from django.test import override_settings

from tests.case import PASSWORD, WorkbenchTestCase
from workbench.access.models import User


class LogInTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        user = self.curator.user
        user.set_password(PASSWORD)
        user.save()
        User.objects.filter(pk=user.pk).update(last_login="2026-01-01T00:00Z")

    def log_in(
        self, name: str = "curator", password: str = PASSWORD, **extra: str
    ) -> Any:
        return self.visitor.post(
            "/login/", {"username": name, "password": password, **extra}
        )

    def test_the_page_shows_the_form(self) -> None:
        self.assertContains(self.visitor.get("/login/"), "Password")

    def test_the_right_password_opens_home(self) -> None:
        self.assertRedirects(self.log_in(), "/", fetch_redirect_response=False)
        self.assertEqual(self.visitor.get("/").status_code, 200)

    def test_it_goes_where_the_person_wanted_to_go(self) -> None:
        wanted = self.visitor.get("/events/?verb=x")["Location"]
        self.assertEqual(wanted, "/login/?next=/events/%3Fverb%3Dx")
        self.assertRedirects(
            self.log_in(next="/events/?verb=x"),
            "/events/?verb=x",
            fetch_redirect_response=False,
        )

    def test_it_never_leaves_this_site(self) -> None:
        for bad in (
            "https://evil.example/",
            "//evil.example/x",
            "javascript:alert(1)",
            "/\\evil.example",
            "http:evil.example",
        ):
            with self.subTest(bad):
                self.visitor.client.logout()
                self.assertRedirects(
                    self.log_in(next=bad), "/", fetch_redirect_response=False
                )

    def test_the_first_log_in_of_an_account_asks_for_an_own_password(self) -> None:
        User.objects.filter(username="curator").update(last_login=None)
        response = self.visitor.client.post(
            "/login/", {"username": "curator", "password": PASSWORD}, follow=True
        )
        self.assertContains(response, "Please choose a password of your own")
        self.assertContains(response, "New password")

    def test_a_wrong_password_and_a_wrong_name_say_the_same(self) -> None:
        wrong_password = self.log_in(password="no")
        wrong_name = self.log_in(name="nobody")
        for response in (wrong_password, wrong_name):
            self.assertContains(
                response,
                "That name and password do not belong together",
                status_code=422,
            )

    def test_the_name_stays_in_its_field_and_the_password_does_not(self) -> None:
        response = self.log_in(password="wrong-but-secret")
        self.assertContains(response, 'value="curator"', status_code=422)
        self.assertNotContains(response, "wrong-but-secret", status_code=422)

    def test_a_closed_account_does_not_open(self) -> None:
        User.objects.filter(username="curator").update(is_active=False)
        self.assertEqual(self.log_in().status_code, 422)

    @override_settings(AXES_FAILURE_LIMIT=3)
    def test_after_too_many_failures_it_is_locked_and_says_for_how_long(self) -> None:
        for _ in range(2):
            self.assertEqual(self.log_in(password="no").status_code, 422)
        locked = self.log_in(password="no")
        self.assertContains(locked, "Log-in is locked", status_code=429)
        self.assertContains(locked, "15 min", status_code=429)
        self.assertEqual(
            self.log_in().status_code,
            429,
            "The right password must not open a locked log-in.",
        )

    @override_settings(AXES_FAILURE_LIMIT=2)
    def test_a_lock_is_for_one_name_and_not_for_the_office(self) -> None:
        for _ in range(3):
            self.log_in(name="somebody", password="no")
        self.assertEqual(self.log_in().status_code, 302)

    def test_whoever_is_logged_in_is_sent_on(self) -> None:
        self.assertRedirects(
            self.reader.get("/login/"), "/", fetch_redirect_response=False
        )

    def test_a_new_session_key_is_given_at_log_in(self) -> None:
        self.visitor.client.session.save()
        before = self.visitor.client.session.session_key
        self.log_in()
        self.assertNotEqual(self.visitor.client.session.session_key, before)

    def test_other_methods_are_refused(self) -> None:
        self.assertEqual(self.visitor.client.put("/login/").status_code, 405)

    def test_cookies_are_out_of_reach_of_scripts_and_other_sites(self) -> None:
        self.log_in()
        for name in ("sessionid", "csrftoken"):
            cookie = self.visitor.client.cookies[name]
            self.assertTrue(cookie["httponly"], name)
            self.assertEqual(cookie["samesite"], "Lax", name)


class LogOutTest(WorkbenchTestCase):
    def test_it_ends_the_session(self) -> None:
        self.assertRedirects(self.reader.post("/logout/"), "/login/")
        self.assertAsksForLogin(self.reader.get("/"))

    def test_a_link_does_not_log_out(self) -> None:
        self.assertEqual(self.reader.get("/logout/").status_code, 405)
        self.assertEqual(self.reader.get("/").status_code, 200)

    def test_it_is_harmless_for_a_visitor(self) -> None:
        self.assertEqual(self.visitor.post("/logout/").status_code, 302)
