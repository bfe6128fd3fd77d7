"""Two releases of a set beside each other."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.releases.changes import compare
from adjudication.releases.selectors.compare import (
    counted,
    losses_first,
    outcome_changes,
    run_changes,
    told,
)
from adjudication.releases.selectors.releases import TONES
from adjudication.releases.views.release import visible_release
from adjudication.runs.selectors.compare import CHANGES, SAME
from workbench.ui.parts import Tab

SHOWN = 500


@require_safe
@login_required
def compare_releases(
    request: HttpRequest, slug: str, version: str, other: str
) -> HttpResponse:
    """What changed from the release `other` to this one: instances, specs, outcomes."""
    after = visible_release(request, slug, version)
    before = visible_release(request, slug, other)
    changes = compare(before, after)
    runs = run_changes(before, after)
    moves = list(outcome_changes(runs))
    counts = counted(moves)
    wanted = request.GET.get("change", "")
    rows = losses_first(
        [one for one in moves if not wanted or one.change.kind == wanted]
    )
    switch = [
        Tab("All", f"{request.path}#outcomes", not wanted, len(moves)),
        *(
            Tab(words, f"?change={kind}#outcomes", wanted == kind, counts.get(kind, 0))
            for kind, words in CHANGES.items()
            if kind != SAME
        ),
    ]
    context = {
        "before": before,
        "after": after,
        "before_tone": TONES[before.state],
        "after_tone": TONES[after.state],
        "changed": [one for one in changes if not one.same],
        "same": [one for one in changes if one.same],
        "told": told(changes),
        "runs": runs[:SHOWN],
        "run_count": len(runs),
        "rows": rows[:SHOWN],
        "found": len(rows),
        "switch": switch,
    }
    return render(request, "releases/compare.html", context)
