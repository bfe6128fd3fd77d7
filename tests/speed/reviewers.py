"""Reviewers for review.py: one inside the process, or many over HTTP against a web server of several processes."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.browser.site import RunningSite
from workbench.setup import ports, processes
from workbench.setup.places import ROOT

if TYPE_CHECKING:
    from django.test import Client

# Nobody reads a definition beside its source in less. A page asks when something is told that concerns it, or every
# eight seconds where its socket is broken (static/live/live.js); these ask more often.
DECIDES_EVERY_S, POLLS_EVERY_S = 5.0, 5.0
# They come to work one after the other.
ARRIVE_WITHIN_S = 20.0
QUEUE_EVERY_POLLS, LEASE_EVERY_POLLS = 5, 12
_FIELDS = re.compile(r'name="(number|read_hash)" value="([^"]*)"')
_STAMP = re.compile(r'name="stamp" value="([0-9a-f]+)"')
_TOKEN = re.compile(r'name="token" value="([0-9a-f]*)"')
_PAGE = re.compile(r"/instances/([^/]+)/definitions/(\d+)/")


def approval(page: str) -> dict[str, str]:
    """Return the fields of the form that approves what `page` shows."""
    return dict(_FIELDS.findall(page)[::-1])


def address_of(location: str, what: str) -> str:
    """Return the address of `what` ("approve", "live") of the definition whose page is at `location`."""
    found = _PAGE.search(location)
    assert found is not None, f"sent to {location}; expected a definition"
    return f"/review/{found[1]}/{found[2]}/{what}/"


class Reviewing:
    """One reviewer inside the process, from definition to definition."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.location = self.page = self.queue = ""

    def begin(self, queue: str) -> None:
        """Take the first definition that `queue` gives."""
        self.queue = queue
        answer: Any = self.client.post("/review/next/", {"queue": queue})
        self._go(answer["Location"])

    def _go(self, location: str) -> None:
        self.location = location
        answer: Any = self.client.get(location)
        assert answer.status_code == 200, f"{location} answered {answer.status_code}"
        self.page = answer.content.decode()

    def poll(self, stamp: str = "") -> str:
        """Ask for what is new as the open page does; return the stamp of the answer, that of before for nothing new."""
        fields = approval(self.page)
        seen = {"version": fields["number"], "hash": fields["read_hash"]}
        address = address_of(self.location, "live")
        answer: Any = self.client.get(
            address, {**seen, "stamp": stamp}, headers={"HX-Request": "true"}
        )
        if answer.status_code == 204:
            return stamp
        assert answer.status_code == 200, f"{address} answered {answer.status_code}"
        fresh = _STAMP.search(answer.content.decode())
        assert fresh is not None, "the answer has no stamp"
        return fresh[1]

    def _post(self) -> str:
        form = approval(self.page) | {"queue": self.queue}
        answer: Any = self.client.post(address_of(self.location, "approve"), form)
        assert answer.status_code == 302, f"answered {answer.status_code}"
        return str(answer["Location"])

    def approve_and_go_on(self) -> None:
        """Approve, and read the next page."""
        self.approve()
        self.go_on()

    def approve(self) -> None:
        """Approve what is shown."""
        self.location = self._post()

    def go_on(self) -> None:
        """Read the page that the last decision led to."""
        self._go(self.location)


def accounts(number: int) -> dict[str, str]:
    """Return the session keys of so many new reviewers of the demo team, by name."""
    from tests.case import make_user, open_sessions
    from workbench.access.models import Membership, Team, User

    team = Team.objects.get(slug="demo")
    people: dict[str, User] = {}
    for n in range(number):
        name = f"reviewer-{n:02}"
        people[name] = make_user(name)
        Membership.objects.create(user=people[name], team=team, role="reviewer")
    return open_sessions(people)


@dataclass
class Together:
    """What many reviewers saw: times by kind of request in milliseconds, decisions that were taken, and errors."""

    seconds: float
    times: dict[str, list[float]] = field(default_factory=dict)
    decided: int = 0
    processor_s: float = 0.0
    """What the web processes used of the processors."""
    database_s: float = 0.0
    """What PostgreSQL did, where it runs on this machine."""
    reviewers_s: float = 0.0
    """What these clients used themselves, on the same processors."""
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def requests(self) -> int:
        return sum(map(len, self.times.values()))

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds


class OverHttp:
    """One reviewer at a browser's distance: a session, a token, a connection for each request."""

    def __init__(self, port: int, session: str, found: Together, pause: float) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.cookies = {"sessionid": session}
        self.found = found
        self.pause = pause
        self.stamp = ""

    def ask(
        self,
        kind: str,
        method: str,
        path: str,
        form: Mapping[str, str] | None = None,
        *,
        expected: int | tuple[int, ...] = 200,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[str, str]:
        """Return the body and the `Location` of an answer; its time counts as `kind`."""
        sent = {
            "Cookie": "; ".join(f"{key}={value}" for key, value in self.cookies.items())
        }
        body = None
        if form is not None:
            sent["Content-Type"] = "application/x-www-form-urlencoded"
            sent["X-CSRFToken"] = self.cookies.get("csrftoken", "")
            body = urlencode(form)
        self.connection.close()  # the server closes what was quiet for five seconds
        begun = time.perf_counter()
        self.connection.request(method, path, body, {**sent, **(headers or {})})
        answer = self.connection.getresponse()
        text = answer.read().decode()
        spent = 1000 * (time.perf_counter() - begun)
        for header in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = header.split(";")[0].partition("=")
            self.cookies[name] = value
        with self.found.lock:
            self.found.times.setdefault(kind, []).append(spent)
        wanted = expected if isinstance(expected, tuple) else (expected,)
        if answer.status not in wanted:
            raise AssertionError(
                f"{method} {path} answered {answer.status}; expected {expected}"
            )
        return text, answer.headers.get("Location", "")

    def work(self, queue: str, until: float, delay: float) -> None:
        """Read and approve one definition after the other until `until`, and poll meanwhile."""
        time.sleep(delay)
        self.ask("queue page", "GET", f"/review/?{queue}")
        _, location = self.ask(
            "next for me", "POST", "/review/next/", {"queue": queue}, expected=302
        )
        page, _ = self.ask("review page", "GET", location)
        decides, polls = time.monotonic() + self.pause, time.monotonic()
        polled = 0
        while time.monotonic() < until:
            if time.monotonic() >= decides:
                decides += self.pause
                form = approval(page) | {"queue": queue}
                to = address_of(location, "approve")
                _, location = self.ask("decision", "POST", to, form, expected=302)
                with self.found.lock:
                    self.found.decided += 1
                page, _ = self.ask("review page", "GET", location)
            elif time.monotonic() >= polls:
                polls += POLLS_EVERY_S
                polled += 1
                self._poll(polled, queue, location, page)
            time.sleep(0.05)

    def _poll(self, number: int, queue: str, location: str, page: str) -> None:
        """Ask as open pages do: mostly the review page, now and then the queue, once a minute for the lease."""
        htmx = {"HX-Request": "true"}
        if number % LEASE_EVERY_POLLS == 0:
            to = address_of(location, "x").split("/")[3]
            token = _TOKEN.search(page)
            form = {"token": token[1] if token else "", "queue": queue}
            self.ask("lease kept", "POST", f"/review/lease/{to}/", form, headers=htmx)
        elif number % QUEUE_EVERY_POLLS == 0:
            rows = htmx | {"HX-Target": "queue-rows"}
            self.ask("poll of the queue", "GET", f"/review/?{queue}", headers=rows)
        else:
            fields = approval(page)
            seen = {"version": fields["number"], "hash": fields["read_hash"]}
            query = urlencode(seen | {"stamp": self.stamp})
            to = f"{address_of(location, 'live')}?{query}"
            news = (200, 204)
            text, _ = self.ask(
                "poll of the review page", "GET", to, headers=htmx, expected=news
            )
            if fresh := _STAMP.search(text):
                self.stamp = fresh[1]


def review_together(
    site: RunningSite,
    sessions: Mapping[str, str],
    *,
    queue: str,
    seconds: float,
    processes: int,
    pause: float = DECIDES_EVERY_S,
) -> Together:
    """Let the reviewers with these sessions work at once for so long, each deciding every `pause` seconds.

    Returns what they saw.
    """
    found = Together(seconds)
    with web_server(site, processes) as (port, server):
        _warm(
            OverHttp(port, next(iter(sessions.values())), Together(0), pause),
            queue,
            processes,
        )
        used, own, database = (
            processor_seconds(server),
            time.process_time(),
            _database_s(),
        )
        until = time.monotonic() + seconds
        pauses = [ARRIVE_WITHIN_S * n / len(sessions) for n in range(len(sessions))]
        threads = [
            threading.Thread(
                target=_work,
                args=(OverHttp(port, key, found, pause), queue, until, pause),
            )
            for key, pause in zip(sessions.values(), pauses, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found.processor_s = processor_seconds(server) - used
        found.reviewers_s = time.process_time() - own
        found.database_s = _database_s() - database
    return found


def processor_seconds(pid: int) -> float:
    """Return the processor time that the process and those below it have used (Linux)."""
    ticks, waiting = 0, [pid]
    while waiting:
        here = waiting.pop()
        stat = Path(f"/proc/{here}/stat").read_text().rpartition(")")[2].split()
        ticks += int(stat[11]) + int(stat[12])
        children = Path(f"/proc/{here}/task/{here}/children").read_text()
        waiting += map(int, children.split())
    return ticks / os.sysconf("SC_CLK_TCK")


def _warm(person: OverHttp, queue: str, processes: int) -> None:
    """Let every web process have shown these pages once, as one has that runs since the morning: they compile templates."""
    form = {"queue": queue}
    for _ in range(4 * processes):
        person.ask("", "GET", f"/review/?{queue}")
        _, location = person.ask("", "POST", "/review/next/", form, expected=302)
        person.ask("", "GET", location)
    person.connection.close()


def _database_s() -> float:
    """Return the processor time of PostgreSQL's processes that live; 0 where it is elsewhere, or there is none."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone() or (0,)
    stat = Path(f"/proc/{backend}/stat")
    if not stat.exists():
        return 0.0
    return processor_seconds(int(stat.read_text().rpartition(")")[2].split()[1]))


def _work(person: OverHttp, queue: str, until: float, delay: float) -> None:
    try:
        person.work(queue, until, delay)
    except Exception as problem:  # told as a figure
        with person.found.lock:
            person.found.errors.append(f"{type(problem).__name__}: {problem}")
    finally:
        person.connection.close()


@contextmanager
def web_server(site: RunningSite, number: int) -> Iterator[tuple[int, int]]:
    """Run uvicorn as docs/deploy.md has it, with so many processes, on the database of `site`; give port and process id."""
    port = ports.free()
    words: Sequence[str] = [
        sys.executable, "-m", "uvicorn", "workbench.asgi:application", "--host", "127.0.0.1", "--port", str(port),
        "--workers", str(number), "--timeout-worker-healthcheck", "60", "--log-level", "warning", "--no-access-log", "--no-proxy-headers",
    ]  # fmt: skip
    with site.log.open("ab") as log:
        server = subprocess.Popen(
            words, env=site.environ, cwd=ROOT, stdout=log, stderr=log
        )
    try:
        processes.wait_until(
            lambda: _answers(port), 60, "the web server does not answer"
        )
        for _ in range(4 * number):  # each process compiles its templates
            _answers(port)
        yield port, server.pid
    finally:
        server.terminate()
        server.wait(20)


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/login/", timeout=10).close()
    except OSError:
        return False
    return True
