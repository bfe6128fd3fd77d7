"""What an operator can set, read from environment variables, loudly.

Each variable is declared once in `VARIABLES`. `NAME_FILE` is accepted instead of `NAME`: the value is then
the content of that file. An unknown `WORKBENCH_…` variable or a malformed value stops the start with a
`BadEnvironment` that names the variable and what was expected.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class BadEnvironment(Exception):
    """A variable is unknown or its value is not what was expected."""


@dataclass(frozen=True)
class Variable:
    """One environment variable. `kind` is one of text, flag, number, list, choice, path."""

    name: str
    kind: str
    default: str
    meaning: str
    choices: tuple[str, ...] = ()
    secret: bool = False


VARIABLES = (
    Variable(
        "DATABASE_URL",
        "text",
        "",
        "Database address; empty: SQLite in the data folder.",
        secret=True,
    ),
    Variable(
        "WORKBENCH_DATA_DIR",
        "path",
        "var",
        "Folder for database, caches, secret key and logs.",
    ),
    Variable(
        "WORKBENCH_SECRET_KEY",
        "text",
        "",
        "Signing key; empty: made once in the data folder.",
        secret=True,
    ),
    Variable(
        "WORKBENCH_DEBUG",
        "flag",
        "0",
        "Show Django's error pages. Never on a reachable machine.",
    ),
    Variable(
        "WORKBENCH_ALLOWED_HOSTS",
        "list",
        "localhost,127.0.0.1,[::1]",
        "Host names that the site answers to.",
    ),
    Variable(
        "WORKBENCH_TRUSTED_ORIGINS",
        "list",
        "",
        "Origins (scheme://host) that may post forms, beside the own host.",
    ),
    Variable(
        "WORKBENCH_HTTPS",
        "flag",
        "0",
        "The site is served over HTTPS: secure cookies, HSTS, redirect.",
    ),
    Variable(
        "WORKBENCH_BEHIND_PROXY",
        "flag",
        "0",
        "Believe X-Forwarded-Proto and X-Forwarded-For of one proxy in front.",
    ),
    Variable(
        "WORKBENCH_TIME_ZONE",
        "text",
        "UTC",
        "Zone in which times are shown to people who chose none.",
    ),
    Variable(
        "WORKBENCH_LOG_LEVEL",
        "choice",
        "INFO",
        "How much is logged.",
        ("DEBUG", "INFO", "WARNING", "ERROR"),
    ),
    Variable(
        "WORKBENCH_LOGIN_FAILURES",
        "number",
        "5",
        "Failed log-ins by one name from one address before it is locked.",
    ),
    Variable(
        "WORKBENCH_LOGIN_LOCK_MINUTES",
        "number",
        "15",
        "How long such a lock lasts, in minutes.",
    ),
    Variable(
        "WORKBENCH_UPLOAD_LIMIT_MB",
        "number",
        "64",
        "Largest archive taken from a browser, in MB.",
    ),
    Variable(
        "WORKBENCH_JOB_ENGINE",
        "choice",
        "embedded",
        "What carries background jobs to workers.",
        ("embedded", "rq", "celery"),
    ),
    Variable(
        "WORKBENCH_REDIS_URL",
        "text",
        "",
        "Address of Redis, for the engines rq and celery and for live updates.",
        secret=True,
    ),
    Variable(
        "WORKBENCH_CELERY_BROKER",
        "text",
        "",
        "Address of Celery's broker; empty: Redis.",
        secret=True,
    ),
    Variable(
        "WORKBENCH_JOB_LEASE_SECONDS",
        "number",
        "30",
        "How long a worker may be silent before its job is taken away.",
    ),
    Variable(
        "WORKBENCH_WORKER_PROCESSES",
        "number",
        "2",
        "Jobs that one worker runs beside each other.",
    ),
    Variable(
        "WORKBENCH_REVIEW_LEASE_MINUTES",
        "number",
        "10",
        "How long a definition stays with a reviewer whose page is silent.",
    ),
    Variable(
        "WORKBENCH_CLEAN_UP",
        "flag",
        "1",
        "A worker drops what need not be kept, once a day.",
    ),
    Variable(
        "WORKBENCH_KEEP_JOB_LOGS_DAYS",
        "number",
        "90",
        "How long what a job logged is kept after its end.",
    ),
    Variable(
        "WORKBENCH_KEEP_LOGS_DAYS",
        "number",
        "30",
        "How long details of failures of the program are kept.",
    ),
    Variable(
        "WORKBENCH_KEEP_REFUSALS_DAYS",
        "number",
        "90",
        "How long it is kept that a file was not taken, and why.",
    ),
    Variable(
        "WORKBENCH_TEAM_SUBMISSIONS_GB",
        "number",
        "50",
        "How much the submissions of one team may take.",
    ),
    Variable(
        "WORKBENCH_COMPILED_CACHE_GB",
        "number",
        "20",
        "How much compiled modules may take before those longest unused go.",
    ),
    Variable(
        "WORKBENCH_DISK_RESERVE_MB",
        "number",
        "512",
        "With less room on the disk of the data folder, no new work is begun.",
    ),
    Variable(
        "WORKBENCH_SANDBOX",
        "choice",
        "auto",
        "What foreign code is locked into; none: nothing, and every verdict says so.",
        ("auto", "bubblewrap", "landlock", "none"),
    ),
    Variable(
        "WORKBENCH_LEAN_TOOLCHAINS",
        "path",
        "",
        "Folder with toolchains as elan keeps them, or one toolchain; empty: elan's own.",
    ),
    Variable(
        "WORKBENCH_LEAN_PACKAGES",
        "path",
        "",
        "Folder with a Lake workspace for each toolchain, whose built packages instances may import.",
    ),
    Variable(
        "WORKBENCH_SECOND_KERNEL",
        "text",
        "",
        "Program that checks declarations in the Lean 4 export format, asked beside Lean's own kernel.",
    ),
    Variable(
        "WORKBENCH_JUDGE_URL",
        "text",
        "",
        "Endpoint for chat completions that is asked about flagged slots; empty: nobody is asked.",
    ),
    Variable(
        "WORKBENCH_JUDGE_MODEL",
        "text",
        "",
        "Model that is asked there.",
    ),
    Variable(
        "WORKBENCH_JUDGE_KEY",
        "text",
        "",
        "Key for that endpoint.",
        secret=True,
    ),
    Variable(
        "WORKBENCH_JUDGE_SECONDS",
        "number",
        "60",
        "How long one answer of the judge may take, in seconds.",
    ),
    Variable(
        "WORKBENCH_CORPUS",
        "path",
        "",
        "Folder of the public corpus; only the test run reads it.",
    ),
)

_BY_NAME = {variable.name: variable for variable in VARIABLES}
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


class Environment:
    """The declared variables with the values of `environ`."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        for name in self._environ:
            plain = name.removesuffix("_FILE")
            if name.startswith("WORKBENCH_") and plain not in _BY_NAME:
                raise BadEnvironment(
                    f"{name} is not a setting of the workbench; docs/operator/settings.md lists them all."
                )

    def text(self, name: str) -> str:
        """Return the value of `name`, the content of `name`_FILE, or the default."""
        variable = _BY_NAME[name]
        if name in self._environ:
            value = self._environ[name]
        elif f"{name}_FILE" in self._environ:
            path = Path(self._environ[f"{name}_FILE"])
            try:
                value = path.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise BadEnvironment(
                    f"{name}_FILE: cannot read {path}: {getattr(error, 'strerror', None) or 'not UTF-8'}."
                ) from None
        else:
            value = variable.default
        if variable.choices and value not in variable.choices:
            raise BadEnvironment(
                f"{name} is {value!r}; expected one of {', '.join(variable.choices)}."
            )
        return value

    def flag(self, name: str) -> bool:
        """Return whether `name` is switched on (1, true, yes, on)."""
        value = self.text(name).lower()
        if value not in _TRUE | _FALSE:
            raise BadEnvironment(f"{name} is {value!r}; expected 1 or 0.")
        return value in _TRUE

    def number(self, name: str) -> int:
        """Return `name` as a whole number above zero."""
        value = self.text(name)
        if not value.isascii() or not value.isdigit() or int(value) < 1:
            raise BadEnvironment(
                f"{name} is {value!r}; expected a whole number above 0."
            )
        return int(value)

    def items(self, name: str) -> list[str]:
        """Return the comma-separated parts of `name`."""
        return [part.strip() for part in self.text(name).split(",") if part.strip()]


def demand_address(name: str, value: str, schemes: tuple[str, ...]) -> None:
    """Raise `BadEnvironment` unless `value`, of the variable `name`, is empty or an address of one of `schemes`."""
    scheme, mark, rest = value.partition("://")
    if value and not (scheme in schemes and mark and rest):
        raise BadEnvironment(
            f"{name}: expected an address such as {schemes[0]}://host:port/…, or nothing."
        )
