"""What an adjudicator does with a finding before it is repaired: triage, assign, ask for evidence, dismiss, rule, snooze."""

from __future__ import annotations

import hashlib

from django.db import transaction

from adjudication.audits.models import Finding, Ruling
from adjudication.audits.states import DISMISSALS, OPEN_TO_RULING, WrongMove, move
from curation.instances.locks import hold_instances
from curation.instances.models import Placement
from workbench.access.models import User
from workbench.access.rights import AccessDenied, allowed, require
from workbench.access.roles import ADJUDICATE
from workbench.access.selectors import NOBODY
from workbench.events.log import record

# Rulings that leave nothing to repair.
_NOTHING_TO_REPAIR = frozenset({"intended", "not_reproducible", "checker"})


# What a person may write in one field, in characters.
LONGEST = 20_000


class Incomplete(Exception):
    """Something that must be said is missing or unknown. The text says what was expected."""


def locked(finding: Finding) -> Finding:
    """Return `finding` as it is now, held with its instance until the transaction ends."""
    hold_instances([finding.instance_id])
    rows = Finding.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("instance__team").get(pk=finding.pk)


def words_of(text: str, what: str) -> str:
    """Return `text` without blanks at its ends. Raises `Incomplete` for none, or for more than 20,000 characters."""
    text = remark_of(text, what.capitalize())
    if not text:
        raise Incomplete(f"Say {what}: it stays with the finding.")
    return text


def remark_of(text: str, what: str = "The remark") -> str:
    """Return `text`, which need not say anything, without blanks at its ends. Raises `Incomplete` for too many words."""
    text = text.replace("\0", "").strip()
    if len(text) > LONGEST:
        raise Incomplete(
            f"{what} has {len(text):,} characters; expected at most {LONGEST:,}."
        )
    return text


@transaction.atomic
def triage(user: User, finding: Finding, *, reason: str = "") -> Finding:
    """Return `finding`, looked at: from new, dismissed, needs evidence or confirmed. Raises `AccessDenied`, `WrongMove`."""
    require(user, ADJUDICATE, finding.instance)
    reason = remark_of(reason)
    found = locked(finding)
    if found.state == Finding.TRIAGED:
        return found  # two people press it at once: the second finds it done
    if found.state == Finding.DUPLICATE:
        raise WrongMove(f"{found} is merged into another one; take it apart again.")
    move(found, Finding.TRIAGED, user, reason=reason)
    record("finding.triaged", user, found, reason=reason)
    return found


@transaction.atomic
def assign_finding(
    user: User, finding: Finding, assignee: User | None, *, was: str | None = None
) -> Finding:
    """Return `finding`, given to `assignee` (None: to nobody).

    `was` is the key of who had it on the page, "" for nobody, None for a caller that does not mind. Raises
    `AccessDenied`, `Incomplete`, and `WrongMove` where somebody else got it meanwhile.
    """
    require(user, ADJUDICATE, finding.instance)
    found = locked(finding)
    if assignee is not None and not allowed(assignee, ADJUDICATE, found.instance):
        raise Incomplete(f"{assignee.username} may not rule on findings here.")
    if found.assignee_id == (assignee.pk if assignee else None):
        return found
    if was is not None and was != str(found.assignee_id or ""):
        now = found.assignee.username if found.assignee else NOBODY
        raise WrongMove(
            f"{found} was given to {now} meanwhile; send it again if it should go on."
        )
    before, found.assignee = found.assignee, assignee
    found.save(update_fields=["assignee"])
    record(
        "finding.assigned",
        user,
        found,
        to=assignee.username if assignee else NOBODY,
        before=before.username if before else NOBODY,
    )
    return found


@transaction.atomic
def ask_for_evidence(user: User, finding: Finding, *, reason: str) -> Finding:
    """Return `finding`, waiting for evidence. Raises `AccessDenied`, `WrongMove`, `Incomplete`."""
    require(user, ADJUDICATE, finding.instance)
    reason = words_of(reason, "what evidence is missing")
    found = locked(finding)
    through_triage(found, user)
    move(found, Finding.NEEDS_EVIDENCE, user, reason=reason)
    record("finding.needs_evidence", user, found, reason=reason)
    return found


@transaction.atomic
def dismiss(user: User, finding: Finding, *, code: str, reason: str) -> Finding:
    """Return `finding`, dismissed with one of `DISMISSALS` and words. Raises `AccessDenied`, `WrongMove`, `Incomplete`."""
    require(user, ADJUDICATE, finding.instance)
    if code not in dict(DISMISSALS):
        raise Incomplete(
            f"Choose a reason; expected one of {', '.join(dict(DISMISSALS))}."
        )
    reason = words_of(reason, "why it is dismissed")
    found = locked(finding)
    through_triage(found, user)
    move(found, Finding.REJECTED, user, code=code, reason=reason)
    record("finding.dismissed", user, found, reason=reason, code=code)
    return found


@transaction.atomic
def rule(
    user: User,
    finding: Finding,
    *,
    category: str,
    severity: str,
    rationale: str,
    root_cause: str = "",
) -> Ruling:
    """Return the ruling on `finding`; an earlier one stays in the history. It confirms, or dismisses where nothing is to repair.

    Raises `AccessDenied`, `WrongMove`, `Incomplete`.
    """
    require(user, ADJUDICATE, finding.instance)
    if category not in dict(Ruling.CATEGORIES):
        raise Incomplete(
            f"Choose a category; expected one of {', '.join(dict(Ruling.CATEGORIES))}."
        )
    if severity not in dict(Finding.SEVERITIES):
        raise Incomplete(
            f"Choose a severity; expected one of {', '.join(dict(Finding.SEVERITIES))}."
        )
    rationale = words_of(rationale, "the rationale")
    root_cause = remark_of(root_cause, "The root cause")
    found = locked(finding)
    _require_not_own(user, found)
    to = Finding.REJECTED if category in _NOTHING_TO_REPAIR else Finding.CONFIRMED
    if found.state != to:
        if found.state not in OPEN_TO_RULING:
            raise WrongMove(
                f"{found} is {found.get_state_display()}; put it back to triage before you rule anew."
            )
        through_triage(found, user)
        move(found, to, user, code=category, reason=rationale)
    found.rulings.filter(is_current=True).update(is_current=False)
    ruling = Ruling.objects.create(
        finding=found,
        category=category,
        severity=severity,
        root_cause=root_cause,
        rationale=rationale,
        by=user,
    )
    found.severity = severity
    found.save(update_fields=["severity"])
    record(
        "finding.ruled",
        user,
        found,
        reason=rationale,
        category=category,
        severity=severity,
    )
    return ruling


@transaction.atomic
def snooze(user: User, finding: Finding, *, until_changed: bool = True) -> Finding:
    """Return `finding`, out of the queue until the meaning of its specs changes; False wakes it. Raises `AccessDenied`."""
    require(user, ADJUDICATE, finding.instance)
    found = locked(finding)
    found.snoozed_hash = meaning_of(found) if until_changed else ""
    found.save(update_fields=["snoozed_hash"])
    record("finding.snoozed" if until_changed else "finding.woken", user, found)
    return found


def meaning_of(finding: Finding) -> str:
    """Return the hash over what the specs of a finding mean in the current revision of its instance."""
    placed = Placement.objects.filter(
        revision__is_current=True, definition__closures__finding=finding
    ).order_by("definition")
    hashes = placed.values_list("meaning_hash", flat=True).distinct()
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def through_triage(found: Finding, user: User) -> None:
    """Move a finding that nobody looked at, or that was ruled on, to triage, from where it is decided (anew)."""
    if found.state in (Finding.NEW, Finding.NEEDS_EVIDENCE):
        move(found, Finding.TRIAGED, user)
    elif found.state == Finding.CONFIRMED:
        move(found, Finding.TRIAGED, user, reason="ruled anew")


def _require_not_own(user: User, found: Finding) -> None:
    if found.closures.filter(person=user).exists():
        raise AccessDenied("Somebody else has to rule on what you brought in.")
