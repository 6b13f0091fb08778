"""The bodies of the API, and how requests can be refused. The docstrings are the descriptions in the OpenAPI document."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar.openapi import ResponseSpec
from litestar.openapi.spec import OpenAPIType
from litestar.params import Body, QueryParameter

from meadhall.server.errors import RefusalInfo
from meadhall.server.hall.clocks import check_clock
from meadhall.server.hall.people.sign_in import LONGEST as LONGEST_PASSWORD
from meadhall.server.hall.proposal_kinds import What
from meadhall.server.store.models import Clock, SeatKind, TableStatus
from meadhall.server.web.known_devices import LONGEST as LONGEST_DEVICE

STRICT: Final = Body(schema_extra={"additional_properties": False})
"""A body with only the described fields."""

_REASONS: Final = {
    400: "The request is malformed, or the game can't be set up like that.",
    401: "The token is missing, or not from this hall.",
    403: "You have no seat at this table, or you are not its host; or the password is wrong.",
    404: "There is no such table, game or record, or not yet.",
    409: "Not now: it is another seat's turn, the match has moved on, or the table is not at that point; or the name is taken.",
    410: "The match began under another version of the rules than the installed one.",
    413: "The body is too large.",
    422: "The rules forbid this action now, and ``rule`` names the rule; or the Idempotency-Key belongs to another request.",
    429: "Too many requests or streams.",
    500: "An internal error.",
    503: "The game's rules are still being compiled, or the database does not answer.",
}


def refusals(*statuses: int) -> dict[int, ResponseSpec]:
    """Describe how a request can be refused: with these statuses, or with those that any request can get."""
    return {
        status: ResponseSpec(RefusalInfo, generate_examples=False, description=_REASONS[status])
        for status in sorted({*statuses, 429, 500, 503})
    }


def table_refusals(*statuses: int) -> dict[int, ResponseSpec]:
    """Describe how a request about a table can be refused: with these statuses, or with those common to all such requests."""
    return refusals(400, 401, 404, 409, 410, *statuses)


Wait = Annotated[int, QueryParameter(ge=0, le=50, description="how many seconds to wait for your next turn")]
Words = Annotated[bool, QueryParameter(description="whether to tell the view in words, with the board as text")]


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


class SignIn(msgspec.Struct, forbid_unknown_fields=True):
    """The name of an account and its password, or else one of its recovery codes.

    ``label``: what the owner calls the program. ``device``: what the program was told when it signed in before. Then attempts of
    others don't slow it.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    password: Annotated[str, msgspec.Meta(max_length=LONGEST_PASSWORD)] = ""
    recovery_code: Annotated[str, msgspec.Meta(max_length=40)] = ""
    label: Annotated[str, msgspec.Meta(max_length=60)] = ""
    device: Annotated[str, msgspec.Meta(max_length=LONGEST_DEVICE)] = ""


class NewSession(msgspec.Struct):
    """The token of a new session. It ends when the owner of the account signs the program out, on the page of the account.

    Keep ``device``, and send it when you sign in again.
    """

    name: str
    token: str
    device: str


class NumberInfo(msgspec.Struct):
    """A number of the rules: the printed one, its bounds, and what it says."""

    default: int
    minimum: int
    maximum: int
    text: str


class OptionInfo(msgspec.Struct):
    """An option of a game: a choice, a number of the rules, or a document.

    For a choice, ``values`` describes each value; the first is the default. For a document, ``values`` is null, and ``template``
    is the address of the built-in one. To use another document, give its text or its parsed data. A table shows only the hash
    of the document; a record contains all of it. If ``only_with`` is not null, only the default is allowed unless that other
    option has that value. ``origins`` says what values are, compared with the printed rules: ``printed``, ``reading``,
    ``other_reading`` or ``house``. A ``house_rule`` is folded away, and a record names it only if its value isn't the default; a
    ``number`` is one, too, whose value is an integer.
    """

    name: str
    values: dict[str, str] | None
    template: str | None
    only_with: dict[str, str] | None
    origins: dict[str, str] = {}
    house_rule: bool = False
    number: NumberInfo | None = None


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


def clock_of(choice: ClockChoice) -> Clock | None:
    """Return the chosen clock. Raises BadSetup."""
    return check_clock(choice.kind, choice.seconds, choice.increment, choice.time_up)


class ClocksInfo(msgspec.Struct):
    """The clocks of a running match, at the time ``now`` of the hall.

    ``left`` has the seconds of each seat, null for a seat that a bot plays. ``running`` is the seat whose clock runs, and
    ``deadline`` is when its time is up; both are null if no clock runs. ``paused``: whether the players have paused the clocks.
    ``stopped_until`` is null, or until when no clock runs, because boards play the last actions, or after a restart of the hall.
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


class Intention(msgspec.Struct, forbid_unknown_fields=True):
    """An action that is chosen ahead; null revokes it. With its number ``n`` it is refused if you have acted since."""

    action: int | None
    n: int | None = None


class NewProposal(msgspec.Struct, forbid_unknown_fields=True):
    """A proposal to the others at the table.

    ``to``: for ``take-back`` the number of the first action that is taken back; null for your last one.
    """

    what: What
    to: int | None = None


class ProposalAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """Your answer to the proposal of that number; only its own maker withdraws it."""

    proposal: int
    answer: Literal["agree", "decline", "withdraw"]


class ProposalInfo(msgspec.Struct):
    """The open proposal of a table.

    ``seat`` proposes it. All ``asked`` seats must agree before ``until``, in UTC; ``agreed`` are those that have. ``to`` is the
    number of the first action that is taken back.
    """

    number: int
    what: What
    seat: int
    to: int | None
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
    ``next`` action, and on your turn your ``legal`` actions. If you ask for ``words``, it contains in place of the ``state`` what
    has ``happened`` since your last action, the ``board`` as text, and the ``prompt``: what you must decide. ``result`` is null
    until the match is over. ``awarded`` is a win that the rules don't give, for example after a resignation: its ``winners``,
    ``scores``, and ``why``. ``clock`` is null for a table without a clock; its times are in seconds. ``clocks`` is null unless
    the match is running. ``intended`` is the action that you have chosen ahead. ``url`` is the address of its page, for people.
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
    clock: Clock | None
    clocks: ClocksInfo | None
    intended: int | None = None


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
    clock: Clock | None


class RulesInfo(msgspec.Struct):
    """The rulebook of a game, or one of its rules, as Markdown. Each rule begins with its id."""

    game: str
    rules: str


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
