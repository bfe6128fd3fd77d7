"""The components as template tags. Built in: no page needs `{% load ui %}`. docs/developer/interface.md lists them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import template
from django.forms import BaseForm, BoundField, CheckboxInput
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from workbench.ui.paging import AFTER, BEFORE, Page
from workbench.ui.parts import Facet, Step, Tab
from workbench.ui.times import age_words, duration_words, full_words, when_words

register = template.Library()

TONES = ("ok", "warn", "bad", "info", "run", "off", "na")
_NOTHING = mark_safe('<span class="faint">–</span>')  # a constant


def _toned(tone: str) -> str:
    if tone not in TONES:
        raise ValueError(f"There is no tone {tone!r}; there are {', '.join(TONES)}.")
    return tone


# ---------- words ----------


@register.simple_tag
def status(tone: str, word: Any) -> SafeString:
    """Glyph and word in the colour of `tone`."""
    return format_html(
        '<span class="status" data-tone="{}">{}</span>', _toned(tone), word
    )


@register.simple_tag
def pill(tone: str, word: Any) -> SafeString:
    """As `status`, filled; once a page, for the state of what the page is about."""
    return format_html(
        '<span class="status pill" data-tone="{}">{}</span>', _toned(tone), word
    )


@register.simple_tag
def tag(word: Any) -> SafeString:
    """A kind; it has no meaning of its own."""
    return format_html('<span class="tag">{}</span>', word)


@register.simple_tag
def count(number: Any) -> SafeString:
    """A number behind a heading or on a tab; nothing for None."""
    if number is None:
        return SafeString("")
    return format_html(
        '<span class="count">{}</span>',
        f"{number:,}" if isinstance(number, int) else number,
    )


@register.simple_tag
def facts(*words: Any) -> SafeString:
    """One line of facts under a title; empty ones are left out."""
    said = [(word,) for word in words if word not in ("", None)]
    return format_html(
        '<p class="facts">{}</p>', format_html_join("", "<span>{}</span>", said)
    )


@register.simple_tag
def when(moment: datetime | None) -> SafeString:
    """The clock for today, the date for before; the whole time with its zone in the title."""
    return _time(moment, when_words(moment)) if moment else _NOTHING


@register.simple_tag
def age(moment: datetime | None) -> SafeString:
    """How long ago ("6 h"), for queues; the whole time in the title."""
    return _time(moment, age_words(moment)) if moment else _NOTHING


def _time(moment: datetime, words: str) -> SafeString:
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        full_words(moment),
        words,
    )


@register.simple_tag(name="hash")
def short_hash(digest: str) -> SafeString:
    """A hash as `91c0…7d13`; copying it gives the whole of it."""
    if not digest:
        return _NOTHING
    if len(digest) <= 12:
        return format_html("<code>{}</code>", digest)
    return format_html(
        '<code class="hash" title="{0}">{1}<i>{2}</i>{3}</code>',
        digest,
        digest[:4],
        digest[4:-4],
        digest[-4:],
    )


@register.filter
def short(digest: str) -> str:
    """A hash as `91c0…7d13`, in plain text."""
    return f"{digest[:4]}…{digest[-4:]}" if len(digest) > 12 else digest


@register.filter
def plural(number: Any, words: str) -> str:
    """ "3 specs": the number with its noun. `words` is the singular, or "entry,entries" where an s will not do."""
    one, _, many = words.partition(",")
    if number == 1:
        return f"1 {one}"
    return (
        f"{number:,} {many or one + 's'}"
        if isinstance(number, int)
        else f"{number} {many or one + 's'}"
    )


@register.filter
def tone(level: str) -> str:
    """The tone of a message of Django's `level` ("success", "error" …)."""
    return {"success": "ok", "error": "bad", "warning": "warn"}.get(level, "info")


@register.filter
def number(value: Any) -> str:
    """ "2,705"."""
    return f"{value:,}" if isinstance(value, int) else str(value)


@register.filter(name="bytes")
def size(value: int) -> str:
    """A size in bytes as "512 B", "12 kB", "3.4 MB" (powers of 1000)."""
    amount, unit = float(value), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 1000 or unit == "TB":
            break
        amount /= 1000
    return (
        f"{amount:.1f} {unit}"
        if amount < 10 and unit != "B"
        else f"{amount:.0f} {unit}"
    )


@register.filter
def duration(seconds: float | None) -> str:
    """A length of time as "5.0 s", "12 min", "6 h"."""
    return "–" if seconds is None else duration_words(seconds)


# ---------- the URL holds the state ----------


@register.simple_tag(takes_context=True)
def query(context: template.Context, **changes: Any) -> str:
    """The query string of this page with `changes`; None or "" takes a key away. Returns to the first page."""
    request: HttpRequest = context["request"]
    values = request.GET.copy()
    for key in {AFTER, BEFORE} - changes.keys():
        values.pop(key, None)
    for key, value in changes.items():
        if value is None or value == "":
            values.pop(key, None)
        elif isinstance(value, list | tuple):
            values.setlist(key, [str(one) for one in value])
        else:
            values[key] = str(value)
    return f"?{values.urlencode()}" if values else "?"


@register.simple_tag(takes_context=True)
def toggled(context: template.Context, facet: Facet, value: str) -> str:
    """The query string with `value` of `facet` chosen, or no longer chosen."""
    request: HttpRequest = context["request"]
    chosen = request.GET.getlist(facet.key)
    if value in chosen:
        chosen = [one for one in chosen if one != value]
    else:
        chosen = [*chosen, value] if facet.several else [value]
    return query(context, **{facet.key: chosen or None})


@register.simple_tag(takes_context=True)
def cleared(context: template.Context, listed: Sequence[Facet]) -> str:
    """The query string without any of the facets in `listed`."""
    return query(context, **{facet.key: None for facet in listed})


@register.simple_tag(takes_context=True)
def kept_filters(context: template.Context, *without: str) -> SafeString:
    """Hidden fields that keep this page's query in a GET form, but for the keys in `without` and the page."""
    request: HttpRequest = context["request"]
    pairs = (
        (key, value)
        for key, values in request.GET.lists()
        if key not in {AFTER, BEFORE, *without}
        for value in values
    )
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', pairs)


# ---------- regions ----------


@register.simple_tag
def crumbs(*steps: str) -> SafeString:
    """How you got here: `{% crumbs "Instances" url name %}`, pairs of label and address, then the page itself."""
    pairs = list(zip(steps[:-1:2], steps[1::2], strict=False))
    links = format_html_join("", '<a href="{1}">{0}</a>', pairs)
    return format_html(
        '<nav class="crumbs" aria-label="Breadcrumbs">{}<span>{}</span></nav>',
        links,
        steps[-1],
    )


@register.simple_block_tag(takes_context=True)
def panel(
    context: template.Context,
    content: SafeString,
    title: str,
    *,
    count: Any = None,
    note: str = "",
    href: str = "",
    link: str = "",
    name: str = "",
) -> SafeString:
    """A titled region: `{% panel "Jobs" count=5 href=url link="All jobs" %}…{% endpanel %}`.

    `note` is a faint remark behind the title, `href` and `link` one way on, pushed to the right; `name` becomes the
    element's id, for a link or an htmx target.
    """
    return render_to_string(
        "ui/panel.html",
        {
            "title": title,
            "count": count,
            "note": note,
            "href": href,
            "link": link,
            "name": name,
            "content": content,
        },
        context.request,  # type: ignore[attr-defined]  # RequestContext in every page
    )


@register.simple_block_tag
def notice(
    content: SafeString, tone: str, word: str, *, href: str = "", link: str = ""
) -> SafeString:
    """One sentence, its cause, one way out: `{% notice "bad" "Not saved." href=url link="See why" %}…{% endnotice %}`."""
    way_out = (
        format_html('<a class="push" href="{}">{}</a>', href, link) if href else ""
    )
    return format_html(
        '<div class="notice" data-tone="{0}"><span class="status" data-tone="{0}">{1}</span><span>{2}</span>{3}</div>',
        _toned(tone),
        word,
        conditional_escape(content.strip())
        if not isinstance(content, SafeString)
        else mark_safe(content.strip()),  # noqa: S308
        way_out,
    )


@register.simple_block_tag(takes_context=True)
def confirm(
    context: template.Context,
    content: SafeString,
    label: str,
    action: str,
    *,
    button: str,
    tone: str = "",
    small: bool = False,
    key: str = "",
) -> SafeString:
    """A button that opens its own form: the consequence (and fields) inside, one button that names it, a token.

    `{% confirm "Cancel" url button="Cancel and kill its processes" %}The upload is kept.{% endconfirm %}`. `label` is
    on the button that opens, `action` the address the form is posted to, `key` the key that opens it.
    """
    return render_to_string(
        "ui/confirm.html",
        {
            "label": label,
            "action": action,
            "button": button,
            "tone": tone,
            "small": small,
            "key": key,
            "content": content,
            "token": get_token(context["request"]),
        },
    )


@register.inclusion_tag("ui/empty.html")
def empty(words: str, href: str = "", link: str = "", code: str = "") -> dict[str, Any]:
    """What would be here, and the link (or the command, `code`) that gets it."""
    return {"words": words, "href": href, "link": link, "code": code}


@register.simple_tag
def wait(words: str) -> SafeString:
    """What is being loaded, for as long as htmx waits (inside or beside the element that asks)."""
    return format_html(
        '<span class="status htmx-indicator wait" data-tone="run">{}</span>', words
    )


@register.inclusion_tag("ui/conflict.html")
def conflict(
    name: str, yours: str, theirs: str, by: str, at: datetime | None = None
) -> dict[str, Any]:
    """Two people changed the same text: what you wrote, still in its field `name`, beside what is there now."""
    return {"name": name, "yours": yours, "theirs": theirs, "by": by, "at": at}


@register.inclusion_tag("ui/pager.html", takes_context=True)
def pager(
    context: template.Context, page: Page[Any], what: str = "row", total: Any = None
) -> dict[str, Any]:
    """The footer of a list by key: how many rows, and the pages beside it."""
    return {"page": page, "what": what, "total": total, "request": context["request"]}


@register.inclusion_tag("ui/facets.html", takes_context=True)
def facets(context: template.Context, listed: Sequence[Facet]) -> dict[str, Any]:
    """The filters of a list as links with their counts, and what is chosen with a way to take it off."""
    return {
        "facets": listed,
        "chosen": any(facet.chosen for facet in listed),
        "request": context["request"],
    }


@register.inclusion_tag("ui/tabs.html")
def tabs(listed: Sequence[Tab], label: str) -> dict[str, Any]:
    """Views of one thing."""
    return {"tabs": listed, "label": label}


@register.inclusion_tag("ui/switch.html")
def switch(listed: Sequence[Tab], label: str) -> dict[str, Any]:
    """Alternatives that change what is counted."""
    return {"tabs": listed, "label": label}


@register.inclusion_tag("ui/steps.html")
def steps(listed: Sequence[Step], label: str) -> dict[str, Any]:
    """A state or stage rail."""
    return {"steps": listed, "label": label}


@register.inclusion_tag("ui/field.html")
def field(bound: BoundField) -> dict[str, Any]:
    """A form field with its label, help and errors."""
    return {"field": bound, "checkbox": isinstance(bound.field.widget, CheckboxInput)}


@register.inclusion_tag("ui/form_errors.html")
def form_errors(form: BaseForm) -> dict[str, Any]:
    """What is wrong with the form as a whole."""
    return {"form": form}
