"""The clean-up as a background job: once a day by itself, or when somebody asks."""

from __future__ import annotations

from workbench.jobs import JobRun, declare
from workbench.upkeep.disk import size_words
from workbench.upkeep.retention import Cleaned, clean_up, rules


@declare("clean-up", title="Clean up", queue="exports", limit_s=3600)
def clean_up_job(run: JobRun) -> None:
    """Drop what need not be kept, and say what that was."""
    done: list[Cleaned] = []

    def tell(outcome: Cleaned) -> None:
        done.append(outcome)
        run.log(outcome.words)
        run.progress(len(done), len(rules), outcome.things)

    clean_up(tell=tell)
    count = sum(outcome.removed.count for outcome in done)
    size = sum(outcome.removed.size for outcome in done)
    with run.finishing() as finish:
        finish(
            result={
                outcome.name: [outcome.removed.count, outcome.removed.size]
                for outcome in done
            },
            summary=f"{count:,} things removed, {size_words(size)}"
            if count
            else "nothing to remove",
        )
