"""Publish and subscribe inside the process."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from meadhall.server.hall.notices.pubsub import Channel, updates
from meadhall.server.web.event_stream import HEARTBEAT_INTERVAL
from server.manual_time import ManualTime


@pytest.mark.asyncio
async def test_a_subscriber_is_notified_once_at_first_and_then_only_of_changes() -> None:
    time = ManualTime()
    channel = Channel(time)

    async def is_told() -> bool:
        """Return whether the subscriber learns of a change within a second."""
        waiting = asyncio.create_task(subscriber.wait(1.0))
        await time.advance(1.0)
        return await waiting

    with channel.subscribe("ada") as subscriber, channel.subscribe("bob"), channel.subscribe("ada"):
        assert len(channel) == 3
        assert channel.guests() == {"ada": 2, "bob": 1}
        assert await is_told()
        assert not await is_told()
        channel.publish()
        channel.publish()
        assert await is_told()
        assert not await is_told()
    assert len(channel) == 0


@pytest.mark.asyncio
async def test_a_page_closed_while_waiting_does_not_block_others() -> None:
    channel = Channel(ManualTime())
    with channel.subscribe("") as other:
        await other.wait(60)
        with channel.subscribe("") as closed:
            await closed.wait(60)
            waiting = asyncio.create_task(closed.wait(60))
            await asyncio.sleep(0)
            channel.publish()
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        assert await other.wait(60)
        assert len(channel) == 1


@pytest.mark.asyncio
async def test_updates_end_when_the_server_closes() -> None:
    closing = asyncio.Event()
    time = ManualTime()
    received = []

    async def receive() -> None:
        with Channel(time).subscribe("") as subscriber:
            async for is_new in updates(subscriber, closing, 1.0):
                received.append(is_new)
                if len(received) == 3:
                    closing.set()

    receiving = asyncio.create_task(receive())
    for _ in range(3):
        await time.advance(1.0)
    await receiving
    assert received == [True, False, False]


def test_clients_wait_for_two_heartbeats_before_a_stream_counts_as_dead() -> None:
    root = Path(__file__).parents[2]
    script = (root / "src/meadhall/server/static/js/live.js").read_text()
    example = (root / "examples/bot.py").read_text()
    found = [
        int(text) / scale
        for text, scale in ((re.findall(r"SILENCE = (\d+)", script)[0], 1000), (re.findall(r"SILENCE = (\d+)", example)[0], 1))
    ]
    assert min(found) > 2 * HEARTBEAT_INTERVAL
