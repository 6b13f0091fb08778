"""The JSON API for programs, with a bearer token in place of a cookie. ``/schema/openapi.json`` describes it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Annotated, Final

from litestar import Response, Router, get, post
from litestar.di import Provide
from litestar.exceptions import NotAuthorizedException
from litestar.openapi import ResponseSpec
from litestar.openapi.spec import Components, SecurityScheme
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Stream

from meadhall.engine.record.format import RecordedMatch
from meadhall.engine.registry import game, game_names
from meadhall.server.errors import WrongMoment
from meadhall.server.hall.daily import daily
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.matching.table_filter import TableFilter
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.hall.room import Room
from meadhall.server.hall.time.clock_choice import with_clock
from meadhall.server.routes import api_account, api_chat, api_people, api_privacy, api_profiles, api_quick_match
from meadhall.server.routes.api_events import TableEvents
from meadhall.server.routes.api_models import (
    ClockChoice,
    Credentials,
    GameInfo,
    HintInfo,
    JoinTable,
    LegalAction,
    NewAction,
    NewGuest,
    NewProposal,
    NewTable,
    ProposalAnswer,
    SeatChoice,
    TableInfo,
    TableSummary,
    clock_of,
    game_info,
    hint_infos,
    request_key,
    table_info,
    table_summary,
)
from meadhall.server.routes.api_refusals import STRICT, refusals, table_refusals
from meadhall.server.routes.lobby import DOCUMENT_LIMIT
from meadhall.server.routes.tables import record_response
from meadhall.server.settings import INVITED
from meadhall.server.store.models import Guest, TableRow
from meadhall.server.web import event_stream
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions, guest_of
from meadhall.server.web.stream_limit import StreamLimit

SECURITY: Final = Components(
    security_schemes={
        "token": SecurityScheme(type="http", scheme="bearer", description="The token that POST /api/v1/guests returned.")
    }
)


async def provide_room(hall: Hall, program: Guest, id: str) -> Room:
    """Return the room of the table in the address."""
    room = await daily.visible_room(hall, program, id)
    room.note_visit(program.id)
    return room


@post("/guests", responses=refusals(400, 403, 404, 413))
async def new_guest(data: Annotated[NewGuest, STRICT], hall: Hall, sessions: Sessions) -> Credentials:
    """Become a guest. The token is the whole account.

    A hall for invited guests needs an ``invitation``. In a hall for people with an account, only an account's program may play.
    """
    hall.admission.check_program(data.invitation)
    if data.invitation is not None and hall.settings.admission == INVITED:
        await hall.admission.note_of(data.invitation)
    guest, token = await sessions.create_for_program(data.name)
    if data.invitation is not None and hall.settings.admission == INVITED:
        await hall.admission.admit(data.invitation, guest)
        sessions.forget(guest)
    return Credentials(guest.id, guest.name, token)


@get("/games", responses=refusals())
async def list_games(hall: Hall) -> list[GameInfo]:
    """List the games of this hall."""
    return [game_info(game(name), ready=name in hall.ready) for name in game_names()]


@post("/tables", request_max_body_size=DOCUMENT_LIMIT, responses=refusals(400, 401, 404, 409, 410, 413, 422))
async def new_table(
    data: Annotated[NewTable, STRICT],
    hall: Hall,
    program: Guest,
    idempotency_key: Annotated[str | None, HeaderParameter(name="Idempotency-Key", min_length=1, max_length=100)] = None,
) -> TableInfo:
    """Open a table.

    With an ``Idempotency-Key``, any text of your choice, the same request can be repeated: it answers with the table that the
    first one opened. Keys are yours alone; the hall remembers the last hundred for a day.
    """
    key = request_key(idempotency_key, data)
    chosen = None if data.clock is None else clock_of(data.clock)
    room = await hall.open_table(program, data.game, data.players, data.options, data.bots, data.public, key, chosen)
    if room.table.status == "gathering" and all(seat.kind != "open" for seat in room.table.seats):
        with suppress(WrongMoment):  # a repeated request has just started the match
            await room.start()
    return table_info(room, program)


_Limit = Annotated[int, QueryParameter(ge=1, le=100, description="the largest number of tables")]
_Skip = Annotated[int, QueryParameter(ge=0, le=1_000_000, description="how many tables to leave out at the beginning")]
_Free = Annotated[int, QueryParameter(ge=1, le=99, description="the smallest number of open seats")]


@get("/tables", responses=refusals(400, 401))
async def list_tables(hall: Hall, program: Guest, limit: _Limit = 30, skip: _Skip = 0) -> list[TableSummary]:
    """List the tables that you host or sit at: unfinished ones first, then the newest."""
    return _summaries(await hall.store.tables_of(program.id, limit, skip), program)


@get("/tables/open", responses=refusals(400, 401))
async def list_open_tables(
    hall: Hall,
    program: Guest,
    limit: _Limit = 30,
    skip: _Skip = 0,
    game: str = "",
    variant: str = "",
    free: _Free = 1,
    clock: str = "",
) -> list[TableSummary]:
    """List the public tables with an open seat where a player is present, the newest first.

    ``game`` is the name of a game, ``variant`` a value of an option as ``option:value``, ``free`` the least number of open seats,
    ``clock`` is ``none``, ``live`` or ``slow``.
    """
    chosen = TableFilter(game, variant, free, clock)
    return _summaries([table for table in await hall.offered() if chosen.lets_through(table)][skip : skip + limit], program)


def _summaries(tables: Sequence[TableRow], program: Guest) -> list[TableSummary]:
    """Describe the tables of installed games."""
    names = game_names()
    return [table_summary(table, program) for table in tables if table.game in names]


@get("/tables/{id:str}", responses=table_refusals())
async def show_table(room: Room, program: Guest) -> TableInfo:
    """Return a table as you may see it."""
    return table_info(room, program)


@post("/tables/{id:str}/join", status_code=200, responses=table_refusals(413))
async def join_table(data: Annotated[JoinTable, STRICT], hall: Hall, room: Room, program: Guest) -> TableInfo:
    """Take a seat."""
    await hall.join(room, program, data.seat)
    return table_info(room, program)


@post("/tables/{id:str}/leave", status_code=200, responses=table_refusals(403))
async def leave_table(hall: Hall, room: Room, program: Guest) -> TableInfo:
    """Leave your seat before the match. If you are the host, the next person becomes host."""
    await hall.leave(room, program)
    return table_info(room, program)


@post("/tables/{id:str}/ready", status_code=200, responses=table_refusals(403))
async def agree_to_start(hall: Hall, room: Room, program: Guest) -> TableInfo:
    """Agree that the match starts, also while you send no requests. A change of seats or options ends the agreement."""
    await hall.agree(room, program)
    return table_info(room, program)


@post("/tables/{id:str}/close", status_code=200, responses=table_refusals(403))
async def close_table(hall: Hall, room: Room, program: Guest) -> TableInfo:
    """Close the table before the match. Only the table's host can."""
    await hall.close_table(room, program)
    return table_info(room, program)


@post("/tables/{id:str}/clock", status_code=200, responses=table_refusals(403, 413))
async def set_clock(data: Annotated[ClockChoice, STRICT], hall: Hall, room: Room, program: Guest) -> TableInfo:
    """Choose the clock before the match. Only the table's host can. The other players have to agree to the start again."""
    await hall.arrange(room, program, with_clock(clock_of(data)))
    return table_info(room, program)


@post("/tables/{id:str}/start", status_code=200, responses=table_refusals(403))
async def start_match(hall: Hall, room: Room, program: Guest) -> TableInfo:
    """Start the match. Only the table's host can.

    It waits for players who are away: without an open stream, without a request in the last 20 seconds, and not ready.
    """
    await hall.start(room, program)
    return table_info(room, program)


@get("/tables/{id:str}/legal", responses=table_refusals(403))
async def legal_actions(room: Room, program: Guest) -> list[LegalAction]:
    """List your legal actions in ascending order. The list is empty when it is not your turn, or a bot plays your seat."""
    match, seat = room.running_match(), room.seat_of(program)
    if seat in match.stand_ins:
        return []
    view = match.view(seat)
    return [LegalAction(action.action, action.text) for action in view.actions()]


@post("/tables/{id:str}/hint", status_code=200, responses=table_refusals(403))
async def give_hint(room: Room, program: Guest) -> list[HintInfo]:
    """Return up to three actions that the king recommends in your place, the best first.

    The search takes some seconds. The record of the match mentions the hint.
    """
    daily.check_hint(room.table)
    return hint_infos(await room.request_hint(program))


@post("/tables/{id:str}/actions", status_code=200, responses=table_refusals(403, 413, 422))
async def play_action(data: Annotated[NewAction, STRICT], request: AnyRequest, id: str) -> TableInfo:
    """Play an action.

    If you have already played this action with this ``n``, nothing changes and the answer is the table as it is now. So you can
    repeat a request whose answer was lost.
    """
    program = guest_of(request)  # not as a dependency: see the action of a page
    room = await provide_room(request.app.state.hall, program, id)
    await room.act(program, data.action, data.n)
    return table_info(room, program)


@post("/tables/{id:str}/undo", status_code=200, responses=table_refusals(403))
async def undo_action(room: Room, program: Guest) -> TableInfo:
    """Take back your last decision, and the actions of bots since then.

    It is refused with the reason if another person has moved since, or if anything was rolled, drawn or revealed.
    """
    await room.undo(program)
    return table_info(room, program)


@post("/tables/{id:str}/resign", status_code=200, responses=table_refusals(403))
async def resign(room: Room, program: Guest) -> TableInfo:
    """Give up your seat.

    In a match of two players or sides, the other side wins. With more, a bot plays your seat to the end.
    """
    await room.resign(program)
    return table_info(room, program)


@post("/tables/{id:str}/stand-in", status_code=200, responses=table_refusals(403, 413))
async def let_bot_play(data: Annotated[SeatChoice, STRICT], room: Room, program: Guest) -> TableInfo:
    """Let a bot play for a player who is away, until that player returns.

    It is possible from the time on that the seat's ``replaceable`` says. If a bot plays there already, nothing changes.
    """
    await room.let_bot_play(program, data.seat)
    return table_info(room, program)


@post("/tables/{id:str}/return", status_code=200, responses=table_refusals(403))
async def take_back_seat(room: Room, program: Guest) -> TableInfo:
    """Take back your seat while a bot plays it, at any decision.

    If no bot plays it, nothing changes. It is refused after you have resigned.
    """
    await room.take_back_seat(program)
    return table_info(room, program)


@post("/tables/{id:str}/proposals", status_code=200, responses=table_refusals(403, 413))
async def propose(data: Annotated[NewProposal, STRICT], room: Room, program: Guest) -> TableInfo:
    """Propose something to the others: take back actions, end as a draw, give up together, stop the clocks, take over a seat.

    One proposal is open at a time. Bots agree at once, but to a draw only if they don't expect to win. A person who plays on
    declines a take-back, a draw or giving up. What had no success can be proposed again five decisions or ten minutes later.
    """
    await room.consent.propose(program, data.what, data.to, data.seat)
    return table_info(room, program)


@post("/tables/{id:str}/vote", status_code=200, responses=table_refusals(403, 413))
async def answer_proposal(data: Annotated[ProposalAnswer, STRICT], room: Room, program: Guest) -> TableInfo:
    """Agree to the open proposal, decline it, or withdraw your own."""
    if data.answer == "withdraw":
        await room.consent.withdraw(program, data.proposal)
    else:
        await room.consent.answer(program, data.proposal, data.answer == "agree")
    return table_info(room, program)


@get("/tables/{id:str}/events", media_type=event_stream.MEDIA_TYPE, opt={"unlimited": True}, responses=table_refusals())
async def stream_events(
    request: AnyRequest,
    hall: Hall,
    room: Room,
    program: Guest,
    stream_limit: StreamLimit,
    after: int | None = None,
    last_event_id: Annotated[int | None, HeaderParameter(name="Last-Event-ID")] = None,
) -> Stream:
    """Send server-sent events: an ``action`` event for each action, then a ``table`` event with the current table.

    An ``action`` event has the action's number as its id. Events start after the action numbered ``after``, else after the
    ``Last-Event-ID`` that a reconnecting client sends, else with the first action.

    An ``undo`` event lists the numbers of earlier actions that were taken back. After a reconnection it may list some again.
    A ``reload`` event says that the earlier actions are void for this client: all actions follow again from the first.

    A ``chat`` event is a line of chat. At first the last lines come, up to 100 of each audience. A line with an ``id`` that you
    know replaces the line that you have: its text was deleted.
    """
    stream_limit.check(request, program)

    async def events() -> AsyncIterator[bytes]:
        chat = api_chat.ChatEvents(hall, room, program)
        known = TableEvents(room, program, next((number for number in (after, last_event_id) if number is not None), 0))
        with stream_limit.count(request, program), room.subscribe(program.id) as subscriber:
            async for changed in updates(subscriber, hall.closing, event_stream.HEARTBEAT_INTERVAL):
                for event in known.news() if changed else ():
                    yield event
                for event in await chat.news():
                    yield event
                if subscriber.is_due:
                    yield event_stream.HEARTBEAT

    return event_stream.event_stream(events())


@get("/tables/{id:str}/record", responses={200: ResponseSpec(RecordedMatch, generate_examples=False), **table_refusals()})
async def show_record(request: AnyRequest, hall: Hall, program: Guest, id: str) -> Response[str]:
    """Return the match record (``meadhall-match/1``): complete after the match, before that only what you may know."""
    return await record_response(request, hall, program, id)


# -------------------------------------------------------------------------------------------------------------------- routers

_PUBLIC_ROUTES: Final = [new_guest, list_games, *api_account.public_routes]
_TOKEN_ROUTES: Final = [
    new_table,
    list_tables,
    list_open_tables,
    show_table,
    join_table,
    leave_table,
    agree_to_start,
    close_table,
    set_clock,
    start_match,
    legal_actions,
    give_hint,
    play_action,
    undo_action,
    resign,
    let_bot_play,
    take_back_seat,
    propose,
    answer_proposal,
    stream_events,
    show_record,
    *api_quick_match.handlers,
    *api_account.routes,
    *api_chat.routes,
    *api_people.routes,
    *api_profiles.routes,
    *api_privacy.handlers,
]


def router() -> Router:
    """Return the API."""

    async def identify(request: AnyRequest) -> None:
        """Find the guest of the token. Respond with 401 without a valid one."""
        await request.app.state.sessions.refresh()
        guest = await request.app.state.sessions.from_bearer_token(request)
        if guest is None:
            raise NotAuthorizedException("send the token of POST /api/v1/guests as 'Authorization: Bearer <token>'")
        request.scope["state"]["guest"] = guest
        is_theirs = request.url.path.endswith(("/me", "/me/data"))
        request.app.state.hall.admission.check(guest, "/privacy" if is_theirs else "")

    with_token = Router(
        "/",
        route_handlers=_TOKEN_ROUTES,
        dependencies={"program": Provide(guest_of, sync_to_thread=False), "room": Provide(provide_room)},
        before_request=identify,
        security=[{"token": []}],
    )
    return Router("/api/v1", route_handlers=[*_PUBLIC_ROUTES, with_token], tags=["hall"])
