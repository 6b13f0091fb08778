"""Functions that run in threads beside the event loop."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from meadhall.server.worker.threads import run_in_thread

pytestmark = pytest.mark.asyncio


async def test_the_result_is_returned_and_the_exception_raised() -> None:
    assert await run_in_thread(max, 3, 4) == 4
    with pytest.raises(ZeroDivisionError):
        await run_in_thread(lambda: 1 // 0)


async def test_the_result_is_dropped_after_the_caller_was_cancelled() -> None:
    begun, go_on = Event(), Event()

    def wait() -> None:
        begun.set()
        go_on.wait(60)

    waiting = asyncio.create_task(run_in_thread(wait))
    await run_in_thread(begun.wait, 60)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go_on.set()
    await run_in_thread(int)
