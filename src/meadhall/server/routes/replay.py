"""Matches step by step: replays and charts, also of uploaded records; the puzzle of the day; guided first games."""

from __future__ import annotations

from datetime import date
from hashlib import sha256
from typing import Final

from litestar import Response, get, post
from litestar.datastructures import UploadFile

from meadhall.engine.compile.rule import INTERPRETED
from meadhall.engine.errors import RecordError
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import dumps
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, WrongMoment
from meadhall.server.hall.daily_attempts import begin, play_unranked
from meadhall.server.hall.daily_puzzle import is_sealed, today
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.pages.daily import daily_page
from meadhall.server.pages.replay import chart_alone, knowledge_of, lesson_page, replay_page, with_chart
from meadhall.server.pages.responses import Answer, Html, page, see_other, wants_json
from meadhall.server.store import matches
from meadhall.server.store.models import Guest, new_id
from meadhall.server.web.links import link, outside
from meadhall.server.web.request import AnyRequest, client_address
from meadhall.server.web.sessions import Sessions

UPLOAD_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of a request that uploads a record."""


# ------------------------------------------------------------------------------------------------------------ a table's match


@get("/tables/{id:str}/replay")
async def replay_table(
    request: AnyRequest, hall: Hall, room: Room, guest: Guest, step: int | None = None, seat: str = "", knowledge: str = ""
) -> Html:
    """Show a table's match step by step: as the guest sees it, or after the match as any player saw it."""
    if room.match is None:
        raise NotFound(_("The match has not begun yet."))
    url = link(f"/tables/{room.table.id}")
    sealed = is_sealed(room.table, room.time)
    own, marks = room.table.seat_of(guest.id), room.table.marks
    content = replay_page(room.match, f"{url}/replay", step, seat, own, url, sealed, marks)
    if room.match.ended and room.match.steps and not sealed:
        content = with_chart(content, hall.charts, room.table.id, url, room.match, knowledge_of(knowledge))
    return page(request, guest, "replay.html", content)


@get("/tables/{id:str}/chart")
async def chart_table(request: AnyRequest, hall: Hall, room: Room, guest: Guest, knowledge: str = "") -> Html:
    """Show the win chances through a table's match."""
    if room.match is None:
        raise NotFound(_("The match has not begun yet."))
    if is_sealed(room.table, room.time):
        raise WrongMoment(_("Others are still playing this deal. Its chart appears when the day is over."))
    url = link(f"/tables/{room.table.id}")
    job = hall.charts.request(room.table.id, room.match, knowledge_of(knowledge))
    return page(request, guest, "chart.html", None, back=url, marks=room.table.marks, **chart_alone(room.match, job, url))


# ----------------------------------------------------------------------------------------------------------- uploaded records


@get("/replay")
async def show_upload(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show the form to upload a record."""
    closed = "" if hall.switches.allows("uploads", guest) else hall.switches.reason("uploads")
    return page(request, guest, "upload.html", None, closed=closed)


@post("/replay", status_code=200, request_max_body_size=UPLOAD_LIMIT)
async def upload_record(request: AnyRequest, hall: Hall, guest: Guest) -> Answer:
    """Verify and keep a record. An invalid one is refused with the place and the reason."""
    hall.switches.check("uploads", guest)
    upload = (await request.form()).get("record")
    if not isinstance(upload, UploadFile):
        raise RecordError("record", _("choose a file first"))
    request.app.state.guest_limit.count(client_address(request), new_id())  # a hall keeps a limited number of records
    match = await hall.uploads.verify(await upload.read())
    key = hall.store.transact(matches.add_upload, dumps(match.record()))
    if wants_json(request):
        return Response({"key": key, "url": link(f"/replay/{key}")}, status_code=201)
    return see_other(link(f"/replay/{key}"))


@get("/replay/{key:str}")
async def replay_upload(
    request: AnyRequest, hall: Hall, guest: Guest, key: str, step: int | None = None, seat: str = "", knowledge: str = ""
) -> Html:
    """Show an uploaded record step by step."""
    match, digest = await _uploaded(hall, key)
    url = link(f"/replay/{key}")
    content = replay_page(match, url, step, seat, None, link("/replay"))
    if match.steps:
        content = with_chart(content, hall.charts, digest, url, match, knowledge_of(knowledge), client_address(request))
    return page(request, guest, "replay.html", content)


@get("/replay/{key:str}/chart")
async def chart_upload(request: AnyRequest, hall: Hall, guest: Guest, key: str, knowledge: str = "") -> Html:
    """Show the win chances through an uploaded record."""
    match, digest = await _uploaded(hall, key)
    job = hall.charts.request(digest, match, knowledge_of(knowledge), client_address(request))
    url = link(f"/replay/{key}")
    return page(request, guest, "chart.html", None, back=url, marks=(), **chart_alone(match, job, url))


async def _uploaded(hall: Hall, link_token: str) -> tuple[Match, str]:
    """Return the match of an uploaded record, and a hash of the record: equal records share a chart."""
    text = hall.store.transact(matches.find_upload, link_token)
    if text is None:
        raise NotFound(_("There is no such record here, or it has been deleted."))
    return await hall.uploads.match(text), sha256(text.encode()).hexdigest()


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


@get("/learn/{name:str}")
async def show_lesson(
    request: AnyRequest,
    hall: Hall,
    guest: Guest,
    name: str,
    step: int = 1,
    action: int | None = None,
    first: int | None = None,
    plus: int = 0,
) -> Html:
    """Show a step. With the right action show the next one; with another, a hint at the right one.

    A control may send its action as ``first`` and ``plus``, see ``action_number``.
    """
    subject = game(name)
    if subject.lessons is None:
        raise NotFound(_("{game} has no guided first game yet.").format(game=subject.title))
    if not INTERPRETED:  # interpreted rules need no compiler
        hall.ready.check(name)
    return page(request, guest, "lesson.html", lesson_page(subject, step, action if first is None else first + plus))


routes = [
    replay_table,
    chart_table,
    show_upload,
    upload_record,
    replay_upload,
    chart_upload,
    show_today,
    begin_today,
    show_day,
    play_past_day,
    show_lesson,
]
