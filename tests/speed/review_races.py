"""Ten thousand contended acts of the review loop: nothing lost, nothing doubled.

    python tests/speed/review_races.py [--acts N] [--people N] [--sqlite | --postgresql] [--seed N] [--json]

People in threads of their own approve, send back, skip, take back, write, claim and give back on three definitions that
use one another, on a PostgreSQL of the script's own (or on SQLite). Afterwards the answers that they got, the tables and
the record of events are compared: tests/curation/reviews/races.py says how. Exit code 1 for any complaint, which is
printed. The time is told and not judged.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.speed.figures import Figure, conclude  # noqa: E402 - the path is set above
from workbench.setup import services  # noqa: E402

MOST_COMPLAINTS = 20


def main() -> int:
    parser = argparse.ArgumentParser(description="Contended acts of the review loop.")
    parser.add_argument("--acts", type=int, default=10_000)
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--sqlite", action="store_true")
    only.add_argument("--postgresql", action="store_true", help="the default")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        figures = contended(options.acts, options.people, options.seed)
        return conclude(figures, as_json=options.json)
    with tempfile.TemporaryDirectory(prefix="proofroom-races-") as folder:
        if options.sqlite:
            return run(f"sqlite:///{Path(folder) / 'races.sqlite3'}", folder)
        if obstacle := services.postgresql_obstacle():
            sys.exit(f"no PostgreSQL: {obstacle}")
        with services.scratch_postgresql() as url:
            return run(url, folder)


def run(url: str, folder: str) -> int:
    """Do it in a process of its own on the empty database at `url`; return its exit code."""
    environ = os.environ | {
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PROOFROOM_TEST_FOLDER": folder,
        "WORKBENCH_DATA_DIR": folder,
    }
    command = [sys.executable, __file__, "--here", *sys.argv[1:]]
    return subprocess.run(command, env=environ, check=False).returncode


def contended(acts: int, people: int, seed: int) -> Iterator[Figure]:
    """Yield what came of it: complaints first, which must be none."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from tests.case import make_user
    from tests.curation.reviews.races import contend, ground, summary
    from workbench.access.models import Membership, Team

    call_command("migrate", verbosity=0)
    team = Team.objects.create(slug="racers", name="Racers")
    users = [make_user(f"racer-{number}") for number in range(people)]
    Membership.objects.bulk_create(
        Membership(user=user, team=team, role="curator") for user in users
    )
    place = ground(team)
    began = time.perf_counter()
    contend(place, users, acts, seed=seed)
    took = time.perf_counter() - began
    found = list(place.complaints())
    for words in found[:MOST_COMPLAINTS]:
        print(words, file=sys.stderr)
    name = f"{acts:,} acts by {people} on {connection.vendor}"
    yield Figure(f"{name}: lost, doubled or contradicting", len(found), "", 0)
    missing = acts - len(place.answers)
    yield Figure(f"{name}: without an answer", missing, "", 0)
    yield Figure(f"{name}: an act", took / acts * 1000, "ms")
    for act, number in summary(place).items():
        yield Figure(act, number, "acts")


if __name__ == "__main__":
    sys.exit(main())
