"""django-rq's pages: there for the operator, for nobody else, and only with that engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from django.conf import settings

from tests.case import CommittedTestCase
from tests.workbench.jobs.made import waiting_job
from tests.workbench.jobs.worker.harness import OnRedis, database_url, engine_in_force

VISIT = """
import django, json, sys; django.setup()
from django.conf import settings
from django.test import Client
settings.ALLOWED_HOSTS.append("testserver")
found = {}
for who, key in json.loads(sys.argv[1]).items():
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    for path in json.loads(sys.argv[2]):
        answer = client.get(path)
        found[f"{who} {path}"] = [answer.status_code, answer.content.decode()]
print(json.dumps(found))
"""
HOME = "/operations/rq/"
PATHS = [
    HOME, f"{HOME}queues/0/", f"{HOME}queues/0/details/", f"{HOME}queues/0/failed/", f"{HOME}workers/0/",
    f"{HOME}queues/9/failed/clear/", "/operations/",
]  # fmt: skip


class RqPagesTest(OnRedis, CommittedTestCase):
    def visit(self, redis_url: str) -> dict[str, tuple[int, str]]:
        """Return who and path → status and page, on a site of its own with the engine RQ."""
        sessions = {name: self.sessions[name] for name in ("admin", "maintainer")}
        done = subprocess.run(
            [sys.executable, "-c", VISIT, json.dumps(sessions), json.dumps(PATHS)],
            env=os.environ
            | {
                "DATABASE_URL": database_url(),
                "DJANGO_SETTINGS_MODULE": "tests.workbench.jobs.settings",
                "PYTHONPATH": str(settings.BASE_DIR),
                "WORKBENCH_JOB_ENGINE": "rq",
                "WORKBENCH_REDIS_URL": redis_url,
            },
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def test_they_are_the_operators_alone_and_stand_in_our_frame(self) -> None:
        self.admin.user.is_superuser = True
        self.admin.user.save()
        with engine_in_force("rq", self.redis):
            waiting_job("sample-needy")
        found = self.visit(self.redis)
        for path in PATHS[:5]:
            self.assertEqual(found[f"maintainer {path}"][0], 404, path)
            self.assertEqual(found[f"admin {path}"][0], 200, path)
        self.assertEqual(found[f"admin {PATHS[5]}"][0], 404)
        page = found[f"admin {HOME}"][1]
        self.assertIn("Messages in RQ", page)
        self.assertIn("interactive+lean:4.29.1", page)
        self.assertNotIn("<style", page)
        self.assertIn(f'href="{HOME}"', found["admin /operations/"][1])
        self.assertNotIn(f'href="{HOME}"', found["maintainer /operations/"][1])

    def test_without_redis_they_say_so(self) -> None:
        self.admin.user.is_superuser = True
        self.admin.user.save()
        found = self.visit("redis://127.0.0.1:1/0")
        self.assertEqual(found[f"admin {HOME}"][0], 503)
        self.assertIn("Redis is out of reach", found[f"admin {HOME}"][1])
        self.assertIn("Redis is out of reach", found["admin /operations/"][1])

    def test_with_another_engine_they_are_not_there(self) -> None:
        self.admin.user.is_superuser = True
        self.admin.user.save()
        self.assertHidden(self.admin.get(HOME))
