"""The process behind `RunningSite.seed`: it calls functions on the site's database, one a line, until its input ends.

A line of its input is `["package.module:function", {arguments}]`; the answer is a line, `{"returned": …}` or
`{"raised": "the traceback"}`. Whatever the functions print goes where errors go.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from typing import Any

import django


def called(function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call it; return the answer."""
    from django.db import connections

    module, name = function.split(":")
    try:
        returned = getattr(importlib.import_module(module), name)(**arguments)
    except Exception:
        return {"raised": traceback.format_exc()}
    finally:
        connections.close_all()  # none waits inside a transaction, or outlives the database
    return {"returned": returned}


def main() -> None:
    """Answer every line of the input."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    django.setup()
    for line in sys.stdin:
        print(json.dumps(called(*json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
