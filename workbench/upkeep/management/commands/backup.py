"""`bin/workbench backup`: the database and the data folder in one file."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from workbench.commands import ProductCommand, WrongUse
from workbench.upkeep.backup.make import make_backup
from workbench.upkeep.disk import size_words


class Command(ProductCommand):
    help = "Write a backup of the database and the data folder into one file, while everything runs."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--out",
            default="",
            metavar="FILE",
            help="the file, which must not be there, or a folder (default: backups/ of the data folder)",
        )

    def run(self, options: dict[str, Any]) -> Any:
        default = Path(settings.DATA_DIR) / "backups"
        target = Path(options["out"]) if options["out"] else default
        try:
            if target == default:
                target.mkdir(mode=0o700, exist_ok=True)
            if target.is_dir():
                target /= f"proofroom-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.tar.gz"  # fmt: skip
            made = make_backup(target.resolve())
        except OSError as error:
            raise WrongUse(f"--out {target}: {error.strerror or error}.") from None
        self.say(f"{made.file}: {size_words(made.size)}, {made.members:,} members")
        self.say(f"The head of the record in it is {made.head}")
        return asdict(made)
