"""Preferences, theme and password."""

from __future__ import annotations

from typing import Any

from tests.case import PASSWORD, Persona, WorkbenchTestCase, open_sessions
from workbench.access.models import User

URL = "/preferences/"
WISHES = {"save": "preferences", "theme": "dark", "time_zone": "Europe/Berlin"}


class PreferencesTest(WorkbenchTestCase):
    def test_it_shows_what_is_set(self) -> None:
        User.objects.filter(pk=self.reader.user.pk).update(
            theme="dark", time_zone="Asia/Tokyo"
        )
        response = self.reader.get(URL)
        self.assertContains(response, '<option value="dark" selected>')
        self.assertContains(response, '<option value="Asia/Tokyo" selected>')

    def test_it_saves_and_the_next_page_obeys(self) -> None:
        response = self.reader.client.post(URL, WISHES, follow=True)
        self.assertContains(response, "Your preferences are saved.")
        self.assertContains(response, '<html lang="en" data-theme="dark">')
        self.assertContains(
            response, 'data-single-keys="off"'
        )  # an unticked box is not sent
        self.assertEvent(
            "preferences.changed", by=self.reader.user, theme="dark", single_keys=False
        )

    def test_wrong_values_are_refused(self) -> None:
        for change in ({"theme": "pink"}, {"time_zone": "Mars/Olympus"}, {"theme": ""}):
            with self.subTest(**change), self.assertNoEvent():
                self.assertEqual(
                    self.reader.post(URL, WISHES | change).status_code, 422
                )

    def test_nothing_else_of_the_account_can_be_set(self) -> None:
        self.reader.post(URL, WISHES | {"is_superuser": "1", "username": "root"})
        user = User.objects.get(pk=self.reader.user.pk)
        self.assertEqual((user.is_superuser, user.username), (False, "reader"))

    def test_a_visitor_is_sent_to_the_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(URL))
        self.assertAsksForLogin(self.visitor.post(URL, WISHES))

    def test_other_methods_are_refused(self) -> None:
        self.assertEqual(self.reader.client.delete(URL).status_code, 405)


class PasswordTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        user = self.reader.user
        user.email = "reader@example.org"
        user.set_password(PASSWORD)
        user.save()
        self.keys = open_sessions({"here": user, "elsewhere": user})
        self.reader = Persona(user, self.keys["here"])
        self.elsewhere = Persona(user, self.keys["elsewhere"])

    def change(
        self, old: str = PASSWORD, new: str = "another-good-one-2", again: str = ""
    ) -> Any:
        data = {
            "save": "password",
            "old_password": old,
            "new_password1": new,
            "new_password2": again or new,
        }
        return self.reader.post(URL, data)

    def test_it_changes_and_ends_the_other_sessions_only(self) -> None:
        self.assertEqual(self.elsewhere.get(URL).status_code, 200)
        self.assertRedirects(self.change(), URL)
        self.assertTrue(
            User.objects.get(pk=self.reader.user.pk).check_password(
                "another-good-one-2"
            )
        )
        self.assertEqual(self.reader.get(URL).status_code, 200)
        self.assertAsksForLogin(self.elsewhere.get(URL))

    def test_the_present_password_is_asked(self) -> None:
        self.assertContains(self.change(old="wrong"), "old password", status_code=422)

    def test_weak_and_different_ones_are_refused(self) -> None:
        for new, again in (
            ("short1", ""),
            ("password123", ""),
            ("reader@example.org", ""),
            ("1234567890", ""),
            ("another-good-one-2", "another-good-one-3"),
        ):
            with self.subTest(new), self.assertNoEvent():
                response = self.change(new=new, again=again)
                self.assertEqual(response.status_code, 422)
                self.assertNotContains(response, new, status_code=422)
        self.assertTrue(
            User.objects.get(pk=self.reader.user.pk).check_password(PASSWORD)
        )


class SwitchThemeTest(WorkbenchTestCase):
    url = "/preferences/theme/"

    def test_it_is_kept_with_the_account_and_returns_to_the_page(self) -> None:
        self.assertRedirects(
            self.reader.post(self.url, {"theme": "dark", "next": "/events/?verb=x"}),
            "/events/?verb=x",
            fetch_redirect_response=False,
        )
        self.assertContains(self.reader.get("/"), 'data-theme="dark"')
        self.assertEqual(User.objects.get(pk=self.reader.user.pk).theme, "dark")

    def test_a_visitor_keeps_it_in_the_browser(self) -> None:
        self.visitor.post(self.url, {"theme": "dark"})
        self.assertContains(self.visitor.get("/login/"), 'data-theme="dark"')

    def test_the_account_wins_over_the_browser(self) -> None:
        self.reader.client.cookies["theme"] = "dark"
        self.assertNotContains(self.reader.get("/"), "data-theme=")

    def test_a_forged_cookie_does_nothing(self) -> None:
        self.visitor.client.cookies["theme"] = '"><script>'
        self.assertContains(self.visitor.get("/login/"), '<html lang="en">')

    def test_it_never_leaves_this_site(self) -> None:
        response = self.reader.post(
            self.url, {"theme": "dark", "next": "//evil.example/"}
        )
        self.assertRedirects(response, "/", fetch_redirect_response=False)

    def test_htmx_gets_nothing_to_swap(self) -> None:
        self.assertEqual(
            self.reader.post(self.url, {"theme": "light"}, htmx=True).status_code, 204
        )

    def test_an_unknown_theme_is_refused_in_words(self) -> None:
        self.assertContains(
            self.reader.post(self.url, {"theme": "pink"}),
            "theme: expected one of system, light, dark",
            status_code=422,
        )

    def test_it_is_not_for_getting(self) -> None:
        self.assertEqual(self.reader.get(self.url).status_code, 405)
