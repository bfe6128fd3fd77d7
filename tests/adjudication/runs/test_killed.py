"""kill -9 in the middle of a real grading: a later attempt finishes it, there is one result, and nothing is left.

What a machine alone has (embedded, SQLite), and one of the team's engines with all that stands around it. The other
engines, and each victim in a grading of its own: `python -m tests.adjudication.runs.siege`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adjudication.runs.siege import Siege
from workbench.setup import services


@pytest.mark.lean
def test_a_grading_whose_worker_is_killed_ends_once(tmp_path: Path) -> None:
    with Siege(tmp_path, "embedded", sqlite=True) as siege:
        run = siege.hand_in("alone")
        siege.await_compiler(run, 1)
        siege.kill("worker")
        assert siege.demand_one_result(run) == 2
        siege.demand_nothing_left()


@pytest.mark.lean
def test_a_grading_outlives_web_redis_executor_and_postgresql(tmp_path: Path) -> None:
    for obstacle in (services.postgresql_obstacle(), services.redis_obstacle()):
        if obstacle:
            pytest.skip(obstacle)
    with Siege(tmp_path, "rq") as siege:
        run = siege.hand_in("team")
        siege.await_compiler(run, 1)
        for victim in ("redis", "executor", "web"):
            siege.kill(victim)
        siege.await_compiler(run, 2)
        siege.kill("postgresql")
        assert siege.demand_one_result(run) == 3
        siege.demand_nothing_left()
