from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any
from unittest.mock import patch

from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.test import override_settings

from tests.case import CommittedTestCase, Persona
from tests.workbench.jobs.samples import jobs as samples  # noqa: F401  # declares them
from workbench.access.models import Membership, User
from workbench.asgi import application
from workbench.jobs import submit
from workbench.jobs.models import Job
from workbench.jobs.perform import run_waiting
from workbench.live import consumer as consumer_module
from workbench.live.hub import hub
from workbench.live.tail import Poke, Tail, newest

HOST = "testserver"


class Page:
    """A browser page at its socket. Hears until a message of the wanted kind comes, so order and merging do not matter."""

    def __init__(
        self,
        persona: Persona | None,
        origin: str = f"http://{HOST}",
        path: str = "/live/",
    ) -> None:
        headers = [(b"host", HOST.encode()), (b"origin", origin.encode())]
        name = settings.SESSION_COOKIE_NAME
        cookie = persona.client.cookies.get(name) if persona else None
        if cookie is not None:
            headers.append((b"cookie", f"{name}={cookie.value}".encode()))
        scope = {
            "type": "websocket",
            "path": path,
            "headers": headers,
            "query_string": b"",
            "subprotocols": [],
        }
        self.socket = ApplicationCommunicator(application, scope)

    async def open(self) -> bool:
        await self.socket.send_input({"type": "websocket.connect"})
        answer = await self.socket.receive_output(10)
        if answer["type"] != "websocket.accept":
            return False
        self.greeting = await self.socket.receive_output(10)
        return True

    async def say(self, **message: Any) -> None:
        await self.say_text(json.dumps(message))

    async def say_text(self, text: str) -> None:
        await self.socket.send_input({"type": "websocket.receive", "text": text})

    async def next(self) -> dict[str, Any]:
        output = await self.socket.receive_output(10)
        assert output["type"] == "websocket.send", output
        return dict(json.loads(output["text"]))

    async def hear(self, key: str) -> Any:
        while True:
            message = await self.next()
            if key in message:
                return message[key]

    async def follow(self, *topics: str) -> dict[str, Any]:
        await self.say(follow=list(topics))
        return await self.next()

    async def close_code(self) -> int:
        output = self.greeting
        while True:
            if output["type"] == "websocket.close":
                return int(output["code"])
            output = await self.socket.receive_output(10)

    async def leave(self) -> None:
        await self.socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.socket.wait(10)


def in_a_loop(test: Callable[[Any], Awaitable[None]]) -> Callable[[Any], None]:
    """Run an async test, and end the thread that it started."""

    async def run(self: Any) -> None:
        try:
            await test(self)
        finally:
            await hub().close()

    def sync(self: Any) -> None:
        async_to_sync(run)(self)

    sync.__name__ = test.__name__
    return sync


@override_settings(ALLOWED_HOSTS=[HOST])
class ConsumerTest(CommittedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.job = self.make()

    def make(self) -> Job:
        return submit(
            "sample-add", owner=self.curator.user, team=self.team, args={"a": 1, "b": 2}
        )

    @in_a_loop
    async def test_it_pokes_who_follows_a_job(self) -> None:
        page = Page(self.reader)
        self.assertTrue(await page.open())
        self.assertNotIn("ended", await page.follow(f"job:{self.job.pk}"))
        await database_sync_to_async(run_waiting)()
        self.assertIn(f"job:{self.job.pk}", await page.hear("pokes"))
        await page.leave()

    @in_a_loop
    async def test_it_tells_the_owner_once_that_a_job_has_ended(self) -> None:
        page = Page(self.curator)
        await page.open()
        await page.follow("jobs")
        await database_sync_to_async(run_waiting)()
        ((_, words),) = await page.hear("said")
        self.assertEqual(words, f"Add {self.job.pk} is done: 1 + 2 = 3")
        await page.leave()

    @in_a_loop
    async def test_it_tells_nobody_else(self) -> None:
        page = Page(self.reader)
        await page.open()
        await page.follow("jobs")
        await database_sync_to_async(run_waiting)()
        heard = await self.everything(page, self.reader.user)
        self.assertTrue(any("pokes" in message for message in heard))
        said = [words for message in heard for _, words in message.get("said", [])]
        self.assertFalse(any(words.startswith("Add") for words in said))
        await page.leave()

    async def everything(self, page: Page, owner: User) -> list[dict[str, Any]]:
        """Return what the page hears until a marker, a job of its own person, has come through."""
        marker = await database_sync_to_async(submit)("sample-nothing", owner=owner)
        await page.say(follow=[f"job:{marker.pk}"])
        heard = []
        while (message := await page.next()).keys() != {"at"}:  # the empty answer
            heard.append(message)
        await database_sync_to_async(run_waiting)()
        while f"job:{marker.pk}" not in message.get("pokes", {}):
            message = await page.next()
            heard.append(message)
        return heard

    @in_a_loop
    async def test_it_refuses_topics_of_another_team(self) -> None:
        page = Page(self.outsider)
        await page.open()
        topic = f"job:{self.job.pk}"
        self.assertEqual((await page.follow(topic))["ended"], [topic])
        await page.leave()

    @in_a_loop
    async def test_it_keeps_pokes_of_another_team_out_of_the_lists(self) -> None:
        page = Page(self.outsider)
        await page.open()
        await page.follow("jobs", "events")
        await database_sync_to_async(run_waiting)()
        others = (await database_sync_to_async(newest)()).job_event
        heard = await self.everything(page, self.outsider.user)
        jobs = [
            message["pokes"]["jobs"]
            for message in heard
            if "jobs" in message.get("pokes", {})
        ]
        self.assertTrue(jobs)
        self.assertGreater(min(jobs), others)
        await page.leave()

    @in_a_loop
    async def test_it_replays_what_was_missed(self) -> None:
        page = Page(self.curator)
        await page.open()
        at = (await page.follow("jobs"))["at"]
        await page.leave()
        await database_sync_to_async(run_waiting)()
        page = Page(self.curator)
        await page.open()
        await page.say(follow=[f"job:{self.job.pk}", "jobs"], since=at)
        pokes: set[str] = set()
        said: set[str] = set()
        while not (said and len(pokes) == 2):
            message = await page.next()
            pokes.update(message.get("pokes", {}))
            said.update(words for _, words in message.get("said", []))
        self.assertEqual(pokes, {f"job:{self.job.pk}", "jobs"})
        self.assertEqual(said, {f"Add {self.job.pk} is done: 1 + 2 = 3"})
        await page.leave()

    @in_a_loop
    async def test_a_topic_ends_when_the_right_is_lost(self) -> None:
        topic = f"job:{self.job.pk}"
        with self.rechecking_at_once():
            page = Page(self.reader)
            await page.open()
            await page.follow(topic)
            await database_sync_to_async(
                Membership.objects.filter(user=self.reader.user).delete
            )()
            self.assertEqual(await page.hear("ended"), [topic])
            await page.leave()

    @in_a_loop
    async def test_the_socket_closes_when_the_person_logs_out(self) -> None:
        with self.rechecking_at_once():
            page = Page(self.reader)
            await page.open()
            await page.follow("jobs")
            await database_sync_to_async(self.reader.client.logout)()
            self.assertEqual(await page.close_code(), consumer_module.LOGGED_OUT)

    @in_a_loop
    async def test_the_socket_closes_when_the_account_is_closed(self) -> None:
        with self.rechecking_at_once():
            page = Page(self.reader)
            await page.open()
            await page.follow("jobs")
            user = self.reader.user
            user.is_active = False
            await database_sync_to_async(user.save)()
            self.assertEqual(await page.close_code(), consumer_module.LOGGED_OUT)

    def rechecking_at_once(self) -> Any:
        return patch.object(consumer_module, "RECHECKS_EVERY_S", 0.2)

    @in_a_loop
    async def test_a_visitor_is_sent_away(self) -> None:
        page = Page(None)
        await page.open()
        self.assertEqual(await page.close_code(), consumer_module.LOGGED_OUT)

    @in_a_loop
    async def test_a_page_of_another_origin_is_refused(self) -> None:
        for origin in (
            "http://evil.example",
            f"http://{HOST}:8001",
            "",
            "null",
            "file://",
            f"ftp://{HOST}",
        ):
            with self.subTest(origin=origin):
                self.assertFalse(await Page(self.curator, origin=origin).open())

    @in_a_loop
    async def test_another_address_is_refused(self) -> None:
        self.assertFalse(await Page(self.curator, path="/live/else/").open())

    @in_a_loop
    async def test_it_hangs_up_on_nonsense(self) -> None:
        for text in (
            "[]", "{", '{"follow": 3}', '{"follow": [3]}', '{"since": [1]}', '{"since": ["1", 2]}', '{"since": [-1, 2]}',
            '{"since": [true, 2]}', '{"other": 1}', json.dumps({"follow": ["x" * 81]}),
            json.dumps({"follow": [f"job:{number}" for number in range(101)]}), '{"follow": ' + "[" * 50_000,
        ):  # fmt: skip
            with self.subTest(text=text[:40]):
                page = Page(self.curator)
                await page.open()
                await page.say_text(text)
                self.assertEqual(await page.close_code(), consumer_module.BAD_MESSAGE)

    @in_a_loop
    async def test_unknown_topics_end_at_once(self) -> None:
        page = Page(self.curator)
        await page.open()
        topics = [
            "job:",
            "job:x",
            "job:999999",
            "job:99999999999999999999",
            "nothing:1",
            "job:1 OR 1",
            "",
            "²",
        ]
        self.assertEqual((await page.follow(*topics))["ended"], sorted(topics))
        await page.leave()

    @in_a_loop
    async def test_a_database_that_stumbles_is_read_again(self) -> None:
        read, stumbles = Tail.read, [OperationalError("gone"), InterfaceError("closed")]

        def stumbling(tail: Tail) -> list[Poke]:
            if stumbles:
                raise stumbles.pop()
            return read(tail)

        with patch.object(Tail, "read", stumbling):
            page = Page(self.reader)
            await page.open()
            await page.follow("jobs")
            await database_sync_to_async(run_waiting)()
            self.assertIn("jobs", await page.hear("pokes"))
            await page.leave()
        self.assertEqual(stumbles, [])

    @in_a_loop
    async def test_many_pages_share_one_reader(self) -> None:
        pages = [Page(self.curator) for _ in range(20)]
        for page in pages:
            await page.open()
            await page.follow("jobs")
        await database_sync_to_async(run_waiting)()
        heard = await asyncio.gather(*(page.hear("pokes") for page in pages))
        self.assertTrue(all("jobs" in pokes for pokes in heard))
        self.assertEqual(len(hub()._listeners), 20)
        for page in pages:
            await page.leave()
        self.assertEqual(len(hub()._listeners), 0)
