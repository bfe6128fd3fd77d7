"""The ground of every product command: exit codes, `--json`, errors in words.

A product command is a Django management command that extends `ProductCommand`; `bin/workbench` runs it under its
name with dashes. Exit codes: 0 fine, 1 a negative result, 2 wrong use or bad input.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from workbench.events.correlation import correlated
from workbench.upkeep.disk import NoRoom

# What moves a terminal's cursor, changes its colours or turns the order of text round: what is said may quote a stranger's file.
_TRICKS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # fmt: skip


def visible(text: str) -> str:
    """Return `text` with every character that plays tricks on a terminal in the form `<1B>`; line ends and tabs stay."""
    return _TRICKS.sub(lambda match: f"<{ord(match[0]):02X}>", text)


class NegativeResult(Exception):
    """The command worked and the answer is no. Carries the JSON document; exit code 1."""

    def __init__(self, message: str, document: Any = None) -> None:
        super().__init__(message)
        self.document = document


class WrongUse(Exception):
    """The command was called wrongly, or its input is bad; exit code 2. The text says how to do better."""


class ProductCommand(BaseCommand):
    """A command of the product. Subclasses implement `arguments` and `run`, which returns a JSON document.

    `run` prints nothing when `self.as_json`; otherwise it speaks through `self.say`.
    """

    requires_system_checks: list[str] = []
    as_json = False
    offers_json = True

    def arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""

    def needs_database(self, options: dict[str, Any]) -> bool:
        """Return whether this call asks the database: one that only checks a file works where there is none."""
        return True

    def run(self, options: dict[str, Any]) -> Any:
        """Do the work and return what `--json` prints."""
        raise NotImplementedError

    def say(self, text: str = "") -> None:
        """Print `text` for a person; silent under `--json`."""
        if not self.as_json:
            self.stdout.write(visible(text))

    def add_arguments(self, parser: CommandParser) -> None:
        if self.offers_json:
            parser.add_argument(
                "--json",
                action="store_true",
                help="print one JSON document, for scripts",
            )
        self.arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self.as_json = bool(options.pop("json", False))
        try:
            with correlated():
                document = self.run(options)
        except NegativeResult as negative:
            self._print(negative.document)
            self.stderr.write(visible(str(negative)))
            sys.exit(1)
        except (WrongUse, CommandError, NoRoom) as error:
            self._print({"error": str(error)})
            self.stderr.write(visible(f"workbench: {error}"))
            sys.exit(2)
        self._print(document)

    def _print(self, document: Any) -> None:
        if self.as_json:
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=1))
