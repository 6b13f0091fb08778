"""The bodies of the API. Their docstrings are the descriptions in the OpenAPI document."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from litestar.openapi.spec import OpenAPIType
from msgspec.structs import replace

from meadhall.bots import bot_names
from meadhall.engine.defaults import conceals
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.options import Choice, Document, HouseRule, Option
from meadhall.engine.text.language import current_language
from meadhall.server.hall.bots.hints import RequestedHint
from meadhall.server.hall.consent.kinds import What
from meadhall.server.hall.room import Room
from meadhall.server.hall.time.clock_choice import check_clock
from meadhall.server.pages.lobby import template_url
from meadhall.server.store.clock import Clock, ClockKind, TimeUp
from meadhall.server.store.models import Guest, RequestKey, SeatKind, TableRow, TableStatus
from meadhall.server.web.links import Outside

R = TypeVar("R")


class NewGuest(msgspec.Struct, forbid_unknown_fields=True):
    """The name of a program that becomes a guest.

    In a hall for invited guests ``invitation`` is the last part of the address of an invitation.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    invitation: Annotated[str, msgspec.Meta(max_length=100)] | None = None


class Credentials(msgspec.Struct):
    """A guest and its token. Send the token with every other request: ``Authorization: Bearer <token>``."""

    guest: str
    name: str
    token: str


class OptionInfo(msgspec.Struct):
    """An option of a game: a choice or a document.

    For a choice, ``values`` describes each value; the first is the default. For a document, ``values`` is null, and ``template``
    is the address of the built-in one. To use another document, give its text or its parsed data. A table shows only the hash
    of the document; a record contains all of it. If ``only_with`` is not null, only the default is allowed unless that other
    option has that value. ``origins`` says what values are, compared with the printed rules: ``printed``, ``reading``,
    ``other_reading`` or ``house``. A ``house_rule`` is folded away, and a record names it only if its value isn't the default.
    """

    name: str
    values: dict[str, str] | None
    template: str | None
    only_with: dict[str, str] | None
    origins: dict[str, str] = {}
    house_rule: bool = False


class GameInfo(msgspec.Struct):
    """A game of this hall. ``ready`` is false while its rules are still being compiled.

    ``events`` has the names of the arguments of each kind of event, as records list them. A last name that begins with ``*`` is
    that of all further arguments.
    """

    name: str
    title: str
    rules: int
    min_players: int
    max_players: int
    actions: int
    options: list[OptionInfo]
    bots: list[str]
    ready: bool
    events: dict[str, list[str]]


class ClockChoice(msgspec.Struct, forbid_unknown_fields=True):
    """A clock for a table. What is null gets its default.

    ``kind`` is ``none``; ``seat``, with ``seconds`` for each seat (180, 300, 600 or 1200) and an ``increment`` in seconds;
    ``decision``, with ``seconds`` for each decision (30, 60 or 120); ``slow``, with days for each decision (86400, 259200 or
    604800 seconds); or ``reserve``, with days for each seat (259200, 604800 or 1209600) and an ``increment`` of 0, 14400, 43200
    or 86400 seconds. When time is up (``time_up``), a bot plays this decision and a seat with a time for the match has one more
    minute or day (``bot_decision``), a bot plays until the owner of the seat comes back (``bot_seat``), or the seat resigns
    (``resign``).
    """

    kind: str
    seconds: int | None = None
    increment: int | None = None
    time_up: str | None = None


class ClockInfo(msgspec.Struct):
    """The clock of a table. Times are in seconds; ``increment`` is 0 unless ``kind`` is ``seat`` or ``reserve``."""

    kind: ClockKind
    seconds: int
    increment: int
    time_up: TimeUp


class ClocksInfo(msgspec.Struct):
    """The clocks of a running match, at the time ``now`` of the hall.

    ``left`` has the seconds of each seat, null for a seat that a bot plays. ``running`` is the seat whose clock runs, and
    ``deadline`` is when its time is up; both are null if no clock runs. ``paused``: whether the players have paused the clocks.
    ``stopped_until`` is null, or the end of the time after a restart of the hall in which no clock runs.
    """

    now: datetime
    left: list[float | None]
    running: int | None
    deadline: datetime | None
    paused: bool
    stopped_until: datetime | None


class NewTable(msgspec.Struct, forbid_unknown_fields=True):
    """A table to open: you on seat 0, then the bots; the other seats are open. If no seat is open, the match begins at once.

    Integers must be written without a decimal point and without quotes: 2, not 2.0 and not "2".
    """

    game: str
    players: int | None = None
    options: dict[str, Any] = {}
    bots: list[str] = []
    public: bool = False
    clock: ClockChoice | None = None


class JoinTable(msgspec.Struct, forbid_unknown_fields=True):
    """The seat to take; null for the first open one."""

    seat: int | None = None


class NewAction(msgspec.Struct, forbid_unknown_fields=True):
    """An action. With its number ``n`` (the table's ``next``) it is refused if the match has moved on."""

    action: Annotated[Any, msgspec.Meta(extra_json_schema={"extra": {"type": OpenAPIType.INTEGER}})]  # the match checks the type
    n: int | None = None


class NewProposal(msgspec.Struct, forbid_unknown_fields=True):
    """A proposal to the others at the table.

    ``to``: for ``take-back`` the number of the first action that is taken back; null for your last one. ``seat``: for ``swap``
    the seat that you ask for as a spectator.
    """

    what: What
    to: int | None = None
    seat: int | None = None


class ProposalAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """Your answer to the proposal of that number; only its own maker withdraws it."""

    proposal: int
    answer: Literal["agree", "decline", "withdraw"]


class ProposalInfo(msgspec.Struct):
    """The open proposal of a table.

    ``seat`` proposes it; for ``swap`` it is the seat that the ``guest``, given by name, asks for. All ``asked`` seats must agree
    before ``until``, in UTC; ``agreed`` are those that have. ``to`` is the number of the first action that is taken back.
    """

    number: int
    what: What
    seat: int
    to: int | None
    guest: str | None
    asked: list[int]
    agreed: list[int]
    until: datetime


class SeatChoice(msgspec.Struct, forbid_unknown_fields=True):
    """A seat of the table."""

    seat: int


class SeatInfo(msgspec.Struct):
    """A seat at a table.

    ``you``: whether it is yours. ``stand_in``: the level of the bot that plays for the person who has the seat, null without one.
    ``away``: since when a person in a running match is away, without an open stream; null if they are here. From ``replaceable``
    on the other people may let a bot play for them.
    """

    seat: int
    kind: SeatKind
    name: str
    bot: str | None
    you: bool
    stand_in: str | None = None
    away: datetime | None = None
    replaceable: datetime | None = None


class TableInfo(msgspec.Struct):
    """A table as you may see it. ``you`` is your seat.

    ``view`` is null before the match. Then it contains the visible ``state``, the seat to move (``actor``), the number of the
    ``next`` action, and on your turn your ``legal`` actions. ``result`` is null until the match is over. ``awarded`` is a win
    that the rules don't give, for example after a resignation: its ``winners``, ``scores``, and ``why``. ``clock`` is null for a
    table without a clock, and ``clocks`` is null unless its match is running. ``url`` is the address of its page, for people.
    """

    id: str
    url: str
    game: str
    status: TableStatus
    options: dict[str, Any]
    seats: list[SeatInfo]
    you: int | None
    commitment: str | None
    view: dict[str, Any] | None
    result: dict[str, Any] | None
    awarded: dict[str, Any] | None
    proposal: ProposalInfo | None
    clock: ClockInfo | None
    clocks: ClocksInfo | None


class TableSummary(msgspec.Struct):
    """A table in a list. ``you`` is your seat, ``host`` whether you are its host. Times are in UTC; null: not yet.

    ``url`` is the address of its page, for people.
    """

    id: str
    url: str
    game: str
    status: TableStatus
    public: bool
    host: bool
    options: dict[str, Any]
    seats: list[SeatInfo]
    you: int | None
    created: datetime
    started: datetime | None
    finished: datetime | None
    clock: ClockInfo | None


class LegalAction(msgspec.Struct):
    """An action that you can play now."""

    action: int
    text: str


class HintInfo(msgspec.Struct):
    """An action that the king recommends.

    ``chance`` is the expected payoff of the action, 0 to 1, and null if it is the only legal one. ``sure``: whether the chance is
    exact rather than estimated.
    """

    action: int
    text: str
    chance: float | None
    sure: bool


def game_info(game: Game, ready: bool) -> GameInfo:
    """Describe a game."""
    return GameInfo(
        name=game.name,
        title=game.title,
        rules=game.version,
        min_players=game.min_players,
        max_players=game.max_players,
        actions=game.actions,
        options=[_option_info(game, option) for option in game.options],
        bots=bot_names(game),
        ready=ready,
        events={kind.name: list(kind.fields) for kind in game.events.values()},
    )


def _option_info(game: Game, option: Option) -> OptionInfo:
    if isinstance(option, Document):
        return OptionInfo(option.name, None, template_url(game, option), None)
    assert isinstance(option, Choice)
    needed = dict([option.only_with]) if option.only_with else None
    origins = {value: origin.name.lower() for value, origin in option.origins.items()}
    return OptionInfo(option.name, option.values, None, needed, origins, isinstance(option, HouseRule))


def table_info(room: Room, guest: Guest, outside: Outside) -> TableInfo:
    """Describe a table as the guest may see it. ``outside`` begins the address of its page."""
    return _info_for(room, room.table.seat_of(guest.id), outside, None)


def told_table(room: Room, guest: Guest, outside: Outside) -> msgspec.Raw:
    """Return ``table_info`` as JSON. All who may know the same share it, and the others share what is equal for them."""
    return told_to_seat(room, room.table.seat_of(guest.id), told_of(room, outside.url), outside)


def told_of(room: Room, url: str) -> dict[Any, Any]:
    """Return what programs have been told of a table as it is now, in the current language, with addresses that begin so."""
    key = room.version, current_language(), url
    if room.told is None or room.told[0] is not room.state or room.told[1] != key:
        room.told = room.state, key, {}
    return room.told[2]


def told_to_seat(room: Room, you: int | None, told: dict[Any, Any], outside: Outside) -> msgspec.Raw:
    """Return the table as JSON for a seat, or for a spectator. ``told``: see ``told_of``."""
    if room.absences.since:  # until when someone is away changes by itself
        return msgspec.Raw(msgspec.json.encode(_info_for(room, you, outside, None)))
    found: msgspec.Raw | None = told.get(you)
    if found is not None:
        return found
    public: TableInfo | None = told.get("public")
    if public is None:
        told["deciders"] = () if room.match is None else room.match.deciders
        public = told["public"] = _info_for(room, None, outside, told)
    mine = public
    if you is not None:
        seats = [*public.seats]
        seats[you] = replace(seats[you], you=True)
        view = None if room.match is None else _seen(room.match, you, told)
        mine = replace(public, seats=seats, you=you, view=view)
    if public.clocks is not None:
        return msgspec.Raw(msgspec.json.encode(replace(mine, clocks=_clocks_info(room))))
    told[you] = found = msgspec.Raw(msgspec.json.encode(mine))
    return found


def _info_for(room: Room, you: int | None, outside: Outside, told: dict[Any, Any] | None) -> TableInfo:
    table, match = room.table, room.match
    view = None if match is None else match.view(you).to_dict() if told is None else _seen(match, you, told)
    result = match.result() if match else None
    stand_ins = match.stand_ins if match is not None and table.status == "running" else {}
    return TableInfo(
        id=table.id,
        url=f"{outside.url}/tables/{table.id}",
        game=table.game,
        status=table.status,
        options={name: _without_data(value) for name, value in table.options.items()},
        seats=[
            SeatInfo(
                seat.seat,
                seat.kind,
                seat.name,
                seat.bot,
                seat.seat == you,
                stand_in=stand_ins[seat.seat].bot if seat.seat in stand_ins and seat.kind == "human" else None,
                away=away,
                replaceable=None if away is None else room.absences.may_be_replaced_at(seat.seat),
            )
            for seat in table.seats
            for away in [room.absences.since.get(seat.seat)]
        ],
        you=you,
        commitment=match.commitment if match else None,
        view=view,
        result=None if result is None else {"winners": result.winners, "scores": result.scores, "reason": result.reason},
        awarded=None if match is None or match.awarded is None else asdict(match.awarded),
        clock=clock_info(table.clock),
        proposal=_proposal_info(room),
        clocks=_clocks_info(room),
    )


def _seen(match: Match, seat: int | None, told: dict[Any, Any]) -> dict[str, Any]:
    """Return the view of a seat or a spectator. All who know the same of the state share its JSON."""
    if seat is not None and not conceals(match.game.rules) and seat not in told["deciders"]:
        return {**told["public"].view, "viewer": seat}  # nothing is hidden, and the seat has nothing to choose
    view = match.view(seat)
    known = view.states.tobytes()
    if known in told:
        return view.to_dict(told[known])
    whole = view.to_dict()
    told[known] = whole["state"] = msgspec.Raw(msgspec.json.encode(whole["state"]))
    return whole


def clock_of(choice: ClockChoice) -> Clock | None:
    """Return the chosen clock. Raises BadSetup."""
    return check_clock(choice.kind, choice.seconds, choice.increment, choice.time_up)


def clock_info(clock: Clock | None) -> ClockInfo | None:
    """Describe a clock; None without one."""
    return None if clock is None else ClockInfo(clock.kind, clock.seconds, clock.increment, clock.time_up)


def _clocks_info(room: Room) -> ClocksInfo | None:
    clocks = room.running_clocks
    if clocks is None:
        return None
    at = room.time.now()
    left = [None if seat in clocks.bots else round(seconds, 3) for seat, seconds in enumerate(clocks.left_at(at))]
    return ClocksInfo(at, left, clocks.running, clocks.deadline, clocks.is_paused, clocks.outage_until(at))


def _proposal_info(room: Room) -> ProposalInfo | None:
    found = room.consent.proposals.open
    if found is None or room.table.status != "running":
        return None
    return ProposalInfo(
        number=found.number,
        what=found.what,
        seat=found.seat,
        to=found.to or None,
        guest=room.consent.name_of(found) or None,
        asked=sorted(found.asked),
        agreed=sorted(found.agreed),
        until=found.until,
    )


def table_summary(table: TableRow, guest: Guest, outside: Outside) -> TableSummary:
    """Describe a table in a list. ``outside`` begins the address of its page."""
    you = table.seat_of(guest.id)
    return TableSummary(
        id=table.id,
        url=f"{outside.url}/tables/{table.id}",
        game=table.game,
        status=table.status,
        public=table.is_public,
        host=table.host == guest.id,
        options={name: _without_data(value) for name, value in table.options.items()},
        seats=[SeatInfo(seat.seat, seat.kind, seat.name, seat.bot, seat.seat == you) for seat in table.seats],
        you=you,
        created=table.created_at,
        started=table.started_at,
        finished=table.finished_at,
        clock=clock_info(table.clock),
    )


def request_key(key: str | None, body: NewTable) -> RequestKey | None:
    """Return the key of a request for a new table with the SHA-256 of its body, None without a key."""
    if key is None:
        return None
    written = json.dumps(msgspec.to_builtins(body), sort_keys=True, separators=(",", ":"))
    return RequestKey(key, hashlib.sha256(written.encode()).hexdigest())


def _without_data(value: Any) -> Any:
    """Return the value of an option; for a document only its hash."""
    return {"sha256": value["sha256"]} if isinstance(value, dict) else value


def hint_infos(hint: RequestedHint) -> list[HintInfo]:
    """Describe a hint: its actions, the best first."""
    view, words = hint.view, hint.view.game.words
    return [
        HintInfo(each.action, words.action(view.state, each.action, view.names), each.chance, each.sure) for each in hint.hints
    ]
