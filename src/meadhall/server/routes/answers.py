"""The answer to a form of a table."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from litestar import Response
from litestar.response import Redirect

from meadhall.engine.errors import MeadhallError
from meadhall.server.hall.room import Room
from meadhall.server.pages.responses import table_answer
from meadhall.server.store.models import Guest
from meadhall.server.web.request import AnyRequest

Answer = Response[Any] | Redirect


async def answer_after(
    change: Awaitable[object], request: AnyRequest, room: Room, guest: Guest, action: int | None = None
) -> Answer:
    """Await a change of a table, then return the table after it, with the reason if the change (an ``action``) was refused."""
    try:
        await change
    except MeadhallError as error:
        return table_answer(request, room, guest, error, action)
    await asyncio.sleep(0)  # streams first: the page that sent the form has one too
    return table_answer(request, room, guest)
