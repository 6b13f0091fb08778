"""Quick match for programs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import delete, get, post

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.matching.quick_match import Queue
from meadhall.server.routes.api_models import STRICT, ClockChoice, clock_of, refusals
from meadhall.server.store.clock import Clock
from meadhall.server.store.models import Guest


class NewQuickMatch(msgspec.Struct, forbid_unknown_fields=True):
    """A match to look for. After ``bots_after`` seconds bots take the empty seats; null: never. ``bot`` is their level."""

    game: str
    players: int | None = None
    options: dict[str, Any] = {}
    bots_after: Annotated[int, msgspec.Meta(ge=1, le=3600)] | None = None
    bot: str = ""
    clock: ClockChoice | None = None


class QuickMatchInfo(msgspec.Struct):
    """What you look for: either ``table`` is the id of the table where you were seated, or you wait.

    ``waiting`` is the number of people who wait for the same match, you among them. At ``bots_at`` bots take the empty seats.
    """

    table: str | None
    game: str | None = None
    players: int | None = None
    options: dict[str, Any] | None = None
    waiting: int = 0
    since: datetime | None = None
    bots_at: datetime | None = None
    clock: Clock | None = None


def _info(state: Queue | str) -> QuickMatchInfo:
    if isinstance(state, str):
        return QuickMatchInfo(state)
    request = state.request
    return QuickMatchInfo(
        None,
        request.game,
        request.players,
        dict(request.options),
        len(state.names),
        request.created_at,
        request.bots_at,
        request.clock,
    )


async def _state(hall: Hall, program: Guest) -> QuickMatchInfo:
    state = await hall.quick.state_of(program)
    if state is None:
        raise NotFound(_("You are not waiting for a match."))
    return _info(state)


@post("/quick-match", status_code=200, responses=refusals(400, 401, 404, 413, 429))
async def look_for_match(data: Annotated[NewQuickMatch, STRICT], hall: Hall, program: Guest) -> QuickMatchInfo:
    """Look for other people who want the same game, number of players, options and clock.

    You wait as long as you ask for the state at least every 15 seconds.
    """
    table = await hall.quick.look(
        program,
        data.game,
        data.players,
        data.options,
        data.bots_after,
        data.bot,
        None if data.clock is None else clock_of(data.clock),
    )
    return QuickMatchInfo(table) if table is not None else await _state(hall, program)


@get("/quick-match", responses=refusals(401, 404))
async def show_quick_match(hall: Hall, program: Guest) -> QuickMatchInfo:
    """Return what you wait for, or the table where you were seated. It is a sign that you still wait."""
    return await _state(hall, program)


@delete("/quick-match", status_code=204, responses=refusals(401))
async def stop_looking(hall: Hall, program: Guest) -> None:
    """Stop waiting. If you don't wait, nothing changes."""
    hall.quick.end(program)


handlers = [look_for_match, show_quick_match, stop_looking]
