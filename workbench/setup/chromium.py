"""The Chromium that browser tests drive: the system's own, never a downloaded build."""

from __future__ import annotations

import os
import shutil

from workbench.setup import apt

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_QUIET = (
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip


def program() -> str | None:
    """Return the path of a Chromium, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def obstacle(*, install: bool = False) -> str:
    """Return why there is no Chromium, or "". With `install`, Debian's package and a font are put in as root."""
    if program() is None:
        refusal = (
            apt.install("chromium", "fonts-dejavu-core")
            if install
            else "not installed (apt install chromium)"
        )
        if refusal:
            return refusal
    return "" if program() else f"none of {', '.join(NAMES)} is in the PATH"


def arguments() -> list[str]:
    """Return the switches it is started with: it talks to nobody but our server. As root it needs `--no-sandbox`."""
    return [*(["--no-sandbox"] if os.geteuid() == 0 else []), *_QUIET]
