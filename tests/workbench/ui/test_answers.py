"""What a form brought is given back when it cannot be taken: what somebody typed to be seen, the rest as it came."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

from tests.case import WorkbenchTestCase
from workbench.ui.answers import CARRIED

_HIDDEN = re.compile(r'<input type="hidden" name="([a-z_]+)"')
_BUTTON = re.compile(r'<button[^>]* name="([a-z_]+)"')
_TYPED = re.compile(r'<textarea[^>]* name="([a-z_]+)"')
_NEVER_KEPT = {"csrfmiddlewaretoken", "token"}


def _names(pattern: re.Pattern[str]) -> set[str]:
    pages = (
        path.read_text()
        for folder in settings.TEMPLATE_FOLDERS
        for path in Path(folder).rglob("*.html")
    )
    return {name for page in pages for name in pattern.findall(page)}


def test_every_hidden_field_and_button_of_the_forms_is_known_and_nobody_types_there() -> (
    None
):
    known = _names(_HIDDEN) | _names(_BUTTON)
    assert known - CARRIED - _NEVER_KEPT == set()
    assert CARRIED & _names(_TYPED) == set()


class LoggedOutTest(WorkbenchTestCase):
    def test_what_was_typed_is_shown_and_the_hidden_fields_stay_hidden(self) -> None:
        answer = self.visitor.post(
            "/review/tiny/1/skip/",
            {"words": "Too long to lose.", "read_hash": "91c0", "number": "3"},
            headers={"Sec-Fetch-Site": "same-origin"},
        )
        self.assertContains(answer, "Too long to lose.", status_code=401)
        for name, value in (("read_hash", "91c0"), ("number", "3")):
            field = f'<input type="hidden" name="{name}" value="{value}">'
            self.assertContains(answer, field, status_code=401, html=True)
            self.assertNotContains(
                answer, f"<span>{name}</span>", status_code=401, html=True
            )
