"""The daily puzzle: today's, and the results of earlier days."""

from __future__ import annotations

from datetime import date

from litestar import Response, get, post

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.daily_attempts import begin, play_unranked
from meadhall.server.hall.daily_puzzle import today
from meadhall.server.hall.hall import Hall
from meadhall.server.pages.daily import daily_page
from meadhall.server.pages.responses import Answer, Html, page, see_other, wants_json
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link, outside
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions


@get("/daily")
async def show_today(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show today's puzzle: before, during or after the guest's attempt."""
    return page(request, guest, "daily.html", await daily_page(hall, guest, today(hall.time), outside(request)))


@post("/daily", status_code=200)
async def begin_today(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions) -> Answer:
    """Begin the guest's attempt at today's puzzle, or continue it."""
    room = await begin(hall, sessions.save(guest))
    if wants_json(request):
        return Response({"id": room.table.id, "url": link(f"/tables/{room.table.id}")}, status_code=201)
    return see_other(link(f"/tables/{room.table.id}"))


@get("/daily/{day:str}")
async def show_day(request: AnyRequest, hall: Hall, guest: Guest, day: str) -> Html:
    """Show the results of a day (``2026-11-21``)."""
    if not _is_day(day) or day > today(hall.time):
        raise NotFound(_("There is no puzzle for that day."))
    return page(request, guest, "daily.html", await daily_page(hall, guest, day, outside(request)))


@post("/daily/{day:str}", status_code=200)
async def play_past_day(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, day: str) -> Answer:
    """Play the deal of a past day, unranked."""
    if not _is_day(day):
        raise NotFound(_("There is no puzzle for that day."))
    room = await play_unranked(hall, sessions.save(guest), day)
    if wants_json(request):
        return Response({"id": room.table.id, "url": link(f"/tables/{room.table.id}")}, status_code=201)
    return see_other(link(f"/tables/{room.table.id}"))


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


routes = [show_today, begin_today, show_day, play_past_day]
