"""The socket at `/live/`: a browser says which topics its page shows, and is poked when something happens in them.

It says `{"follow": [topics], "leave": [topics], "since": [job event, event]}`, each key optional. It hears
`{"at": [job event, event], "pokes": {topic: id}, "said": [[id, sentence]], "ended": [topics]}`, each key optional:
`ended` are topics that it may not follow, or no longer. A poke carries no content: the page asks for what it shows
as it always does, so that rights are checked where they always are.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any, Final

from channels.auth import get_user
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.contrib.sessions.backends.db import SessionStore

from workbench.access.models import User
from workbench.live.hub import NotReady, hub
from workbench.live.sight import LISTS, Sight, may_follow, sight_of
from workbench.live.tail import Cursor, Poke, missed, newest

RECHECKS_EVERY_S: Final = 10.0
TOPICS_AT_MOST, TOPIC_CHARACTERS = 100, 80
LOGGED_OUT, BAD_MESSAGE, TRY_LATER = 4401, 4400, 4503


class LiveConsumer(AsyncJsonWebsocketConsumer):
    """One browser page."""

    user: User
    sight: Sight
    at: Cursor

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.topics: set[str] = set()
        self._checked_at = 0.0
        self._rechecking: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        await self.accept()
        if not isinstance(self.scope["user"], User):
            await self.close(LOGGED_OUT)
            return
        self.user = self.scope["user"]
        try:
            await hub().join(self.poked)
        except NotReady:
            await self.close(TRY_LATER)
            return
        self.at, self.sight = await database_sync_to_async(self._first_look)()
        self._checked_at = time.monotonic()
        await self._send({})
        self._rechecking = asyncio.create_task(self._recheck_now_and_then())

    def _first_look(self) -> tuple[Cursor, Sight]:
        return newest(), sight_of(self.user)

    async def disconnect(self, code: int) -> None:
        hub().leave(self.poked)
        if self._rechecking is not None:
            self._rechecking.cancel()

    @classmethod
    async def decode_json(cls, text_data: str) -> Any:
        try:
            return await super().decode_json(text_data)
        except (ValueError, RecursionError):
            return None

    async def receive_json(self, content: Any, **kwargs: Any) -> None:
        message = _read(content)
        if message is None or len(self.topics | message.follow) > TOPICS_AT_MOST:
            await self.close(BAD_MESSAGE)
            return
        self.topics -= message.leave
        allowed = await database_sync_to_async(self._allowed)(message.follow)
        self.topics |= allowed
        answer: dict[str, Any] = {}
        if message.since is not None:
            touched, said = await database_sync_to_async(missed)(
                self.sight, allowed, message.since
            )
            answer = {"pokes": dict.fromkeys(touched, self.at.job_event), "said": said}
        if message.follow - allowed:
            answer["ended"] = sorted(message.follow - allowed)
        await self._send(answer)

    def _allowed(self, topics: set[str]) -> set[str]:
        return {topic for topic in topics if may_follow(self.user, topic)}

    async def poked(self, pokes: list[Poke]) -> None:
        """Pass on what concerns this page; called by the hub."""
        if not hasattr(self, "at"):
            return
        if (
            time.monotonic() - self._checked_at > RECHECKS_EVERY_S
            and not await self._recheck()
        ):
            return
        heard: dict[str, int] = {}
        said: list[tuple[int, str]] = []
        for poke in pokes:
            self.at = self.at.merged(poke)
            seen = self.sight.covers(
                owner_id=poke.owner_id,
                team_id=poke.team_id,
                instance_id=poke.instance_id,
            )
            for topic in self.topics.intersection(poke.topics):
                if seen or topic not in LISTS:
                    heard[topic] = poke.number
            if poke.said and poke.owner_id == self.user.pk:
                said.append((poke.number, poke.said))
        if heard or said:
            await self._send({"pokes": heard, "said": said})

    async def _send(self, answer: dict[str, Any]) -> None:
        filled = {key: value for key, value in answer.items() if value}
        await self.send_json({"at": [self.at.job_event, self.at.event], **filled})

    async def _recheck_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(RECHECKS_EVERY_S)
            with contextlib.suppress(
                Exception
            ):  # a database that is away is noticed by the hub
                await self._recheck()

    async def _recheck(self) -> bool:
        """Drop what the person may no longer follow; close the socket of one who has logged out. Returns if it is open."""
        self._checked_at = time.monotonic()
        scope: Any = {"session": SessionStore(self.scope["session"].session_key)}
        user = await get_user(scope)
        if not isinstance(user, User) or user.pk != self.user.pk:
            await self.close(LOGGED_OUT)
            return False
        self.user = user
        self.sight = await database_sync_to_async(sight_of)(user)
        lost = self.topics - await database_sync_to_async(self._allowed)(
            set(self.topics)
        )
        if lost:
            self.topics -= lost
            await self._send({"ended": sorted(lost)})
        return True


class _Message:
    def __init__(self, follow: set[str], leave: set[str], since: Cursor | None) -> None:
        self.follow, self.leave, self.since = follow, leave, since


def _read(content: Any) -> _Message | None:
    """Return the message in `content`, or None if it is none."""
    if not isinstance(content, dict) or content.keys() - {"follow", "leave", "since"}:
        return None
    follow, leave = content.get("follow", []), content.get("leave", [])
    for topics in (follow, leave):
        if not isinstance(topics, list) or len(topics) > TOPICS_AT_MOST:
            return None
        if not all(
            isinstance(topic, str) and len(topic) <= TOPIC_CHARACTERS
            for topic in topics
        ):
            return None
    since = content.get("since")
    if since is None:
        return _Message(set(follow), set(leave), None)
    whole = isinstance(since, list) and len(since) == 2
    if not whole or not all(
        type(number) is int and 0 <= number < 2**63 for number in since
    ):
        return None
    return _Message(set(follow), set(leave), Cursor(*since))
