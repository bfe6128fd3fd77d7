"""Check a receipt, offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.receipt import verify
from workbench.commands import NegativeResult, ProductCommand, WrongUse


class Command(ProductCommand):
    help = "Check that a receipt was not changed, that its figures agree, and that nothing in it passed without its lights."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("receipt", metavar="FILE")
        parser.add_argument(
            "--previous",
            metavar="FILE",
            help="the receipt before it, to check the chain as well",
        )

    def run(self, options: dict[str, Any]) -> Any:
        document = read_json(options["receipt"])
        previous = read_json(options["previous"]) if options["previous"] else None
        wrong = verify(document, previous)
        answer = {"receipt": options["receipt"], "ok": not wrong, "wrong": wrong}
        if wrong:
            raise NegativeResult("; ".join(wrong), answer)
        self.say(f"{options['receipt']}: good")
        return answer


def read_json(path: str) -> Any:
    """Return the JSON in a file. Raises `WrongUse`."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise WrongUse(f"{path}: {error}") from None
