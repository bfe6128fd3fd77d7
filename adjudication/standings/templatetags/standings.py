"""How boards print shares and money, and put a drawing into a page."""

from __future__ import annotations

from decimal import Decimal

from django import template
from django.utils.safestring import SafeString, mark_safe

from adjudication.standings.charts.picture import Picture
from adjudication.standings.selectors.pictures import MODE_WORDS

register = template.Library()


@register.filter
def percent(share: float) -> str:
    """ "87.3": a share of 1 as per cent, with one digit."""
    return f"{100 * share:.1f}"


@register.filter
def dollars(amount: Decimal | None) -> str:
    """ "2,865": US dollars without cents, with them below ten; a dash where there is no amount."""
    if amount is None:
        return "–"
    return f"{amount:,.2f}" if amount < 10 else f"{amount:,.0f}"


@register.filter
def cents(amount: Decimal | None) -> str:
    """ "1.21": US dollars with cents; a dash where there is no amount."""
    return "–" if amount is None else f"{amount:,.2f}"


@register.filter
def mode_word(mode: str) -> str:
    """ "code+proof": a mode in words."""
    return MODE_WORDS.get(mode, mode)


@register.simple_tag
def drawing(picture: Picture) -> SafeString:
    """The drawing itself: `charts` escapes every name that it prints."""
    return mark_safe(picture.svg)  # noqa: S308  # made by charts, which escapes


@register.simple_tag
def drawing_table(picture: Picture) -> SafeString:
    """The table beside the drawing; `charts` escapes it too."""
    return mark_safe(picture.table)  # noqa: S308  # made by charts, which escapes


@register.filter
def minutes(value: float | None) -> str:
    """ "184": whole minutes, with one digit below ten; a dash where no time was recorded."""
    if value is None:
        return "–"
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"
