"""Quick match, for forms and programs: sit at the first open table that fits, or open one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import delete, get, post
from litestar.response import Redirect

from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.choices import new_choice
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.quick_match import quick_match, stop_waiting, waiting_at, wanted_match
from meadhall.server.hall.room import Room
from meadhall.server.pages.clock import read_clock
from meadhall.server.pages.front_page import OPTION, USUAL_CLOCK
from meadhall.server.pages.lobby import USUAL_WAIT, wait_of_form
from meadhall.server.pages.responses import see_other
from meadhall.server.routes.api_models import STRICT, ClockChoice, clock_of, refusals
from meadhall.server.store.models import Guest, TableStatus
from meadhall.server.web.forms import Form, integer
from meadhall.server.web.links import link
from meadhall.server.web.sessions import Sessions


class NewQuickMatch(msgspec.Struct, forbid_unknown_fields=True):
    """A match to look for. After ``bots_after`` seconds bots take the empty seats; null: never. ``bot`` is their level."""

    game: str
    players: int | None = None
    options: dict[str, Any] = {}
    bots_after: Annotated[int, msgspec.Meta(ge=1, le=3600)] | None = None
    bot: str = ""
    clock: ClockChoice | None = None


class QuickMatchInfo(msgspec.Struct):
    """The table where you sit. Its ``status`` is ``gathering`` while you wait, and ``running`` when the match has begun.

    ``waiting`` is the number of people who have a seat, you among them. At ``bots_at`` bots take the empty seats; null: never.
    """

    table: str
    status: TableStatus
    waiting: int
    bots_at: datetime | None


def _info(room: Room) -> QuickMatchInfo:
    people = sum(row.kind == "human" for row in room.table.seats)
    wait = room.state.wait if room.table.status == "gathering" else None
    return QuickMatchInfo(room.table.id, room.table.status, people, None if wait is None else wait.until)


@post("/quick", status_code=200)
async def look(hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Redirect:
    """Sit at a table for the chosen game, number of players, options and clock."""
    hall.switches.check("quick_match", guest)
    guest = sessions.save(guest, name=form.get("name", ""))
    subject = game(form.get("game", ""))
    options = {name.removeprefix(OPTION): value for name, value in form.items() if name.startswith(OPTION)}
    choice = new_choice(subject, guest, integer(form, "seats"), form.get("bot", ""), options)
    players = max(2, choice.players, subject.min_players)
    after = wait_of_form(form) if form.get("bots_after") else USUAL_WAIT
    clock = read_clock(form.get("clock") or USUAL_CLOCK)
    wanted = await wanted_match(subject.name, players, choice.options, clock, after, choice.bot)
    room = await quick_match(hall, guest, wanted)
    return see_other(link(f"/tables/{room.table.id}"))


@post("/quick-match", status_code=200, responses=refusals(400, 401, 403, 404, 413, 429, 503))
async def look_for_match(data: Annotated[NewQuickMatch, STRICT], hall: Hall, program: Guest) -> QuickMatchInfo:
    """Sit at the first open table for this game, number of players, options and clock, or open one.

    The match begins when all seats are taken. You keep your seat as long as you listen to the table's stream, or ask for the
    table or for this at least every 15 seconds.
    """
    hall.switches.check("quick_match", program)
    clock = None if data.clock is None else clock_of(data.clock)
    wanted = await wanted_match(data.game, data.players, data.options, clock, data.bots_after, data.bot)
    return _info(await quick_match(hall, program, wanted))


@get("/quick-match", responses=refusals(401, 404))
async def show_quick_match(hall: Hall, program: Guest) -> QuickMatchInfo:
    """Return the table where you wait. It is a sign that you still wait."""
    room = await waiting_at(hall, program)
    if room is None:
        raise NotFound(_("You are not waiting for a match."))
    return _info(room)


@delete("/quick-match", status_code=204, responses=refusals(401))
async def stop_looking(hall: Hall, program: Guest) -> None:
    """Leave the table where you wait. If you don't wait, nothing changes."""
    await stop_waiting(hall, program)


routes = [look]
api_routes = [look_for_match, show_quick_match, stop_looking]
