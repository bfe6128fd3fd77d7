"""What stops a job before its end.

`JobCancelled` and `LeaseLost` are no `Exception`s, so that `except Exception` in a job does not swallow them.
"""

from __future__ import annotations


class JobCancelled(BaseException):
    """Somebody asked to cancel the job. Let it pass: clean-up in `finally` still runs."""


class LeaseLost(BaseException):
    """The job was taken away from this worker; whatever it does now counts for nothing."""


class JobFailed(Exception):
    """Raised by a job for a cause in its input. The text is shown as it stands: say what, where and what was expected."""


class JobDeclined(Exception):
    """Raised by a job that ran out of a limit (memory, disk, time): no answer, which is not a negative answer."""
