"""Check a receipt, offline."""

from __future__ import annotations

import json
import os
import stat
from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.receipt import verify
from workbench.commands import NegativeResult, ProductCommand, WrongUse

# The receipt of the largest public instance has half a megabyte.
MOST_BYTES = 64 << 20


class Command(ProductCommand):
    help = "Check that a receipt was not changed, that its figures agree, and that nothing in it passed without its lights."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("receipt", metavar="FILE")
        parser.add_argument(
            "--previous",
            metavar="FILE",
            help="the receipt before it, to check the chain as well",
        )

    def needs_database(self, options: dict[str, Any]) -> bool:
        return False

    def run(self, options: dict[str, Any]) -> Any:
        document = read_json(options["receipt"])
        previous = read_json(options["previous"]) if options["previous"] else None
        wrong = verify(document, previous)
        answer = {"receipt": options["receipt"], "ok": not wrong, "wrong": wrong}
        if (
            wrong
            and isinstance(document, dict)
            and {"receipt", "apis"} <= document.keys()
        ):
            wrong.append(
                f"what `grade --json` prints is more than the receipt, which is the file that it names: {document['receipt']}"
            )
        if wrong:
            raise NegativeResult("; ".join(wrong), answer)
        self.say(f"{options['receipt']}: good")
        return answer


def read_json(path: str) -> Any:
    """Return the JSON in a file. Raises `WrongUse`, at once for what is no file and could make a reader wait or never end."""
    try:
        # O_NONBLOCK: opening a pipe waits for somebody who writes.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        with open(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise WrongUse(f"{path}: expected a file")
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise WrongUse(f"{path}: has more than {MOST_BYTES:,} bytes")
        return json.loads(data.decode())
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise WrongUse(f"{path}: {error}") from None
