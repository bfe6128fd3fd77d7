"""Where other apps add to the instance pages, so that curation need not know them.

An app registers at start-up (`AppConfig.ready`): `tabs` for the row of tabs, `blockers` for what keeps an instance
from shipping. Each is called with the instance's current revision. `after_revision` is called with who stored a new
revision (None: the operator) and that revision, in the transaction that stores it and before its event is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from curation.instances.models import Revision
from workbench.access.models import User


@dataclass(frozen=True)
class Tab:
    """One view of an instance. `count` is shown as a number on the tab where it is not None."""

    name: str
    title: str
    url: str
    count: int | None = None


@dataclass(frozen=True)
class Blocker:
    """One thing that keeps an instance from shipping, and the way out, if this product has one yet.

    `tone` is bad or warn; `url` is "" where there is no page that helps.
    """

    tone: str
    kind: str
    what: str
    way_out: str
    url: str


tabs: list[Callable[[Revision], Iterable[Tab]]] = []
blockers: list[Callable[[Revision], Iterable[Blocker]]] = []
after_revision: list[Callable[[User | None, Revision], None]] = []
