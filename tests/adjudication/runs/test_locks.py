"""The order of locks, as far as the text of the code shows it. The rest: tests/adjudication/audits/test_races.py."""

from __future__ import annotations

import re

from workbench.setup.places import ROOT

_LOCK = re.compile(r"select_for_update\(.{0,40}", re.DOTALL)
_PARTS = ("runs", "audits", "standings", "releases")


def test_every_lock_leaves_room_for_rows_that_refer_to_it() -> None:
    # Foreign keys are checked when a transaction commits: behind the head of the record, which it holds.
    held = ROOT / "curation" / "instances" / "locks.py"
    files = [
        path
        for part in _PARTS
        for path in sorted((ROOT / "adjudication" / part).rglob("*.py"))
    ]
    found = [
        f"{path.relative_to(ROOT)}: {match.group(0)}"
        for path in (held, *files)
        for match in _LOCK.finditer(path.read_text())
    ]
    assert len(found) > 8
    assert [one for one in found if "no_key=True" not in one] == []
