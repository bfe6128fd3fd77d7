"""What every page of one instance needs: the instance as this person may see it, its revision, its tabs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from curation.instances.models import Instance, Revision
from curation.instances.selectors.overview import instance_tabs
from workbench.access.rights import get_visible_or_404, rights_of
from workbench.access.roles import ADMINISTER, CURATE
from workbench.ui.parts import Tab


@dataclass(frozen=True)
class InstancePage:
    """One instance page: what it is about and where it is."""

    instance: Instance
    revision: Revision
    tab: str
    rights: frozenset[str]

    @property
    def may_curate(self) -> bool:
        return CURATE in self.rights

    @property
    def may_administer(self) -> bool:
        return ADMINISTER in self.rights

    def context(self, **more: Any) -> dict[str, Any]:
        """Return the template context of the page, with `more`."""
        return {
            "instance": self.instance,
            "revision": self.revision,
            "tabs": SimpleLazyObject(self.tabs),  # a page without tabs counts nothing
            "may_curate": self.may_curate,
            "may_administer": self.may_administer,
            **more,
        }

    def tabs(self) -> list[Tab]:
        """Return the tabs of the instance, this page's own marked."""
        return [
            Tab(tab.title, tab.url, current=tab.name == self.tab, count=tab.count)
            for tab in instance_tabs(self.revision)
        ]

    def url(self, name: str, *args: Any) -> str:
        """Return the address of page `name` of this instance."""
        return reverse(f"instances:{name}", args=[self.instance.slug, *args])


def instance_page(request: HttpRequest, slug: str, tab: str) -> InstancePage:
    """Return the page of instance `slug` at its current revision. Raises `Http404` for what the person may not see."""
    visible = Instance.objects.visible_to(request.user).select_related("team")
    instance = get_visible_or_404(visible, slug=slug)
    revision = instance.revisions.select_related(
        "source__snapshot", "snapshot", "author"
    ).get(is_current=True)
    revision.instance = instance
    return InstancePage(instance, revision, tab, rights_of(request.user, instance))
