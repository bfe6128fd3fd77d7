"""`bin/workbench worker`: run background jobs."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import DatabaseError, connection

from workbench.commands import ProductCommand, WrongUse
from workbench.databases import obstacle
from workbench.jobs import reaper
from workbench.jobs.capabilities import found_here, written
from workbench.jobs.declared import QUEUES
from workbench.jobs.worker.executor import without_pool
from workbench.jobs.worker.processes import end_with_parent, kill_strays
from workbench.jobs.worker.registration import Registration, worker_name
from workbench.jobs.worker.supervisor import Supervisor


class Command(ProductCommand):
    help = "Run background jobs until stopped. Several workers may run, on several machines."
    offers_json = False

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--processes",
            type=int,
            default=settings.WORKER_PROCESSES,
            help="jobs beside each other (default: WORKBENCH_WORKER_PROCESSES)",
        )
        parser.add_argument(
            "--queues",
            default=",".join(QUEUES),
            help="take only these queues, separated by commas (default: all)",
        )
        parser.add_argument(
            "--offers",
            default="",
            help="capabilities beside those found on this machine, separated by commas",
        )
        parser.add_argument(
            "--once",
            action="store_true",
            help="end when no job waits that this worker can do",
        )
        parser.add_argument(
            "--grace",
            type=float,
            default=6.0,
            metavar="SECONDS",
            help="how long running jobs may go on after a request to stop; then they go back into the queue",
        )
        parser.add_argument(
            "--with-parent",
            action="store_true",
            help="stop when the process that started this one ends",
        )

    def run(self, options: dict[str, Any]) -> None:
        registration = self._registration(options)
        if options["with_parent"]:
            end_with_parent(15)
        without_pool()
        self._put_in_order()
        self.say(
            f"worker {registration.name}: {registration.processes} processes, queues {', '.join(registration.queues)}"
            + (
                f", offers {written(registration.offers)}"
                if registration.offers
                else ""
            )
        )
        self.stdout.flush()
        Supervisor(
            registration, once=options["once"], stop_grace_s=options["grace"]
        ).run()

    def _registration(self, options: dict[str, Any]) -> Registration:
        queues = [
            queue.strip() for queue in options["queues"].split(",") if queue.strip()
        ]
        for queue in queues:
            if queue not in QUEUES:
                raise WrongUse(
                    f"--queues: there is no queue {queue!r}; there are {', '.join(QUEUES)}."
                )
        if not queues:
            raise WrongUse("--queues: expected at least one queue.")
        if options["processes"] < 1:
            raise WrongUse(
                f"--processes is {options['processes']}; expected a whole number above 0."
            )
        extra = {word.strip() for word in options["offers"].split(",") if word.strip()}
        try:
            written(extra)
        except ValueError as error:
            raise WrongUse(f"--offers: {error}") from None
        return Registration(
            worker_name(), options["processes"], queues, found_here() | extra
        )

    def _put_in_order(self) -> None:
        """Clear up what workers left that were killed on this machine."""
        strays = kill_strays()
        try:
            returned = reaper.reap_local()
            reaper.sweep_scratch()
        except DatabaseError as error:
            if words := obstacle(error):
                raise WrongUse(words) from None
            raise
        finally:
            connection.close()
        if strays or returned:
            self.say(
                f"cleared up after a killed worker: {returned} jobs returned, {strays} processes ended"
            )
