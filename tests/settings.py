"""The product's settings for the test process: a scratch data folder, a test database in it, quick password hashes."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_OURS = "PROOFROOM_TEST_FOLDER"

if (
    _OURS not in os.environ
):  # helper processes (xdist, workers under test) share the folder of the first one
    _folder = tempfile.mkdtemp(prefix="proofroom-tests-")
    _made_by = os.getpid()
    os.environ[_OURS] = os.environ["WORKBENCH_DATA_DIR"] = _folder

    @atexit.register
    def _tidy() -> None:
        if os.getpid() == _made_by:
            shutil.rmtree(_folder, ignore_errors=True)


from workbench.settings import *  # noqa: E402, F403  # the folder must be named before the settings are read
from workbench.settings import DATA_DIR, DATABASES  # noqa: E402  # as above

# A file, not memory: it behaves like the product's (WAL, several connections), and other processes can open it.
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "tests.sqlite3")}

CLEAN_UP = False  # tests count the jobs that there are
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
