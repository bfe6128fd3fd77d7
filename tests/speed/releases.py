"""How fast a release of the public instances is frozen, built, checked and shown. Prints figures beside their budgets.

    python tests/speed/releases.py CORPUS [--source DIR] [--runs N] [--busy] [--json]

CORPUS is a folder of instances, or one with `benchmarks/` in it; DIR has the upstream files, one folder a name. Without CORPUS
the one that WORKBENCH_CORPUS names. Each instance gets N configurations with a graded-looking run in each mode, so that the
tables and receipts have something to hold (0: instances only). Freezing, the gate, two builds with their check and comparison,
and the pages are timed inside this process, on SQLite in a scratch folder. Exit code 1 when a budget is missed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.speed.figures import Figure, conclude  # noqa: E402 - the path is set above
from tests.speed.ground import instances_of  # noqa: E402
from tests.speed.imports import scratch, workbench  # noqa: E402
from tests.speed.pages import timed  # noqa: E402

BUILD_S, PAGE_MS = 60.0, 500.0
MODES = ("proof", "codeproof")
T = TypeVar("T")


def clocked(name: str, budget: float | None, act: Callable[[], T]) -> tuple[T, Figure]:
    """Return what `act` returns, and how long it took."""
    begun, worked = time.perf_counter(), time.process_time()
    found = act()
    seconds = time.perf_counter() - begun
    processor = time.process_time() - worked
    return found, Figure(name, seconds, "s", budget, processor=processor)


def made_runs(configurations: int) -> int:
    """Make runs with receipts for every instance, half of the specs passed; return how many outcomes there are."""
    from adjudication.grading.overlay import tree_digest
    from adjudication.grading.receipt import hash_of
    from adjudication.runs.models import GradingRun
    from curation.instances.models import Definition, Placement, Revision
    from tests.adjudication.runs.made import (
        make_configuration,
        make_run,
        make_submission,
    )
    from workbench.content.models import Blob
    from workbench.content.trees import read_tree, store_blobs

    outcomes = 0
    for revision in Revision.objects.filter(is_current=True).select_related(
        "instance__team"
    ):
        specs = Placement.objects.filter(revision=revision, kind=Definition.SPEC)
        names = list(specs.values_list("definition__lean_name", flat=True))
        said = {
            name: "unfilled" if place % 2 else "build_error"
            for place, name in enumerate(names)
        }
        tree = tree_digest(read_tree(revision.snapshot))
        for number in range(configurations):
            agent = make_configuration(revision.instance.team, f"agent-{number}")
            for mode in MODES:
                run = make_run(make_submission(revision, agent, mode=mode), said)
                document: dict[str, Any] = {"format": "proofroom receipt 1", "previous": run.previous_receipt, "run": run.pk, "mode": mode, "instance": {"tree": tree}, "toolchain": {"publishable": False}, "specs": [{"spec": spec, "outcome": what} for spec, what in said.items()]}  # fmt: skip
                document["hash"] = hash_of(document)
                text = json.dumps(document).encode()
                digest = hashlib.sha256(text).hexdigest()
                store_blobs({digest: text})
                GradingRun.objects.filter(pk=run.pk).update(
                    receipt=Blob.objects.get(pk=digest), receipt_hash=document["hash"]
                )
                outcomes += len(said)
    return outcomes


def figures(folder: Path, configurations: int, runs: int) -> Iterator[Figure]:
    """Yield the figures of freezing, the gate, the builds and the pages."""
    from django.conf import settings
    from django.db import transaction
    from django.test import Client

    from adjudication.releases.actions.freeze_release import freeze_release
    from adjudication.releases.actions.waive_blocker import waive
    from adjudication.releases.building import build_archive, keep
    from adjudication.releases.bundle import verify
    from adjudication.releases.gate import standing
    from adjudication.releases.models import Release
    from adjudication.standings.actions.make_set import make_set
    from curation.instances.models import Instance
    from workbench.access.models import Membership, Team, User
    from workbench.events.correlation import correlated

    team = Team.objects.get()
    user = User.objects.create_user("noor")
    Membership.objects.create(user=user, team=team, role="maintainer")
    with transaction.atomic():
        outcomes = made_runs(configurations)
    with correlated():
        board = make_set(user, team, "Public", Instance.objects.all())
        release, figure = clocked(
            "freeze", None, partial(freeze_release, user, board, "1.0")
        )
        yield figure
        blocking, figure = clocked("gate", None, partial(standing, release))
        yield figure
        yield Figure("blockers, each signed for", len(blocking), "")
        keys = {one.key for one in blocking}
        for key in sorted(keys):
            held = [one.revision.pk for one in blocking if one.key == key]
            waive(user, release, key, held, "measured only")
        quiet = lambda *_: None  # noqa: E731 - nobody watches
        built, figure = clocked(
            f"build of {release.members.count()} instances, {outcomes:,} outcomes",
            BUILD_S,
            partial(build_archive, release, folder / "first", quiet),
        )
        yield figure
        again, figure = clocked(
            "build again",
            BUILD_S,
            partial(build_archive, release, folder / "again", quiet),
        )
        yield figure
        same = (folder / "first").read_bytes() == (folder / "again").read_bytes()
        yield Figure("builds that differ", int(not same), "", 0)
        checked, figure = clocked(
            "release verify", None, partial(verify, built.path, None)
        )
        yield figure
        yield Figure("faults found", len(checked.wrong), "", 0)
        yield Figure("archive", built.size / 1e6, "MB")
        yield Figure("files", len(checked.manifest["files"]), "")
        address = release.get_absolute_url()
        client = Client(SERVER_NAME="127.0.0.1")
        client.force_login(user, settings.AUTHENTICATION_BACKENDS[-1])
        show = partial(client.get, address)
        assert show().status_code == 200
        yield timed("page of the draft, its gate asked anew", PAGE_MS, show, runs)
        with transaction.atomic():
            keep(Release.objects.select_for_update().get(pk=release.pk), again)
        Release.objects.update(state=Release.PUBLISHED)
        yield timed("page of what is out", PAGE_MS, show, runs)


def main() -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "corpus",
        type=Path,
        metavar="CORPUS",
        nargs="?",
        default=os.environ.get("WORKBENCH_CORPUS"),
    )
    parser.add_argument("--source", type=Path, metavar="DIR")
    parser.add_argument("--runs", type=int, default=4, metavar="N")
    parser.add_argument(
        "--busy", action="store_true", help="judge processor time instead"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.corpus is None:
        parser.error("name a CORPUS, or set WORKBENCH_CORPUS")
    paths = instances_of(Path(options.corpus))
    if not paths:
        print(f"{options.corpus} holds no instances")
        return 2
    with tempfile.TemporaryDirectory(prefix="proofroom-speed-") as name:
        environ = scratch(Path(name))
        given = ["--source", str(options.source)] if options.source else []
        for words in (
            ["upgrade-database"],
            ["import-instance", *map(str, paths), *given],
        ):
            ran = workbench(environ, *words)
            if ran.code:
                sys.exit(f"{words[0]} failed: {ran.words}")
        os.environ.update(environ)
        os.environ.pop("DATABASE_URL", None)
        import django

        django.setup()
        from django.db import connections

        code = conclude(
            figures(Path(name), options.runs, 5),
            as_json=options.json,
            busy=options.busy,
        )
        connections.close_all()
    return code


if __name__ == "__main__":
    raise SystemExit(main())
