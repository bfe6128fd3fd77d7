"""The editor's forms: keep a draft, save a version, go back to an older one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from curation.instances.models import Definition, Placement, Translation
from curation.instances.rewriting import BadText
from curation.reviews.actions.keep_draft import drop_draft, save_draft
from curation.reviews.actions.write_translation import (
    Overtaken,
    revert_translation,
    write_translation,
)
from curation.reviews.deciding import BadWords, current_placement
from curation.reviews.merge import Merged, has_marks, merge
from curation.reviews.models import Retranslation, Review, ReviewEnd
from curation.reviews.selectors.at_stake import at_stake
from curation.reviews.selectors.standing import open_requests
from curation.reviews.views.answers import (
    go,
    number_of,
    page_of,
    person,
    refuse,
    version,
    visible_definition,
    with_undo,
)
from curation.reviews.views.differences import difference
from workbench.access.rights import get_visible_or_404, require
from workbench.access.roles import CURATE
from workbench.code.confusables import BAD, WARN, scan
from workbench.code.diff_view import DiffView
from workbench.events.correlation import current_correlation
from workbench.lean.essence import essence
from workbench.ui.answers import is_htmx, safe_next
from workbench.ui.templatetags.ui import plural

_NAMED = 3
_EDITOR, _CONFLICT = "reviews/refused_text.html", "reviews/conflict.html"


@require_POST
@login_required
def draft(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Keep what is typed; `drop` lets go of it. htmx gets the line that says so, a plain form the page."""
    definition = visible_definition(request, slug, definition_id)
    if request.POST.get("drop"):
        drop_draft(person(request), definition)
        return go(request, page_of(definition), "The draft is gone.")
    base = version(definition, number_of(request, "base"))
    text = request.POST.get("text", "")
    error = ""
    if base is None:
        error = "The version that this was written on top of is not known."
    else:
        try:
            save_draft(person(request), definition, text, base=base)
        except BadText as bad:
            error = str(bad)
    if is_htmx(request):
        context = {"error": error, "at": timezone.now(), "definition": definition}
        status = 422 if error else 200
        return render(request, "reviews/draft_kept.html", context, status=status)
    if error:
        return _not_taken(request, definition, error, None, base)
    return go(request, page_of(definition), "The draft is kept.")


@require_POST
@login_required
def save(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Save a version. 409 brings both texts and their merge, 422 the text as it was typed and the line at fault."""
    definition = visible_definition(request, slug, definition_id)
    text = request.POST.get("text", "")
    base = version(definition, number_of(request, "base"))
    if has_marks(text):
        words = "There are still marks of a merge in the text: settle what stands between them."
        return _not_taken(request, definition, words, None, base)
    if base is None:
        words = "The version that this was written on top of is not known."
        return _not_taken(request, definition, words, None, base)
    try:
        written = write_translation(
            person(request),
            definition,
            text,
            base=base,
            words=request.POST.get("words", ""),
            answers=_answered(request, definition),
        )
    except Overtaken as overtaken:
        return _overtaken(request, definition, base, overtaken.current)
    except BadText as bad:
        return _not_taken(request, definition, bad, bad.line, base)
    except BadWords as bad:
        return _not_taken(request, definition, str(bad), None, base)
    _warn_of_characters(request, definition, written)
    words = f"Version {written.number} of {definition} is saved.{_dropped(definition)}"
    told = with_undo(request, definition, current_correlation(), words)
    return go(request, safe_next(request, page_of(definition)), told)


def _warn_of_characters(
    request: HttpRequest, definition: Definition, written: Translation
) -> None:
    """Say which characters of what was saved deceive the eye, if any, by the lines of the file."""
    found = [each for each in scan(written.text) if each.level in (BAD, WARN)]
    if not found:
        return
    now = current_placement(definition)
    before = (now.line_start if now else 1) - 1
    named = [
        f"line {before + each.line}, column {each.column}: {each.words}"
        for each in found[:_NAMED]
    ]
    more = len(found) - _NAMED
    messages.warning(
        request,
        f"The saved text of {definition} has {plural(len(found), 'character')} that deceive the eye. "
        + "; ".join(named)
        + (f"; and {more} more." if more > 0 else "."),
    )


def _answered(request: HttpRequest, definition: Definition) -> Retranslation | None:
    wanted = number_of(request, "answers")
    return definition.retranslations.filter(pk=wanted).first() if wanted else None


def _overtaken(
    request: HttpRequest,
    definition: Definition,
    base: Translation,
    current: Placement | None,
) -> HttpResponse:
    """Answer a late save: both texts, what the other one changed, and a merge of the two to go on from."""
    yours = request.POST.get("text", "").replace("\r\n", "\n")
    merged: Merged | None = None
    diff: DiffView | None = None
    if current is not None:
        merged = merge(base.text, yours, current.translation.text)
        first, text = current.line_start, current.translation.text
        diff = difference(base.text, text, definition.lean_name, first)
    return refuse(
        request,
        _CONFLICT,
        definition,
        409,
        began=base,
        current=current,
        yours=yours,
        merged=merged,
        diff=diff,
        conflict_words=_to_settle(merged),
        **_editing(request, definition, current, merged.text if merged else ""),
        base=current.translation if current else None,
    )


def _to_settle(merged: Merged | None) -> str:
    number = merged.conflicts if merged else 0
    return (
        f"{number} {'place' if number == 1 else 'places'} to settle between the marks"
    )


def _not_taken(
    request: HttpRequest,
    definition: Definition,
    error: str | BadText,
    line: int | None,
    base: Translation | None,
) -> HttpResponse:
    """Answer with the text as it was typed; lines are those of the file, as the editor numbers them."""
    current = current_placement(definition)
    typed = request.POST.get("text", "")
    first = current.line_start if current else 1
    first += typed[: len(typed) - len(typed.lstrip())].count("\n")
    if isinstance(error, BadText):
        error = error.at(first)
    return refuse(
        request,
        _EDITOR,
        definition,
        422,
        error=error,
        line=line,
        line_words=f"line {first + line - 1}" if line else "",
        **_editing(request, definition, current, typed),
        base=base,
    )


def _editing(
    request: HttpRequest,
    definition: Definition,
    current: Placement | None,
    text: str,
) -> dict[str, Any]:
    """Return what reviews/editor.html shows beside the version that is written on."""
    return {
        "text": text,
        "placement": current,
        "translation": current.translation if current else None,
        "answering": open_requests([definition.pk]).get(definition.pk, []),
        "typed_words": request.POST.get("words", ""),
        "from_queue": request.POST.get("queue", ""),
        "stake": at_stake(current) if current else None,
    }


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def revert(
    request: HttpRequest, slug: str, definition_id: int, number: int
) -> HttpResponse:
    """Show exactly what going back to version `number` changes; a POST does it."""
    definition = visible_definition(request, slug, definition_id)
    older = get_visible_or_404(definition.translations.all(), number=number)
    require(person(request), CURATE, definition.instance)
    error, status = "", 200
    if request.method == "POST":
        base = version(definition, number_of(request, "base"))
        try:
            if base is None:
                raise Overtaken(definition, current_placement(definition))
            written = revert_translation(
                person(request), definition, to=older, base=base
            )
        except Overtaken as overtaken:
            error = f"{overtaken}: look again at what going back changes now."
            status = 409
        except BadText as bad:
            error, status = str(bad), 422
        else:
            words = f"{definition} is back to the text of version {number}, as version {written.number}."
            words += _dropped(definition)
            told = with_undo(request, definition, current_correlation(), words)
            return go(request, page_of(definition), told)
    now = current_placement(definition)
    stake = at_stake(now) if now and _means_else(now, older) else None
    return refuse(
        request,
        "reviews/revert.html",
        definition,
        status,
        older=older,
        current=now,
        error=error,
        stake=stake,
        stake_words=f"{stake.number} {_approvals(stake.number)} would drop."
        if stake
        else "",
        diff=difference(
            now.translation.text, older.text, definition.lean_name, now.line_start
        )
        if now
        else None,
    )


def _means_else(now: Placement, older: Translation) -> bool:
    """Return whether the older text means something else than the one that is there."""
    return essence(now.translation.text) != essence(older.text)


def _dropped(definition: Definition) -> str:
    """Return how many approvals the newest revision dropped, as a sentence behind another; nothing for none."""
    number = ReviewEnd.objects.filter(
        revision__instance=definition.instance_id,
        revision__is_current=True,
        review__decision=Review.APPROVE,
    ).count()
    if not number:
        return ""
    return f" {number} {_approvals(number)} dropped."


def _approvals(number: int) -> str:
    return "approval" if number == 1 else "approvals"
