"""Whether two workers grade twice as much as one.

    python tests/speed/workers.py [--runs N] [--json]

N submissions of one module each are graded by one worker with one executor, then N others by two, on a PostgreSQL of their
own with the embedded engine: real gradings with pocket Lean, none of which a cache knows. Counted are the runs a minute from
the end of the first quarter, when every worker has tried its sandbox, to the end of the last. It needs two cores that do
nothing else; the load before it began is told. Exit code 1 when the budget is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.adjudication.runs.siege import Siege, until
from tests.speed.figures import Figure, conclude

# Twice as many within 15 %: two take at most so much of one's time for the same number.
SHARE = 1 / (2 * 0.85)


def runs_a_minute(siege: Siege, workers: int, number: int) -> float:
    """Return how many of `number` fresh submissions `workers` grade a minute."""
    runs = [siege.hand_in(f"{workers} {each}") for each in range(number)]
    started = [siege.start_worker() for _ in range(workers)]
    among = f"FROM runs_gradingrun WHERE id IN ({', '.join(map(str, runs))})"
    waiting = f"SELECT 1 {among} AND receipt_hash = '' LIMIT 1"
    # Each question is a connection of its own: asked often, it would cost what is measured.
    until(lambda: siege.row(waiting) is None and siege.row("SELECT 1"), "the gradings", 1.0)  # fmt: skip
    skipped = number // 4
    row = siege.row(
        f"SELECT extract(epoch FROM max(finished_at) - (SELECT finished_at {among} ORDER BY finished_at OFFSET {skipped} LIMIT 1)) {among}"
    )
    for worker in started:
        worker.terminate()
        worker.wait(60)
    return 60 * (number - skipped - 1) / float(row[0])


def main() -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=20, metavar="N")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    with (
        tempfile.TemporaryDirectory(prefix="proofroom-speed-") as folder,
        Siege(Path(folder), "embedded", only="Query.lean") as siege,
    ):
        first = siege.hand_in("so that the reference is compiled")
        ended = (
            f"SELECT 1 FROM runs_gradingrun WHERE id = {first} AND receipt_hash != ''"
        )
        until(lambda: siege.row(ended), "the first grading")
        siege.stop_worker()
        one, two = (runs_a_minute(siege, count, options.runs) for count in (1, 2))
    figures = [
        Figure("load before it began", load, ""),
        Figure("one worker, runs a minute", one, ""),
        Figure("two workers, runs a minute", two, ""),
        Figure("time of two for as many runs, share of one's", one / two, "", SHARE),
    ]
    return conclude(figures, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
