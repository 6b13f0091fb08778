"""Replays and charts: of a table's match, live or over, and of uploaded records."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from litestar import Response, get, post
from litestar.datastructures import UploadFile
from litestar.response import Redirect

from meadhall.engine.errors import RecordError
from meadhall.engine.language import gettext as _
from meadhall.engine.match import Match
from meadhall.engine.record.format import dumps
from meadhall.server.errors import NotFound, WrongMoment
from meadhall.server.hall.daily import is_sealed
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.pages.replay import chart_page, knowledge_of, replay_page, with_chart
from meadhall.server.pages.responses import Html, page, see_other, wants_json
from meadhall.server.store.models import Guest
from meadhall.server.web.sessions import AnyRequest

UPLOAD_LIMIT = 4 * 1024 * 1024


@get("/tables/{id:str}/replay")
async def replay_table(
    request: AnyRequest, hall: Hall, room: Room, guest: Guest, step: int | None = None, seat: str = "", knowledge: str = ""
) -> Html:
    """The match of a table, step by step: while it runs as the guest sees it, afterwards as any player saw it."""
    if room.match is None:
        raise NotFound(_("The match has not begun yet."))
    url = f"/tables/{room.table.id}"
    sealed = is_sealed(room.table)
    content = replay_page(room.match, f"{url}/replay", step, seat, room.table.seat_of(guest.id), url, sealed)
    if room.match.ended and room.match.steps and not sealed:
        content = with_chart(content, hall.charts, room.table.id, url, room.match, knowledge_of(knowledge))
    return page(request, guest, "replay.html", content)


@get("/tables/{id:str}/chart")
async def chart_of_table(request: AnyRequest, hall: Hall, room: Room, guest: Guest, knowledge: str = "") -> Html:
    """The chances through the match of a table."""
    if room.match is None:
        raise NotFound(_("The match has not begun yet."))
    if is_sealed(room.table):
        raise WrongMoment(_("Others still play this deal: its chart is drawn when the day is over."))
    url = f"/tables/{room.table.id}"
    job = hall.charts.request(room.table.id, room.match, knowledge_of(knowledge))
    return page(request, guest, "chart.html", chart_page(room.match, job, url, url))


@get("/replay")
async def show_upload(request: AnyRequest, guest: Guest) -> Html:
    """The form to upload a record."""
    return page(request, guest, "upload.html", None)


@post("/replay", status_code=200, request_max_body_size=UPLOAD_LIMIT)
async def upload_record(
    request: AnyRequest,
    hall: Hall,
) -> Response[Any] | Redirect:
    """A record to watch. It is verified first; one that does not hold is refused with the place and the reason, and not kept."""
    upload = (await request.form()).get("record")
    if not isinstance(upload, UploadFile):
        raise RecordError("record", _("choose a file first"))
    text = await upload.read()
    verified = await hall.uploads.verify(text)
    key = await hall.store.add_upload(dumps(verified.record()))
    if wants_json(request):
        return Response({"key": key, "url": f"/replay/{key}"}, status_code=201)
    return see_other(f"/replay/{key}")


@get("/replay/{key:str}")
async def replay_record(
    request: AnyRequest, hall: Hall, guest: Guest, key: str, step: int | None = None, seat: str = "", knowledge: str = ""
) -> Html:
    """An uploaded record, step by step."""
    match, name = await _kept(hall, key)
    url = f"/replay/{key}"
    content = replay_page(match, url, step, seat, None, "/replay")
    if match.steps:
        content = with_chart(content, hall.charts, name, url, match, knowledge_of(knowledge), client_of(request))
    return page(request, guest, "replay.html", content)


@get("/replay/{key:str}/chart")
async def chart_of_record(request: AnyRequest, hall: Hall, guest: Guest, key: str, knowledge: str = "") -> Html:
    """The chances through an uploaded record."""
    match, name = await _kept(hall, key)
    job = hall.charts.request(name, match, knowledge_of(knowledge), client_of(request))
    return page(request, guest, "chart.html", chart_page(match, job, f"/replay/{key}", f"/replay/{key}"))


async def _kept(hall: Hall, key: str) -> tuple[Match, str]:
    """The match of an uploaded record, and a name that it shares with all equal records."""
    text = await hall.store.upload(key)
    if text is None:
        raise NotFound(_("There is no such record here (any more)."))
    return await hall.uploads.match(text), sha256(text.encode()).hexdigest()


def client_of(request: AnyRequest) -> str:
    """Where a request comes from, as far as the hall can know."""
    return request.client.host if request.client else "unknown"


routes = [replay_table, chart_of_table, show_upload, upload_record, replay_record, chart_of_record]
