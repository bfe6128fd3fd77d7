"""Conversations of a definition, and where they stand on the page of today."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Min, Prefetch
from django.utils.safestring import SafeString

from curation.instances.models import Definition, Item, Placement
from curation.reviews.anchors import LineMap, find_quote
from curation.reviews.models import Comment, CommentText, Thread
from workbench.access.models import User
from workbench.code.lines import split_lines
from workbench.code.pane import LineRange
from workbench.ui.markdown import rendered

LEAN, SOURCE = "lean", "src"
HIDDEN = "This comment was hidden."


@dataclass(frozen=True)
class Said:
    """One comment as it is read: its newest text, and whether it was another one before.

    `may_turn`: whether the reader may hide it or show it again without being a maintainer.
    """

    comment: Comment
    text: str
    edited: bool
    mine: bool
    may_turn: bool

    @cached_property
    def html(self) -> SafeString:
        return rendered(self.text)


@dataclass(frozen=True)
class Conversation:
    """A thread and where it stands. `place` are lines of the file, None where they are gone or not on this page.

    `was` says where it was anchored, in words, when that is not where it stands.
    """

    thread: Thread
    side: str
    comments: list[Said]
    place: LineRange | None
    was: str
    elsewhere: bool = False

    @property
    def resolved(self) -> bool:
        return self.thread.resolved_at is not None

    @property
    def outdated(self) -> bool:
        return self.place is None and not self.elsewhere

    @property
    def tone(self) -> str:
        return "ok" if self.resolved else "warn" if self.outdated else "info"

    @property
    def words(self) -> str:
        """The state in one word."""
        if self.resolved:
            return "resolved"
        return "outdated" if self.outdated else "open"

    @property
    def where(self) -> str:
        """Which lines, in words."""
        if self.place is None:
            return "Lines that are gone" if self.outdated else self.thread.item_name
        return f"Line {self.place}" if self.place.size == 1 else f"Lines {self.place}"

    @property
    def newest(self) -> int:
        """The id of the newest comment, to tell what is new."""
        return self.comments[-1].comment.pk if self.comments else 0


@dataclass(frozen=True)
class Page:
    """What conversations are placed on: the translation where it is placed, and the source item beside it, if any."""

    placement: Placement
    item: Item | None = None
    source_text: str = ""


def threads_of(definition: Definition) -> list[Thread]:
    """Return the threads of `definition` with all that was said. Three queries."""
    texts = Prefetch("texts", CommentText.objects.order_by("pk"))
    comments = Prefetch(
        "comments",
        Comment.objects.select_related("author").prefetch_related(texts).order_by("pk"),
    )
    rows = Thread.objects.filter(definition=definition).select_related(
        "translation", "item", "opened_by", "resolved_by"
    )
    return list(rows.prefetch_related(comments))


def conversations(
    threads: Iterable[Thread], page: Page, user: User
) -> list[Conversation]:
    """Return `threads` placed on `page`, those that stand first in the order of their lines.

    One query when a thread was about an older version.
    """
    listed = list(threads)
    firsts = _first_lines(listed, page.placement)
    maps: dict[int, LineMap] = {}
    found = [_placed(thread, page, user, maps, firsts) for thread in listed]
    return sorted(
        found,
        key=lambda each: (
            each.place is None,
            each.side,
            each.place.first if each.place else 0,
            each.thread.pk,
        ),
    )


def by_line(found: Iterable[Conversation], side: str) -> dict[int, list[Conversation]]:
    """Return the conversations of one side by the last line they stand on."""
    lines: dict[int, list[Conversation]] = {}
    for each in found:
        if each.side == side and each.place is not None:
            lines.setdefault(each.place.last, []).append(each)
    return lines


def _placed(
    thread: Thread,
    page: Page,
    user: User,
    maps: dict[int, LineMap],
    firsts: Mapping[int, int],
) -> Conversation:
    said = [_said(comment, user) for comment in thread.comments.all()]
    if thread.translation is None:
        return _beside_source(thread, page, said)
    current = page.placement
    if thread.translation_id == current.translation_id:
        place: LineRange | None = LineRange(thread.line_start, thread.line_end)
    else:
        known = maps.get(thread.translation_id or 0)
        if known is None:
            known = LineMap.between(thread.translation.text, current.translation.text)
            maps[thread.translation_id or 0] = known
        place = known.where(thread.line_start, thread.line_end)
    was = ""
    if thread.translation_id != current.translation_id:
        line = firsts.get(thread.translation_id or 0, 1) + thread.line_start - 1
        was = f"v{thread.translation.number}, line {line}"
    if place is not None:
        by = current.line_start - 1
        place = LineRange(place.first + by, place.last + by)
    return Conversation(thread, LEAN, said, place, was)


def _beside_source(thread: Thread, page: Page, said: list[Said]) -> Conversation:
    """Return a thread on a source item: by the lines it quotes, since sources come anew with an import."""
    item = page.item
    same = item is not None and (
        thread.item_id == item.pk or thread.item_name == item.qualified_name
    )
    if item is None or not same:
        was = f"{thread.item_name}, line {thread.line_start} of it"
        return Conversation(thread, SOURCE, said, None, was, elsewhere=True)
    lines = split_lines(page.source_text).lines[item.line_start - 1 : item.line_end]
    near = thread.line_start
    place = find_quote("\n".join(lines), thread.quote, near)
    if place is None:
        return Conversation(thread, SOURCE, said, None, f"line {near} of the item")
    was = f"line {near} of the item" if place.first != near else ""
    by = item.line_start - 1
    return Conversation(
        thread, SOURCE, said, LineRange(place.first + by, place.last + by), was
    )


def _said(comment: Comment, user: User) -> Said:
    texts = [text.text for text in comment.texts.all()]
    shown = HIDDEN if comment.hidden else texts[-1] if texts else ""
    return Said(
        comment,
        shown,
        len(texts) > 1,
        comment.author_id == user.pk,
        user.pk == (comment.hidden_by_id if comment.hidden else comment.author_id),
    )


def _first_lines(threads: list[Thread], placement: Placement) -> dict[int, int]:
    """Return the line of its file at which each older translation began."""
    older = {
        thread.translation_id
        for thread in threads
        if thread.translation_id not in (None, placement.translation_id)
    }
    if not older:
        return {}
    rows = Placement.objects.filter(translation__in=older).order_by()
    return dict(rows.values_list("translation").annotate(first=Min("line_start")))
