"""Functions run in daemon threads, which a stopping server does not wait for.

``asyncio.to_thread`` would keep the process alive until the last function returns. A bot's search is worthless by then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


async def run_in_thread(function: Callable[P, R], *arguments: P.args, **options: P.kwargs) -> R:
    """Call ``function`` in a new thread, in the current context. Return its result or raise its exception."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[R] = loop.create_future()

    def settle(settle_future: Callable[[Any], None], outcome: Any) -> None:
        if not result.done():  # it is done if the caller was cancelled
            settle_future(outcome)

    def call() -> None:
        try:
            done = partial(settle, result.set_result, function(*arguments, **options))
        except Exception as error:
            done = partial(settle, result.set_exception, error)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(done)

    Thread(target=copy_context().run, args=(call,), name="worker", daemon=True).start()
    return await result
