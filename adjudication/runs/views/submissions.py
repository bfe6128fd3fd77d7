"""Hand in submissions by browser or by a script, list them, look at one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from adjudication.runs.actions.hand_in import Handed, Result, hand_in
from adjudication.runs.actions.name_configuration import BadName, name_configuration
from adjudication.runs.actions.retire_submission import (
    NoReason,
    may_retire,
    retire_submission,
)
from adjudication.runs.models import (
    MODES,
    Adaptation,
    Configuration,
    GradingRun,
    Refusal,
    Submission,
)
from adjudication.runs.selectors.runs import (
    SubmissionFilter,
    listed_submissions,
    submission_facets,
)
from adjudication.runs.selectors.visible import visible_submissions
from curation.format.findings import FormatError
from curation.instances.models import Instance
from workbench.access.models import User
from workbench.access.rights import AccessDenied, get_visible_or_404, sight, teams_with
from workbench.access.roles import SUBMIT
from workbench.events.models import Event
from workbench.jobs.scratch import scratch_here
from workbench.ui.answers import done, takes_forms_of
from workbench.ui.paging import count_up_to, page_by_key

MOST_FILES = 200
TONES = {"taken": "ok", "known": "info", "refused": "bad"}


class ManyFiles(forms.ClearableFileInput):
    """A file input that takes many."""

    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Any number of files, at least one."""

    widget = ManyFiles

    def clean(self, data: Any, initial: Any = None) -> Any:
        files = data if isinstance(data, list | tuple) else [data]
        files = [one for one in files if one]
        if not files:
            raise forms.ValidationError("Choose at least one file.")
        if len(files) > MOST_FILES:
            raise forms.ValidationError(
                f"These are {len(files)} files; at most {MOST_FILES} are taken at once."
            )
        return files


class SubmitForm(forms.Form):
    """Files, what they are for, and who made them."""

    submissions = ManyFilesField(
        label="Submissions",
        help_text="each file is one: an artifact.json, or a zip or tar with the slots filled in and perhaps a run.json",
    )
    mode = forms.ChoiceField(choices=MODES, label="Mode")
    harness = forms.CharField(required=False, label="Harness", help_text="")
    model = forms.CharField(required=False, label="Model")
    effort = forms.CharField(required=False, label="Effort")

    adapted = forms.BooleanField(
        required=False,
        label="On pocket Lean",
        help_text="where no worker has the Lean that the instance asks for: graded on its adaptation, labelled pocket, never published",
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        open_to = submittable(user)
        if not Adaptation.objects.filter(revision__instance__in=open_to).exists():
            del self.fields["adapted"]
        self.fields["instance"] = forms.ModelChoiceField(
            open_to.order_by("slug"),
            to_field_name="slug",
            empty_label=None,
            label="Instance",
        )
        self.fields["configuration"] = forms.ModelChoiceField(
            Configuration.objects.filter(team__in=open_to.values("team"), hidden=False),
            to_field_name="slug",
            required=False,
            empty_label="a new one, named below",
            label="Configuration",
        )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        chosen, instance = data.get("configuration"), data.get("instance")
        if chosen is None and not (data.get("harness") or "").strip():
            self.add_error(
                "harness",
                "Choose a configuration or name a harness, for example Codex.",
            )
        if chosen and instance and chosen.team_id != instance.team_id:
            self.add_error(
                "configuration", f"{chosen} belongs to another team than {instance}."
            )
        if data.get("adapted") and instance:
            data["adaptation"] = adaptation_of(instance)
            if data["adaptation"] is None:
                self.add_error(
                    "adapted",
                    f"{instance}: its newest revision was not adapted. A curator can, on its page “On pocket Lean”.",
                )
        return data


def adaptation_of(instance: Instance) -> Adaptation | None:
    """Return what was kept of the newest revision of `instance` for pocket Lean. One query."""
    rows = Adaptation.objects.select_related("snapshot")
    return rows.filter(revision__instance=instance, revision__is_current=True).first()


def submittable(user: User) -> Any:
    """Return the instances to which `user` may hand in."""
    return Instance.objects.visible_to(user, SUBMIT)


def may_submit(user: User) -> bool:
    """Return whether there is anything to which `user` may hand in. One query."""
    return bool(submittable(user).exists())


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def submit_page(request: HttpRequest) -> HttpResponse:
    """The form, and what became of each file; JSON for whoever accepts nothing else."""
    user = request.user
    assert isinstance(user, User)  # login_required
    if not may_submit(user):
        raise AccessDenied(
            "You may not hand in: no team has given you the role of a submitter."
        )
    if request.method != "POST":
        initial = {
            name: request.GET.get(name)
            for name in ("instance", "mode", "configuration", "adapted")
        }
        return _form(request, SubmitForm(user, initial=initial))
    form = SubmitForm(user, request.POST, request.FILES)
    if not form.is_valid():
        return _refused(request, form)
    data = form.cleaned_data
    revision = (
        data["instance"]
        .revisions.select_related("snapshot", "instance")
        .get(is_current=True)
    )
    try:
        configuration = data["configuration"] or name_configuration(
            user, revision.instance.team, data["harness"], data["model"], data["effort"]
        )
        with _stored(data["submissions"]) as files:
            results = hand_in(
                user,
                configuration,
                revision,
                data["mode"],
                files,
                data.get("adaptation"),
            )
    except BadName as error:
        form.add_error("harness", str(error))
        return _refused(request, form)
    except FormatError as error:
        form.add_error("instance", f"The instance cannot be read: {error}")
        return _refused(request, form)
    status = 200 if any(result.done for result in results) else 422
    if wants_json(request):
        return JsonResponse(
            {"submissions": [_document(request, one) for one in results]}, status=status
        )
    context = {
        "results": [(TONES[one.state], one) for one in results],
        "instance": revision.instance,
        "revision": revision,
        "mode": data["mode"],
        "configuration": configuration,
        "adapted": data.get("adaptation") is not None,
    }
    return render(request, "runs/handed_in.html", context, status=status)


def wants_json(request: HttpRequest) -> bool:
    """Return whether the request accepts JSON and prefers no page."""
    accepted = request.headers.get("Accept", "")
    return "application/json" in accepted and "text/html" not in accepted


def _form(request: HttpRequest, form: SubmitForm, status: int = 200) -> HttpResponse:
    return render(request, "runs/submit.html", {"form": form}, status=status)


def _refused(request: HttpRequest, form: SubmitForm) -> HttpResponse:
    if wants_json(request):
        errors = {name: list(map(str, found)) for name, found in form.errors.items()}
        return JsonResponse({"errors": errors}, status=422)
    return _form(request, form, 422)


@contextmanager
def _stored(uploads: Sequence[UploadedFile[Any]]) -> Iterator[list[Handed]]:
    """Yield the uploads as files in a folder that goes afterwards; what is too large is not stored."""
    limit = settings.UPLOAD_LIMIT_MB * 1024 * 1024
    files: list[Handed] = []
    with scratch_here() as folder:
        for number, upload in enumerate(uploads):
            name = PurePosixPath(str(upload.name)).name[:200] or "upload"
            size = upload.size or 0
            place = Path(folder, str(number), name)
            if size > limit:
                words = f"is larger than {settings.UPLOAD_LIMIT_MB} MB, the most that is taken"
                files.append(Handed(name, size, place, words))
                continue
            place.parent.mkdir()
            with place.open("wb") as stream:
                for chunk in upload.chunks():
                    stream.write(chunk)
            files.append(Handed(name, size, place))
        yield files


def _document(request: HttpRequest, result: Result) -> dict[str, Any]:
    done = result.done
    return {
        "file": result.file,
        "state": result.state,
        "error": result.error,
        "submission": done.submission.pk if done else None,
        "run": done.run.pk if done else None,
        "url": request.build_absolute_uri(done.run.get_absolute_url()) if done else "",
    }


@require_safe
@login_required
def submission_list(request: HttpRequest) -> HttpResponse:
    """Submissions with facets, newest first; the address holds the state."""
    user = request.user
    assert isinstance(user, User)  # login_required
    wanted = SubmissionFilter.from_query(request.GET)
    rows = listed_submissions(user, wanted)
    runs = Prefetch("runs", GradingRun.objects.with_void().select_related("job"))
    own = Refusal.objects.filter(sight(user, right=SUBMIT)).select_related("person")
    context = {
        "page": page_by_key(rows.prefetch_related(runs), request, ("-pk",)),
        "total": count_up_to(rows, 5000),
        "facets": submission_facets(user, wanted),
        "filtered": bool(wanted.conditions()),
        "refusals": own[:8] if teams_with(user, SUBMIT).exists() else [],
        "may_submit": may_submit(user),
    }
    return render(request, "runs/submissions.html", context)


def _detailed(request: HttpRequest) -> QuerySet[Submission]:
    return visible_submissions(request.user).select_related(
        "configuration", "instance", "revision", "submitter", "files"
    )


@require_safe
@login_required
def submission_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One submission: what was handed in, telemetry, and its runs."""
    found = get_visible_or_404(_detailed(request), pk=pk)
    return render(request, "runs/submission.html", _context(request, found))


def _context(request: HttpRequest, found: Submission) -> dict[str, Any]:
    assert isinstance(request.user, User)  # login_required
    current = found.instance.revisions.filter(is_current=True).first()
    told = Event.objects.filter(object_kind="submission", object_id=str(found.pk))
    return {
        "retired": told.filter(verb="submission.retired").order_by("number").last()
        if found.hidden
        else None,
        "may_retire": may_retire(request.user, found),
        "submission": found,
        "runs": GradingRun.objects.filter(submission=found)
        .with_void()
        .select_related("job", "revision", "regrade_set")
        .order_by("-number"),
        "newer": current if current and current.pk != found.revision_id else None,
        "notes": found.notes.splitlines(),
    }


def _turned(request: HttpRequest, pk: int, *, retired: bool) -> HttpResponse:
    assert isinstance(request.user, User)  # login_required
    found = get_visible_or_404(_detailed(request), pk=pk)
    reason = request.POST.get("reason", "")
    try:
        retire_submission(request.user, found, retired=retired, reason=reason)
    except NoReason as error:
        context = _context(request, found) | {"error": str(error)}
        return render(request, "runs/submission.html", context, status=422)
    words = (
        "Retired: it counts on no board any more. Its runs and receipts stay."
        if retired
        else "Put back: it counts again."
    )
    return done(request, found.get_absolute_url(), words)


@takes_forms_of(lambda pk: reverse("runs:submission", args=[pk]))
@login_required
def retire(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a submission count nowhere any more, with a reason."""
    return _turned(request, pk, retired=True)


@takes_forms_of(lambda pk: reverse("runs:submission", args=[pk]))
@login_required
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a retired submission count again, with a reason."""
    return _turned(request, pk, retired=False)
