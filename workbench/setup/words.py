"""How the set-up speaks: plain lines, and problems with their remedy instead of tracebacks."""

from __future__ import annotations

import sys


class Problem(Exception):
    """Something stands in the way. The text says what, and what to do about it."""


def say(text: str = "") -> None:
    """Print `text` at once, also into a pipe."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def complain(text: object) -> None:
    """Print `text` as the program's complaint on standard error."""
    sys.stdout.flush()
    sys.stderr.write(f"workbench: {text}\n")
    sys.stderr.flush()
