"""A table before its match: seats, options, documents, and the start."""

from __future__ import annotations

from typing import Any, Final

from litestar import Response, get, post
from litestar.datastructures import UploadFile

from meadhall.bots.ranks import HUSCARL
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.options import MAX_SIZE
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.hall.seating import document_of, emptied, filled, listed, resized, with_bot, with_options, without_seat
from meadhall.server.hall.time.clock_choice import with_clock
from meadhall.server.pages.clock_choice import clock_of_form
from meadhall.server.pages.responses import table_answer
from meadhall.server.routes.answers import Answer, answer_after
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, integer
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions

DOCUMENT_LIMIT: Final = 2 * MAX_SIZE
"""Bytes of a request that uploads a document. A document just above its own limit still gets a refusal with a reason."""

_BUILT_IN: Final = "built-in"


@post("/tables/{id:str}/seats", status_code=200)
async def change_seat(request: AnyRequest, hall: Hall, room: Room, guest: Guest, sessions: Sessions, form: Form) -> Answer:
    """Take or leave a seat; as the host also give it to a bot, free it, or remove it."""
    if form.get("name"):
        guest = await sessions.save(guest, name=form["name"])
    seat = integer(form, "seat")
    kind, _colon, rank = form.get("set", "").partition(":")
    if kind == "sit":
        return await answer_after(hall.join(room, guest, seat), request, room, guest)
    if kind == "leave":
        return await answer_after(hall.leave(room, guest), request, room, guest)
    if kind in ("ready", "unready"):
        return await answer_after(hall.agree(room, guest, kind == "ready"), request, room, guest)
    if kind == "fill":
        change = filled(room.game, rank or HUSCARL.name)
        return await answer_after(hall.arrange(room, guest, change), request, room, guest)
    if seat is None:
        raise BadSetup(_("Which seat?"))
    bot = with_bot(room.game, seat, rank or HUSCARL.name)
    changes = {"bot": bot, "open": emptied(seat), "remove": without_seat(room.game, seat)}
    if kind not in changes:
        raise BadSetup(_("A seat can be taken, left, opened, removed, filled or given to a bot."))
    return await answer_after(hall.arrange(room, guest, changes[kind]), request, room, guest)


@post("/tables/{id:str}/size", status_code=200)
async def change_size(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """Change the number of seats."""
    players = integer(form, "players")
    if players is None:
        raise BadSetup(_("How many players?"))
    return await answer_after(hall.arrange(room, guest, resized(room.game, players)), request, room, guest)


@post("/tables/{id:str}/options", status_code=200)
async def change_options(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """Change options of the game."""
    return await answer_after(hall.arrange(room, guest, with_options(room.game, form)), request, room, guest)


@post("/tables/{id:str}/visibility", status_code=200)
async def change_visibility(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """List the table in the hall, or take it off the list."""
    change = listed(form.get("public") == "yes")
    return await answer_after(hall.arrange(room, guest, change), request, room, guest)


@post("/tables/{id:str}/clock", status_code=200)
async def change_clock(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """Change the clock."""
    return await answer_after(hall.arrange(room, guest, with_clock(clock_of_form(form))), request, room, guest)


@post("/tables/{id:str}/start", status_code=200)
async def start_match(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Answer:
    """Start the match."""
    return await answer_after(hall.start(room, guest), request, room, guest)


@post("/tables/{id:str}/close", status_code=200)
async def close_table(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Answer:
    """Close the table before its match."""
    return await answer_after(hall.close_table(room, guest), request, room, guest)


# ------------------------------------------------------------------------------------------------------------------ documents


@get("/documents/{subject:str}/{name:str}")
async def download_document(subject: str, name: str) -> Response[bytes]:
    """Return a game's built-in document (TOML), as a start for another one."""
    document = document_of(game(subject), name)
    return Response(
        document.file.read_bytes(),
        media_type="application/toml",
        headers={"Content-Disposition": f'attachment; filename="{subject}-{name}.toml"'},
    )


@post("/tables/{id:str}/documents/{name:str}", status_code=200, request_max_body_size=DOCUMENT_LIMIT)
async def change_document(request: AnyRequest, hall: Hall, room: Room, guest: Guest, name: str) -> Answer:
    """Play with an uploaded document, or with the built-in one again. An invalid one is refused with the place and the reason."""
    form = await request.form()
    try:
        content = None if form.get("set") == _BUILT_IN else await _content(form.get("document"))
        await hall.set_document(room, guest, name, content)
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    return table_answer(request, room, guest)


async def _content(upload: Any) -> bytes:
    """Return an uploaded file's content. A text in the file's place is refused: it must never be taken for a path."""
    if not isinstance(upload, UploadFile) or not upload.filename:
        raise BadSetup(_("Choose a file first."))
    return await upload.read()


routes = [
    change_seat,
    change_size,
    change_options,
    change_visibility,
    change_clock,
    start_match,
    close_table,
    download_document,
    change_document,
]
