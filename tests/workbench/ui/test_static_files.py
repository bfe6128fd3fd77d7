"""A style that is replaced under the running server comes whole."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.http import HttpResponse
from django.test import RequestFactory, SimpleTestCase, override_settings

from workbench.ui.static_files import StaticFilesMiddleware


class StaticFilesTest(SimpleTestCase):
    def test_a_file_that_changed_since_the_start_has_its_length_of_now(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            style = Path(folder, "a.css")
            style.write_text("a{}")
            with override_settings(STATIC_ROOT=folder, WHITENOISE_AUTOREFRESH=False):
                serve = StaticFilesMiddleware(lambda request: HttpResponse(status=404))
            style.write_text("a{}" * 10)
            answer = serve(RequestFactory().get("/static/a.css"))
            self.assertEqual(b"".join(answer), b"a{}" * 10)
            self.assertEqual(answer["Content-Length"], "30")
            style.unlink()
            gone = serve(RequestFactory().get("/static/a.css"))
            self.assertEqual(gone.status_code, 404)
