"""Adapt a revision to pocket Lean: the mechanical edits, each kept as what it is."""

from __future__ import annotations

from django.db import transaction

from adjudication.grading.adapting import CannotAdapt, adapt
from adjudication.grading.lean import wanted_by
from adjudication.grading.pristine import NotGradable
from adjudication.runs.models import Adaptation, AdaptationEdit
from curation.format.findings import FormatError
from curation.format.instance import Instance as FormatInstance
from curation.format.instance import load_files
from curation.instances.locks import hold_instances
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import CURATE
from workbench.content.trees import read_tree, store_tree
from workbench.events.log import record
from workbench.lean.wanted import POCKET


def is_pocket(instance: FormatInstance) -> bool:
    """Return whether an instance asks for pocket Lean by itself. Raises nothing: what asks for nothing clear is not."""
    try:
        return wanted_by(instance).kind == POCKET
    except NotGradable:
        return False


@transaction.atomic
def adapt_revision(user: User | None, revision: Revision) -> Adaptation:
    """Return the adaptation of `revision` to pocket Lean; made once. `user` None is the operator.

    Whether it builds there only a build can say. Raises `AccessDenied`, `CannotAdapt`.
    """
    if user is not None:
        require(user, CURATE, revision.instance)
    hold_instances([revision.instance_id])
    known = Adaptation.objects.filter(revision=revision).first()
    if known is not None:
        return known
    try:
        loaded = load_files(read_tree(revision.snapshot), revision.instance.slug)
    except FormatError as error:
        raise CannotAdapt(str(error)) from None
    if is_pocket(loaded):
        raise CannotAdapt(f"{revision} is written for pocket Lean already.")
    adapted = adapt(loaded)
    made = Adaptation.objects.create(
        revision=revision, snapshot=store_tree(adapted.files), made_by=user
    )
    AdaptationEdit.objects.bulk_create(
        (
            AdaptationEdit(
                adaptation=made,
                path=edit.path[:1000],
                line=edit.line,
                kind=edit.kind[:40],
                what=edit.what,
            )
            for edit in adapted.edits
        ),
        batch_size=500,
    )
    record("revision.adapted", user, made, edits=len(adapted.edits))
    return made
