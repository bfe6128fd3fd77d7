"""What the review page and the inbox add to the frame: keys, the number in the top bar, how their events are told."""

from __future__ import annotations

from django.http import HttpRequest

from curation.reviews.selectors.inbox import COUNTED, unread_number
from workbench.access.models import User
from workbench.events.telling import Telling, tellings
from workbench.ui.keymap import GO, Key, keymap
from workbench.ui.navigation import Entry, navigation

DEFINITION = "One definition"


def inbox_count(request: HttpRequest) -> int | str | None:
    """Return how much this person was told and has not read, None for nothing."""
    if not isinstance(request.user, User):
        return None
    number = unread_number(request.user)
    return f"{COUNTED}+" if number > COUNTED else number or None


def register_page() -> None:
    """Add everything. Called once, when the app starts."""
    navigation.add(Entry("Inbox", "inbox:list", order=35, count=inbox_count))
    keymap.add(
        Key("g n", "inbox", GO, "go", "inbox:list", order=33),
        Key("a", "approve what is shown", DEFINITION, order=43),
        Key(
            "r",
            "request a re-translation: the focus goes to the reason",
            DEFINITION,
            order=44,
        ),
        Key("s", "skip, with a reason", DEFINITION, order=45),
        Key(
            "c", "comment on the line (Alt and arrows choose it)", DEFINITION, order=46
        ),
        Key("d", "what is new, and back", DEFINITION, order=47),
        Key("[", "compare with an older version", DEFINITION, order=48),
        Key("]", "compare with a newer version", DEFINITION, order=49),
        Key("v", "mark as read", DEFINITION, order=50),
        Key("e", "edit the Lean text", DEFINITION, order=51),
        Key("w", "wrap long lines", DEFINITION, order=52),
        Key("!", "show what arrived while the page was open", DEFINITION, order=53),
    )
    tellings.add(
        Telling("comment.added", "said something about line {line} of {object}"),
        Telling("comment.edited", "changed a comment on {object}"),
        Telling("comment.hidden", "hid a comment on {object}"),
        Telling("comment.shown", "showed a comment on {object} again"),
        Telling("thread.resolved", "settled a conversation on {object}"),
        Telling("notifications.muted", "muted {kind} in {where}"),
        Telling("notifications.unmuted", "hears of {kind} in {where} again"),
        Telling("thread.reopened", "opened a conversation on {object} again"),
    )
