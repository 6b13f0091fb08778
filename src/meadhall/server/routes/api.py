"""The JSON API for programs, with a bearer token in place of a cookie. ``/schema/openapi.json`` describes it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from inspect import getdoc
from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, Router, get, post
from litestar.di import Provide
from litestar.exceptions import NotAuthorizedException
from litestar.openapi import ResponseSpec
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Stream

from meadhall.engine.checks import quoted
from meadhall.engine.match.record import RecordedMatch
from meadhall.engine.registry import game, game_names
from meadhall.engine.rulebook import rule_ids, rule_sentence, rulebook_text
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, WrongMoment
from meadhall.server.hall.choices import TableFilter
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.hall.people.accounts import Device
from meadhall.server.hall.room import Room
from meadhall.server.routes import deeds, quick_match, talk, workshop
from meadhall.server.routes.api_models import (
    STRICT,
    Credentials,
    GameInfo,
    HintInfo,
    LegalAction,
    NewGuest,
    NewSession,
    NewTable,
    RulesInfo,
    SignIn,
    TableInfo,
    TableSummary,
    Wait,
    Words,
    clock_of,
    refusals,
    table_refusals,
)
from meadhall.server.routes.api_tables import TableEvents, game_info, hint_infos, request_key, table_info, table_summary
from meadhall.server.routes.deeds import wait_for_turn
from meadhall.server.routes.tables import provide_room, record_response
from meadhall.server.routes.workshop import DOCUMENT_LIMIT
from meadhall.server.settings import INVITED
from meadhall.server.store import tables
from meadhall.server.store.models import Guest, TableRow, new_id
from meadhall.server.web import event_stream
from meadhall.server.web.limits import StreamLimit
from meadhall.server.web.links import outside
from meadhall.server.web.request import AnyRequest, client_address
from meadhall.server.web.sessions import Sessions, guest_of

SECURITY: Final = Components(
    security_schemes={
        "token": SecurityScheme(type="http", scheme="bearer", description="The token that POST /api/v1/guests returned.")
    }
)


class DescribedJson(JsonRenderPlugin):
    """Renders the OpenAPI document as JSON, with the docstrings of the bodies as their descriptions."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Return the document."""
        schemas = openapi_schema["components"]["schemas"]
        for body in msgspec.Struct.__subclasses__():
            if body.__name__ in schemas and body.__module__.startswith(__package__):
                schemas[body.__name__]["description"] = getdoc(body)
        return super().render(request, openapi_schema)


@post("/guests", responses=refusals(400, 403, 404, 413, 429))
async def new_guest(request: AnyRequest, data: Annotated[NewGuest, STRICT], hall: Hall, sessions: Sessions) -> Credentials:
    """Become a guest. The token is the whole account.

    A hall for invited guests needs an ``invitation``. In a hall for people with an account, only an account's program may play.
    """
    request.app.state.guest_limit.count(client_address(request), new_id())
    hall.admission.check_program(data.invitation, request.client.host if request.client else "")
    if data.invitation is not None and hall.settings.admission == INVITED:
        hall.admission.note_of(data.invitation)
    guest, token = sessions.create_for_program(data.name)
    if data.invitation is not None and hall.settings.admission == INVITED:
        hall.admission.admit(data.invitation, guest)
        sessions.forget(guest)
    return Credentials(guest.id, guest.name, token)


@post("/sessions", status_code=201, responses=refusals(400, 403, 413))
async def open_session(data: Annotated[SignIn, STRICT], request: AnyRequest, hall: Hall, sessions: Sessions) -> NewSession:
    """Sign in to an account, for a token. Attempts are slowed by account and by address."""
    client = sessions.client_of(request, data.device)
    if data.recovery_code:
        account = hall.accounts.by_recovery_code(data.name, data.recovery_code, client)
    else:
        account = await hall.accounts.by_password(data.name, data.password, client)
    signed_in = hall.accounts.sign_in(account, Device("program", data.label or _("A program")))
    return NewSession(account.name, signed_in.token, sessions.device_with(account, data.device))


@get("/games", responses=refusals())
async def list_games(hall: Hall) -> list[GameInfo]:
    """List the games of this hall."""
    return [game_info(game(name), ready=name in hall.ready) for name in game_names()]


@get("/games/{name:str}/rules", responses=refusals(400, 404))
async def read_rules(
    name: str, rule: Annotated[str, QueryParameter(description="the id of one rule, such as AA-3.2; empty for all")] = ""
) -> RulesInfo:
    """Read the rulebook of a game, or one of its rules."""
    subject, id = game(name), rule.strip().upper()
    if not id:
        return RulesInfo(name, rulebook_text(subject))
    text = rule_sentence(subject, id)
    if not text:
        known = ", ".join(rule_ids(subject))
        raise NotFound(_("There is no rule {rule}. The rules: {rules}.").format(rule=quoted(id), rules=known))
    return RulesInfo(name, f"{id} {text}")


@post("/tables", request_max_body_size=DOCUMENT_LIMIT, responses=refusals(400, 401, 404, 409, 410, 413, 422))
async def new_table(
    data: Annotated[NewTable, STRICT],
    request: AnyRequest,
    hall: Hall,
    program: Guest,
    idempotency_key: Annotated[str | None, HeaderParameter(name="Idempotency-Key", min_length=1, max_length=100)] = None,
    words: Words = False,
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
            room.start()
    return table_info(room, program, outside(request), words)


_Limit = Annotated[int, QueryParameter(ge=1, le=100, description="the largest number of tables")]
_Skip = Annotated[int, QueryParameter(ge=0, le=1_000_000, description="how many tables to leave out at the beginning")]
_Free = Annotated[int, QueryParameter(ge=1, le=99, description="the smallest number of open seats")]


@get("/tables", responses=refusals(400, 401))
async def list_tables(request: AnyRequest, hall: Hall, program: Guest, limit: _Limit = 30, skip: _Skip = 0) -> list[TableSummary]:
    """List the tables that you host or sit at: unfinished ones first, then the newest."""
    return _summaries(request, hall.store.transact(tables.of_guest, program.id, limit, skip), program)


@get("/tables/open", responses=refusals(400, 401))
async def list_open_tables(
    request: AnyRequest,
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
    found = [table for table in hall.offered() if chosen.lets_through(table)]
    return _summaries(request, found[skip : skip + limit], program)


def _summaries(request: AnyRequest, tables: Sequence[TableRow], program: Guest) -> list[TableSummary]:
    """Describe the tables of installed games."""
    names = game_names()
    return [table_summary(table, program, outside(request)) for table in tables if table.game in names]


@get("/tables/{id:str}", responses=table_refusals())
async def show_table(request: AnyRequest, room: Room, program: Guest, wait: Wait = 0, words: Words = False) -> TableInfo:
    """Return a table as you may see it.

    With ``wait`` the answer comes when you have something to decide, when the match is over, or when that time is up. While you
    wait, the others see that you are here.
    """
    await wait_for_turn(request, room, program, wait)
    return table_info(room, program, outside(request), words)


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
    return hint_infos(await room.request_hint(program))


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

    When the stream ends, open it again after the time of its ``retry`` field. It differs from stream to stream, so that after a
    restart of the hall not all of them come back at once.

    A ``chat`` event is a line of chat. At first the last lines come, up to 100 of each audience. A line with an ``id`` that you
    know replaces the line that you have: its text was deleted.
    """
    stream_limit.check(request, program)
    last = next((number for number in (after, last_event_id) if number is not None), 0)

    async def events() -> AsyncIterator[bytes]:
        chat = talk.ChatEvents(hall, room, program)
        known = TableEvents(room, program, outside(request), last)
        with stream_limit.count(request, program), room.visits.subscribe(program.id) as subscriber:
            yield event_stream.retry()
            async for changed in updates(subscriber, hall.closing, event_stream.HEARTBEAT_INTERVAL):
                if subscriber.is_due:
                    hall.note_at_table(room, program)
                news = known.news() if changed else []
                news += chat.news()
                yield b"".join([*news, event_stream.HEARTBEAT] if subscriber.is_due else news)

    return event_stream.event_stream(events())


@get("/tables/{id:str}/record", responses={200: ResponseSpec(RecordedMatch, generate_examples=False), **table_refusals()})
async def show_record(request: AnyRequest, hall: Hall, program: Guest, id: str) -> Response[str]:
    """Return the match record (``meadhall-match/1``): complete after the match, before that only what you may know."""
    return await record_response(request, hall, program, id)


# -------------------------------------------------------------------------------------------------------------------- routers

_PUBLIC_ROUTES: Final = [new_guest, open_session, list_games, read_rules]
_TOKEN_ROUTES: Final = [
    new_table,
    list_tables,
    list_open_tables,
    show_table,
    legal_actions,
    give_hint,
    stream_events,
    show_record,
    *deeds.api_routes,
    *quick_match.api_routes,
    *workshop.api_routes,
    *talk.api_routes,
]


async def identify(request: AnyRequest) -> None:
    """Find the guest of the token. Respond with 401 without a valid one."""
    state, scope = request.app.state, request.scope
    hall: Hall = state.hall
    if scope["method"] not in ("GET", "HEAD"):
        await hall.store.unlocked()
    guest = state.sessions.from_bearer_token(request)
    if guest is None:
        raise NotAuthorizedException("send the token of POST /api/v1/guests as 'Authorization: Bearer <token>'")
    scope["state"]["guest"] = guest
    hall.admission.check(guest, "", scope["client"][0] if scope["client"] else "")


def router() -> Router:
    """Return the API."""
    with_token = Router(
        "/",
        route_handlers=_TOKEN_ROUTES,
        dependencies={"program": Provide(guest_of, sync_to_thread=False), "room": Provide(provide_room)},
        before_request=identify,
        security=[{"token": []}],
    )
    return Router("/api/v1", route_handlers=[*_PUBLIC_ROUTES, with_token], tags=["hall"])
