"""One configuration: its cells by set, its runs."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from adjudication.standings.selectors.configuration import (
    newest_runs,
    parts,
    sets_with,
)
from adjudication.standings.selectors.pictures import MODE_WORDS
from adjudication.standings.selectors.visible import visible_configurations
from workbench.access.rights import get_visible_or_404
from workbench.ui.parts import Tab


@require_safe
@login_required
def by_id(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a configuration by its id: names are unique in a team only."""
    found = get_visible_or_404(visible_configurations(request.user), pk=pk)
    address = reverse("boards:configuration", args=[found.slug])
    return redirect(f"{address}?team={found.team.slug}")


@require_safe
@login_required
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """What a configuration has in one set (`?set=`), and its newest runs. `?team=` tells two of one name apart."""
    agents = visible_configurations(request.user)
    if team := request.GET.get("team"):
        agents = agents.filter(team__slug=team)
    found = get_visible_or_404(agents, slug=slug)
    sets = sets_with(request.user, found)
    wanted = request.GET.get("set", "")
    chosen = next((one for one in sets if one.slug == wanted), None) or (
        sets[0] if sets and not wanted else None
    )
    listed, more = parts(found, chosen) if chosen else ([], False)
    query = f"&team={found.team.slug}" if team else ""
    context = {
        "agent": found,
        "set": chosen,
        "sets": [
            Tab(one.name, f"?set={one.slug}{query}", one == chosen) for one in sets
        ],
        "parts": [(MODE_WORDS[part.mode], part) for part in listed],
        "more": more,
        "runs": newest_runs(request.user, found),
    }
    return render(request, "standings/configuration.html", context)
