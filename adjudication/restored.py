"""After a restore: is every receipt what it was, and does each follow the one before it?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings

from adjudication.grading.receipt import verify
from adjudication.runs.models import GradingRun
from workbench.upkeep.backup.restore import RestoreCheck, restore_checks


def receipts() -> tuple[int, list[str]]:
    """Return how many receipts there are, of runs and of `bin/workbench grade`, and a sentence for each that is wrong."""
    seen, wrong = 0, []
    for run in (
        GradingRun.objects.filter(receipt__isnull=False)
        .select_related("receipt")
        .order_by("pk")
        .iterator(chunk_size=200)
    ):
        assert run.receipt is not None
        seen += 1
        wrong += [f"receipt of {run}: {words}" for words in _of_run(run, bytes(run.receipt.data))]  # fmt: skip
    for folder in sorted((Path(settings.DATA_DIR) / "receipts").glob("*")):
        previous: Any = None
        for path in sorted(folder.glob("[0-9]*.json")):
            seen += 1
            document = _read(path.read_bytes())
            wrong += [f"{path}: {words}" for words in verify(document, previous)]
            previous = document
    return seen, wrong


def _of_run(run: GradingRun, data: bytes) -> list[str]:
    document = _read(data)
    wrong = verify(document)
    if not wrong and document["hash"] != run.receipt_hash:
        wrong.append("it is another one than the run had")
    before = run.previous_receipt
    if before and not GradingRun.objects.filter(instance_id=run.instance_id, receipt_hash=before).exists():  # fmt: skip
        wrong.append("the one before it is missing")
    return wrong


def _read(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def register() -> None:
    """Add the check (at start-up)."""
    restore_checks.add(RestoreCheck("receipts", receipts))
