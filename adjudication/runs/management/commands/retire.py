"""Retire a submission, or put it back."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from adjudication.runs.actions.retire_submission import NoReason, retire_submission
from adjudication.runs.models import Submission
from workbench.commands import ProductCommand, WrongUse


class Command(ProductCommand):
    help = (
        "Retire a submission: it counts on no open board any more; --undo puts it back"
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("submission", type=int, help="number of the submission")
        parser.add_argument("--reason", default="", help="why; it stays on its page")
        parser.add_argument("--undo", action="store_true", help="put it back")

    def run(self, options: dict[str, Any]) -> Any:
        found = Submission.objects.filter(pk=options["submission"]).first()
        if found is None:
            raise WrongUse(f"there is no submission {options['submission']}")
        retired = not options["undo"]
        try:
            done = retire_submission(
                None, found, retired=retired, reason=options["reason"]
            )
        except NoReason as error:
            raise WrongUse(f"expected --reason TEXT. {error}") from None
        changed = found.hidden != done.hidden
        state = "retired" if done.hidden else "not retired"
        self.say(f"submission {done.pk} is {state}{'' if changed else ' already'}")
        return {"submission": done.pk, "retired": done.hidden, "changed": changed}
