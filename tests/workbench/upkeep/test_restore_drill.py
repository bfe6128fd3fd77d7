"""The drill: back up, lose everything, restore; the record and the receipts must be whole. On the database of the run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from tests import migrated
from tests.adjudication.grading.test_receipt import made as made_receipt

pytestmark = pytest.mark.django_db(transaction=True)

FILL = """
from tests.case import make_user
from tests.workbench.jobs.made import waiting_job, running_job
from workbench.access.models import Team
from workbench.content.trees import store_tree
from workbench.events.log import record
from django.db import transaction
from workbench.jobs.perform import run_waiting
team = Team.objects.create(slug="drill", name="Drill\\t\\n\\\\N é")
store_tree({"a/b": bytes(range(256)), "empty": b""})
with transaction.atomic():
    for number in range(20):
        record("drill.done", make_user(f"u{number}"), team, reason="ünïcode\\nline", number=number)
waiting_job(); run_waiting(); running_job()
"""
LOOK = """
import json
from workbench.access.models import Team, User
from workbench.content.models import Entry
from workbench.events.log import head_mark
from workbench.jobs.models import Job
team = Team.objects.create(slug="after", name="After")
print(json.dumps({
    "team": Team.objects.get(slug="drill").name, "people": User.objects.filter(username__startswith="u").count(),
    "files": {entry.path: len(bytes(entry.blob.data)) for entry in Entry.objects.all()},
    "jobs": sorted(Job.objects.values_list("state", flat=True)), "bytes": list(bytes(Entry.objects.get(path="a/b").blob.data)) == list(range(256)),
}))
"""


class Installation:
    """An installation of its own, beside the database of the tests."""

    def __init__(self, folder: Path, url: str) -> None:
        self.data = folder / "data"
        self.environ = os.environ | {
            "DATABASE_URL": url,
            "WORKBENCH_DATA_DIR": str(self.data),
            "DJANGO_SETTINGS_MODULE": "tests.workbench.jobs.settings",
            "PYTHONPATH": str(settings.BASE_DIR),
        }

    def command(self, *words: str, code: int = 0) -> Any:
        """Run `bin/workbench` with `words` and `--json`; return its document."""
        script = settings.BASE_DIR / "bin" / "run.py"
        done = subprocess.run(
            [sys.executable, script, "workbench.commandline", *words, "--json"],
            env=self.environ, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == code, done.stderr + done.stdout
        return json.loads(done.stdout)

    def python(self, code: str) -> str:
        code = f"import django; django.setup()\n{code}"
        done = subprocess.run([sys.executable, "-c", code], env=self.environ, capture_output=True, text=True)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def database(folder: Path, *, empty: bool) -> Iterator[str]:
    """Give the address of a database of the kind that the run uses, migrated or with nothing in it."""
    if connection.vendor == "sqlite":
        path = folder / "data" / "workbench.sqlite3"
        if not empty:
            path.parent.mkdir()
            migrated.make_file(path)
        yield f"sqlite:///{path}"
        for each in path.parent.glob("workbench.sqlite3*"):
            each.unlink()
        return
    make = migrated.make_empty_database if empty else migrated.make_database
    name, server = f"drill_{os.getpid()}", os.environ["DATABASE_URL"]
    try:
        yield make(server, name)
    finally:
        migrated.drop_database(server, name)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_everything_is_lost_and_put_back_whole(folder: Path) -> None:
    backup = folder / "backup.tar.gz"
    with database(folder, empty=False) as url:
        here = Installation(folder, url)
        here.python(FILL)
        receipts = here.data / "receipts" / "tiny"
        receipts.mkdir(parents=True)
        first = made_receipt()
        for number, receipt in enumerate((first, made_receipt(first["hash"])), 1):
            (receipts / f"{number:06}.json").write_text(json.dumps(receipt))
        (here.data / "cache").mkdir(exist_ok=True)
        (here.data / "cache" / "large").write_text("can be made again")
        made = here.command("backup", "--out", str(backup))
        refused = here.command("restore", str(backup), code=2)
        assert "not empty" in refused["error"]
    shutil.rmtree(here.data)

    with database(folder, empty=True) as url:
        here = Installation(folder, url)
        back = here.command("restore", str(backup))
        assert back["wrong"] == []
        assert back["head"] == made["head"]
        assert back["checked"]["receipts"] == 2
        assert here.command("verify-events", "--expect", made["head"])["broken"] == []
        last = here.data / "receipts" / "tiny" / "000002.json"
        assert here.command("verify-receipt", str(last))["ok"]
        assert not (here.data / "cache" / "large").exists()
        found = json.loads(here.python(LOOK).splitlines()[-1])
        assert found == {
            "team": "Drill\t\n\\N é", "people": 20, "files": {"a/b": 256, "empty": 0},
            "jobs": ["done", "running"], "bytes": True,
        }  # fmt: skip
        again = here.command("restore", str(backup), "--replace")
        assert (again["wrong"], again["checked"]) == ([], back["checked"])
