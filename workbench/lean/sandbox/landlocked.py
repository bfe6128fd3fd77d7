"""Boxes by Landlock and seccomp, in namespaces of their own where those may be made. Needs no program and no root."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping

from workbench.lean.sandbox import cgroups, confine, filter
from workbench.lean.sandbox.box import Box, Ended, NoSandbox
from workbench.lean.sandbox.orders import order_for
from workbench.lean.sandbox.run import run


class Landlocked:
    """See `Sandbox`. With `namespaces`, boxes see no other process and no network even without the filter."""

    name = "landlock"

    def __init__(self, *, namespaces: bool) -> None:
        """Raise NoSandbox if the kernel has no Landlock."""
        self._landlock = confine.landlock_version()
        if not self._landlock:
            raise NoSandbox(
                "this kernel has no Landlock, or it is switched off (Linux 5.13 or newer, lsm=landlock,…)"
            )
        self._namespaces = namespaces
        self._filter = filter.program()
        self._groups = cgroups.find()

    @property
    def words(self) -> str:
        parts = [f"Landlock {self._landlock}", "seccomp"]
        parts += ["namespaces" if self._namespaces else "no namespaces"]
        return ", ".join([*parts, *(["control groups"] if self._groups else [])])

    @property
    def versions(self) -> Mapping[str, str]:
        return {
            "landlock": str(self._landlock),
            "kernel": platform.release(),
            "python": platform.python_version(),
        }

    def run(self, box: Box, cancel: Callable[[], bool] | None = None) -> Ended:
        """See `Sandbox.run`."""
        order = order_for(
            box,
            role="maker" if self._namespaces else "self",
            landlock=self._landlock,
            filter=self._filter,
        )
        return run(box, order, groups=self._groups, cancel=cancel)
