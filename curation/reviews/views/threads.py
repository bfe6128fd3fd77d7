"""Conversations: say something about lines, answer, change or hide what one said, settle it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from curation.instances.models import Definition, Instance, Item, Placement
from curation.instances.selectors.definitions import placement_of
from curation.instances.views.panes import source_side
from curation.reviews.actions.add_comment import (
    About,
    Unsaid,
    add_comment,
    open_thread,
)
from curation.reviews.actions.edit_comment import edit_comment, hide_comment, may_show
from curation.reviews.actions.resolve_thread import resolve_thread
from curation.reviews.models import Comment, Thread
from curation.reviews.selectors.threads import (
    SOURCE,
    Conversation,
    Page,
    conversations,
    threads_of,
)
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404, require, rights_of
from workbench.access.roles import MAINTAIN, REVIEW
from workbench.code.lines import split_lines
from workbench.numbers import whole_number
from workbench.ui.answers import announce, done, is_htmx


class _Lines(ValueError):
    """The lines that the form names cannot be taken. The text says why."""


def _definition(request: HttpRequest, definition_id: int) -> Definition:
    visible = Definition.objects.filter(
        instance__in=Instance.objects.visible_to(request.user)
    )
    return get_visible_or_404(
        visible.select_related("instance__team"), pk=definition_id
    )


def _thread(request: HttpRequest, thread_id: int) -> Thread:
    visible = Thread.objects.filter(
        instance__in=Instance.objects.visible_to(request.user)
    )
    return get_visible_or_404(
        visible.select_related("instance__team", "definition__instance__team"),
        pk=thread_id,
    )


def _comment(request: HttpRequest, comment_id: int) -> Comment:
    visible = Comment.objects.filter(
        thread__instance__in=Instance.objects.visible_to(request.user)
    )
    return get_visible_or_404(
        visible.select_related(
            "author", "thread__instance__team", "thread__definition__instance__team"
        ),
        pk=comment_id,
    )


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # login_required
    return request.user


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new(request: HttpRequest, definition_id: int) -> HttpResponse:
    """The form for a comment on lines; under htmx alone, to stand below its line. It waits for no pane."""
    definition = _definition(request, definition_id)
    require(request.user, REVIEW, definition.instance)
    asked = request.POST if request.method == "POST" else request.GET
    fields = {
        "side": SOURCE if asked.get("side") == SOURCE else "lean",
        "version": asked.get("version", "")[:9],
        "item": asked.get("item", "")[:18],
        "first": asked.get("first") or asked.get("line", ""),
        "last": asked.get("last") or asked.get("first") or asked.get("line", ""),
        "text": request.POST.get("text", ""),
        "key": request.POST.get("key", ""),
    }
    error = ""
    if request.method == "POST":
        try:
            about = _about(definition, fields)
            comment = open_thread(
                _person(request), definition, about, fields["text"], fields["key"]
            )
        except (Unsaid, _Lines) as refused:
            error = str(refused)
        else:
            return _said(request, comment.thread, "Said.")
    context = {
        "definition": definition,
        "instance": definition.instance,
        "fields": fields,
        "error": error,
    }
    template = (
        "reviews/thread_form.html" if is_htmx(request) else "reviews/thread_new.html"
    )
    return render(request, template, context, status=422 if error else 200)


def _about(definition: Definition, fields: dict[str, str]) -> About:
    """Return what the form speaks about. Lines come as numbers of the file. Raises `_Lines`."""
    first, last = _number(fields["first"]), _number(fields["last"])
    if not fields["key"] or len(fields["key"]) > 64:
        raise _Lines("The form is not whole: open it anew.")
    if fields["side"] == SOURCE:
        return _about_item(definition, _number(fields["item"]), first, last)
    rows = definition.placements.filter(
        translation__number=_number(fields["version"])
    ).select_related("translation")
    placement = rows.order_by("-revision__number").first()
    if placement is None:
        raise _Lines(f"There is no version {fields['version']} of {definition}.")
    _within(placement, first, last)
    by = placement.line_start - 1
    text = placement.translation.text
    return About(placement.translation, None, text, first - by, last - by)


def _about_item(definition: Definition, pk: int, first: int, last: int) -> About:
    placement = placement_of(definition)
    item = Item.objects.filter(pk=pk, source=placement.revision.source_id).first()
    if item is None:
        raise _Lines("That source item is not in the current source any more.")
    _within(item, first, last)
    side = source_side(placement.revision, item.path)
    lines = split_lines(side.text).lines[item.line_start - 1 : item.line_end]
    by = item.line_start - 1
    return About(None, item, "\n".join(lines), first - by, last - by)


def _within(place: Placement | Item, first: int, last: int) -> None:
    if not place.line_start <= first <= last <= place.line_end:
        raise _Lines(
            f"Lines {first} to {last}: expected lines from {place.line_start} to {place.line_end}."
        )


def _number(text: str) -> int:
    return whole_number(text) or 0


@require_POST
@login_required
def reply(request: HttpRequest, thread_id: int) -> HttpResponse:
    """Answer in a thread."""
    thread = _thread(request, thread_id)
    text, key = request.POST.get("text", ""), request.POST.get("key", "")[:64]
    try:
        if not key:
            raise Unsaid("The form is not whole: open it anew.")
        add_comment(_person(request), thread, text, key)
    except Unsaid as refused:
        return _fragment(
            request, thread, 422, reply_text=text, reply_error=str(refused)
        )
    return _said(request, thread, "Said.")


@require_POST
@login_required
def resolve(request: HttpRequest, thread_id: int) -> HttpResponse:
    """Settle a thread, or open it again."""
    thread = _thread(request, thread_id)
    resolved = request.POST.get("resolved") == "1"
    resolve_thread(_person(request), thread, resolved=resolved)
    return _said(request, thread, "Resolved." if resolved else "Open again.")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit(request: HttpRequest, comment_id: int) -> HttpResponse:
    """Change one's own comment."""
    comment = _comment(request, comment_id)
    newest = comment.texts.latest("pk").text
    text, error = newest, ""
    if request.method == "POST":
        text = request.POST.get("text", "")
        try:
            edit_comment(_person(request), comment, text)
        except Unsaid as refused:
            error = str(refused)
        else:
            return _said(request, comment.thread, "Changed.")
    context = {
        "comment": comment,
        "definition": comment.thread.definition,
        "instance": comment.thread.instance,
        "text": text,
        "error": error,
    }
    template = (
        "reviews/comment_form.html" if is_htmx(request) else "reviews/comment_edit.html"
    )
    return render(request, template, context, status=422 if error else 200)


@require_POST
@login_required
def hide(request: HttpRequest, comment_id: int) -> HttpResponse:
    """Hide a comment, or show it again."""
    comment = _comment(request, comment_id)
    hidden = request.POST.get("hidden") == "1"
    hide_comment(_person(request), comment, hidden=hidden)
    return _said(request, comment.thread, "Hidden." if hidden else "Shown again.")


@require_safe
@login_required
def history(request: HttpRequest, comment_id: int) -> HttpResponse:
    """All that a comment ever said; what was hidden only for who may show it again."""
    comment = _comment(request, comment_id)
    may_see = not comment.hidden or may_show(_person(request), comment)
    return render(
        request,
        "reviews/comment_history.html",
        {
            "comment": comment,
            "definition": comment.thread.definition,
            "instance": comment.thread.instance,
            "texts": comment.texts.order_by("-pk") if may_see else [],
        },
    )


def _said(request: HttpRequest, thread: Thread, words: str) -> HttpResponse:
    """Answer what worked: the thread anew, or the page at it."""
    if is_htmx(request):
        return announce(_fragment(request, thread, 200), words)
    definition = thread.definition
    page = reverse(
        "instances:definition", args=[definition.instance.slug, definition.pk]
    )
    return done(request, f"{page}?view=now#thread-{thread.pk}", words)


def _fragment(
    request: HttpRequest, thread: Thread, status: int, **more: Any
) -> HttpResponse:
    if not is_htmx(request):
        more |= {"alone": True}
    context = {**thread_context(request, thread), "focus": status == 200, **more}
    template = (
        "reviews/thread.html" if is_htmx(request) else "reviews/thread_alone.html"
    )
    return render(request, template, context, status=status)


def thread_context(request: HttpRequest, thread: Thread) -> dict[str, Any]:
    """Return what reviews/thread.html needs for one thread."""
    user = _person(request)
    rights = rights_of(user, thread.instance)
    return {
        "each": placed_again(thread, user),
        "definition": thread.definition,
        "instance": thread.instance,
        "may_review": REVIEW in rights,
        "may_hide": MAINTAIN in rights,
    }


def placed_again(thread: Thread, user: User) -> Conversation:
    """Return the thread where it stands now, on the source item it is about."""
    placement = placement_of(thread.definition)
    item, text = thread.item, ""
    if item is not None and item.source_id == placement.revision.source_id:
        text = source_side(placement.revision, item.path).text
    rows = [row for row in threads_of(thread.definition) if row.pk == thread.pk]
    return conversations(rows, Page(placement, item, text), user)[0]


@require_safe
@login_required
def at(request: HttpRequest, thread_id: int) -> HttpResponse:
    """Lead to a thread on the page of its definition."""
    thread = _thread(request, thread_id)
    slug = thread.definition.instance.slug
    page = reverse("instances:definition", args=[slug, thread.definition_id])
    return redirect(f"{page}?view=now#thread-{thread.pk}")
