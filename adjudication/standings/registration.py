"""What boards add to the frame, and to what follows from a run."""

from __future__ import annotations

from adjudication.runs.consequences import consequences
from adjudication.standings.cells import follow_revision, refresh_cells
from curation.instances import contributions
from workbench.events.telling import Telling, tellings


def register() -> None:
    """Add everything. Called once, when the app starts."""
    consequences.append(refresh_cells)
    contributions.after_revision.append(follow_revision)
    tellings.add(
        Telling("set.made", "made the set {object}"),
        Telling("set.filled", "put {instances} instances into {object}"),
        Telling(
            "results.imported",
            "imported reported results into {object}: {rows} instances, {cells} cells",
        ),
    )
