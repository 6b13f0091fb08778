"""Evenings: open one, join it, lead it, and watch it on a big screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Final, cast

from litestar import Response, get, post
from litestar.response import Redirect, Stream
from markupsafe import Markup

from meadhall.engine.errors import MeadhallError
from meadhall.engine.registry import game_names
from meadhall.engine.text.language import LANGUAGES, current_language, gettext as _, speak
from meadhall.pictures.regions import encoded
from meadhall.server.errors import NotFound, WrongMoment, reason_of, rule_of, status_of
from meadhall.server.hall.evening.progress import Progress
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.pages import evening as pages
from meadhall.server.pages.clock import read_clock
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.picture import Pictures, as_png
from meadhall.server.pages.responses import Answer, Html, page, see_other
from meadhall.server.store.models import Guest
from meadhall.server.web import event_stream
from meadhall.server.web.forms import Form, integer
from meadhall.server.web.limits import StreamLimit
from meadhall.server.web.links import link, outside
from meadhall.server.web.request import AnyRequest, page_id
from meadhall.server.web.sessions import Sessions

LOOK: Final = 2.0
"""Seconds after which a stream looks whether a match of the evening has ended, or a board on the big screen has changed."""


@get("/evenings/new")
async def show_form(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show the form for a new evening."""
    hall.switches.check("evenings", guest)
    return page(request, guest, "evening/new.html", None, **pages.form_fields(), given={}, notice=None)


@post("/evenings", status_code=200)
async def open_evening(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Answer:
    """Open an evening, which the guest leads."""
    hall.switches.check("evenings", guest)
    try:
        evening = hall.evenings.open(
            sessions.save(guest, name=form.get("leader", "")),
            form.get("name", ""),
            [name for name in game_names() if f"game-{name}" in form],
            integer(form, "rounds") or 0,
            integer(form, "seats") or 0,
            read_clock(form.get("clock", "")),
            is_public="public" in form,
            plays="plays" in form,
        )
    except MeadhallError as error:
        more = {**pages.form_fields(), "given": form, "notice": Refusal(rule_of(error), reason_of(error))}
        return page(request, guest, "evening/new.html", None, int(status_of(error)), **more)
    return see_other(link(f"/evenings/{evening.id}"))


@get(["/evenings/{id:str}", "/evenings/{id:str}/screen"])
async def show_evening(request: AnyRequest, hall: Hall, guest: Guest, id: str) -> Html:
    """Show an evening as the guest sees it; or on a big screen: how to join, the standings, and all boards."""
    return await _shown(request, hall, guest, id)


@post("/evenings/{id:str}", status_code=200)
async def change_evening(
    request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, id: str, form: Form
) -> Html | Redirect:
    """Join an evening or leave it; or, for its leader, start and close a round, take a person out, and end it."""
    hall.evenings.find(id)
    deed = form.get("do", "")
    try:
        person = sessions.save(guest, name=form.get("name", "")) if deed == "join" else guest
        await hall.evenings.do(id, person, deed, form.get("person", ""), integer(form, "round"))
    except MeadhallError as error:
        return await _shown(request, hall, guest, id, error=error)
    return see_other(link(f"/evenings/{id}"))


@get(["/evenings/{id:str}/stream", "/evenings/{id:str}/screen/stream"], opt={"unlimited": True})
async def stream_evening(request: AnyRequest, hall: Hall, guest: Guest, stream_limit: StreamLimit, id: str) -> Stream:
    """Send the frame of an evening, now and after every change."""
    stream_limit.check(request, guest)
    hall.evenings.find(id)

    async def frames() -> AsyncIterator[bytes]:
        shown: object = None
        with stream_limit.count(request, guest), hall.evenings.channel(id).subscribe(guest.id, page_id(request)) as subscriber:
            async for is_called in updates(subscriber, hall.closing, LOOK):
                with suppress(NotFound):
                    progress = hall.evenings.find(id)
                    boards = await _boards(request, hall, progress)
                    if is_called or (progress.mark, boards) != shown:
                        shown = progress.mark, boards
                        version, html = await _frame(request, hall, guest, progress, boards)
                        yield b'data: {"version":%d,"whole":%b}\n\n' % (version, encoded(html))
                        continue
                yield event_stream.HEARTBEAT

    return event_stream.event_stream(frames())


@get("/evenings/{id:str}/bar", opt={"unlimited": True})
async def show_bar(hall: Hall, guest: Guest, id: str, table: str = "") -> Response[str]:
    """Show on the page of a table how far its evening is: a part that the page asks for again and again."""
    return Response(pages.bar(hall.evenings.find(id), table, guest), media_type="text/html")


@get("/evenings/{id:str}/picture.png", media_type="image/png")
async def show_winners(request: AnyRequest, hall: Hall, guest: Guest, id: str, language: str = "") -> Response[bytes]:
    """Return the winners of an evening as a picture to share."""
    progress, pictures = hall.evenings.find(id), cast("Pictures", request.app.state.pictures)
    if not progress.is_over:
        raise WrongMoment(_("There is a picture when the evening is over."))
    speak(language if language in LANGUAGES else guest.language)
    picture = await pictures.drawn((progress.mark, current_language()), lambda: partial(as_png, *pages.drawing(progress)))
    return Response(picture, media_type="image/png", headers={"Cache-Control": "private, max-age=60"})


# --------------------------------------------------------------------------------------------------------------------- frames


async def _shown(request: AnyRequest, hall: Hall, guest: Guest, id: str, error: MeadhallError | None = None) -> Html:
    """Return the page of an evening. ``error``: why the last form was refused."""
    progress = hall.evenings.find(id)
    notice = None if error is None else Refusal(rule_of(error), reason_of(error))
    _version, html = await _frame(request, hall, guest, progress, await _boards(request, hall, progress), notice)
    is_screen = _is_screen(request)
    reloads = not progress.is_over and (is_screen or guest.id in progress.here)
    more = {"url": link(f"/evenings/{id}"), "frame": html, "is_screen": is_screen, "reloads": reloads}
    return page(request, guest, "evening/page.html", progress.evening, 200 if error is None else int(status_of(error)), **more)


async def _frame(
    request: AnyRequest,
    hall: Hall,
    guest: Guest,
    progress: Progress,
    boards: Mapping[str, tuple[int, bool]],
    notice: Refusal | None = None,
) -> tuple[int, Markup]:
    """Return a frame and its version."""
    version, missing = hall.store.stamp(), await hall.evenings.missing(progress)
    return version, pages.frame(progress, guest, outside(request), version, boards, missing, _is_screen(request), notice)


async def _boards(request: AnyRequest, hall: Hall, progress: Progress) -> dict[str, tuple[int, bool]]:
    """Return for the big screen the versions of the tables of a round, and whether their matches have begun."""
    found = {}
    for id in progress.tables if _is_screen(request) else ():
        with suppress(MeadhallError):  # its game isn't ready yet
            room = await hall.room(id)
            found[id] = room.version, room.match is not None and bool(room.match.steps)
    return found


def _is_screen(request: AnyRequest) -> bool:
    return request.url.path.endswith(("/screen", "/screen/stream"))


routes = [
    show_form,
    open_evening,
    show_evening,
    change_evening,
    stream_evening,
    show_bar,
    show_winners,
]
