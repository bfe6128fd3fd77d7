"""Everything needs a log-in; nothing that was typed is lost over it; times are in the reader's zone."""

from __future__ import annotations

from typing import Any

from django.test import override_settings
from django.urls import URLPattern, URLResolver, get_resolver

from tests.case import WorkbenchTestCase
from workbench.access.models import User
from workbench.events.log import record

OPEN = {"login", "logout", "keys", "switch_theme"}


def patterns(resolver: URLResolver | None = None) -> list[URLPattern]:
    found: list[URLPattern] = []
    for entry in (resolver or get_resolver()).url_patterns:
        found += patterns(entry) if isinstance(entry, URLResolver) else [entry]
    return found


class SignedInMiddlewareTest(WorkbenchTestCase):
    def test_no_page_is_open_but_those_that_must_be(self) -> None:
        open_pages = {
            pattern.name
            for pattern in patterns()
            if not getattr(pattern.callback, "login_required", True)
        }
        self.assertEqual(open_pages, OPEN)

    def test_a_page_sends_to_the_log_in_and_back(self) -> None:
        self.assertRedirects(
            self.visitor.get("/people/?a=b"), "/login/?next=/people/%3Fa%3Db"
        )

    def test_a_form_keeps_its_text(self) -> None:
        text = "first line\nsecond <line>"
        response = self.visitor.post(
            "/people/teams/", {"name": text, "slug": "s", "password": "hidden-one"}
        )
        self.assertContains(
            response, "first line\nsecond &lt;line&gt;", status_code=401
        )
        self.assertContains(response, "Log in in a new tab", status_code=401)
        self.assertNotContains(response, "hidden-one", status_code=401)

    def test_a_fragment_gets_a_notice_in_its_place_and_no_log_in_page(self) -> None:
        for response in (
            self.visitor.get("/people/", htmx=True),
            self.visitor.post("/people/teams/", {"name": "x"}, htmx=True),
        ):
            self.assertContains(response, "You are logged out", status_code=401)
            self.assertEqual(response["HX-Retarget"], "[data-problems]")
            self.assertNotContains(response, "<html", status_code=401)

    def test_a_closed_account_is_logged_out(self) -> None:
        User.objects.filter(pk=self.reader.user.pk).update(is_active=False)
        self.assertAsksForLogin(self.reader.get("/"))


class TimeZoneMiddlewareTest(WorkbenchTestCase):
    def shown(self) -> Any:
        record("x", self.reader.user, self.team)
        return self.reader.get("/events/").content.decode()

    def test_times_are_in_the_zone_of_the_reader_and_say_so(self) -> None:
        User.objects.filter(pk=self.reader.user.pk).update(time_zone="Asia/Kathmandu")
        self.assertRegex(
            self.shown(), r'title="[\d-]+ [\d:]+ \+0545 \([\d-]+ [\d:]+ UTC\)"'
        )

    @override_settings(TIME_ZONE="America/St_Johns")
    def test_without_a_wish_the_zone_of_the_installation_is_used(self) -> None:
        self.assertRegex(self.shown(), r'title="[\d-]+ [\d:]+ N[SD]T \(')

    def test_a_zone_that_is_gone_is_no_error(self) -> None:
        User.objects.filter(pk=self.reader.user.pk).update(time_zone="Mars/Olympus")
        self.assertRegex(self.shown(), r'title="[\d-]+ [\d:]+ UTC"')
