"""Probe the sandboxes of this machine and print what came out.

    python -m workbench.lean.sandbox [bubblewrap|landlock]...

Exit code 0 if at least one of those asked for holds, 1 if none does, 2 for wrong use.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence

from workbench.lean.sandbox.box import NoSandbox
from workbench.lean.sandbox.choose import KINDS
from workbench.lean.sandbox.probe import probe


def main(wanted: Sequence[str]) -> int:
    """Print one line of JSON for each kind; return the exit code."""
    names = {name for name, _ in KINDS}
    if not set(wanted) <= names:
        sys.stderr.write(f"expected one of {', '.join(sorted(names))}\n")
        return 2
    held = False
    for name, make in KINDS:
        if wanted and name not in wanted:
            continue
        try:
            result = dataclasses.asdict(probe(make()))
        except NoSandbox as missing:
            result = {"name": name, "proven": False, "failures": [str(missing)]}
        held = held or bool(result["proven"])
        sys.stdout.write(json.dumps(result) + "\n")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
