"""Settings of a worker under test: the product's, and the sample jobs."""

from __future__ import annotations

from tests.settings import *  # noqa: F403  # settings are taken over whole
from tests.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.workbench.jobs.samples"]
