"""What an instance has to say about itself: one small function an oddity, one module a subject.

To add one: an entry in `findings._REGISTRY`, a page in docs/findings/, a function that yields, its name in the
tuple `CHECKS` of its module. Checks never raise for what is wrong with an instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from curation.format.findings import Finding, sort_key
from curation.format.instance import Instance
from curation.format.oddities import bodies, files, manifests, names, slots, texts

Check = Callable[[Instance], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    *manifests.CHECKS,
    *files.CHECKS,
    *texts.CHECKS,
    *slots.CHECKS,
    *names.CHECKS,
    *bodies.CHECKS,
)


def findings(instance: Instance) -> tuple[Finding, ...]:
    """Return what all checks find, worst first, each thing once."""
    found = dict.fromkeys(item for check in CHECKS for item in check(instance))
    return tuple(sorted(found, key=sort_key))
