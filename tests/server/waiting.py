"""Wait for what a test expects, not for time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

PATIENCE = 60.0
"""Timeout in seconds. Only something broken takes so long."""

_conditions: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[asyncio.Future[None], Callable[[], bool]]] = WeakKeyDictionary()


async def until(holds: Callable[[], object]) -> None:
    """Wait until a condition holds. It is checked after every turn of the event loop."""
    if holds():
        return
    loop = asyncio.get_running_loop()
    met: asyncio.Future[None] = loop.create_future()
    conditions = _conditions_of(loop)
    conditions[met] = lambda: bool(holds())
    try:
        async with asyncio.timeout(PATIENCE):
            await met
    finally:
        del conditions[met]


def _conditions_of(loop: Any) -> dict[asyncio.Future[None], Callable[[], bool]]:
    if loop in _conditions:
        return _conditions[loop]
    conditions = _conditions[loop] = {}
    run_once = loop._run_once

    def run_once_and_check() -> None:
        run_once()
        for met, holds in conditions.items():
            if not met.done():
                try:
                    if holds():
                        met.set_result(None)
                except Exception as error:
                    met.set_exception(error)

    loop._run_once = run_once_and_check
    return conditions


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that waits for nothing, such as a transaction on SQLite."""
    try:
        work.send(None)
    except StopIteration as finished:
        result: T = finished.value
        return result
    work.close()
    raise AssertionError("it waits")
