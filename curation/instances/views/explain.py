"""The pages that explain findings, rendered from docs/findings/."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.format.findings import KINDS
from workbench.ui.markdown import rendered

_TONES = {"error": "bad", "warning": "warn", "info": "info"}


@require_safe
@login_required
def explain_all(request: HttpRequest) -> HttpResponse:
    """Every finding that the importer knows."""
    rows = [(kind, _TONES[kind.severity]) for kind in KINDS.values()]
    return render(request, "instances/explain_all.html", {"rows": rows})


@require_safe
@login_required
def explain(request: HttpRequest, code: str) -> HttpResponse:
    """What one finding means, why it matters and what to do."""
    kind = KINDS.get(code)
    if kind is None:
        raise Http404(f"There is no finding called {code}.")
    text = (settings.BASE_DIR / kind.page).read_text(encoding="utf-8")
    return render(
        request,
        "instances/explain.html",
        {"kind": kind, "tone": _TONES[kind.severity], "body": rendered(_body(text))},
    )


def _body(text: str) -> str:
    """Return the page without its first heading and severity, which the head of the page shows; the rest a level up."""
    return text[text.index("\n## ") :].replace("\n## ", "\n# ")
