"""Record what the canaries did with a grader on a toolchain. Source: grading.md, "Canaries"."""

from __future__ import annotations

import json
from typing import Any

from django.db import transaction

from adjudication.grading.grader import Grader
from adjudication.grading.version import grader_digest
from adjudication.runs.models import CanaryBadge
from adjudication.runs.models.run import NOT_PROVEN
from workbench.access.models import User
from workbench.events.log import record


@transaction.atomic
def record_badge(
    user: User | None, grader: Grader, document: dict[str, Any]
) -> CanaryBadge:
    """Return the badge that `document` (what `canaries.run.run` returned, over all canaries) gives to `grader`.

    It is green only if every canary got what it must, and there were cheats as well as honest ones.
    """
    toolchain = grader.toolchain
    sandbox = grader.sandbox
    badge = CanaryBadge.objects.create(
        toolchain=f"{toolchain.kind} {toolchain.version}",
        toolchain_digest=toolchain.digest,
        grader_digest=grader_digest(),
        sandbox=sandbox.sandbox.name + ("" if sandbox.proven else NOT_PROVEN),
        ok=bool(document["ok"] and document["cheats"] and document["honest"]),
        cheats=len(document["cheats"]),
        honest=len(document["honest"]),
        document=json.dumps(document, ensure_ascii=False),
    )
    record(
        "canaries.tried",
        user,
        badge,
        ok=badge.ok,
        cheats=badge.cheats,
        honest=badge.honest,
    )
    return badge
