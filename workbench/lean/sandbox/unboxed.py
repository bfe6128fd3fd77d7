"""No box at all: limits and nothing else, for people who trust what they run. Every verdict says so."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping

from workbench.lean.sandbox.box import Box, Ended
from workbench.lean.sandbox.orders import order_for
from workbench.lean.sandbox.run import run


class Unboxed:
    """See `Sandbox`, of which this keeps the limits only: it reads, writes and reaches what this user can."""

    name = "none"
    words = "no sandbox, limits only"

    @property
    def versions(self) -> Mapping[str, str]:
        return {
            "kernel": platform.release(),
            "python": platform.python_version(),
        }

    def run(self, box: Box, cancel: Callable[[], bool] | None = None) -> Ended:
        """See `Sandbox.run`. Children that the program left in its process group are killed; others are not found."""
        return run(
            box, order_for(box, role="self", landlock=0, filter=b""), cancel=cancel
        )
