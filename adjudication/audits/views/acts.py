"""What an adjudicator does on the page of a finding, each a plain form."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse

from adjudication.audits.actions.decide_seen import Moved, hold_as_seen
from adjudication.audits.actions.merge_findings import (
    join_again,
    merge_findings,
    split_finding,
    take_apart,
)
from adjudication.audits.actions.repair_finding import (
    declare_repaired,
    link_repair,
    verify_repair,
)
from adjudication.audits.actions.settle_finding import (
    Incomplete,
    ask_for_evidence,
    assign_finding,
    dismiss,
    rule,
    snooze,
    triage,
)
from adjudication.audits.models import Finding
from adjudication.audits.states import WrongMove
from adjudication.audits.views.finding import page_context, visible_finding
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import ADJUDICATE
from workbench.numbers import whole_number, whole_numbers
from workbench.ui.answers import done, takes_forms_of

Given = QueryDict


def _triage(user: User, finding: Finding, given: Given) -> str:
    triage(user, finding, reason=given.get("reason", ""))
    return "Triaged."


def _take(user: User, finding: Finding, given: Given) -> str:
    assign_finding(user, finding, user, was=given.get("was"))
    return "It is yours."


def _assign(user: User, finding: Finding, given: Given) -> str:
    name = given.get("assignee", "").replace("\0", "").strip()
    to = User.objects.filter(username=name).first() if name else None
    if name and to is None:
        raise Incomplete(f"There is nobody called {name[:100]}.")
    assign_finding(user, finding, to, was=given.get("was"))
    return f"Assigned to {name}." if name else "Assigned to nobody."


def _evidence(user: User, finding: Finding, given: Given) -> str:
    ask_for_evidence(user, finding, reason=given.get("reason", ""))
    return "Asked for evidence."


def _dismiss(user: User, finding: Finding, given: Given) -> str:
    dismiss(user, finding, code=given.get("code", ""), reason=given.get("reason", ""))
    return "Dismissed."


def _merge(user: User, finding: Finding, given: Given) -> str:
    number = _number(given, "into", "a finding of this instance")
    into = Finding.objects.filter(instance=finding.instance_id, number=number).first()
    if into is None:
        raise Incomplete(f"There is no F-{number} of this instance.")
    merge_findings(user, finding, into, reason=given.get("reason", ""))
    return f"Merged into F-{number}, which has its closures now."


def _apart(user: User, finding: Finding, given: Given) -> str:
    take_apart(user, finding, reason=given.get("reason", ""))
    return "Taken apart again; its closures are back."


def _split(user: User, finding: Finding, given: Given) -> str:
    chosen = whole_numbers(given.getlist("closure"))
    made = split_finding(user, finding, chosen, reason=given.get("reason", ""))
    return f"Split: F-{made.number} has the closures that you chose."


def _join(user: User, finding: Finding, given: Given) -> str:
    merge = join_again(user, finding, reason=given.get("reason", ""))
    return f"Joined again: F-{merge.into.number} has its closures."


def _rule(user: User, finding: Finding, given: Given) -> str:
    ruling = rule(
        user,
        finding,
        category=given.get("category", ""),
        severity=given.get("severity", ""),
        rationale=given.get("rationale", ""),
        root_cause=given.get("root_cause", ""),
    )
    return f"Ruled: {ruling.get_category_display()}."


def _snooze(user: User, finding: Finding, given: Given) -> str:
    snooze(user, finding)
    return "Snoozed until what its spec means changes."


def _wake(user: User, finding: Finding, given: Given) -> str:
    snooze(user, finding, until_changed=False)
    return "Back in the queue."


def _repair(user: User, finding: Finding, given: Given) -> str:
    number = _number(given, "revision", "a revision of this instance")
    revision = finding.instance.revisions.filter(number=number).first()
    if revision is None:
        raise Incomplete(f"There is no r{number} of this instance.")
    link_repair(user, finding, revision)
    return f"r{number} is to repair it; its closures are checked there."


def _verify(user: User, finding: Finding, given: Given) -> str:
    verify_repair(user, finding, reason=given.get("reason", ""))
    return "The repair is verified."


def _declare(user: User, finding: Finding, given: Given) -> str:
    declare_repaired(user, finding, reason=given.get("reason", ""))
    return "Repaired, as you say; no machine checked it."


def _number(given: Given, name: str, what: str) -> int:
    number = whole_number(given.get(name, ""), digits=9)
    if number is None:
        raise Incomplete(f"Choose {what}; expected its number.")
    return number


_ACTS: dict[str, Callable[[User, Finding, Given], str]] = {
    "triage": _triage,
    "take": _take,
    "assign": _assign,
    "evidence": _evidence,
    "dismiss": _dismiss,
    "merge": _merge,
    "apart": _apart,
    "split": _split,
    "join": _join,
    "rule": _rule,
    "snooze": _snooze,
    "wake": _wake,
    "repair": _repair,
    "declare": _declare,
    "verify": _verify,
}
# These decide nothing about what was found.
_WITHOUT_MARK = frozenset({"take", "assign", "snooze", "wake"})


@takes_forms_of(
    lambda slug, number, act: reverse("audits:finding", args=[slug, number])
)
@login_required
def act(request: HttpRequest, slug: str, number: int, act: str) -> HttpResponse:
    """Do one thing. 409 where the finding moved on meanwhile, 422 where something is missing; both keep the text."""
    user = request.user
    assert isinstance(user, User)  # login_required
    found = visible_finding(request, slug, number)
    do = _ACTS.get(act)
    if do is None:
        raise Http404("Nothing of that name can be done with a finding.")
    require(user, ADJUDICATE, found.instance)
    given = request.POST
    try:
        with transaction.atomic():
            if act not in _WITHOUT_MARK:
                hold_as_seen(found, given.get("mark", ""))
            words = do(user, found, given)
    except (Moved, WrongMove) as error:
        return _again(request, slug, number, act, str(error), 409)
    except Incomplete as error:
        return _again(request, slug, number, act, str(error), 422)
    return done(request, reverse("audits:finding", args=[slug, number]), words)


def _again(
    request: HttpRequest, slug: str, number: int, act: str, why: str, status: int
) -> HttpResponse:
    """Show the page as it is now, with what was typed in its fields."""
    context = page_context(request, visible_finding(request, slug, number))
    context |= {"typed": request.POST.dict(), "acted": act, "why": why}
    return render(request, "audits/finding.html", context, status=status)
