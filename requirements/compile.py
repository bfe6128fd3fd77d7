"""Pins the requirements: *.in to *.txt, with hashes and without the address of any package index.

    python requirements/compile.py [--upgrade]

Needs `uv`. The pins of base.txt bind dev.txt, so that tests run on what is shipped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
COMPILE = (
    "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-header",
    "--no-emit-index-url", "--no-emit-find-links",
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Write the three files anew. Returns 0, or 1 when uv is missing, refuses, or wrote an address."""
    for name in ("base", "pocket", "dev"):
        target = FOLDER / f"{name}.txt"
        bound = ("--constraint", "requirements/base.txt") if name == "dev" else ()
        words = [
            *COMPILE,
            *arguments,
            *bound,
            "-o",
            f"requirements/{name}.txt",
            f"requirements/{name}.in",
        ]
        try:
            subprocess.run(words, check=True, cwd=FOLDER.parent)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"compile.py: {error}", file=sys.stderr)
            return 1
        if "://" in target.read_text():
            print(
                f"compile.py: {target} names an address; it must not be committed.",
                file=sys.stderr,
            )
            return 1
        print(
            f"{target.name}: {sum(line[:1].isalnum() for line in target.read_text().splitlines())} pins"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
