"""From a box to the order that confine.py carries out, the same for every kind."""

from __future__ import annotations

import os
import platform

from workbench.lean.sandbox.box import MIB, Box
from workbench.lean.sandbox.confine import Order
from workbench.lean.sandbox.system import DEVICES, SCRIPT, system_paths

# Threads of Lean reserve 1 GiB of addresses each, and its library and every compiled file are mapped.
ADDRESS_BYTES = 16 << 30
OPEN_FILES = 1024
# Since this version processes are counted by user namespace, so that others of the same user are not.
_COUNTED_BY_NAMESPACE = (5, 14)


def order_for(box: Box, *, role: str, landlock: int, filter: bytes) -> Order:
    """Return how `box` is to be started in a `role` of confine.py. Empty `filter` and `landlock` 0: limits only."""
    limits = {
        "core": 0,
        "cpu": box.limits.cpu_seconds,
        "as": ADDRESS_BYTES + box.limits.memory_mib * MIB,
        "fsize": box.limits.file_bytes,
        "nofile": OPEN_FILES,
        "memlock": 0,
    }
    if role != "self" and os.geteuid() != 0 and _kernel() >= _COUNTED_BY_NAMESPACE:
        # Beside the program there are up to two of ours in the namespace. Root is never counted.
        limits["nproc"] = box.limits.threads + 2
    return Order(
        box.argv,
        role=role,
        folder=str(box.start or box.writable),
        limits=limits,
        landlock=landlock,
        readable=[*map(str, (*system_paths(), *DEVICES, SCRIPT, *box.readable))],
        writable=[str(box.writable), "/dev/null"],
        filter=filter.hex(),
        env=box.env,
    )


def _kernel() -> tuple[int, ...]:
    words = platform.release().split("-")[0].split(".")
    return tuple(int(word) for word in words[:2] if word.isdecimal())
