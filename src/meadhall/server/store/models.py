"""The contents of the database that most of the hall knows, as plain values: guests, tables, seats and the entries of a match.

What only one subject has stands beside its queries, for example a session in ``sessions.py``.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from itertools import product
from typing import Any, Final, Literal, NamedTuple, Self

SIGNS: Final = ("wolf", "raven", "bear", "ship", "tree", "hammer", "boar")
"""The signs, in the order of the symbols in ``art/sprite.html``."""

COLOURS: Final = ("blue", "violet", "copper", "teal", "green", "rose", "gold")
"""The colours, in the order of the classes ``dye-0`` to ``dye-6``."""


class Crest(NamedTuple):
    """A sign and a colour, as places in ``SIGNS`` and ``COLOURS``."""

    sign: int
    colour: int

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return the crest that is stored as "raven-blue"; None if there is no such crest."""
        sign, _hyphen, colour = text.partition("-")
        return cls(SIGNS.index(sign), COLOURS.index(colour)) if sign in SIGNS and colour in COLOURS else None

    @property
    def text(self) -> str:
        """The crest in its stored form, e.g. "raven-blue"."""
        return f"{SIGNS[self.sign]}-{COLOURS[self.colour]}"


def told_apart(wanted: Sequence[int | None], kinds: int = len(SIGNS)) -> list[int]:
    """Give each seat of a table another one of so many signs, or colours. The seats that want none want their own number.

    The first seat that wants a sign has it, people before bots; the others that want it have the next free one. With more seats
    than signs, the last seats have signs of others.
    """
    given: dict[int, int] = {}
    people = [seat for seat, sign in enumerate(wanted) if sign is not None]
    others = [seat for seat, sign in enumerate(wanted) if sign is None]
    for seats, tries in product((people, others), (1, kinds)):
        for seat in seats:
            first = seat if (sign := wanted[seat]) is None else sign
            free = [sign for k in range(tries) if (sign := (first + k) % kinds) not in given.values()]
            if free:
                given.setdefault(seat, free[0])
    return [given.get(seat, seat % kinds) for seat in range(len(wanted))]


ClockKind = Literal["seat", "decision", "slow", "reserve"]
"""Live with a time for each seat or for each decision; or slow, with days for each decision or for each seat."""

TimeUp = Literal["bot_decision", "bot_seat", "resign"]
"""When time is up, a bot plays this one decision, a bot takes over the seat, or the seat resigns."""


@dataclass(frozen=True)
class Clock:
    """The clock of a table. A table without one has None.

    Attributes:
        kind: how time is given.
        seconds: for ``seat`` and ``reserve`` the time that each seat has at the start, else the time for each decision.
        increment: for these two the seconds that a seat gains with each of its actions.
        time_up: what happens when the time of a seat is up.
    """

    kind: ClockKind
    seconds: int
    increment: int = 0
    time_up: TimeUp = "bot_decision"

    @property
    def is_live(self) -> bool:
        """Whether the players are expected to stay at the table."""
        return self.kind not in ("slow", "reserve")

    @property
    def is_of_seats(self) -> bool:
        """Whether a seat has a time for the whole match, not for each decision."""
        return self.kind in ("seat", "reserve")

    @property
    def one_more(self) -> float:
        """The seconds that a seat has at least after a bot has played for it: a minute of a live clock, a day of a slow one."""
        return 60.0 if self.is_live else 86400.0

    def with_increment(self, left: float) -> float:
        """Return the seconds that a seat has after an action. A reserve of days never grows beyond the time at the start."""
        gained = left + self.increment
        return gained if self.is_live else max(left, min(gained, self.seconds))

    def to_json(self) -> dict[str, Any]:
        """Return the clock as the database and records contain it."""
        values: dict[str, Any] = {"kind": self.kind, "seconds": self.seconds}
        if self.is_of_seats:
            values["increment"] = self.increment
        return {**values, "time_up": self.time_up}

    @classmethod
    def of_json(cls, values: Mapping[str, Any] | None) -> Self | None:
        """Return the clock that ``to_json`` has written; None for None."""
        return None if values is None else cls(**values)


SeatKind = Literal["human", "bot", "open"]
ProfileVisibility = Literal["private", "opponents", "public"]
"""Who sees a person's profile: no other person, people who have sat at a table with this person, or everyone."""
TableStatus = Literal["gathering", "closed", "running", "over", "abandoned"]
"""Closed: the host has closed the table before its match."""
EntryKind = Literal[
    "action",
    "hinted",
    "undo",
    "hint",
    "ahead",
    "propose",
    "agree",
    "decline",
    "withdraw",
    "expire",
    "pause",
    "resume",
    "skip",
    "swap",
    "stand_in",
    "return",
    "holiday",
    "edit",
]


RULES_CHANGED: Final = "the rules of the game have changed"
"""Why a running match is closed that began under older rules."""

FINISHED: Final[tuple[TableStatus, ...]] = ("over", "abandoned")


FOR_GOOD: Final = datetime.max.replace(tzinfo=UTC)
"""The end of a closing that has none."""

UNTIMED: Final = datetime.fromtimestamp(0, UTC)
"""The time of an entry before the room has set it."""


@dataclass(frozen=True)
class Guest:
    """A guest of the hall.

    Attributes:
        id: a secret. The session cookie is this id, signed: no page and no answer of the API may contain it.
        public_id: what other people may see of it, for example in addresses; "" until the guest is stored.
        confirm: at which tables a page asks before a decision that can't be taken back: ``slow``, ``always`` or ``never``.
        onward: where a page goes after a decision at a slow table: nowhere (``stay``), or to the ``next`` table that waits.
        profile: who may see the guest's profile, apart from the guest.
        is_stored: False for a new guest of whom the database has no row yet.
        has_account: whether the guest must sign in, with a passkey or a password. Their name is theirs alone.
        choices: what the guest chose last for a match against bots, by game: ``players``, ``bot`` and ``options``.
        notifications: what the guest wants to be told, and how; see ``hall.notifications``. Empty: the defaults.
        is_admitted: whether an invitation has admitted the guest to a hall for invited guests.
        closed_until: until when the hall has shut the guest out: ``FOR_GOOD`` if it has no end, None if it hasn't.
        muted_until: until when the guest may not write.
        reason: why, in the words of a helper.
        told: what the next page tells the guest, as keys that are separated by blanks.
        asks: what a new guest says who waits until a helper admits them; None for all others.
        role: ``helper`` or ``host`` of the hall, else "".
        chosen_crest: the crest that the guest has chosen, as it is stored; "" until then.
    """

    id: str
    name: str
    language: str = "en"
    theme: str = "auto"
    motion: str = "auto"
    confirm: str = "slow"
    onward: str = "stay"
    profile: ProfileVisibility = "opponents"
    is_stored: bool = False
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    public_id: str = field(default="", compare=False)
    has_account: bool = False
    notifications: Mapping[str, Any] = field(default_factory=dict, hash=False)
    is_admitted: bool = False
    closed_until: datetime | None = None
    chosen_crest: str = ""
    muted_until: datetime | None = None
    reason: str = ""
    told: str = ""
    asks: str | None = None
    role: str = ""

    @property
    def crest(self) -> Crest:
        """The crest that the guest has chosen, or else one that follows from their id."""
        hash = sha256(self.id.encode()).digest()
        return Crest.read(self.chosen_crest) or Crest(hash[0] % len(SIGNS), hash[1] % len(COLOURS))


@dataclass(frozen=True)
class SeatRow:
    """A seat at a table.

    Attributes:
        bot: the bot's level, None unless a bot sits here.
        guests: ids of the guests that the seat belongs to: none, one, or several after it was moved to another device.
        link_token: the secret in the private link that moves the seat to another device.
        is_ready: whether the player agrees that the match starts, also while they are away.
        stored_crest: the crest of the person who sits here, or has left the seat during the match; "" without one.
    """

    seat: int
    kind: SeatKind
    name: str
    bot: str | None
    guests: frozenset[str]
    link_token: str
    is_ready: bool = False
    stored_crest: str = ""

    @property
    def crest(self) -> Crest | None:
        """The crest of the person who sits here, or has left the seat during the match; None for a bot."""
        return Crest.read(self.stored_crest)


@dataclass(frozen=True)
class TableRow:
    """A table before, during and after its match.

    Attributes:
        rules: version of the game's rules.
        host: id of the guest that may change the table before the match.
        is_public: whether the hall lists the table.
        abandon_reason: why the match ended early, None if it did not.
        outcome: ``winners``, ``scores``, ``why`` a win was awarded (null: by the rules), and the ``places`` of the seats if the
            game ranks them and they were stored; None without a result.
        rematch: id of the table where the rematch is played.
        daily: the day whose puzzle is played here (``"2026-11-21"``), None at any other table.
        figures: how an attempt at the daily puzzle went, None until it has been measured.
        standing: sorts the attempts of a day, the best first; None until the attempt has been ranked, or if it doesn't count.
        clock: how much time the seats have; None without a clock.
        version: number of changes since the table was opened.
    """

    id: str
    game: str
    rules: int
    options: dict[str, Any]
    status: TableStatus
    host: str
    is_public: bool
    seed: bytes
    created_at: datetime
    seats: tuple[SeatRow, ...]
    started_at: datetime | None = None
    finished_at: datetime | None = None
    abandon_reason: str | None = None
    outcome: dict[str, Any] | None = None
    rematch: str | None = None
    daily: str | None = None
    figures: dict[str, int] | None = None
    standing: str | None = None
    clock: Clock | None = None
    version: int = 0

    @cached_property
    def marks(self) -> tuple[Crest, ...]:
        """The sign and colour of each seat, for at least seven seats: the crest of its player, as far as it is free.

        They depend only on the crests of the players, which stay the same during a match.
        """
        worn = [seat.crest for seat in self.seats] + [None] * (len(SIGNS) - len(self.seats))
        signs, colours = ([crest and crest[part] for crest in worn] for part in (0, 1))
        return tuple(map(Crest, told_apart(signs), told_apart(colours)))

    def seat_of(self, guest: str) -> int | None:
        """Return the guest's seat, None without one. Old tables may give a guest several: then it is the lowest."""
        for seat in self.seats:
            if guest in seat.guests:
                return seat.seat
        return None

    def is_hosted_by(self, guest: str) -> bool:
        """Return whether the guest is the host, on this device or another one."""
        return guest == self.host or any({guest, self.host} <= seat.guests for seat in self.seats)

    def replace_seat(self, seat: SeatRow) -> TableRow:
        """Return the table with one seat changed."""
        return replace(self, seats=tuple(seat if other.seat == seat.seat else other for other in self.seats))


@dataclass(frozen=True)
class Entry:
    """One line of a match's history. Entries are appended and never changed.

    Attributes:
        number: 1 for the first entry of a match.
        kind: ``action``; ``hinted``, an action after a hint; ``undo``; ``hint``, a request for one; ``stand_in``, a bot takes
            over; ``return``, the owner of the seat takes it back; ``swap``, another person takes it over; ``pause`` and
            ``resume``, the match rests; ``skip``, bots play on without pauses; ``edit``, another position, from development
            mode; or one of those of ``hall.proposals``. The module ``hall.state`` has the function that replays each kind.
        seat: the seat that made the entry.
        value: the action; for ``undo`` the number of actions that are taken back; for ``hint`` the number of the decision.
        data: what else belongs to an entry of its kind, as JSON: for ``stand_in`` the level of the ``bot``, how long it
            ``lasts`` and ``why``; for an action at a live clock for how many milliseconds the boards play it (``plays``).
        at: when it was made, in UTC, as it is stored. Entries of different times can be equal. The room sets it if
            it isn't known before.
    """

    number: int
    kind: EntryKind
    seat: int
    value: int
    data: Mapping[str, Any] | None = field(default=None, hash=False)
    at: datetime = field(default=UNTIMED, compare=False)


def new_id() -> str:
    """Return a short identifier that can't be guessed. It begins with no hyphen: a command would take it for an option."""
    id = secrets.token_urlsafe(9)
    return id if id[0] != "-" else new_id()


def new_link_token() -> str:
    """Return a secret for a private link."""
    return secrets.token_urlsafe(18)
