"""Debian packages, installed only where we may: as root, on a machine that has apt-get."""

from __future__ import annotations

import os
import shutil
import subprocess

from workbench.setup.words import say


def may_install() -> bool:
    """Return whether this process may install Debian packages."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(*packages: str) -> str:
    """Install `packages` and return "", or the sentence that says why it did not work."""
    if not may_install():
        return f"not root, or no apt-get; as root: apt install {' '.join(packages)}"
    say(f"Installing with apt: {' '.join(packages)} …")
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    words = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    for step in (words, ["apt-get", "update"], words):
        done = subprocess.run(
            step, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if step is words and done.returncode == 0:
            return ""
    last = (done.stderr or done.stdout).strip().splitlines()
    return f"apt-get could not install {' '.join(packages)}: {last[-1] if last else 'no reason given'}"
