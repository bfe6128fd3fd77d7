"""Make the demo."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from curation.instances import demo
from workbench.access.models import User
from workbench.commands import NegativeResult, ProductCommand


class Command(ProductCommand):
    help = "Make the demo team, one account a role, and the fixture instances."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--if-new",
            action="store_true",
            help="do nothing where the database holds people already",
        )
        parser.add_argument(
            "--with-runs",
            action="store_true",
            help="hand in submissions too; workers then grade for some minutes",
        )

    def run(self, options: dict[str, Any]) -> Any:
        seeded = False
        if demo.is_seeded():
            accounts = demo.known_accounts()
            if not options["if_new"]:
                raise NegativeResult(
                    "the demo is here already",
                    {"seeded": False, "accounts": [asdict(one) for one in accounts]},
                )
        elif options["if_new"] and User.objects.exists():
            accounts = []
        else:
            accounts = demo.seed(with_runs=options["with_runs"])
            seeded = True
        for account in accounts:
            self.say(
                f"{account.role:12} {account.name:8} {account.password or '(changed since)'}"
            )
        return {"seeded": seeded, "accounts": [asdict(account) for account in accounts]}
