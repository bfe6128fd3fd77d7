"""Live pages are told through Redis where there is one."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from unittest.mock import patch

from asgiref.sync import async_to_sync, sync_to_async
from channels.layers import get_channel_layer
from django.db import transaction
from django.test import override_settings

from tests.case import CommittedTestCase
from tests.workbench.jobs.worker.harness import OnRedis
from workbench.events.log import record
from workbench.jobs.doorbell import Nudge
from workbench.live import hub as live
from workbench.live.tail import Poke
from workbench.ringing import GROUP, ring

PATIENCE_S = 30


class DeafDoorbell:
    """Stands in for the doorbell of a database that does not ring: only nudges end its wait."""

    def __init__(self, nudge: Nudge) -> None:
        self._nudge = nudge
        self.waits = threading.Event()

    def wait(self, seconds: float) -> bool:
        import select

        self.waits.set()
        select.select([self._nudge.reader], [], [], 10 * PATIENCE_S)
        return self._nudge.clear()

    def close(self) -> None:
        pass


class RingingTest(OnRedis, CommittedTestCase):
    def setUp(self) -> None:
        super().setUp()
        layer = {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [self.redis], "prefix": "test"},
        }
        self.enterContext(
            override_settings(REDIS_URL=self.redis, CHANNEL_LAYERS={"default": layer})
        )

    def add_event(self) -> None:
        with transaction.atomic():
            record("x", None, self.team)

    def test_a_commit_is_heard_on_the_other_side_of_redis(self) -> None:
        async def hear() -> str:
            layer = get_channel_layer()
            assert layer is not None
            channel = await layer.new_channel()
            await layer.group_add(GROUP, channel)
            await sync_to_async(self.add_event)()
            message = await asyncio.wait_for(layer.receive(channel), PATIENCE_S)
            return str(message["type"])

        self.assertEqual(async_to_sync(hear)(), "ring")

    def test_pages_hear_of_it_though_the_database_does_not_ring(self) -> None:
        bells: list[DeafDoorbell] = []

        def deaf(nudge: Nudge, channels: object) -> DeafDoorbell:
            bells.append(DeafDoorbell(nudge))
            return bells[-1]

        async def watch() -> list[Poke]:
            heard: asyncio.Queue[list[Poke]] = asyncio.Queue()
            own = live.hub()
            await own.join(heard.put)
            try:
                await asyncio.to_thread(bells[0].waits.wait, PATIENCE_S)
                for _ in range(PATIENCE_S):  # it may not listen to Redis yet
                    await sync_to_async(self.add_event)()
                    with suppress(TimeoutError):
                        return await asyncio.wait_for(heard.get(), 1)
                raise AssertionError("nothing was heard")
            finally:
                await own.close()

        with patch.object(live, "doorbell", deaf):
            pokes = async_to_sync(watch)()
        self.assertIn("events", pokes[0].topics)

    def test_nothing_is_rung_without_redis(self) -> None:
        with (
            override_settings(REDIS_URL=""),
            patch("workbench.ringing._ringer.ring") as rung,
        ):
            ring()
        rung.assert_not_called()
