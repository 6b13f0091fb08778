"""Quick match: look for other people to play with, wait on a page that shows who waits, or stop."""

from __future__ import annotations

from collections.abc import AsyncIterator

from litestar import get, post
from litestar.response import Redirect, Stream

from meadhall.engine.registry import game
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.matching.choices import new_choice
from meadhall.server.hall.matching.quick_match import SIGN_INTERVAL
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.pages.clock_words import read_clock
from meadhall.server.pages.hall import OPTION, USUAL_CLOCK
from meadhall.server.pages.quick_match import DEFAULT_TIME, NEVER, quick_page
from meadhall.server.pages.responses import Answer, page, see_other
from meadhall.server.pages.templates import render_part
from meadhall.server.store.models import Guest
from meadhall.server.web import event_stream
from meadhall.server.web.forms import Form, integer
from meadhall.server.web.limits import StreamLimit
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions


@post("/quick", status_code=200)
async def look(hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Redirect:
    """Wait for a match with the chosen players, options and clock. It begins at once if enough people wait for it."""
    guest = sessions.save(guest, name=form.get("name", ""))
    subject = game(form.get("game", ""))
    options = {name.removeprefix(OPTION): value for name, value in form.items() if name.startswith(OPTION)}
    choice = new_choice(subject, guest, integer(form, "seats"), form.get("bot", ""), options)
    players = max(2, choice.players, subject.min_players)
    time = form.get("bots_after", "")
    after = None if time == NEVER else integer(form, "bots_after") if time else DEFAULT_TIME
    clock = read_clock(form.get("clock") or USUAL_CLOCK)
    table = await hall.quick.look(guest, subject.name, players, choice.options, after, choice.bot, clock)
    return see_other(link("/quick" if table is None else f"/tables/{table}"))


@get("/quick")
async def wait(request: AnyRequest, hall: Hall, guest: Guest, hidden: bool = False) -> Answer:
    """Show what the guest waits for and who else does. When the match has begun, lead to it. ``hidden``: a hidden page asks."""
    state = await hall.quick.state_of(guest, hidden) if guest.is_stored else None
    if isinstance(state, str):
        return see_other(link(f"/tables/{state}"))
    return page(request, guest, "quick.html", quick_page(state, hall.time.now()))


@get("/quick/stream", opt={"unlimited": True})
async def stream_wait(request: AnyRequest, hall: Hall, guest: Guest, stream_limit: StreamLimit) -> Stream:
    """Send the page's content whenever it changes, and at last a ``table`` event with the address of the match.

    The guest waits as long as the stream is open.
    """
    stream_limit.check(request, guest)

    async def events() -> AsyncIterator[bytes]:
        sent = ""
        try:
            with stream_limit.count(request, guest), hall.quick.page_of(guest) as subscriber:
                async for _ in updates(subscriber, hall.closing, SIGN_INTERVAL):
                    hall.attendance.note(guest.id)
                    state = await hall.quick.state_of(guest)
                    if isinstance(state, str):
                        yield event_stream.encode_event(link(f"/tables/{state}"), "table")
                        return
                    content = render_part("_quick.html", quick_page(state, hall.time.now()))
                    if content != sent:
                        yield event_stream.encode_event(content.strip())
                    elif subscriber.is_due:  # not after a change that concerns other guests
                        yield event_stream.HEARTBEAT
                    sent = content
        finally:
            hall.quick.left(guest)

    return event_stream.event_stream(events())


@post("/quick/left", status_code=204)
async def leave(hall: Hall, guest: Guest) -> None:
    """Note that a hidden page was closed, which has no stream."""
    hall.quick.left(guest, hidden=True)


@post("/quick/end", status_code=200)
async def stop(hall: Hall, guest: Guest) -> Redirect:
    """Stop waiting."""
    hall.quick.end(guest)
    return see_other(link("/"))


routes = [look, wait, stream_wait, leave, stop]
