"""The adaptation of an instance to pocket Lean: what was edited, and the button that does it."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from adjudication.grading.adapting import KINDS, CannotAdapt, page_of
from adjudication.runs.actions.adapt_revision import adapt_revision
from adjudication.runs.models import Adaptation
from curation.instances.views.pages import instance_page
from workbench.access.models import User
from workbench.access.roles import CURATE, SUBMIT
from workbench.ui.answers import takes_forms_of
from workbench.ui.markdown import rendered


@require_safe
@login_required
def adaptation(request: HttpRequest, slug: str) -> HttpResponse:
    """Every edit by which the current revision was adapted."""
    page = instance_page(request, slug, "adaptation")
    made = Adaptation.objects.filter(revision=page.revision).first()
    return render(
        request,
        "runs/adaptation.html",
        page.context(
            adaptation=made,
            edits=list(made.edits.all()) if made else [],
            may_adapt=CURATE in page.rights,
            may_submit=SUBMIT in page.rights,
        ),
    )


@takes_forms_of(lambda slug: reverse("runs:adaptation", args=[slug]))
@login_required
def adapt_now(request: HttpRequest, slug: str) -> HttpResponse:
    """Adapt the current revision, and show the edits."""
    assert isinstance(request.user, User)  # login_required
    page = instance_page(request, slug, "adaptation")
    try:
        adapt_revision(request.user, page.revision)
    except CannotAdapt as error:
        messages.error(request, f"Nothing was adapted. {error}")
    return redirect("runs:adaptation", slug)


@require_safe
@login_required
def edit_kind(request: HttpRequest, kind: str) -> HttpResponse:
    """What one kind of edit means, why it matters and what to do."""
    if kind not in KINDS:
        raise Http404(f"There is no edit called {kind}.")
    text = (settings.BASE_DIR / page_of(kind)).read_text("utf-8")
    body = text[text.index("\n## ") :].replace("\n## ", "\n# ")
    context = {"kind": kind, "title": KINDS[kind], "body": rendered(body)}
    return render(request, "runs/edit_kind.html", context)
