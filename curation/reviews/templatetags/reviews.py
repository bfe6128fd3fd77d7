"""Template tags of the review pages."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from curation.instances.models import Placement
from curation.reviews.selectors.page import State
from workbench.ui.markdown import rendered, rendered_line, with_marks

register = template.Library()


@register.simple_tag
def form_key() -> str:
    """Return a new key for a form: whoever sends it twice says it once."""
    return secrets.token_hex(16)


@register.simple_tag
def neighbour_state(row: Placement, states: Mapping[int, State]) -> SafeString:
    """Show where a neighbour stands in the review, or what kind it is where it is in no queue."""
    state = states.get(row.definition_id)
    if state is None:
        return format_html('<span class="faint">{}</span>', row.get_kind_display())
    return format_html(
        '<span class="status" data-tone="{}">{}</span>', state.tone, state.word
    )


@register.filter
def as_quoted(text: str) -> SafeString:
    """Show lines of code as they are, with what cannot be seen in them marked."""
    return mark_safe(with_marks(escape(text)))  # noqa: S308  # escaped here


@register.filter
def as_written(text: str) -> SafeString:
    """Show Markdown that a person wrote."""
    return rendered(text)


@register.filter
def as_line(text: str, longest: int = 200) -> SafeString:
    """Show the first line of Markdown that a person wrote, in a line of something else."""
    return rendered_line(text, longest)
