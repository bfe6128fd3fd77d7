"""An act is bound to what its page showed: who acts on something else is told, not obeyed."""

from __future__ import annotations

from adjudication.releases.actions.freeze_release import locked_release
from adjudication.releases.building import rows_mark
from adjudication.releases.models import Release


class Moved(Exception):
    """The release is not as the page showed it. The text says what to do."""


def mark_of(release: Release) -> str:
    """Return a mark of what an act rests on: state, what was frozen, the waivers, the archive. Two queries."""
    return f"{release.state}.{rows_mark(release)}.{release.archive_digest[:16]}"


def hold_as_seen(release: Release, mark: str) -> Release:
    """Return `release`, locked until the transaction ends, if it still is what `mark` says. Raises `Moved`."""
    found = locked_release(release)
    if mark_of(found) != mark:
        raise Moved(
            f"{found} changed since you opened the page; it is {found.state} now. "
            "Read what it holds, and send your words again if they still fit."
        )
    return found
