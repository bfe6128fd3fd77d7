"""Import reported results by browser."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from adjudication.standings.actions.import_results import import_results
from adjudication.standings.results_csv import TableError, read_costs, read_results
from workbench.access.models import User
from workbench.access.rights import AccessDenied, teams_with
from workbench.access.roles import MAINTAIN
from workbench.ui.answers import done
from workbench.ui.templatetags.ui import plural

MOST_BYTES = 8 << 20


class ImportForm(forms.Form):
    """A table of counts, perhaps one of costs, and the set they belong to."""

    results = forms.FileField(
        label="Results",
        help_text="CSV: track, instance, specs, then NAME_cp or NAME_po for each configuration and mode",
    )
    costs = forms.FileField(
        required=False, label="Costs", help_text="CSV: column, cost_usd"
    )
    name = forms.CharField(
        max_length=200, label="Set", help_text="one of yours, or a new one"
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team"] = forms.ModelChoiceField(
            teams_with(user, MAINTAIN),
            to_field_name="slug",
            empty_label=None,
            label="Team",
        )

    def table(self, name: str) -> bytes:
        """Return the bytes of a file that was sent, at most one more than is read."""
        file = self.cleaned_data.get(name)
        return file.read(MOST_BYTES + 1) if file else b""


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def import_page(request: HttpRequest) -> HttpResponse:
    """The form; what is wrong with a table is said with its line and column, and nothing of it is taken."""
    user = request.user
    assert isinstance(user, User)  # login_required
    if not teams_with(user, MAINTAIN).exists():
        raise AccessDenied("You may not import results: ask an admin of your team.")
    if request.method != "POST":
        form = ImportForm(user, initial={"name": request.GET.get("set", "")})
        return render(request, "standings/import.html", {"form": form})
    form = ImportForm(user, request.POST, request.FILES)
    reported = None
    if form.is_valid():
        field = "results"
        try:
            results = read_results(form.table("results"))
            field = "costs"
            sent = form.table("costs")
            costs = read_costs(sent, results.columns) if sent else {}
            field = "results"
            data = form.cleaned_data
            reported = import_results(user, data["team"], data["name"], results, costs)
        except TableError as error:
            form.add_error(field, str(error))
    if reported is None:
        return render(request, "standings/import.html", {"form": form}, status=422)
    words = f"Imported {plural(reported.cells, 'reported count')} of {plural(len(results.rows), 'instance')}."
    return done(request, reported.set.get_absolute_url(), words)
