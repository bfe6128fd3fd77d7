"""Null characters and numbers beyond the database are refused in words, everywhere."""

from __future__ import annotations

import base64
import json

from tests.case import WorkbenchTestCase


class NoNullCharactersTest(WorkbenchTestCase):
    def test_they_are_refused_in_addresses(self) -> None:
        for url in (
            "/events/?actor=%00",
            "/events/?%00=x",
            "/search/?q=a%00b",
            "/people/teams/?next=%00",
        ):
            with self.subTest(url):
                self.assertContains(
                    self.reader.get(url), "null character", status_code=400
                )

    def test_they_are_refused_in_fields(self) -> None:
        for data in (
            {"person": "rea\0der", "role": "reader"},
            {"person": "reader", "role": "\0"},
        ):
            with self.assertNoEvent():
                response = self.admin.post("/people/teams/logicians/take/", data)
                self.assertContains(response, "null character", status_code=400)

    def test_other_odd_characters_are_let_through(self) -> None:
        self.assertEqual(
            self.reader.get("/search/", {"q": "a\x01\u202e∣b"}).status_code, 200
        )


class NumbersTest(WorkbenchTestCase):
    def test_numbers_beyond_the_database_name_nothing(self) -> None:
        huge = 10**30
        self.assertHidden(self.reader.get(f"/people/team-number/{huge}/"))
        self.assertHidden(self.reader.get(f"/people/on/instance/{huge}/"))

    def test_a_cursor_beyond_the_database_is_no_crash(self) -> None:
        for value in (10**30, -(10**30), 1.5, 1e300):
            cursor = (
                base64.urlsafe_b64encode(json.dumps([value]).encode())
                .decode()
                .rstrip("=")
            )
            self.assertIn(
                self.reader.get("/events/", {"after": cursor}).status_code, (200, 400)
            )
