"""Which closures belong to one finding. The rule has a version; a page can say why two were grouped. Source: audit.md."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass

from curation.instances.models import Definition

RULE = "same spec and route, version 1"
RULE_JOINT = "same contradictory core, version 1"
JOINT = "joint_unsat"


@dataclass(frozen=True)
class Group:
    """Where a closure belongs: `key` is equal for all of one group, `because` says why in words."""

    key: str
    rule: str
    because: str


def group_of(instance_id: int, route: str, specs: Collection[Definition]) -> Group:
    """Return the group of a closure of `route` about `specs`. Of a joint claim, `specs` is its minimal core."""
    names = sorted(spec.lean_name for spec in specs)
    key = hashlib.sha256(
        json.dumps([instance_id, route, sorted(spec.pk for spec in specs)]).encode()
    ).hexdigest()
    shown = ", ".join(name.rsplit(".", 1)[-1] for name in names)
    if route == JOINT:
        return Group(key, RULE_JOINT, f"the same core contradicts itself: {shown}")
    words = "refuted" if route == "disprove" else "shown unsatisfiable"
    return Group(key, RULE, f"the same spec, {shown}, is {words}")
