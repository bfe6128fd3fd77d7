"""Times in words: the clock for today, the date for before, the age in queues. Shown in the reader's zone."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils import timezone

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def when_words(moment: datetime, now: datetime | None = None) -> str:
    """Return "19:52" for today, "28 Nov" for this year, "28 Nov 2025" before, in the zone in force."""
    local = timezone.localtime(moment)
    today = timezone.localtime(now or timezone.now())
    if local.date() == today.date():
        return f"{local:%H:%M}"
    day = f"{local.day} {local:%b}"
    return day if local.year == today.year else f"{day} {local.year}"


def full_words(moment: datetime) -> str:
    """Return the moment in full, in the zone in force and in UTC, each with its zone."""
    local = timezone.localtime(moment)
    utc = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    if local.utcoffset() == UTC.utcoffset(None):
        return utc
    return f"{local:%Y-%m-%d %H:%M:%S %Z} ({utc})"


def age_words(moment: datetime, now: datetime | None = None) -> str:
    """Return how long ago `moment` was: "now", "40 s", "24 min", "6 h", "3 d", "5 months", "2 years"."""
    seconds = ((now or timezone.now()) - moment).total_seconds()
    return duration_words(seconds) if seconds >= 1 else "now"


def duration_words(seconds: float) -> str:
    """Return a length of time in the largest unit that still says something."""
    if seconds < 1:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR:.0f} h"
    if seconds < 60 * _DAY:
        return f"{seconds // _DAY:.0f} d"
    if seconds < 730 * _DAY:
        return f"{seconds // (30 * _DAY):.0f} months"
    return f"{seconds // (365 * _DAY):.0f} years"
