"""bin/workbench doctor: what this installation can and cannot do, with the remedy for each."""

from __future__ import annotations

import logging
from dataclasses import asdict
from typing import Any

from django.db import connection

from workbench import databases
from workbench.commands import NegativeResult, ProductCommand
from workbench.ui.checks import BAD, WARN, run_checks

WORDS = {"ok": "fine", "warn": "note", "bad": "BROKEN", "na": "absent"}


class Command(ProductCommand):
    help = "Say what this installation can and cannot do, with a remedy for each. Exit code 1: something needed is broken."

    def run(self, options: dict[str, Any]) -> Any:
        # A check that breaks is told as one; its traceback, and 20 s of waiting for a connection, help nobody here.
        logging.getLogger("workbench.ui.checks").setLevel(logging.CRITICAL)
        pool = connection.settings_dict["OPTIONS"].get("pool")
        if pool:
            pool["timeout"] = databases.PROBE_SECONDS
        results = run_checks()
        width = max(len(result.name) for result in results)
        for result in results:
            self.say(f"{WORDS[result.tone]:6}  {result.name:{width}}  {result.words}")
            if result.remedy:
                self.say(f"{'':6}  {'':{width}}  → {result.remedy}")
        broken = [result.name for result in results if result.tone == BAD]
        noted = sum(result.tone == WARN for result in results)
        document = {
            "broken": broken,
            "checks": [_as_json(asdict(result)) for result in results],
        }
        if broken:
            raise NegativeResult(f"workbench: broken: {', '.join(broken)}.", document)
        self.say(
            f"\nNothing that is needed is broken; {noted} {'note' if noted == 1 else 'notes'}."
        )
        return document


def _as_json(result: dict[str, str]) -> dict[str, str]:
    return {
        "name": result["name"],
        "state": WORDS[result["tone"]].lower(),
        "words": result["words"],
        "remedy": result["remedy"],
    }
