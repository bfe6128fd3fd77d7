"""Where a broker puts the message about a job: one lane for each queue and set of needs.

A worker listens to the lanes that it can serve, so that no message reaches one that has to pass it on. A message about
a lane says "one job more in it"; which one is begun is decided by the claim, so priorities hold within a lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

# Workers hear of jobs that need more capabilities at once only by looking into the database, as for lost messages.
NEEDS_AT_MOST: Final = 2
IN_THE_MEANTIME: Final = "workers look into the database every five seconds"


def lane(queue: str, needs: str) -> str:
    """Return the lane of jobs of `queue` with `needs` (as stored: sorted words)."""
    return "+".join([queue, *needs.split()])


def served(lane: str) -> tuple[str, str]:
    """Return the queue and the needs of `lane`."""
    queue, *needs = lane.split("+")
    return queue, " ".join(needs)


def lanes(queues: Sequence[str], offers: Iterable[str]) -> list[str]:
    """Return the lanes that a worker with `offers` serves in `queues`, given most urgent first; the same order holds."""
    words = sorted(offers)
    needs = [
        " ".join(some)
        for number in range(NEEDS_AT_MOST + 1)
        for some in combinations(words, number)
    ]
    return [lane(queue, some) for queue in queues for some in needs]
