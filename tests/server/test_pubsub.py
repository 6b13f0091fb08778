"""Fan-out inside the process, and the count of streams."""

from __future__ import annotations

import asyncio

import pytest

from meadhall.server.errors import TooMany
from meadhall.server.hall.pubsub import Hub, Turns, pulses
from meadhall.server.web.stream_limit import Streams
from meadhall.server.worker.threads import beside


@pytest.mark.asyncio
async def test_a_watcher_is_woken_at_once_and_then_by_news_only() -> None:
    hub = Hub(Turns())
    with hub.watching("ada") as watcher, hub.watching("bob"), hub.watching("ada"):
        assert len(hub) == 3
        assert hub.guests() == {"ada": 2, "bob": 1}
        assert await watcher.wait(60)
        assert not await watcher.wait(0.001)
        hub.wake()
        hub.wake()
        assert await watcher.wait(60)
        assert not await watcher.wait(0.001)
    assert len(hub) == 0


@pytest.mark.asyncio
async def test_a_change_is_seen_by_all_before_the_next_is_made() -> None:
    turns, happened = Turns(), list[str]()
    hubs = {table: Hub(turns) for table in "abc"}

    async def watch(table: str) -> None:
        with hubs[table].watching("") as watcher:
            await watcher.wait(60)
            while await watcher.wait(60):
                happened.append(f"{table} seen")

    async def change(table: str) -> None:
        await turns.turn()
        happened.append(f"{table} changed")
        hubs[table].wake()

    async def change_nothing() -> None:
        await turns.turn()
        happened.append("refused")

    watching = [asyncio.create_task(watch(table)) for table in "aabc"]
    await asyncio.sleep(0.01)
    changing = [asyncio.create_task(each) for each in (change("a"), change("b"), change_nothing(), change("b"), change("c"))]
    await asyncio.sleep(0)
    changing[3].cancel()
    await asyncio.gather(*changing, return_exceptions=True)
    await asyncio.sleep(0.01)
    assert happened == ["a changed", "a seen", "a seen", "b changed", "b seen", "refused", "c changed", "c seen"]
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    await asyncio.wait_for(change("a"), 60)


@pytest.mark.asyncio
async def test_who_is_stopped_as_their_turn_comes_stops_nobody_else() -> None:
    turns = Turns()
    turns.woken()
    stopped, next_one = asyncio.create_task(turns.turn()), asyncio.create_task(turns.turn())
    await asyncio.sleep(0)
    turns.told()
    stopped.cancel()
    await asyncio.wait_for(next_one, 60)
    assert stopped.cancelled()


@pytest.mark.asyncio
async def test_nobody_waits_for_a_page_that_was_closed_while_it_was_woken() -> None:
    turns = Turns()
    hub = Hub(turns)
    with hub.watching("") as watcher:
        await watcher.wait(60)
        waiting = asyncio.create_task(watcher.wait(60))
        await asyncio.sleep(0)
        hub.wake()
        waiting.cancel()
        await asyncio.wait_for(turns.turn(), 60)


@pytest.mark.asyncio
async def test_pulses_end_when_the_hall_closes() -> None:
    closing = asyncio.Event()
    with Hub(Turns()).watching("") as watcher:
        heard = []
        async for news in pulses(watcher, closing, 0.001):
            heard.append(news)
            if len(heard) == 3:
                closing.set()
    assert heard == [True, False, False]


def test_streams_are_counted_by_address() -> None:
    streams = Streams(1)
    with streams.counted("a"):
        assert streams.total == 1
        streams.check("b")
        with pytest.raises(TooMany):
            streams.check("a")
    streams.check("a")
    assert streams.total == 0


@pytest.mark.asyncio
async def test_what_is_thought_beside_comes_back_or_fails_here() -> None:
    assert await beside(max, 3, 4) == 4
    with pytest.raises(ZeroDivisionError):
        await beside(lambda: 1 // 0)


@pytest.mark.asyncio
async def test_a_thought_that_nobody_waits_for_any_more_is_dropped() -> None:
    from threading import Event

    begun, go_on = Event(), Event()

    def think() -> None:
        begun.set()
        go_on.wait(60)

    thinking = asyncio.create_task(beside(think))
    await beside(begun.wait, 60)
    thinking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await thinking
    go_on.set()
    await beside(int)
