"""Thinking beside the event loop, in threads that nobody waits for when the hall closes.

``asyncio.to_thread`` would keep the process until the last thought is finished; but whatever a bot thinks then, it thinks in
vain.
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


async def beside(function: Callable[P, R], *arguments: P.args, **options: P.kwargs) -> R:
    """What ``function`` returns or raises, called in a thread of its own, in the current context."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[R] = loop.create_future()

    def settle(how: Callable[[Any], None], outcome: Any) -> None:
        if not answer.done():  # nobody waits any more when it was cancelled
            how(outcome)

    def think() -> None:
        try:
            done = partial(settle, answer.set_result, function(*arguments, **options))
        except Exception as error:
            done = partial(settle, answer.set_exception, error)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(done)

    Thread(target=copy_context().run, args=(think,), name="thinking", daemon=True).start()
    return await answer
