"""Django settings. Everything that an operator can change comes from the environment (environment.py)."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import dj_database_url
from csp.constants import NONE, SELF

from workbench.environment import BadEnvironment, Environment, demand_address

try:
    env = Environment()
    DEBUG = env.flag("WORKBENCH_DEBUG")
    HTTPS = env.flag("WORKBENCH_HTTPS")
    BEHIND_PROXY = env.flag("WORKBENCH_BEHIND_PROXY")
    TIME_ZONE = env.text("WORKBENCH_TIME_ZONE")
    LOG_LEVEL = env.text("WORKBENCH_LOG_LEVEL")
    LOGIN_FAILURES = env.number("WORKBENCH_LOGIN_FAILURES")
    LOGIN_LOCK_MINUTES = env.number("WORKBENCH_LOGIN_LOCK_MINUTES")
    UPLOAD_LIMIT_MB = env.number("WORKBENCH_UPLOAD_LIMIT_MB")
    JOB_ENGINE = env.text("WORKBENCH_JOB_ENGINE")
    REDIS_URL = env.text("WORKBENCH_REDIS_URL")
    CELERY_BROKER_URL = env.text("WORKBENCH_CELERY_BROKER") or REDIS_URL
    demand_address("WORKBENCH_REDIS_URL", REDIS_URL, ("redis", "rediss", "unix"))
    if JOB_ENGINE == "rq" and not REDIS_URL:
        raise BadEnvironment(
            "WORKBENCH_JOB_ENGINE is 'rq', which needs Redis: set WORKBENCH_REDIS_URL, such as redis://127.0.0.1:6379/0."
        )
    if JOB_ENGINE == "celery" and not CELERY_BROKER_URL:
        raise BadEnvironment(
            "WORKBENCH_JOB_ENGINE is 'celery', which needs a broker: set WORKBENCH_REDIS_URL or WORKBENCH_CELERY_BROKER."
        )
    JOB_LEASE_SECONDS = env.number("WORKBENCH_JOB_LEASE_SECONDS")
    REVIEW_LEASE_MINUTES = env.number("WORKBENCH_REVIEW_LEASE_MINUTES")
    CLEAN_UP = env.flag("WORKBENCH_CLEAN_UP")
    KEEP_JOB_LOGS_DAYS = env.number("WORKBENCH_KEEP_JOB_LOGS_DAYS")
    KEEP_LOGS_DAYS = env.number("WORKBENCH_KEEP_LOGS_DAYS")
    KEEP_REFUSALS_DAYS = env.number("WORKBENCH_KEEP_REFUSALS_DAYS")
    TEAM_SUBMISSIONS_GB = env.number("WORKBENCH_TEAM_SUBMISSIONS_GB")
    COMPILED_CACHE_GB = env.number("WORKBENCH_COMPILED_CACHE_GB")
    DISK_RESERVE_MB = env.number("WORKBENCH_DISK_RESERVE_MB")
    WORKER_PROCESSES = env.number("WORKBENCH_WORKER_PROCESSES")
    SANDBOX = env.text("WORKBENCH_SANDBOX")
    LEAN_TOOLCHAINS = env.text("WORKBENCH_LEAN_TOOLCHAINS")
    LEAN_PACKAGES = env.text("WORKBENCH_LEAN_PACKAGES")
    SECOND_KERNEL = env.text("WORKBENCH_SECOND_KERNEL")
    JUDGE_URL = env.text("WORKBENCH_JUDGE_URL")
    JUDGE_MODEL = env.text("WORKBENCH_JUDGE_MODEL")
    JUDGE_KEY = env.text("WORKBENCH_JUDGE_KEY")
    JUDGE_SECONDS = env.number("WORKBENCH_JUDGE_SECONDS")
    demand_address("WORKBENCH_JUDGE_URL", JUDGE_URL, ("https", "http"))
    if JUDGE_URL and not JUDGE_MODEL:
        raise BadEnvironment(
            "WORKBENCH_JUDGE_URL is set, and no model: set WORKBENCH_JUDGE_MODEL too."
        )
    BASE_DIR = Path(__file__).resolve().parent.parent
    DATA_DIR = (BASE_DIR / env.text("WORKBENCH_DATA_DIR")).resolve()
    try:
        ZoneInfo(TIME_ZONE)
    except (KeyError, ValueError, OSError):  # unknown, malformed, a folder
        raise BadEnvironment(
            f"WORKBENCH_TIME_ZONE is {TIME_ZONE!r}; expected a name such as Europe/Berlin."
        ) from None
    try:
        DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadEnvironment(
            f"WORKBENCH_DATA_DIR: cannot make {DATA_DIR}: {error.strerror}."
        ) from None
    _database_url = (
        env.text("DATABASE_URL") or f"sqlite:///{DATA_DIR / 'workbench.sqlite3'}"
    )
    try:
        _database: Any = dj_database_url.parse(_database_url, conn_health_checks=True)
    except (dj_database_url.ParseError, ValueError):
        raise BadEnvironment(
            "DATABASE_URL: expected postgres://user:password@host:port/name or sqlite:///path."
        ) from None
    _secret_key = env.text("WORKBENCH_SECRET_KEY")
    ALLOWED_HOSTS = env.items("WORKBENCH_ALLOWED_HOSTS")
    CSRF_TRUSTED_ORIGINS = env.items("WORKBENCH_TRUSTED_ORIGINS")
except BadEnvironment as problem:
    sys.exit(f"workbench: {problem}")


def _kept_secret(path: Path) -> str:
    """Return the key kept in `path`, made at the first start and readable by its owner only."""
    try:
        with os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w"
        ) as made:
            made.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    return path.read_text()


SECRET_KEY = _secret_key or _kept_secret(DATA_DIR / "secret-key")

# SQLite with Django's stock settings loses writes to "database is locked" as soon as two processes write.
if _database["ENGINE"] == "django.db.backends.sqlite3":
    _database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000;",
    }
elif _database["ENGINE"] == "django.db.backends.postgresql":
    # Connecting for each request costs 10 ms. The pool tries again at the next request, a second after a failure at the
    # latest: left to itself it waits longer and longer, and after a restart of the server the first page with it.
    _database.setdefault("OPTIONS", {})["pool"] = {
        "min_size": 1,
        "max_size": 20,  # a request that waits for a lock holds one
        "timeout": 6,
        "reconnect_timeout": 1.0,
    }
    _database["CONN_MAX_AGE"] = 0
else:
    sys.exit("workbench: DATABASE_URL: expected a postgres:// or sqlite:// address.")
DATABASES = {"default": _database}

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
    "csp",
    "channels",
    "workbench.access",
    "workbench.content",
    "workbench.events",
    "workbench.jobs",
    "workbench.live",
    "workbench.upkeep",
    "workbench.code",
    "workbench.ui",
    "workbench",
    "curation.instances",
    "curation.reviews",
    "adjudication",
    "adjudication.runs",
    "adjudication.audits",
    "adjudication.standings",
    "adjudication.releases",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "workbench.ui.middleware.NoNullCharactersMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "workbench.access.middleware.SignedInMiddleware",
    "workbench.access.middleware.TimeZoneMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "workbench.upkeep.middleware.NoRoomMiddleware",
    "workbench.events.middleware.CorrelationMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "workbench.urls"
WSGI_APPLICATION = "workbench.wsgi.application"
ASGI_APPLICATION = "workbench.asgi.application"
TEMPLATE_FOLDERS = [BASE_DIR / "templates"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": TEMPLATE_FOLDERS,
        "APP_DIRS": False,
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["django.template.loaders.filesystem.Loader"],
                ),
            ]
            if not DEBUG
            else ["django.template.loaders.filesystem.Loader"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "workbench.ui.context.shell",
            ],
            "builtins": ["workbench.ui.templatetags.ui", "django.templatetags.static"],
        },
    }
]

AUTH_USER_MODEL = "access.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"
    },
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = LOGIN_FAILURES
AXES_COOLOFF_TIME = LOGIN_LOCK_MINUTES / 60
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "access/locked.html"
AXES_RESET_ON_SUCCESS = True
AXES_IPWARE_PROXY_COUNT = 1 if BEHIND_PROXY else 0
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
CSRF_FAILURE_VIEW = "workbench.ui.views.errors.csrf_failed"
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [SELF],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "code": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": DATA_DIR / "cache" / "code",
        "TIMEOUT": None,
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
}

if REDIS_URL:
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [REDIS_URL], "prefix": "proofroom"},
        }
    }
if JOB_ENGINE == "rq":
    import django_rq

    # Its pages, for the operator. Its one model has no table.
    INSTALLED_APPS.append("django_rq")
    MIGRATION_MODULES = {"django_rq": None}
    TEMPLATE_FOLDERS.append(Path(django_rq.__file__).parent / "templates")
    RQ_QUEUES = {
        name: {"URL": REDIS_URL, "DEFAULT_TIMEOUT": -1}
        for name in ("interactive", "grading", "exports", "agents")
    }
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CONNECTION_TIMEOUT = 5
# Lanes are listened to in the order in which they are named: most urgent first.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "queue_order_strategy": "priority",
    "socket_connect_timeout": 5,
}
# A message stays with the broker until its job has ended: a worker reserves one, never a second behind it. Should it be
# delivered again, nothing is left to claim.
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_IMPORTS = ["workbench.jobs.engines.celery"]

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SILENCED_SYSTEM_CHECKS: list[str] = []
TEST_RUNNER = "django.test.runner.DiscoverRunner"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        name: {"level": "WARNING"}
        for name in ("axes", "django.server", "rq", "celery", "kombu")
    },
}
