"""How fast the pages of grading are. Prints figures beside their budgets.

    python tests/speed/adjudication.py [--runs N] [--busy] [--json]

The page of a run with 300 specs, whole and filtered, inside this process: the best of N runs. Its receipt has the size of a
real one: 300 specs with five lights each, 60 modules with diagnostics. SQLite in a scratch folder, or a new database on the
PostgreSQL server that DATABASE_URL names. Exit code 1 when a budget is missed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.speed.figures import Figure, conclude  # noqa: E402 - the path is set above
from tests.speed.ground import site_in_process  # noqa: E402
from tests.speed.pages import browser_in_process, timed  # noqa: E402

SPECS, MODULES, PAGE_MS = 300, 60, 150.0
_OUTCOMES = ("passed", "passed", "unfilled", "build_error", "sorry")


def made_run() -> str:
    """Return the address of a run with `SPECS` specs and its receipt."""
    from django.db import transaction

    from adjudication.runs.models import GradingRun
    from curation.instances.models import Revision
    from tests.adjudication.runs.made import (
        make_configuration,
        make_run,
        make_submission,
    )
    from workbench.content.models import Blob
    from workbench.content.trees import store_blobs

    revision = Revision.objects.filter(is_current=True).order_by("pk")[0]
    outcomes = {
        f"spec_made_{number:03}": _OUTCOMES[number % len(_OUTCOMES)]
        for number in range(SPECS)
    }
    agent = make_configuration(revision.instance.team)
    with transaction.atomic():
        run = make_run(make_submission(revision, agent), outcomes)
    said = ["Big/Proof/Core.lean:12:4: warning: declaration uses `sorry`"] * 10
    light = {"state": "green", "reason": ""}
    document = {
        "specs": [{"spec": spec, "outcome": what, "lights": dict.fromkeys("abcde", light), "detail": "x" * 200} for spec, what in outcomes.items()],
        "statements": {f"prove_{spec}": "0" * 64 for spec in outcomes},
        "submission": {"slots": "0" * 64, "tree": "1" * 64},
        "kernels": [],
        "modules": {"graded": {f"Big.Proof.Part{number}": {"outcome": "built", "seconds": 1.5, "reused": False, "diagnostics": said} for number in range(MODULES)}},
    }  # fmt: skip
    text = json.dumps(document).encode()
    digest = hashlib.sha256(text).hexdigest()
    store_blobs({digest: text})
    GradingRun.objects.filter(pk=run.pk).update(receipt=Blob.objects.get(pk=digest))
    return run.get_absolute_url()


def figures(runs: int) -> Iterator[Figure]:
    """Yield the figures of the pages."""
    address = made_run()
    client = browser_in_process()
    for name, query in (
        ("page of a run with 300 specs", ""),
        ("the same, filtered", "?outcome=sorry"),
        ("list of runs", None),
    ):
        path = "/runs/" if query is None else address + query
        assert client.get(path).status_code == 200
        yield timed(name, PAGE_MS, partial(client.get, path), runs)


def main() -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=15, metavar="N")
    parser.add_argument(
        "--busy", action="store_true", help="judge processor time instead"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with site_in_process():
        code = conclude(figures(options.runs), as_json=options.json, busy=options.busy)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
