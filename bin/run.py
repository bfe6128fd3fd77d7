"""Runs `main` of one module of the project: run.py MODULE [ARGUMENT]...

The repository, not the folder of the caller, comes first on the module path. The file keeps to the syntax of old
Pythons, so that one of them prints a sentence.
"""

import importlib
import os
import sys

if tuple(sys.version_info) < (3, 11):
    sys.stderr.write(
        "workbench: Python 3.11 or newer is needed, this is {}.{}.\n".format(
            *sys.version_info
        )
    )
    sys.exit(2)

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.exit(importlib.import_module(sys.argv[1]).main(sys.argv[2:]))
