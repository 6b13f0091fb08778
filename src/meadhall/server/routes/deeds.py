"""The deeds at a table: all that changes its seats before the match, and the match itself.

Each is declared once and becomes a handler for the forms of the page, and one for programs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Litestar, Response, post
from litestar.exceptions import HTTPException, SerializationException
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect
from litestar.types import ASGIApp, HTTPScope, Receive

from meadhall.bots.ranks import HUSCARL
from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall import match_changes, waits
from meadhall.server.hall.clocks import with_clock
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.lobby_changes import (
    Change,
    agreed,
    arranged,
    check_host,
    emptied,
    left_by,
    listed,
    resized,
    with_bot,
    with_options,
    without_seat,
)
from meadhall.server.hall.move import act, choose_ahead
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.hall.proposal_kinds import kind_of
from meadhall.server.hall.room import Room
from meadhall.server.pages.clock import clock_of_form
from meadhall.server.pages.lobby import wait_of_form
from meadhall.server.pages.responses import Answer, failed, refused, table_answer
from meadhall.server.routes.api_models import (
    STRICT,
    ClockChoice,
    Intention,
    JoinTable,
    NewAction,
    NewProposal,
    ProposalAnswer,
    SeatChoice,
    TableInfo,
    Wait,
    Words,
    clock_of,
    table_refusals,
)
from meadhall.server.routes.api_tables import table_info, told_table
from meadhall.server.routes.tables import visited_room
from meadhall.server.store.models import FINISHED, Clock, Guest
from meadhall.server.web.forms import LONGEST, Form, action_number, integer, read_form
from meadhall.server.web.gateway import Exchange
from meadhall.server.web.links import outside
from meadhall.server.web.request import AnyRequest, HallRequest, decode_strictly
from meadhall.server.web.sessions import Sessions, guest_of

Who = Literal["anyone", "seated", "host"]
"""The guests who may do a deed. The room checks a seat."""

_LONGEST_BODY: Final = 10_000
"""Bytes of a deed that is read without the framework."""

Do = TypeVar("Do", bound=Callable[..., Awaitable[object]])


@dataclass
class TableRequest:
    """A request of a guest at a table."""

    hall: Hall
    sessions: Sessions
    room: Room
    guest: Guest

    def arrange(self, change: Change) -> None:
        """Change the table before its match."""
        self.room.change_table(arranged(change))


async def _visit(request: AnyRequest, id: str) -> TableRequest:
    # not by dependencies: to find and start them takes Litestar longer than an action
    state, guest = request.app.state, guest_of(request)
    hall: Hall = state.hall
    return TableRequest(hall, state.sessions, await visited_room(hall, guest, id), guest)


Identify = Callable[[AnyRequest], Awaitable[None]]
"""Finds the guest of a request, or raises why they may not send it."""


@dataclass(frozen=True)
class Deed:
    """What a guest can do at a table.

    Attributes:
        do: does it. Its name and its docstring describe the operation in the OpenAPI document.
        who: the guests who may do it.
        form: the end of the address of the form; "" without a form.
        read: returns the fields of a form as ``do`` takes them; None without fields.
        api: the end of the address for programs; "" if programs can't do it.
        body: the fields that programs send; None without fields.
        refusals: further statuses with which programs are refused.
    """

    do: Callable[..., Awaitable[object]]
    who: Who
    form: str
    read: Callable[[Form], object] | None
    api: str
    body: type[msgspec.Struct] | None
    refusals: tuple[int, ...]

    def for_forms(self) -> HTTPRouteHandler:
        """Return the handler of the form. A refusal is shown at the table."""

        async def submit(request: AnyRequest) -> Answer:
            return await self._submit(request, request.path_params["id"], read_form)

        return post(f"/tables/{{id:str}}/{self.form}", status_code=200)(submit)

    async def _submit(self, request: AnyRequest, id: str, read_form: Callable[[AnyRequest], Awaitable[Form]]) -> Answer:
        visit, fields = await _visit(request, id), None
        try:
            fields = None if self.read is None else self.read(await read_form(request))
            await self._do(visit, *(() if self.read is None else (fields,)))
        except MeadhallError as error:
            return table_answer(request, visit.room, visit.guest, error, getattr(fields, "action", None))
        await asyncio.sleep(0)  # streams first: the page that sent the form has one too
        return table_answer(request, visit.room, visit.guest, action=getattr(fields, "action", None))

    def for_programs(self) -> HTTPRouteHandler:
        """Return the handler of the API. It answers with the table after the deed."""

        async def without_fields(request: AnyRequest, id: str, wait: Wait = 0, words: Words = False) -> TableInfo:
            visit = await _visit(request, id)
            await self._do(visit)
            await wait_for_turn(request, visit.room, visit.guest, wait)
            return table_info(visit.room, visit.guest, outside(request), words)

        async def with_fields(data: Any, request: AnyRequest, id: str, wait: Wait = 0, words: Words = False) -> TableInfo:
            visit = await _visit(request, id)
            await self._do(visit, data)
            await wait_for_turn(request, visit.room, visit.guest, wait)
            return table_info(visit.room, visit.guest, outside(request), words)

        handle = without_fields if self.body is None else with_fields
        handle.__name__, handle.__doc__ = self.do.__name__, self.do.__doc__
        if self.body is not None:
            handle.__annotations__["data"] = Annotated[self.body, STRICT]
        statuses = (*(() if self.who == "anyone" else (403,)), *(() if self.body is None else (413,)), *self.refusals)
        return post(f"/tables/{{id:str}}/{self.api}", status_code=200, responses=table_refusals(*statuses))(handle)

    async def _do(self, visit: TableRequest, *fields: object) -> None:
        if self.who == "host":
            check_host(visit.room.table, visit.guest)
        await visit.hall.store.unlocked()  # between this and the change nothing waits
        await self.do(visit, *fields)


async def wait_for_turn(request: AnyRequest, room: Room, guest: Guest, seconds: int) -> None:
    """Wait until a guest has something to decide, the match is over, or some seconds have passed. Raises TooMany."""
    if not seconds or _has_to_decide(room, guest):
        return
    state = request.app.state
    state.stream_limit.check(request, guest)
    with state.stream_limit.count(request, guest), room.visits.subscribe(guest.id) as subscriber:
        async for _changed in updates(subscriber, state.hall.closing, seconds):
            if subscriber.is_due or _has_to_decide(room, guest):
                return


def _has_to_decide(room: Room, guest: Guest) -> bool:
    """Return whether a guest has to choose an action or answer a proposal, or nothing can happen any more."""
    seat, proposal = room.table.seat_of(guest.id), room.consent.proposals.open
    if room.table.status in FINISHED or room.is_closed:
        return True
    is_asked = proposal is not None and seat in proposal.asked - proposal.agreed
    return is_asked or room.state.has_turn(seat)


class Deeds(list[Deed]):
    """A table of deeds."""

    def add(
        self,
        who: Who,
        form: str = "",
        read: Callable[[Form], object] | None = None,
        api: str = "",
        body: type[msgspec.Struct] | None = None,
        refusals: tuple[int, ...] = (),
    ) -> Callable[[Do], Do]:
        """Add the decorated function, see ``Deed``."""

        def added(do: Do) -> Do:
            self.append(Deed(do, who, form, read, api, body, refusals))
            return do

        return added


# ----------------------------------------------------------------------------------------------------- deeds of every move


class DirectDeed:
    """Answers the posts of a deed without the layers of the framework, which take as long as a move.

    What it can't read goes on to the ordinary route, which says what is wrong.
    """

    def __init__(self, deed: Deed, app: Litestar, route: ASGIApp, identify: Identify) -> None:
        self._deed = deed
        self._app = app
        self._route = route
        self._identify = identify

    async def answer_page(self, scope: HTTPScope, receive: Receive, exchange: Exchange, id: str) -> None:
        """Answer the form of a page."""
        message: Any = await receive()
        try:
            form = _form(scope, message)
        except ValueError:
            await self._route(scope, _repeated(message, receive), exchange.send)
            return

        async def read(_: AnyRequest) -> Form:
            return form

        scope["path_template"] = f"/tables/{{id}}/{self._deed.form}"
        request = HallRequest(scope, receive)
        try:
            await self._identify(request)
            answer: Response[Any] | Redirect = await self._deed._submit(request, id, read)
        except Exception as error:
            answer = _refusal(request, error)
        if answer.status_code == HTTPStatus.NO_CONTENT:
            await exchange.answer(HTTPStatus.NO_CONTENT, [])
        else:
            await answer.to_asgi_response(self._app, request)(scope, receive, exchange.send)

    async def answer_program(self, scope: HTTPScope, receive: Receive, exchange: Exchange, id: str) -> None:
        """Answer a program with the table after the deed."""
        if scope["query_string"]:
            await self._route(scope, receive, exchange.send)
            return
        message: Any = await receive()
        try:
            data = decode_strictly(_body(scope, message, b"application/json"), self._deed.body)
        except (ValueError, HTTPException, SerializationException):
            await self._route(scope, _repeated(message, receive), exchange.send)
            return
        scope["path_template"] = f"/api/v1/tables/{{id}}/{self._deed.api}"
        request = HallRequest(scope, receive)
        try:
            await self._identify(request)
            visit = await _visit(request, id)
            await self._deed._do(visit, data)
            told = told_table(visit.room, visit.guest, outside(request))
        except Exception as error:
            await _refusal(request, error).to_asgi_response(self._app, request)(scope, receive, exchange.send)
        else:
            await exchange.answer(HTTPStatus.OK, [(b"content-type", b"application/json")], bytes(told))


def _refusal(request: AnyRequest, error: Exception) -> Response[Any]:
    return refused(request, error) if isinstance(error, MeadhallError) else failed(request, error)


def _body(scope: HTTPScope, message: Any, kind: bytes) -> bytes:
    """Return the body of a request of this kind that has arrived as a whole. Raises ValueError."""
    body: bytes = message.get("body", b"")
    given = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    if message.get("more_body") or not given.startswith(kind) or len(body) > _LONGEST_BODY:
        raise ValueError(message["type"])
    return body


def _form(scope: HTTPScope, message: Any) -> Form:
    """Return the fields of a form that has arrived as a whole. Raises ValueError."""
    text = _body(scope, message, b"application/x-www-form-urlencoded").decode()
    return {name: value[:LONGEST] for name, value in parse_qsl(text, keep_blank_values=True, errors="strict")}


def _repeated(message: Any, receive: Receive) -> Receive:
    """Return a function that receives a message again, and then those after it."""
    messages = [message]

    async def again() -> Any:
        return messages.pop() if messages else await receive()

    return again


DEEDS: Final = Deeds()


def _seat(form: Form) -> int:
    """Return the seat of a form. Raises BadSetup."""
    seat = integer(form, "seat")
    if seat is None:
        raise BadSetup(_("Which seat?"))
    return seat


def _players(form: Form) -> int:
    """Return the number of players of a form. Raises BadSetup."""
    players = integer(form, "players")
    if players is None:
        raise BadSetup(_("How many players?"))
    return players


# ---------------------------------------------------------------------------------------------------------- before the match


@DEEDS.add("anyone", api="join", body=JoinTable)
async def join_table(visit: TableRequest, data: JoinTable) -> None:
    """Take a seat."""
    visit.hall.join(visit.room, visit.guest, data.seat)


@DEEDS.add("seated", api="leave")
async def leave_table(visit: TableRequest) -> None:
    """Leave your seat before the match. If you are the host, the next person becomes host."""
    visit.room.change_table(left_by(visit.guest))


@DEEDS.add("seated", api="ready")
async def agree_to_start(visit: TableRequest, is_ready: bool = True) -> None:
    """Agree that the match starts, also while you send no requests. A change of seats or options ends the agreement."""
    visit.room.change_table(agreed(visit.guest, is_ready))


@DEEDS.add("host", "close", api="close")
async def close_table(visit: TableRequest) -> None:
    """Close the table before the match. Only the table's host can."""
    visit.room.close_table()


@DEEDS.add("host", "clock", clock_of_form, "clock", ClockChoice)
async def set_clock(visit: TableRequest, data: ClockChoice | Clock | None) -> None:
    """Choose the clock before the match. Only the table's host can. The other players have to agree to the start again."""
    visit.arrange(with_clock(clock_of(data) if isinstance(data, ClockChoice) else data))


@DEEDS.add("host", "wait", wait_of_form)
async def change_wait(visit: TableRequest, seconds: int | None) -> None:
    """Choose after how many seconds bots take the empty seats of a quick match; None: never."""
    visit.room.change(waits.change_wait, seconds)
    visit.hall.scheduler.wake()


@DEEDS.add("host", "start", api="start")
async def start_match(visit: TableRequest) -> None:
    """Start the match. Only the table's host can.

    It waits for players who are away: without an open stream, without a request in the last 20 seconds, and not ready.
    """
    visit.room.start()


@DEEDS.add("anyone", "seats", dict)
async def change_seat(visit: TableRequest, form: Form) -> None:
    """Take or leave a seat; as the host also give it to a bot, free it, or remove it."""
    if form.get("name"):
        visit.guest = visit.sessions.save(visit.guest, name=form["name"])
    kind, _colon, rank = form.get("set", "").partition(":")
    match kind:
        case "sit":
            await join_table(visit, JoinTable(integer(form, "seat")))
        case "leave":
            await leave_table(visit)
        case "ready" | "unready":
            await agree_to_start(visit, kind == "ready")
        case _:
            change = _change_by_host(visit.room.game, kind, rank or HUSCARL.name, form)
            check_host(visit.room.table, visit.guest)
            visit.arrange(change)


def _change_by_host(subject: Game, kind: str, rank: str, form: Form) -> Change:
    seat = _seat(form)
    match kind:
        case "bot":
            return with_bot(subject, seat, rank)
        case "open":
            return emptied(seat)
        case "remove":
            return without_seat(subject, seat)
    raise BadSetup(_("A seat can be taken, left, opened, removed or given to a bot."))


@DEEDS.add("host", "size", _players)
async def change_size(visit: TableRequest, players: int) -> None:
    """Change the number of seats."""
    visit.arrange(resized(visit.room.game, players))


@DEEDS.add("host", "options", dict)
async def change_options(visit: TableRequest, form: Form) -> None:
    """Change options of the game."""
    visit.arrange(with_options(visit.room.game, form))


@DEEDS.add("host", "visibility", lambda form: form.get("public") == "yes")
async def change_visibility(visit: TableRequest, is_public: bool) -> None:
    """List the table in the hall, or take it off the list."""
    visit.arrange(listed(is_public))


# ------------------------------------------------------------------------------------------------------------- in the match


class _FormAction(NewAction):
    """An action of a form. Its script asks to be refused, ``unsure``, if the action can't be taken back."""

    is_sure: bool = True


def _action(form: Form) -> NewAction:
    return _FormAction(action_number(form), integer(form, "n"), form.get("sure") != "no")


@DEEDS.add("seated", "act", _action, "actions", NewAction, refusals=(422,))
async def play_action(visit: TableRequest, data: NewAction) -> None:
    """Play an action.

    If you have already played this action with this ``n``, nothing changes and the answer is the table as it is now. So you can
    repeat a request whose answer was lost.
    """
    act(visit.room, visit.guest, data.action, data.n, getattr(data, "is_sure", True))


@DEEDS.add(
    "seated",
    "ahead",
    lambda form: Intention(action_number(form) if form.get("action") else None, integer(form, "n")),
    "ahead",
    Intention,
)
async def choose_action_ahead(visit: TableRequest, data: Intention) -> None:
    """Choose the action of your next decision ahead, in place of the last such choice, while you wait.

    It is played when your decision begins, if it is legal then, and dropped otherwise. Only you see it, as ``intended``. A game
    says what can be chosen ahead: a refusal lists it. ``action`` null revokes the choice; so do an undo, a pause and a stand-in.
    If your decision has begun meanwhile, the action is played at once.
    """
    visit.room.change(choose_ahead, visit.guest, data.action, data.n)


@DEEDS.add("seated", "undo", lambda form: integer(form, "n"), "undo")
async def undo_action(visit: TableRequest, number: int | None = None) -> None:
    """Take back your last decision, and the actions of bots since then.

    It is refused with the reason if another person has moved since, or if anything was rolled, drawn or revealed.
    """
    visit.room.change(match_changes.take_back, visit.guest, number)


@DEEDS.add("seated", "resign", api="resign")
async def resign(visit: TableRequest) -> None:
    """Give up your seat.

    In a match of two players or sides, the other side wins. With more, a bot plays your seat to the end.
    """
    visit.room.change(match_changes.resign, visit.guest)


@DEEDS.add("seated", "stand-in", lambda form: SeatChoice(_seat(form)), "stand-in", SeatChoice)
async def let_bot_play(visit: TableRequest, data: SeatChoice) -> None:
    """Let a bot play for a player who is away, until that player returns.

    It is possible from the time on that the seat's ``replaceable`` says. If a bot plays there already, nothing changes.
    """
    visit.room.change(match_changes.let_bot_play, visit.room, visit.guest, data.seat)


@DEEDS.add("seated", "return", api="return")
async def take_back_seat(visit: TableRequest) -> None:
    """Take back your seat while a bot plays it, at any decision.

    If no bot plays it, nothing changes. It is refused after you have resigned.
    """
    visit.room.change(match_changes.take_back_seat, visit.guest)


@DEEDS.add("seated", "resume", api="resume")
async def go_on(visit: TableRequest) -> None:
    """End a pause: the board and the clocks go on at once.

    Any player can, without the agreement of the others. If the match isn't paused, nothing changes.
    """
    visit.room.change(match_changes.go_on, visit.guest)


@DEEDS.add("seated", "skip", api="skip")
async def skip_to_end(visit: TableRequest) -> None:
    """Let the bots play on without pauses after you are out. It is refused while you or other people still play."""
    visit.room.change(match_changes.skip_to_end, visit.guest)


# ---------------------------------------------------------------------------------------------------------------- proposals


def _proposal(form: Form) -> NewProposal:
    return NewProposal(kind_of(form.get("what", "")).what, integer(form, "to"))


def _answer(form: Form) -> ProposalAnswer:
    """Return the vote of a form. Raises BadSetup."""
    answer = form.get("answer", "")
    if answer not in ("agree", "decline"):
        raise BadSetup(_("An answer is agree or decline, not {what}.").format(what=quoted(answer)))
    return ProposalAnswer(integer(form, "proposal") or 0, "agree" if answer == "agree" else "decline")


@DEEDS.add("seated", "propose", _proposal, "proposals", NewProposal)
async def propose(visit: TableRequest, data: NewProposal) -> None:
    """Propose something to the others: take back actions, end as a draw, give up together, stop the clocks.

    One proposal is open at a time. Bots agree at once, but to a draw only if they don't expect to win. A person who plays on
    declines a take-back, a draw or giving up. What had no success can be proposed again five decisions or ten minutes later.
    """
    visit.room.consent.propose(visit.guest, data.what, data.to)


@DEEDS.add("seated", "withdraw", lambda form: ProposalAnswer(integer(form, "proposal") or 0, "withdraw"))
@DEEDS.add("seated", "vote", _answer, "vote", ProposalAnswer)
async def answer_proposal(visit: TableRequest, data: ProposalAnswer) -> None:
    """Agree to the open proposal, decline it, or withdraw your own."""
    if data.answer == "withdraw":
        visit.room.consent.withdraw(visit.guest, data.proposal)
    else:
        visit.room.consent.answer(visit.guest, data.proposal, data.answer == "agree")


ACT: Final = next(deed for deed in DEEDS if deed.form == "act")
"""The deed of every move."""

routes: Final = [deed.for_forms() for deed in DEEDS if deed.form]
api_routes: Final = [deed.for_programs() for deed in DEEDS if deed.api]
