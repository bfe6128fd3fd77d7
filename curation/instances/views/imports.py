"""Import instances by dropping an archive."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from curation.instances.actions.drop_archive import drop_archive
from curation.instances.models import Instance
from workbench.access.models import User
from workbench.access.rights import AccessDenied, teams_with
from workbench.access.roles import CURATE

_ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz")


class ImportForm(forms.Form):
    """An archive with one or more instances, perhaps one with upstream files, and the team that gets them."""

    archive = forms.FileField(
        label="Archive with instances",
        help_text="zip or tar; every folder with a manifest.json is an instance",
    )
    source = forms.FileField(
        label="Archive with upstream files",
        required=False,
        help_text="for several instances: one folder a name",
    )
    form_key = forms.CharField(widget=forms.HiddenInput, max_length=64)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team"] = forms.ModelChoiceField(
            teams_with(user, CURATE),
            to_field_name="slug",
            empty_label=None,
            label="Team",
        )

    def clean_archive(self) -> UploadedFile[Any]:
        return _fitting(self.cleaned_data["archive"])

    def clean_source(self) -> UploadedFile[Any] | None:
        return (
            _fitting(self.cleaned_data["source"])
            if self.cleaned_data.get("source")
            else None
        )


def _fitting(upload: UploadedFile[Any]) -> UploadedFile[Any]:
    name = str(upload.name)
    if not name.lower().endswith(_ENDINGS):
        raise forms.ValidationError(
            f"{name[:80]} is no archive that we read; expected {', '.join(_ENDINGS)}."
        )
    limit = settings.UPLOAD_LIMIT_MB * 1024 * 1024
    if (upload.size or 0) > limit:
        raise forms.ValidationError(
            f"{name[:80]} is larger than {settings.UPLOAD_LIMIT_MB} MB, the most that is taken."
        )
    return upload


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def import_page(request: HttpRequest) -> HttpResponse:
    """The form, and what it does: a job whose page shows the progress."""
    assert isinstance(request.user, User)  # login_required
    if not teams_with(request.user, CURATE).exists():
        raise AccessDenied(
            "You may not import: none of your teams has given you the role of a curator."
        )
    if request.method != "POST":
        form = ImportForm(
            request.user,
            initial={"form_key": uuid.uuid4().hex, "team": request.GET.get("team")},
        )
        about = Instance.objects.visible_to(request.user, CURATE).filter(
            slug=request.GET.get("instance", "")
        )
        context = {"form": form, "about": about.first()}
        return render(request, "instances/import.html", context)
    form = ImportForm(request.user, request.POST, request.FILES)
    if not form.is_valid():
        return render(request, "instances/import.html", {"form": form}, status=422)
    archive, source = form.cleaned_data["archive"], form.cleaned_data["source"]
    job = drop_archive(
        request.user,
        form.cleaned_data["team"],
        (str(archive.name), archive.read()),
        (str(source.name), source.read()) if source else None,
        form_key=form.cleaned_data["form_key"],
    )
    return redirect("jobs:detail", job.pk)
