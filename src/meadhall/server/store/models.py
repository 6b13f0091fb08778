"""The contents of the database as plain values: guests, tables, seats and the entries of a match."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal

from meadhall.server.store.clock import Clock
from meadhall.server.store.crests import Crest

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
    "propose",
    "agree",
    "decline",
    "withdraw",
    "expire",
    "pause",
    "resume",
    "swap",
    "stand_in",
    "return",
    "holiday",
    "edit",
]

Audience = Literal["players", "spectators"]
"""Who hears a line of chat."""
IgnoreKind = Literal["mute", "block"]

RULES_CHANGED: Final = "the rules of the game have changed"
"""Why a running match is closed that began under older rules."""

FINISHED: Final[tuple[TableStatus, ...]] = ("over", "abandoned")


MIXED: Final = "mixed"
"""The level of the bots in a match against bots of several levels."""


class JobTaken(Exception):
    """The job was moved or cancelled."""


UNTIMED: Final = datetime.fromtimestamp(0, UTC)
"""The time of an entry before the room has set it."""


@dataclass(frozen=True)
class RetiredSecret:
    """A secret that was replaced, and the time until which it is accepted."""

    value: str
    valid_until: datetime


@dataclass(frozen=True)
class Guest:
    """A guest of the hall.

    Attributes:
        id: a secret. The session cookie is this id, signed: no page and no answer of the API may contain it.
        public_id: what other people may see of it, for example in addresses; "" until the guest is stored.
        confirm: at which tables a page asks before a decision that can't be taken back: ``slow``, ``always`` or ``never``.
        profile: who may see the guest's profile, apart from the guest.
        is_stored: False for a new guest of whom the database has no row yet.
        has_account: whether the guest must sign in, with a passkey or a password. Their name is theirs alone.
        choices: what the guest chose last for a match against bots, by game: ``players``, ``bot`` and ``options``.
        notifications: what the guest wants to be told, and how; see ``hall.notification_choices``. Empty: the defaults.
        is_admitted: whether an invitation has admitted the guest to a hall for invited guests.
        is_closed: whether the host of the hall has shut the guest out.
        chosen_crest: the crest that the guest has chosen, as it is stored; "" until then.
    """

    id: str
    name: str
    language: str = "en"
    theme: str = "auto"
    motion: str = "auto"
    confirm: str = "slow"
    profile: ProfileVisibility = "opponents"
    is_stored: bool = False
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    public_id: str = field(default="", compare=False)
    has_account: bool = False
    notifications: Mapping[str, Any] = field(default_factory=dict, hash=False)
    is_admitted: bool = False
    is_closed: bool = False
    chosen_crest: str = ""

    @property
    def crest(self) -> Crest:
        """The guest's crest."""
        return Crest.of_guest(self.id, self.chosen_crest)


@dataclass(frozen=True)
class Holiday:
    """A time in which the slow clocks of a guest stand."""

    began_at: datetime
    ended_at: datetime


@dataclass(frozen=True)
class Account:
    """How a guest signs in.

    Attributes:
        guest: the guest's id.
        name: the guest's name, which no other account may resemble.
        handle: how passkeys call the account: random, and used for nothing else.
        password: the hash of the password, as Argon2 encodes it; None without a password.
    """

    guest: str
    name: str
    handle: str
    password: str | None
    created_at: datetime


@dataclass(frozen=True)
class Passkey:
    """A passkey of an account (a discoverable WebAuthn credential).

    Attributes:
        id: the credential id, in base64url.
        public_key: its public key in COSE.
        sign_count: how often it has been used, as its authenticator counts; 0 if that doesn't count.
        transports: how a browser reaches its authenticator, as the browser said.
        label: what the person calls it.
    """

    id: str
    guest: str
    public_key: bytes
    sign_count: int
    transports: tuple[str, ...]
    label: str
    created_at: datetime
    last_used_at: datetime | None = None


SessionKind = Literal["browser", "program"]


@dataclass(frozen=True)
class Session:
    """A device or program that is signed in to an account.

    Attributes:
        id: names the session in forms. It gives no access.
        token: the SHA-256 of its cookie or bearer token.
        label: what the person recognizes it by, for example "Firefox on Linux".
        confirmed_at: when the person last proved here who they are.
        last_used_at: when it was last used, to the hour.
    """

    id: str
    token: str
    guest: str
    kind: SessionKind
    label: str
    created_at: datetime
    confirmed_at: datetime
    last_used_at: datetime


@dataclass(frozen=True)
class Challenge:
    """What a passkey has to sign. See ``hall.passkeys``.

    Attributes:
        guest: id of the guest who got it.
        handle: of the account that a new passkey is made for; None if a passkey is to sign in.
    """

    challenge: str
    purpose: str
    guest: str
    handle: str | None
    expires_at: datetime


@dataclass(frozen=True)
class SeatRow:
    """A seat at a table.

    Attributes:
        bot: the bot's level, None unless a bot sits here.
        guests: ids of the guests that the seat belongs to: none, one, or several after it was moved to another device.
        link_token: the secret in the private link that moves the seat to another device.
        is_ready: whether the player agrees that the match starts, also while they are away.
        stored_crest: the crest of the person who sits here, as it is stored; "" without one.
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
        """The crest of the person who sits here; None for a bot, and if nothing of the person is stored any more."""
        return Crest.of_guest(min(self.guests), self.stored_crest) if self.guests else None


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
class RequestKey:
    """The key that a program gives a request for a new table, so that it can repeat the request safely.

    Attributes:
        key: the key, unique among the requests of a guest.
        fingerprint: the SHA-256 of the request's body.
    """

    key: str
    fingerprint: str


@dataclass(frozen=True)
class Entry:
    """One line of a match's history. Entries are appended and never changed.

    Attributes:
        number: 1 for the first entry of a match.
        kind: ``action``; ``hinted``, an action after a hint; ``undo``; ``hint``, a request for one; ``stand_in``, a bot takes
            over; ``return``, the owner of the seat takes it back; ``swap``, another person takes it over; ``pause`` and
            ``resume`` of the clocks; ``edit``, another position, from development mode; or one of those of
            ``hall.proposals``. The module ``hall.replaying`` has the function that replays each kind.
        seat: the seat that made the entry.
        value: the action; for ``undo`` the number of actions that are taken back; for ``hint`` the number of the decision.
        data: what else belongs to an entry of its kind, as JSON: for ``stand_in`` the level of the ``bot``, how long it
            ``lasts`` and ``why``; for ``edit`` the new values by ``fields``.
        at: when it was made, in UTC, as it is stored. Entries of different times can be equal. The room sets it if
            it isn't known before.
    """

    number: int
    kind: EntryKind
    seat: int
    value: int
    data: Mapping[str, Any] | None = field(default=None, hash=False)
    at: datetime = field(default=UNTIMED, compare=False)


@dataclass(frozen=True)
class Score:
    """A result of a daily puzzle: its place in the order, its figures, and the number of attempts that have it."""

    standing: str
    figures: dict[str, int]
    attempts: int


@dataclass(frozen=True)
class Downtime:
    """A time in which the hall didn't run, or couldn't store anything."""

    began_at: datetime
    ended_at: datetime


@dataclass(frozen=True)
class ResultGroup:
    """The matches of a guest that are alike.

    Attributes:
        variant: the options of the matches, see ``variant_of``.
        bots: level of the bots; "" without bots, ``MIXED`` for several levels.
        matches: number of matches that count.
        score: sum of the guest's payoffs.
        won, shared: number of matches that the guest has won, and of those with a payoff between 0 and 1.
        ranked, places: number of matches that rank the players, and the sum of the guest's places in them.
        decisions: sum of the decisions in all matches.
        hints, take_backs: number of hints that the guest asked for, and of take-backs after something was revealed.
        unaided: number of matches that the guest has won without hints and take-backs.
    """

    game: str
    variant: str
    players: int
    bots: str
    matches: int
    score: float
    won: int
    shared: int
    ranked: int
    places: int
    decisions: int
    hints: int
    take_backs: int
    unaided: int


@dataclass(frozen=True)
class PuzzleDay:
    """A guest's attempt at the puzzle of a day that was finished on this day."""

    day: str
    solved: bool


@dataclass(frozen=True)
class Played:
    """A finished match of a guest: its table, and the guest's seat, payoff and place."""

    table: TableRow
    seat: int
    score: float | None
    place: int | None
    hints: int


@dataclass(frozen=True)
class PlayedFilter:
    """Which matches of a guest are wanted.

    Attributes:
        games: names of the games.
        result: ``won``, ``shared``, ``lost`` or ``open`` (given up without a winner); "" for all.
        opponent: id of another guest at the table; "" for any.
        viewer: id of the guest who asks: others don't see a match at a private table with several people. None: leave nothing
            out.
    """

    games: tuple[str, ...]
    result: str = ""
    opponent: str = ""
    viewer: str | None = None


@dataclass(frozen=True)
class ChatLine:
    """A line of chat.

    Attributes:
        id: names the line. It can't be guessed, and tells nothing about other lines.
        number: 1 for the first line that this audience of the table has heard. Guests must not learn it: it counts hidden lines.
        audience: who hears it.
        guest: id of the guest who wrote it.
        seat: the seat of its author; None for a spectator.
        name: the name of its author when it was written.
        text: what was written; "" for a phrase, and if it was deleted.
        phrase: the key of a preset phrase; None otherwise.
        at: when it was written.
    """

    id: str
    number: int
    audience: Audience
    guest: str
    seat: int | None
    name: str
    text: str
    phrase: str | None
    is_deleted: bool
    at: datetime


@dataclass(frozen=True)
class Ignored:
    """Whom a guest has muted or blocked, and who has blocked the guest. It says so by guest ids.

    Attributes:
        blocked_by: when others have blocked the guest, who must not learn it.
    """

    muted: frozenset[str] = frozenset()
    blocked: frozenset[str] = frozenset()
    blocked_by: Mapping[str, datetime] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Acquaintance:
    """A person that a guest has played with.

    Attributes:
        matches: the number of matches at which both had a seat.
        last_at: when the last one began; None if they only know each other from a chat.
    """

    person: Guest
    matches: int
    last_at: datetime | None


@dataclass(frozen=True)
class Invitation:
    """An invitation to a table that a guest hasn't answered. ``inviter`` is the name of the person who invites."""

    table: str
    game: str
    inviter: str
    at: datetime


@dataclass(frozen=True)
class Job:
    """Work that is due at a certain time.

    Attributes:
        id: changes whenever the job is put again.
        kind: names the function that does the job.
        key: tells jobs of one kind apart, for example the id of a table.
        due_at: when to do it.
        payload: what the function needs to know, as JSON.
        attempts: number of attempts that have failed.
    """

    id: str
    kind: str
    key: str
    due_at: datetime
    payload: Mapping[str, Any]
    attempts: int = 0


@dataclass(frozen=True)
class PushSubscription:
    """A browser that receives push messages of a guest.

    Attributes:
        endpoint: the address at its push service, which is secret.
        p256dh: its public key, and ``auth``: its secret, which encrypt the messages. Both in base64url.
        vapid_key: the hall's public key for which it was made. Its push service accepts messages signed with no other key.
        device: what the person recognizes it by, for example "Chrome on Android".
        session: the id of the session with which it ends; for a guest without an account that of the device.
        refusal: why its push service has refused the last message, None if it hasn't.
    """

    id: str
    guest: str
    endpoint: str
    p256dh: str
    auth: str
    vapid_key: str
    device: str
    created_at: datetime
    session: str | None = None
    refusal: str | None = None


def new_id() -> str:
    """Return a short identifier that can't be guessed. It begins with no hyphen: a command would take it for an option."""
    id = secrets.token_urlsafe(9)
    return id if id[0] != "-" else new_id()


def new_link_token() -> str:
    """Return a secret for a private link."""
    return secrets.token_urlsafe(18)
