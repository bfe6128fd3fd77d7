"""What this app adds to the frame: navigation, home, search, and how its objects and events are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse

from curation.instances.models import (
    Definition,
    Instance,
    Item,
    Placement,
    Revision,
)
from curation.instances.selectors.instances import InstanceFilter, current_revisions
from workbench.access.models import User
from workbench.access.objects import Kind, kinds
from workbench.access.rights import Person, teams_with
from workbench.access.roles import CURATE
from workbench.events.telling import Telling, tellings
from workbench.ui.keymap import GO, Key, keymap
from workbench.ui.navigation import Entry, navigation
from workbench.ui.panels import Panel, home_panels
from workbench.ui.search import Hit, Provider, providers

_SHOWN = 8
DEFINITION = "One definition"


def register() -> None:
    """Add everything. Called once, when the app starts."""
    navigation.add(Entry("Instances", "instances:list", order=20))
    keymap.add(
        Key("g i", "instances", GO, "go", "instances:list", order=31),
        Key("j", "next definition", DEFINITION, order=40),
        Key("k", "previous definition", DEFINITION, order=41),
        Key("u", "up: the list of definitions", DEFINITION, order=42),
    )
    home_panels.add(
        Panel("instances", "instances/home_panel.html", _home_panel, order=40)
    )
    providers.add(
        Provider(
            "instances",
            _find_instances,
            order=10,
            more=lambda words: f"{reverse('instances:list')}?q={words}",
        ),
        Provider("definitions", _find_definitions, order=20),
        Provider("source items", _find_items, order=30),
    )
    kinds.add(
        Kind(
            "instance",
            lambda pk: reverse("instances:by_id", args=["instance", pk]),
            _visible_instances,
        ),
        Kind("revision", lambda pk: reverse("instances:by_id", args=["revision", pk])),
        Kind(
            "definition",
            lambda pk: reverse("instances:by_id", args=["definition", pk]),
            _visible_definitions,
        ),
    )
    tellings.add(
        Telling(
            "revision.imported",
            "imported {object}: {added} added, {changed} changed, {removed} removed",
        ),
        Telling(
            "source.given",
            "gave the source files of {object}: {items:item}, {linked:definition} linked",
        ),
        Telling(
            "terms.published",
            "read what {definitions:definition} of {object} compiled to ({toolchain})",
        ),
        Telling("item.linked", "linked {object} to {item}"),
        Telling("item.unlinked", "said that {object} is no counterpart of {item}"),
        Telling("instance.hidden", "hid {object}"),
        Telling("instance.shown", "showed {object} again"),
    )


def _visible_instances(user: Person) -> Any:
    return Instance.objects.visible_to(user)


def _visible_definitions(user: Person) -> Any:
    return Definition.objects.filter(instance__in=Instance.objects.visible_to(user))


def _home_panel(request: HttpRequest) -> dict[str, Any] | None:
    if not isinstance(request.user, User):
        return None
    everything = current_revisions(request.user, InstanceFilter())
    return {
        "rows": list(everything.order_by("-created_at", "-pk")[:_SHOWN]),
        "total": everything.count(),
        "may_import": teams_with(request.user, CURATE).exists(),
    }


def _find_instances(user: User, words: str, limit: int) -> Sequence[Hit]:
    rows = current_revisions(user, InstanceFilter(words=words)).order_by(
        "instance__slug"
    )[:limit]
    return [
        Hit(
            row.instance.slug,
            reverse("instances:detail", args=[row.instance.slug]),
            row.instance.team.name,
            f"{row.api_count} APIs, {row.spec_count} specs",
        )
        for row in rows
    ]


def _find_definitions(user: User, words: str, limit: int) -> Sequence[Hit]:
    visible = Instance.objects.visible_to(user)
    rows = (
        Placement.objects.filter(
            revision__is_current=True, revision__instance__in=visible
        )
        .filter(Q(definition__lean_name__icontains=words))
        .select_related("definition", "revision__instance")
        .order_by("definition__lean_name", "pk")[:limit]
    )
    return [
        Hit(
            row.definition.lean_name,
            reverse(
                "instances:definition",
                args=[row.revision.instance.slug, row.definition_id],
            ),
            row.revision.instance.slug,
            dict(Definition.KINDS)[row.kind],
        )
        for row in rows
    ]


def _find_items(user: User, words: str, limit: int) -> Sequence[Hit]:
    sources = current_revisions(user, InstanceFilter()).values("source")
    rows = (
        Item.objects.filter(source__in=sources, qualified_name__icontains=words)
        .select_related("source__instance")
        .order_by("is_test", "qualified_name", "pk")[:limit]
    )
    return [
        Hit(
            row.qualified_name,
            reverse("instances:source_file", args=[row.source.instance.slug, row.path])
            + f"#src-{row.line_start}",
            row.source.instance.slug,
            f"{row.kind}, {row.path}:{row.line_start}",
        )
        for row in rows
    ]


def address_of(kind: str, pk: int, user: Person) -> str | None:
    """Return the page of an instance, revision or definition by its id, None for what `user` may not see."""
    visible = Instance.objects.visible_to(user)
    if kind == "instance":
        instance = visible.filter(pk=pk).first()
        return reverse("instances:detail", args=[instance.slug]) if instance else None
    if kind == "revision":
        revision = (
            Revision.objects.filter(instance__in=visible, pk=pk)
            .select_related("instance")
            .first()
        )
        return (
            reverse(
                "instances:revision", args=[revision.instance.slug, revision.number]
            )
            if revision
            else None
        )
    definition = (
        Definition.objects.filter(instance__in=visible, pk=pk)
        .select_related("instance")
        .first()
    )
    return (
        reverse("instances:definition", args=[definition.instance.slug, pk])
        if definition
        else None
    )
