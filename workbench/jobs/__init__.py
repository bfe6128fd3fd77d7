"""Background jobs: declare one, submit it, let a worker run it. docs/developer/jobs.md shows how.

The names below are looked up when first used, because models cannot be imported while Django is still starting.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.jobs.actions import cancel, retry, submit
    from workbench.jobs.capabilities import offers
    from workbench.jobs.declared import declare
    from workbench.jobs.interrupts import (
        JobCancelled,
        JobDeclined,
        JobFailed,
        LeaseLost,
    )
    from workbench.jobs.run import JobRun

_HOMES = {
    "JobCancelled": "interrupts",
    "JobDeclined": "interrupts",
    "JobFailed": "interrupts",
    "JobRun": "run",
    "LeaseLost": "interrupts",
    "cancel": "actions",
    "declare": "declared",
    "offers": "capabilities",
    "retry": "actions",
    "submit": "actions",
}

__all__ = [
    "JobCancelled",
    "JobDeclined",
    "JobFailed",
    "JobRun",
    "LeaseLost",
    "cancel",
    "declare",
    "offers",
    "retry",
    "submit",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
