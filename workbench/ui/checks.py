"""What this installation can and cannot do: the checks behind `bin/workbench doctor` and the operations page."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from django.db import DatabaseError

from workbench import databases
from workbench.registry import Registry

OK, WARN, BAD, NA = "ok", "warn", "bad", "na"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Answer:
    """How one check came out: `tone` (OK, WARN, BAD, NA), what is the case, and the way out where there is one."""

    tone: str
    words: str
    remedy: str = ""


@dataclass(frozen=True)
class Check:
    """One question to the installation. `ask` answers in well under a second and changes nothing.

    `private` answers name folders or addresses; the operations page shows them to admins only.
    """

    name: str
    ask: Callable[[], Answer]
    order: int = 50
    private: bool = False


@dataclass(frozen=True)
class Result:
    """A check with its answer."""

    name: str
    tone: str
    words: str
    remedy: str
    private: bool


checks: Registry[Check] = Registry("checks")


def run_checks() -> list[Result]:
    """Return the answer of every check, in order. A check that breaks is itself a bad answer."""
    results = []
    for check in checks:
        try:
            answer = check.ask()
        except Exception as error:  # a doctor who faints helps nobody
            if isinstance(error, DatabaseError) and databases.obstacle(error):
                # Database and Migrations say what is wrong; the others cannot know anything.
                answer = Answer(NA, "not known while the database is not in order")
            else:
                logger.exception("The check %s broke", check.name)
                answer = Answer(
                    BAD,
                    f"the check itself failed: {error or type(error).__name__}",
                    "Look into the log.",
                )
        results.append(
            Result(check.name, answer.tone, answer.words, answer.remedy, check.private)
        )
    return results
