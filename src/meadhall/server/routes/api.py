"""The hall for programs: JSON in, JSON out, a bearer token instead of a cookie. See ``/schema/openapi.json``."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from copy import copy
from typing import Annotated, Any

import msgspec
from litestar import Response, Router, get, post
from litestar.di import Provide
from litestar.exceptions import NotAuthorizedException
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import ResponseSpec
from litestar.openapi.spec import Components, OpenAPIType, SecurityScheme
from litestar.params import Body, HeaderParameter
from litestar.response import Stream

from meadhall.bots import bot_names
from meadhall.engine.game import Game, game, game_names
from meadhall.engine.options import Choice, Document, Option
from meadhall.engine.record.format import RecordedMatch
from meadhall.server.errors import RefusalInfo
from meadhall.server.hall import daily
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.pubsub import updates
from meadhall.server.hall.room import Room
from meadhall.server.pages.lobby import template_url
from meadhall.server.pages.responses import guest_of
from meadhall.server.routes.documents import DOCUMENT_LIMIT
from meadhall.server.routes.tables import record_response, told
from meadhall.server.store.models import Guest, SeatKind, TableStatus
from meadhall.server.web.sessions import AnyRequest, Visitors
from meadhall.server.web.stream_limit import Streams

_PATIENCE = 15.0

EVENTS = "text/event-stream"

SECURITY = Components(
    security_schemes={
        "token": SecurityScheme(type="http", scheme="bearer", description="The token that POST /api/v1/guests has given you.")
    }
)
_SENT = Body(schema_extra={"additional_properties": False})
"""A body holds what is described, and nothing else."""

_WHY = {
    400: "What was sent is malformed, or no match can be set up so.",
    401: "The token is missing, or none of this hall.",
    403: "You are not at that seat, or not the host.",
    404: "There is no such thing here, or not yet.",
    409: "Not now: another's turn, an older position, or a table at another point.",
    410: "The match was begun under other rules than are installed.",
    413: "The body is too large.",
    422: "The rules forbid this action now; ``rule`` names the rule.",
    429: "Too much at once.",
    500: "A fault of the hall.",
    503: "The game is still being set up, or the database does not answer.",
}


def refusals(*statuses: int) -> dict[int, ResponseSpec]:
    """How something can be refused, besides the ways in which anything can."""
    return {
        status: ResponseSpec(RefusalInfo, generate_examples=False, description=_WHY[status])
        for status in sorted({*statuses, 429, 500, 503})
    }


def at_a_table(*statuses: int) -> dict[int, ResponseSpec]:
    """The same of what is done at a table, besides the ways in which anything there can be refused."""
    return refusals(400, 401, 404, 409, 410, *statuses)


class NewGuest(msgspec.Struct, forbid_unknown_fields=True):
    """What a program is called."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]


class Credentials(msgspec.Struct):
    """Send the token with every other request: ``Authorization: Bearer <token>``."""

    guest: str
    name: str
    token: str


class OptionInfo(msgspec.Struct):
    """An option of a game: its values and what each changes, the first is the default; or a document.

    Of a document ``values`` is null, and ``template`` the address of the built-in one. Give another one as the text of such a
    file, or as its data; a table tells its hash, a record all of it.
    """

    name: str
    values: dict[str, str] | None
    template: str | None


class GameInfo(msgspec.Struct):
    """A game that can be played here."""

    name: str
    title: str
    rules: int
    min_players: int
    max_players: int
    actions: int
    options: list[OptionInfo]
    bots: list[str]
    ready: bool


class NewTable(msgspec.Struct, forbid_unknown_fields=True):
    """A table to be opened: you on seat 0, then the bots, the other seats open. Without open seats the match begins at once.

    Here and everywhere an integer is written without a point and without quotes: 2, neither 2.0 nor "2".
    """

    game: str
    players: int | None = None
    options: dict[str, Any] = {}
    bots: list[str] = []
    public: bool = False


class JoinTable(msgspec.Struct, forbid_unknown_fields=True):
    """Which seat to take; null: the first open one."""

    seat: int | None = None


class NewAction(msgspec.Struct, forbid_unknown_fields=True):
    """An action, and the number it is to have (``next`` of the table), so that a stale one is refused."""

    action: Annotated[Any, msgspec.Meta(extra_json_schema={"extra": {"type": OpenAPIType.INTEGER}})]  # the match refuses others
    n: int | None = None


class SeatInfo(msgspec.Struct):
    """A seat and who sits there."""

    seat: int
    kind: SeatKind
    name: str
    bot: str | None
    you: bool


class TableInfo(msgspec.Struct):
    """A table as you may know it.

    ``view`` is null before the match; then it holds the visible ``state``, the ``actor``, the ``next`` action's number, and
    your ``legal`` actions when you are to decide. ``result`` is null until the match is over.
    """

    id: str
    game: str
    status: TableStatus
    options: dict[str, Any]
    seats: list[SeatInfo]
    you: int | None
    commitment: str | None
    view: dict[str, Any] | None
    result: dict[str, Any] | None


class LegalAction(msgspec.Struct):
    """An action that you can play now."""

    action: int
    text: str


class HintInfo(msgspec.Struct):
    """An action that the king considers: the share of the win that it expects of it, and whether that is exact.

    ``chance`` is null where there is only one legal action.
    """

    action: int
    text: str
    chance: float | None
    sure: bool


async def provide_room(hall: Hall, program: Guest, id: str) -> Room:
    """The room of the table in the address."""
    return await daily.visible_room(hall, program, id)


@post("/guests", responses=refusals(400, 413))
async def new_guest(data: Annotated[NewGuest, _SENT], visitors: Visitors) -> Credentials:
    """Become a guest: the token is all there is to an account."""
    guest, token = await visitors.new_program(data.name)
    return Credentials(guest.id, guest.name, token)


@get("/games", responses=refusals())
async def list_games(hall: Hall) -> list[GameInfo]:
    """The games that can be played here."""
    return [
        GameInfo(
            name=name,
            title=each.title,
            rules=each.version,
            min_players=each.min_players,
            max_players=each.max_players,
            actions=each.actions,
            options=[option_info(each, option) for option in each.options],
            bots=bot_names(each),
            ready=name in hall.ready,
        )
        for name in game_names()
        for each in (game(name),)
    ]


def option_info(subject: Game, option: Option) -> OptionInfo:
    """An option as a program needs to know it."""
    if isinstance(option, Document):
        return OptionInfo(option.name, None, template_url(subject, option))
    assert isinstance(option, Choice)
    return OptionInfo(option.name, option.values, None)


@post("/tables", request_max_body_size=DOCUMENT_LIMIT, responses=refusals(400, 401, 404, 413))
async def new_table(data: Annotated[NewTable, _SENT], hall: Hall, program: Guest) -> TableInfo:
    """Open a table."""
    room = await hall.open_table(program, data.game, data.players, data.options, data.bots, data.public)
    if all(seat.kind != "open" for seat in room.table.seats):
        await room.start()
    return table_info(room, program)


@get("/tables/{id:str}", responses=at_a_table())
async def show_table(room: Room, program: Guest) -> TableInfo:
    """A table as you may know it."""
    return table_info(room, program)


@post("/tables/{id:str}/join", status_code=200, responses=at_a_table(413))
async def join_table(data: Annotated[JoinTable, _SENT], hall: Hall, room: Room, program: Guest) -> TableInfo:
    """Take a seat."""
    await hall.join(room, program, data.seat)
    return table_info(room, program)


@post("/tables/{id:str}/start", status_code=200, responses=at_a_table(403))
async def start_match(hall: Hall, room: Room, program: Guest) -> TableInfo:
    """Begin the match; the host can."""
    await hall.start(room, program)
    return table_info(room, program)


@get("/tables/{id:str}/legal", responses=at_a_table(403))
async def legal_actions(room: Room, program: Guest) -> list[LegalAction]:
    """Your legal actions, ascending; none when you are not to decide."""
    view = room.running_match().view(room.seat_of(program))
    return [LegalAction(action.action, action.text) for action in view.actions()]


@post("/tables/{id:str}/hint", status_code=200, responses=at_a_table(403))
async def give_hint(room: Room, program: Guest) -> list[HintInfo]:
    """The king's best actions in your place, at most three, the best first. It takes some seconds, and the record tells of it."""
    daily.check_hint(room.table)
    return msgspec.convert(told(await room.request_hint(program)), list[HintInfo])


@post("/tables/{id:str}/actions", status_code=200, responses=at_a_table(403, 413, 422))
async def play_action(data: Annotated[NewAction, _SENT], room: Room, program: Guest) -> TableInfo:
    """Play an action."""
    await room.act(program, data.action, data.n)
    return table_info(room, program)


@post("/tables/{id:str}/undo", status_code=200, responses=at_a_table(403))
async def undo_action(room: Room, program: Guest) -> TableInfo:
    """Take back your last action, while nothing has been revealed since."""
    await room.undo(program)
    return table_info(room, program)


@post("/tables/{id:str}/resign", status_code=200, responses=at_a_table(403))
async def resign(room: Room, program: Guest) -> TableInfo:
    """Leave the match to a bot."""
    await room.resign(program)
    return table_info(room, program)


@get("/tables/{id:str}/events", media_type=EVENTS, opt={"unlimited": True}, responses=at_a_table())
async def stream_events(
    request: AnyRequest,
    hall: Hall,
    room: Room,
    program: Guest,
    streams: Streams,
    after: int | None = None,
    last_event_id: Annotated[int | None, HeaderParameter(name="Last-Event-ID")] = None,
) -> Stream:
    """Server-sent events. ``action``: an action numbered above ``after``, and its events; then ``table``: the table as it is.

    Every action carries its number as its id. Without ``after``, what follows the ``Last-Event-ID`` is told, as the standard has
    it for those who come back; without either, everything.
    """
    address = request.client.host if request.client else ""
    streams.check(address)

    async def messages() -> AsyncIterator[str]:
        told = next((number for number in (after, last_event_id) if number is not None), 0)
        with streams.counted(address), room.subscribe(program.id) as subscriber:
            async for news in updates(subscriber, hall.closing, _PATIENCE):
                if not news:
                    yield ": still here\n\n"
                    continue
                if room.match is not None:
                    sealed = daily.is_sealed(room.table)
                    for step in room.match.recorded(room.table.seat_of(program.id), after=told, sealed=sealed):
                        told = step["n"]
                        yield _message("action", step, told)
                yield _message("table", msgspec.to_builtins(table_info(room, program)))

    return Stream(messages(), media_type=EVENTS, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


def _message(event: str, data: Any, id: int | None = None) -> str:
    head = f"event: {event}\n" + (f"id: {id}\n" if id is not None else "")
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n"


@get("/tables/{id:str}/record", responses={200: ResponseSpec(RecordedMatch, generate_examples=False), **at_a_table()})
async def show_record(room: Room, program: Guest) -> Response[str]:
    """The match record (``meadhall-match/1``): complete when the match is over, what you may know before."""
    return record_response(room, room.table.seat_of(program.id))


def table_info(room: Room, program: Guest) -> TableInfo:
    """The table as a program may know it."""
    table, match = room.table, room.match
    you = table.seat_of(program.id)
    result = match.result() if match else None
    return TableInfo(
        id=table.id,
        game=table.game,
        status=table.status,
        options={name: without_data(value) for name, value in table.options.items()},
        seats=[SeatInfo(seat.seat, seat.kind, seat.name, seat.bot, seat.seat == you) for seat in table.seats],
        you=you,
        commitment=match.commitment if match else None,
        view=match.view(you).to_dict() if match else None,
        result=None if result is None else {"winners": result.winners, "scores": result.scores, "reason": result.reason},
    )


def without_data(value: Any) -> Any:
    """The value of an option, of a document its hash alone."""
    return {"sha256": value["sha256"]} if isinstance(value, dict) else value


OPEN_ROUTES = [new_guest, list_games]
TOKEN_ROUTES = [
    new_table,
    show_table,
    join_table,
    start_match,
    legal_actions,
    give_hint,
    play_action,
    undo_action,
    resign,
    stream_events,
    show_record,
]


def routers(visitors: Visitors) -> list[Router]:
    """Return the API at ``/api/v1``, and at its old address ``/api``, which is deprecated and goes with version 0.3."""
    return [_router(visitors, "/api/v1"), _router(visitors, "/api", deprecated=True)]


def _router(visitors: Visitors, path: str, deprecated: bool = False) -> Router:
    async def recognize(request: AnyRequest) -> None:
        """Before anything else: whose token it is. 401 when it is nobody's."""
        guest = await visitors.of_program(request)
        if guest is None:
            raise NotAuthorizedException("send the token of POST /api/v1/guests as 'Authorization: Bearer <token>'")
        request.scope["state"]["guest"] = guest

    with_token = Router(
        "/",
        route_handlers=_marked(TOKEN_ROUTES, deprecated),
        dependencies={"program": Provide(guest_of, sync_to_thread=False), "room": Provide(provide_room)},
        before_request=recognize,
        security=[{"token": []}],
    )
    return Router(path, route_handlers=[*_marked(OPEN_ROUTES, deprecated), with_token], tags=["hall"])


def _marked(handlers: Sequence[HTTPRouteHandler], deprecated: bool) -> list[HTTPRouteHandler]:
    """Return copies of the handlers whose descriptions say whether they are deprecated."""
    copies = [copy(handler) for handler in handlers]
    for handler in copies:
        handler.deprecated = deprecated
    return copies
