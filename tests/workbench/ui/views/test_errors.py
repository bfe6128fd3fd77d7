"""Errors: the reason in words, and the person's own text given back."""

from __future__ import annotations

import re
from typing import Any
from unittest import mock

from django.conf import settings
from django.core.exceptions import BadRequest
from django.db import OperationalError
from django.http import HttpRequest
from django.test import Client, RequestFactory, override_settings
from django.urls import include, path

from tests.case import WorkbenchTestCase
from workbench.access.rights import AccessDenied
from workbench.ui.views import errors

TEXT = 'three hours of work\nwith <angles> & quotes "'
SAFE_TEXT = "three hours of work\nwith &lt;angles&gt; &amp; quotes &quot;"


def refuse(request: HttpRequest) -> Any:
    raise AccessDenied("You may not rule on findings here.")


def misread(request: HttpRequest) -> Any:
    raise BadRequest("revision: expected a number.")


def crash(request: HttpRequest) -> Any:
    raise RuntimeError("hidden detail")


def find_no_connection(request: HttpRequest) -> Any:
    raise OperationalError("couldn't get a connection after 6.00 sec")


urlpatterns = [
    path("away/", find_no_connection),
    path("refuse/", refuse),
    path("misread/", misread),
    path("crash/", crash),
    path("", include(settings.ROOT_URLCONF)),
]
handler400, handler403 = (
    "workbench.ui.views.errors.bad_request",
    "workbench.ui.views.errors.forbidden",
)
handler404, handler500 = (
    "workbench.ui.views.errors.not_found",
    "workbench.ui.views.errors.server_error",
)


@override_settings(ROOT_URLCONF=__name__)
class ErrorPagesTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.reader.client.raise_request_exception = False

    def test_each_says_what_happened_and_gives_the_text_back(self) -> None:
        for url, status, words in (
            ("/refuse/", 403, "You may not rule on findings here."),
            ("/misread/", 400, "revision: expected a number."),
            ("/nowhere/", 404, "you may not see it or work on it any more"),
            ("/crash/", 500, "This is a fault of the workbench"),
            ("/away/", 503, "send it again in a moment"),
        ):
            with self.subTest(url):
                response = self.reader.post(
                    url, {"rationale": TEXT, "new_password": "hunter22"}
                )
                self.assertContains(response, words, status_code=status)
                self.assertContains(response, SAFE_TEXT, status_code=status)
                self.assertNotContains(response, "hunter22", status_code=status)
                self.assertNotContains(response, "Send it again", status_code=status)

    def test_a_fragment_gets_a_notice_beside_the_form_and_not_in_it(self) -> None:
        for url, status in (
            ("/refuse/", 403),
            ("/misread/", 400),
            ("/nowhere/", 404),
            ("/crash/", 500),
        ):
            with self.subTest(url):
                response = self.reader.post(url, {"rationale": TEXT}, htmx=True)
                self.assertEqual(response.status_code, status)
                self.assertEqual(
                    (response["HX-Retarget"], response["HX-Reswap"]),
                    ("[data-problems]", "innerHTML"),
                )
                self.assertNotContains(response, "<html", status_code=status)
                self.assertContains(response, "data-say=", status_code=status)

    def test_a_crash_hides_the_detail_and_names_the_entry_of_the_log(self) -> None:
        with self.assertLogs("workbench.ui.views.errors", "ERROR") as logged:
            response = self.reader.get("/crash/")
        self.assertIn(response["X-Correlation-Id"], logged.output[0])
        self.assertNotContains(response, "hidden detail", status_code=500)
        self.assertContains(response, response["X-Correlation-Id"], status_code=500)

    def test_a_crash_page_needs_neither_database_nor_session(self) -> None:
        request = RequestFactory().post("/x/", {"rationale": TEXT})
        with mock.patch(
            "django.db.backends.utils.CursorWrapper.execute",
            side_effect=AssertionError("a query"),
        ):
            response = errors.server_error(request)
        self.assertIn(SAFE_TEXT, response.content.decode())

    def test_a_body_that_cannot_be_read_is_no_second_error(self) -> None:
        response = self.reader.client.post(
            "/refuse/", b"\xff--", content_type="multipart/form-data; boundary=x"
        )
        self.assertIn(response.status_code, (400, 403))


class CsrfTest(WorkbenchTestCase):
    """The checks of Django's test client are switched on: a browser that sends a stale token."""

    def setUp(self) -> None:
        super().setUp()
        strict = Client(enforce_csrf_checks=True)
        strict.cookies = self.admin.client.cookies
        self.admin.client = strict

    def send(self, **headers: str) -> Any:
        return self.admin.post(
            "/people/teams/", {"name": TEXT, "slug": "kept"}, headers=headers
        )

    def test_a_stale_page_gets_its_text_back_with_a_token_that_works(self) -> None:
        response = self.send(**{"Sec-Fetch-Site": "same-origin"})
        self.assertContains(response, SAFE_TEXT, status_code=403)
        self.assertContains(response, "Send it again", status_code=403)
        token = re.search(
            r'name="csrfmiddlewaretoken" value="(\w+)"', response.content.decode()
        )
        assert token is not None
        again = self.admin.post(
            "/people/teams/",
            {"name": "N", "slug": "kept", "csrfmiddlewaretoken": token[1]},
        )
        self.assertRedirects(again, "/people/teams/kept/")

    def test_another_site_gets_nothing_that_one_click_would_finish(self) -> None:
        for headers in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Origin": "https://evil.example"},
            {"Referer": "https://evil.example/x"},
            {},
        ):
            with self.subTest(**headers), self.assertNoEvent():
                response = self.send(**headers)
                self.assertContains(response, "came from another site", status_code=403)
                self.assertNotContains(response, "Send it again", status_code=403)

    def test_htmx_gets_a_fresh_token_and_the_form_stays(self) -> None:
        response = self.admin.post(
            "/people/teams/",
            {"name": TEXT},
            htmx=True,
            headers={"Sec-Fetch-Site": "same-origin"},
        )
        self.assertEqual(response.status_code, 403)
        self.assertIn("freshToken", response["HX-Trigger"])


class HeadersTest(WorkbenchTestCase):
    def test_scripts_and_styles_come_from_here_alone(self) -> None:
        for response in (
            self.reader.get("/"),
            self.visitor.get("/login/"),
            self.reader.get("/nowhere/"),
        ):
            policy = response["Content-Security-Policy"]
            self.assertIn("script-src 'self'", policy)
            self.assertIn("style-src 'self'", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertNotIn("unsafe", policy)

    def test_no_page_holds_a_script_or_style_of_its_own(self) -> None:
        for url in (
            "/",
            "/events/",
            "/people/",
            "/preferences/",
            "/operations/",
            "/keys/",
            "/search/?q=ab",
            "/nowhere/",
        ):
            html = self.admin.get(url).content.decode()
            self.assertNotRegex(html, r"<style|\sstyle=|\son\w+=|javascript:", url)
            self.assertEqual(
                re.findall(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", html),
                [],
                url,
            )
