"""The Celery application, for the engine `celery`. Its settings are the `CELERY_…` of settings.py.

`bin/workbench worker` runs its workers; `celery -A workbench …` finds it for Celery's own commands.
"""

from __future__ import annotations

import os
import sys

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
_path = list(sys.path)
app = Celery("workbench")
# Celery puts the caller's folder in front of the module path; a file there must not stand in for one of ours.
sys.path[:] = _path
app.config_from_object("django.conf:settings", namespace="CELERY")
