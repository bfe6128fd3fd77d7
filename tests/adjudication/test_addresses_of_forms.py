"""Where forms are sent to: who asks for such an address, a reload or a live refresh among them, gets to the page of the form."""

from __future__ import annotations

from django.urls import URLPattern, reverse

from adjudication.audits.urls import urlpatterns as audits
from adjudication.releases.urls import urlpatterns as releases
from adjudication.runs.urls import urlpatterns as runs
from adjudication.standings.urls import urlpatterns as boards
from tests.case import WorkbenchTestCase

KNOWN = {
    "slug": "a",
    "number": 1,
    "act": "x",
    "pk": 1,
    "version": "1.0",
    "other": "0.9",
    "kind": "csv",
    "name": "x",
    "run_id": 1,
    "other_id": 2,
}
PAGES = {
    "audits:act": "/audit/a/F-1/",
    "audits:bulk_do": "/audit/",
    "releases:act": "/releases/a/1.0/",
    "releases:freeze": "/releases/for/a/",
    "boards:policy": "/boards/a/set/",
    "boards:add": "/boards/a/set/",
    "boards:remove": "/boards/a/set/",
    "runs:regrade_make": "/runs/",
    "runs:regrade_apply": "/runs/regrades/1/",
    "runs:regrade_cancel": "/runs/regrades/1/",
    "runs:retire": "/runs/submissions/1/",
    "runs:restore": "/runs/submissions/1/",
    "runs:adapt": "/runs/adaptation/a/",
    "runs:compile": "/instances/a/",
}


class AddressesOfFormsTest(WorkbenchTestCase):
    def test_none_answers_a_reader_that_the_method_is_wrong(self) -> None:
        apps = {"audits": audits, "releases": releases, "runs": runs, "boards": boards}
        for app, patterns in apps.items():
            for pattern in patterns:
                assert isinstance(pattern, URLPattern)
                wanted = pattern.pattern.regex.groupindex
                name = f"{app}:{pattern.name}"
                address = reverse(name, kwargs={key: KNOWN[key] for key in wanted})
                with self.subTest(name):
                    response = self.reader.get(address)
                    self.assertNotEqual(response.status_code, 405)
                    if name in PAGES:
                        self.assertRedirects(
                            self.reader.get(f"{address}?after=3"),
                            f"{PAGES[name]}?after=3",
                            fetch_redirect_response=False,
                        )
