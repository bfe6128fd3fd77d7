"""Times in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from unittest import TestCase
from zoneinfo import ZoneInfo

from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.times import age_words, duration_words, full_words, when_words

NOW = datetime(2026, 11, 30, 1, 30, tzinfo=UTC)


class WhenTest(TestCase):
    def test_today_is_the_clock(self) -> None:
        self.assertEqual(when_words(NOW - timedelta(minutes=5), NOW), "01:25")

    def test_yesterday_is_the_date_even_an_hour_ago(self) -> None:
        self.assertEqual(when_words(NOW - timedelta(hours=2), NOW), "29 Nov")

    def test_another_year_is_said(self) -> None:
        self.assertEqual(when_words(NOW - timedelta(days=400), NOW), "26 Oct 2025")

    def test_today_is_the_day_of_the_reader(self) -> None:
        moment = datetime(2026, 11, 29, 23, 30, tzinfo=UTC)
        with timezone.override(ZoneInfo("Europe/Berlin")):
            self.assertEqual(when_words(moment, NOW), "00:30")
        with timezone.override(UTC):
            self.assertEqual(when_words(moment, NOW), "29 Nov")

    def test_the_hour_that_happens_twice_is_told_apart(self) -> None:
        first, second = (
            datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
            datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
        )
        with timezone.override(ZoneInfo("Europe/Berlin")):
            self.assertEqual(
                full_words(first), "2026-10-25 02:30:00 CEST (2026-10-25 00:30:00 UTC)"
            )
            self.assertEqual(
                full_words(second), "2026-10-25 02:30:00 CET (2026-10-25 01:30:00 UTC)"
            )

    def test_utc_is_said_once(self) -> None:
        with timezone.override(UTC):
            self.assertEqual(full_words(NOW), "2026-11-30 01:30:00 UTC")


class AgeTest(TestCase):
    def test_it_is_in_the_largest_unit_that_says_something(self) -> None:
        for seconds, words in ((0.2, "now"), (7, "7.0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"),
                               (47 * 3600, "47 h"), (48 * 3600, "2 d"), (59 * 86400, "59 d"), (60 * 86400, "2 months"), (800 * 86400, "2 years")):  # fmt: skip
            self.assertEqual(age_words(NOW - timedelta(seconds=seconds), NOW), words)

    def test_what_is_still_to_come_is_now(self) -> None:
        self.assertEqual(age_words(NOW + timedelta(hours=1), NOW), "now")

    def test_short_times_are_milliseconds(self) -> None:
        self.assertEqual(duration_words(0.0123), "12 ms")

    @given(st.floats(0, 10**10))
    def test_it_is_always_one_number_and_one_unit(self, seconds: float) -> None:
        self.assertRegex(
            duration_words(seconds), r"^[\d.]+ (ms|s|min|h|d|months|years)$"
        )
