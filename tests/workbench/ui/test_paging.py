"""Pages by key."""

from __future__ import annotations

import base64

from django.core.exceptions import BadRequest
from django.test import RequestFactory
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase as HypothesisTestCase

from tests.case import WorkbenchTestCase
from workbench.access.models import Team
from workbench.ui.paging import Page, count_up_to, page_by_key


def page(order: tuple[str, ...], size: int, **query: str) -> Page[Team]:
    return page_by_key(
        Team.objects.all(), RequestFactory().get("/", query), order, size=size
    )


class PageByKeyTest(HypothesisTestCase):
    @settings(max_examples=40, deadline=None)
    @given(
        st.lists(st.sampled_from("abcäé. \"'%_"), max_size=12),
        st.integers(1, 5),
        st.sampled_from([("name", "pk"), ("-name", "pk"), ("name", "-pk"), ("-pk",)]),
    )
    def test_walking_forth_and_back_shows_every_row_once_in_order(
        self, names: list[str], size: int, order: tuple[str, ...]
    ) -> None:
        Team.objects.all().delete()
        Team.objects.bulk_create(
            Team(slug=f"t{number}", name=name) for number, name in enumerate(names)
        )
        expected = list(Team.objects.order_by(*order))
        seen: list[Team] = []
        current = page(order, size)
        pages = [current]
        self.assertIsNone(current.before)
        while True:
            seen += current.rows
            if current.after is None:
                break
            current = page(order, size, after=current.after)
            pages.append(current)
        self.assertEqual(seen, expected)
        for earlier in reversed(pages[:-1]):
            assert current.before is not None
            current = page(order, size, before=current.before)
            self.assertEqual(list(current.rows), list(earlier.rows))
        self.assertIsNone(current.before)


class PageTest(WorkbenchTestCase):
    def test_rows_that_come_in_meanwhile_shift_nothing(self) -> None:
        Team.objects.bulk_create(
            Team(slug=f"t{number:02}", name=f"{number:02}") for number in range(10)
        )
        first = page(("-slug",), 4)
        Team.objects.create(slug="t99", name="newest")
        second = page(("-slug",), 4, after=first.after or "")
        self.assertEqual(
            [team.slug for team in second.rows], ["t05", "t04", "t03", "t02"]
        )

    def test_a_cursor_of_another_list_is_refused_in_words(self) -> None:
        cursor = page(("name", "pk"), 1).after or ""
        for bad in ("x", "Ww", "bnVsbA", "e30", "W1tdXQ", "\x00", "%%%", "a" * 5000):
            with (
                self.subTest(bad),
                self.assertRaisesRegex(BadRequest, "not one of this list"),
            ):
                page(("name", "pk"), 1, after=bad)
        with self.assertRaises(BadRequest):
            page(("-pk",), 1, after=cursor)

    def test_a_cursor_that_no_database_can_compare_with_is_refused(self) -> None:
        for text in ("[1e400]", "[-1e400]", "[NaN]", r'["a\u0000b"]', "[" * 3000):
            bad = base64.urlsafe_b64encode(text.encode()).decode()
            for field in ("pk", "name"):
                with (
                    self.subTest(text[:20], field=field),
                    self.assertRaises(BadRequest),
                ):
                    page((field,), 1, after=bad)

    def test_an_empty_cursor_is_the_first_page(self) -> None:
        self.assertEqual(len(page(("pk",), 10, after="")), 2)

    def test_a_page_is_one_query(self) -> None:
        with self.assertMostQueries(1):
            page(("name", "pk"), 1)


class CountUpToTest(WorkbenchTestCase):
    def test_it_counts_no_further_than_told(self) -> None:
        self.assertEqual(str(count_up_to(Team.objects.all(), 2)), "2")
        self.assertEqual(str(count_up_to(Team.objects.all(), 1)), "more than 1")
        self.assertEqual(str(count_up_to(Team.objects.none(), 1)), "0")
