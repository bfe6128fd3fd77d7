"""A person says that a spec is wrong, without a grading. It is kept as a claim: unproven, and never counted as checked."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from django.db import transaction

from adjudication.audits.actions.place_closure import make_finding
from adjudication.audits.actions.settle_finding import Incomplete, remark_of, words_of
from adjudication.audits.grouping import JOINT, group_of
from adjudication.audits.models import Closure, Finding
from adjudication.audits.states import CLOSED
from curation.instances.locks import hold_instances
from curation.instances.models import Definition, Instance, Placement
from workbench.access.models import User
from workbench.access.rights import AccessDenied, rights_of
from workbench.access.roles import ADJUDICATE, CURATE, REVIEW
from workbench.events.log import record

MOST_SPECS = 50
# Of a claim nothing is shown: the words of the rule would say that it is.
_SAID = "somebody says it of the same spec and by the same route"
RIGHTS = frozenset({CURATE, REVIEW, ADJUDICATE})


def may_claim(user: User, instance: Instance) -> bool:
    """Return whether `user` may say that a spec of `instance` is wrong: whoever curates, reviews or rules there."""
    return bool(RIGHTS & rights_of(user, instance))


@transaction.atomic
def claim_finding(
    user: User,
    instance: Instance,
    specs: Collection[int],
    *,
    route: str,
    words: str,
    proof: str = "",
) -> Closure:
    """Return the claim that `specs` (keys of definitions) of the current revision are wrong by `route`, in its finding.

    It joins an open finding of the same specs and route; a closed one stays closed, and a new one is opened beside it. The
    same claim of the same person is made once. `proof` is text that nobody checks. Raises `AccessDenied`, `Incomplete`.
    """
    if not may_claim(user, instance):
        raise AccessDenied("You may not report specs of this instance.")
    if route not in dict(Closure.ROUTES):
        raise Incomplete(f"Choose what is wrong; expected one of {', '.join(dict(Closure.ROUTES))}.")  # fmt: skip
    words, proof = words_of(words, "what is wrong"), remark_of(proof, "The proof")
    held = hold_instances([instance.pk])[instance.pk]
    revision = held.revisions.get(is_current=True)
    placed = Placement.objects.filter(
        revision=revision, kind=Definition.SPEC, definition__in=list(specs)
    ).select_related("definition")
    chosen = sorted((row.definition for row in placed), key=lambda spec: spec.lean_name)
    if len(chosen) != len(set(specs)) or not 0 < len(chosen) <= MOST_SPECS:
        raise Incomplete(f"Choose specs of r{revision.number} of {held}, at most {MOST_SPECS}.")  # fmt: skip
    if (route == JOINT) != (len(chosen) > 1):
        raise Incomplete("Specs that contradict each other are two or more; any other claim is about one.")  # fmt: skip
    digest = hashlib.sha256(f"{words}\n\n{proof}".encode()).hexdigest()
    known = Closure.objects.filter(
        person=user, revision=revision, route=route, proof_hash=digest, run=None
    )
    for claim in known.prefetch_related("specs"):
        if {spec.pk for spec in claim.specs.all()} == set(specs):
            return claim
    finding, because = _finding(held, route, chosen, digest)
    claim = Closure.objects.create(
        finding=finding,
        instance=held,
        revision=revision,
        person=user,
        route=route,
        basis=Closure.UNPROVEN,
        words=words,
        proof=proof,
        proof_hash=digest,
        grouped_because=because[:300],
    )
    claim.specs.set(chosen)
    record("finding.claimed", user, finding, reason=words, route=route)
    return claim


def _finding(
    instance: Instance, route: str, specs: list[Definition], digest: str
) -> tuple[Finding, str]:
    group = group_of(instance.pk, route, specs)
    rows = Finding.objects.select_for_update(of=("self",), no_key=True)
    known = list(rows.filter(instance=instance, group_key=group.key).order_by("pk"))
    for found in known:
        if found.state not in CLOSED:
            return found, _SAID
    key, because = group.key, _SAID
    if known:
        key = hashlib.sha256(f"{group.key} {digest}".encode()).hexdigest()
        state = known[0].get_state_display()
        because = f"a new claim; F-{known[0].number} on the same is {state}"
    made = make_finding(
        instance, key, group.rule, route=route, specs=specs, claimed=True
    )
    return made, because
