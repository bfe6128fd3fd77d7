"""Where other apps add to the instance pages, so that curation need not know them.

An app registers at start-up (`AppConfig.ready`): `tabs` for the row of tabs, `blockers` for what keeps an instance
from shipping, `steps` for stages of the rail that the app knows better (by name), `panels` for regions of the
overview. Each is called with the instance's current revision; `definition_panels`, regions beside a definition, with
where it is placed and what the reader may do there (access/roles.py). `after_revision` is called with who stored a new
revision (None: the operator) and that revision, in the transaction that stores it and before its event is recorded;
`after_links` where links to the source changed, of one definition or (None) of any; `after_terms` with a revision of
which a build told what its definitions compile to, in the transaction that keeps that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from curation.instances.models import Definition, Placement, Revision
from workbench.access.models import User
from workbench.ui.parts import Step


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

    `tone` is bad or warn; `url` is "" where there is no page that helps. Who signs for it signs for kind and `what`:
    `detail` says how much of it is left, where that can only become less.
    """

    tone: str
    kind: str
    what: str
    way_out: str
    url: str
    detail: str = ""

    @property
    def words(self) -> str:
        """All of it, in words."""
        return f"{self.what}: {self.detail}" if self.detail else self.what


@dataclass(frozen=True)
class InstancePanel:
    """A region of the overview. `template` is rendered with what `context` returns for the revision, None: left out.

    It sees what the page has, such as `compiled` (selectors/terms.py), which need not be asked for twice.
    """

    name: str
    template: str
    context: Callable[[Revision], dict[str, Any] | None]


@dataclass(frozen=True)
class DefinitionPanel:
    """A region of the page of a definition. `template` is rendered with what `context` returns, None: left out."""

    name: str
    template: str
    context: Callable[[Placement, frozenset[str]], dict[str, Any] | None]


tabs: list[Callable[[Revision], Iterable[Tab]]] = []
panels: list[InstancePanel] = []
definition_panels: list[DefinitionPanel] = []
steps: list[Callable[[Revision], Mapping[str, Step]]] = []
blockers: list[Callable[[Revision], Iterable[Blocker]]] = []
after_revision: list[Callable[[User | None, Revision], None]] = []
after_links: list[Callable[[Revision, Definition | None], None]] = []
after_terms: list[Callable[[Revision], None]] = []


def panels_beside(
    placement: Placement, rights: frozenset[str]
) -> list[tuple[str, dict[str, Any]]]:
    """Return template and context of each region that other apps have for this definition."""
    found = [
        (panel.template, panel.context(placement, rights))
        for panel in definition_panels
    ]
    return [(template, context) for template, context in found if context is not None]
