"""Whether there is room for more. A disk that fills up stops new work, in words, before it spoils work that is under way."""

from __future__ import annotations

import shutil

from django.conf import settings

MB, GB = 10**6, 10**9


class NoRoom(Exception):
    """There is not enough room on the disk of the data folder. The text says how much there is and what to do."""


def free_bytes() -> int:
    """Return how many bytes are free on the disk of the data folder."""
    return shutil.disk_usage(settings.DATA_DIR).free


def obstacle(wanted: int = 0) -> str:
    """Return why nothing that takes `wanted` bytes should be begun here, or ""."""
    reserve = settings.DISK_RESERVE_MB * MB
    free = free_bytes()
    if free - wanted >= reserve:
        return ""
    need = f", {_size(wanted)} are needed" if wanted else ""
    return (
        f"the disk of the data folder is nearly full: {_size(free)} free{need}, and {_size(reserve)} are kept in reserve. "
        "Make room, or run bin/workbench clean-up"
    )


def demand_room(wanted: int = 0) -> None:
    """Raise `NoRoom` if nothing that takes `wanted` bytes should be begun here."""
    if words := obstacle(wanted):
        raise NoRoom(f"Nothing was saved: {words}.")


def _size(number: int) -> str:
    return (
        f"{number / GB:,.1f} GB" if number >= GB else f"{max(number, 0) / MB:,.0f} MB"
    )


def size_words(number: int) -> str:
    """Return `number` of bytes in words, such as "1.4 GB" or "12 MB"."""
    return _size(number) if number >= MB else f"{number / 1000:,.0f} KB"
