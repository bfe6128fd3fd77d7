"""The Leans of this machine, as the settings say."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

from workbench.lean.elan.found import toolchains_folder
from workbench.lean.machine import Leans


def machine_leans() -> Leans:
    """Return where this machine has its Leans; what is compiled or hashed once lies in the data folder."""
    packages = settings.LEAN_PACKAGES
    return Leans(
        Path(settings.DATA_DIR) / "cache" / "lean",
        toolchains_folder(settings.LEAN_TOOLCHAINS, os.environ),
        Path(packages) if packages else None,
    )
