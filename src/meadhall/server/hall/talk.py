"""The rules of talk at a table.

The players hear each other from the lobby to the end. The spectators hear each other, too. While the match runs, the players
don't hear the spectators, who may know what a player must not know. Spectators never hear the players.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import BadLine, ChatOff, KeyReused, NotFound, NotSeated, TooMany, WrongMoment
from meadhall.server.hall.chat import KEPT, PHRASES, REACTIONS, clean_line
from meadhall.server.hall.house import OFF, Switches
from meadhall.server.hall.lobby_changes import names_at
from meadhall.server.hall.people.acquaintances import Ignoring, hears
from meadhall.server.hall.people.names import unlike_others
from meadhall.server.hall.room import Room
from meadhall.server.store import talk
from meadhall.server.store.acquaintances import Ignored, IgnoreKind
from meadhall.server.store.database import Db
from meadhall.server.store.models import Guest, TableRow, new_id
from meadhall.server.store.store import Store
from meadhall.server.store.talk import Audience, ChatLine

PAGE: Final = 50
"""Lines on a page of old lines."""

RATES: Final = ((timedelta(seconds=10), 5), (timedelta(minutes=5), 60))
"""How many lines a guest may say in how long a time, at all tables together."""


class Talk:
    """Lets guests talk at tables.

    Attributes:
        switches: say whether the hall has chats, and who writes in them.
        ignoring: whom guests have muted and blocked.
    """

    def __init__(self, store: Store, ignoring: Ignoring, switches: Switches) -> None:
        self.switches = switches
        self.ignoring = ignoring
        self._store = store

    def has_chat(self, table: TableRow) -> bool:
        """Return whether a table has a chat. The puzzle of a day has none: everyone solves it alone."""
        return self.switches.values["chat"] != OFF and table.daily is None

    def prepare(self, room: Room, guest: Guest) -> Ignored:
        """Read everything that a page of the guest needs to show the chat. Return whom the guest ignores."""
        room.chat.refresh()
        ignored = self.ignoring.of(guest.id)
        self.read_apart(room, guest, ignored)
        return ignored

    def read_apart(self, room: Room, guest: Guest, ignored: Ignored) -> None:
        """Read the last lines of a guest who doesn't hear some of those in memory, if older ones may take their place."""
        audiences = audiences_of(room.table, guest)
        if not room.chat.is_full(audiences) or all(hears(ignored, line) for line in room.chat.lines(audiences)):
            return
        read_for = _read_for(room, audiences, ignored)
        known, _lines = room.chat.apart.get(guest.id, (None, []))
        if known != read_for:
            found = self._store.transact(lambda db: _before(db, room.table.id, audiences, None, ignored, KEPT))
            room.chat.apart[guest.id] = read_for, found or []

    def say(self, room: Room, guest: Guest, text: str = "", phrase: str | None = None, key: str | None = None) -> ChatLine:
        """Say a line, or a preset phrase, to the guest's audience at a table. A request that repeats a ``key`` says nothing new.

        Raises:
            ChatOff: there is no chat here, or a helper of the hall has muted the guest.
            WrongMoment: the host has closed it.
            BadLine: the line is empty or too long, or there is no such phrase.
            TooMany: the guest has said much in a short time.
            KeyReused: the guest has used the key for another line.
        """
        self.check(room)
        if phrase is not None and (phrase not in PHRASES or phrase in REACTIONS):
            raise BadLine(_("There is no such phrase."))
        words = "" if phrase is not None else clean_line(text)
        self._check_voice(guest)
        if phrase is None and not self.switches.allows("chat", guest):
            raise ChatOff(_("In this hall only people with an account write lines. You can still choose a phrase."))
        _check_open(room)
        audience, seat = audience_of(room.table, guest), room.table.seat_of(guest.id)
        if seat is None or not guest.is_stored:  # a spectator's name may belong to an account meanwhile
            guest = self._store.save_guest(guest)
        name = _name_among(room, guest) if seat is None else room.table.seats[seat].name
        line = talk.NewLine(new_id(), room.table.id, audience, guest.id, seat, name, words, phrase, key)

        def check(db: Db) -> ChatLine | None:
            repeated = None if key is None else talk.said(db, guest.id, key)
            if repeated is not None:
                return _checked_repeat(repeated, line)
            counts = talk.count_said_since(db, guest.id, *(self._store.time.now() - time for time, _most in RATES))
            if any(count >= most for count, (_time, most) in zip(counts, RATES, strict=True)):
                raise TooMany(_("You write a lot in a short time. Wait a moment, then send it again."))
            return None

        return room.chat.say(line, check)

    def react(self, room: Room, guest: Guest, key: str) -> ChatLine:
        """Show a sign over the guest's plate for some seconds, to all who are at the table. It is no line, and isn't stored.

        Raises:
            ChatOff: there is no chat here.
            WrongMoment: the host has closed it.
            NotSeated: the guest doesn't play here.
            BadLine: there is no such reaction.
            TooMany: the seat has reacted much in a short time.
        """
        self.check(room)
        if key not in REACTIONS:
            raise BadLine(_("There is no such reaction."))
        seat = room.seat_of(guest)
        self._check_voice(guest)
        _check_open(room)
        return room.chat.react(guest.id, seat, room.table.seats[seat].name, key)

    def _check_voice(self, guest: Guest) -> None:
        """Refuse a guest whom a helper of the hall has muted. Raises ChatOff."""
        if guest.muted_until is not None and guest.muted_until > self._store.time.now():
            raise ChatOff(muted_words(guest))

    def close(self, room: Room, guest: Guest, closed: bool) -> None:
        """Close the chat of a table, or open it again. Only its host can."""
        self.check(room)
        if not room.table.is_hosted_by(guest.id):
            raise NotSeated(_("Only the host of the table can do that."))
        room.chat.close(closed)

    def ignore(self, room: Room, guest: Guest, who: str, kind: IgnoreKind, on: bool) -> None:
        """Mute or block the author of a line that the guest hears, or a player, or stop doing so. They don't learn it.

        Args:
            who: ``line:`` and the id of a line, or ``seat:`` and the number of a seat.
        """
        self.check(room)
        ignored = self.prepare(room, guest)
        others = _people(room, guest, ignored, who) - {guest.id}
        if not others:
            raise NotFound(_("There is no such person here."))
        if not guest.is_stored:
            self._store.save_guest(guest)
        self.ignoring.change(guest.id, others, kind, on)

    def earlier(self, room: Room, guest: Guest, line: str | None) -> tuple[list[ChatLine], bool]:
        """Return the last lines, or the last ones before a line, that a guest may hear; and whether there are earlier ones."""
        self.check(room)
        ignored, audiences = self.ignoring.of(guest.id), audiences_of(room.table, guest)
        found = self._store.transact(lambda db: _before(db, room.table.id, audiences, line, ignored, PAGE + 1))
        if found is None:
            raise NotFound(_("There is no such line."))
        return found[-PAGE:], len(found) > PAGE

    def check(self, room: Room) -> None:
        """Refuse if the table has no chat. Raises ChatOff."""
        if self.switches.values["chat"] == OFF:
            raise ChatOff(self.switches.reason("chat"))
        if not self.has_chat(room.table):
            raise ChatOff(_("The puzzle of the day has no chat."))


class Listener:
    """A guest who follows the chat of a table."""

    def __init__(self, talk: Talk, room: Room, guest: Guest) -> None:
        self._talk = talk
        self._room = room
        self._guest = guest
        self._heard: object = None

    def news(self) -> Ignored | None:
        """Return whom the guest ignores if the chat may have changed for them since the last call; else None.

        Raises DatabaseUnavailable.
        """
        room, talk = self._room, self._talk
        if not talk.has_chat(room.table):
            return None
        ignored = talk.ignoring.known(self._guest.id)
        if ignored is None or not room.chat.is_current:
            ignored = talk.prepare(room, self._guest)
        before, self._heard = self._heard, (room.chat.version, ignored, room.table.version, room.table.status)
        if self._heard == before:
            return None
        talk.read_apart(room, self._guest, ignored)
        return ignored


def muted_words(guest: Guest) -> str:
    """Return until when a guest may not write, and why."""
    until = _("A helper of this hall has muted you until {time}.").format(time=f"{guest.muted_until:%Y-%m-%d %H:%M} UTC")
    return f"{until} {_('Reason: {reason}').format(reason=guest.reason)}" if guest.reason else until


def audience_of(table: TableRow, guest: Guest) -> Audience:
    """Return who hears what a guest says at a table."""
    return "spectators" if table.seat_of(guest.id) is None else "players"


def audiences_of(table: TableRow, guest: Guest) -> tuple[Audience, ...]:
    """Return the audiences to which a guest belongs: a player is a spectator, too, unless the match is running."""
    if table.seat_of(guest.id) is None:
        return ("spectators",)
    return ("players",) if table.status == "running" else ("players", "spectators")


def heard(room: Room, guest: Guest, ignored: Ignored) -> list[ChatLine]:
    """Return the last lines that a guest hears, in the order of time."""
    audiences = audiences_of(room.table, guest)
    read_for, lines = room.chat.apart.get(guest.id, (None, []))
    if read_for == _read_for(room, audiences, ignored):
        return lines
    return [line for line in room.chat.lines(audiences) if hears(ignored, line)]


def reactions(room: Room, ignored: Ignored) -> list[ChatLine]:
    """Return the reactions that are shown to a guest now."""
    return [each for each in room.chat.reactions() if hears(ignored, each)]


def _check_open(room: Room) -> None:
    """Refuse if the host has closed the chat. Raises WrongMoment."""
    room.chat.refresh()
    if room.chat.is_closed:
        raise WrongMoment(_("The host has closed the chat of this table."))


def _read_for(room: Room, audiences: tuple[Audience, ...], ignored: Ignored) -> object:
    return room.chat.version, audiences, ignored


def _before(
    db: Db, table: str, audiences: tuple[Audience, ...], line: str | None, ignored: Ignored, most: int
) -> list[ChatLine] | None:
    """Return the last ``most`` lines before a line that a guest hears; None if there is no such line.

    Lines that the guest doesn't hear aren't counted: a short page would tell of them.
    """
    kept: list[ChatLine] = []
    while len(kept) < most:
        found = talk.lines_before(db, table, audiences, line, most)
        if found is None:
            return None
        kept = [*(each for each in found if hears(ignored, each)), *kept]
        if len(found) < most:
            break
        line = found[0].id
    return kept[-most:]


def _people(room: Room, guest: Guest, ignored: Ignored, who: str) -> frozenset[str]:
    """Return the ids of the guests who are the author of a line or sit on a seat: a person may have several devices."""
    kind, _colon, name = who.partition(":")
    if kind == "seat":
        return next((row.guests for row in room.table.seats if str(row.seat) == name and row.kind == "human"), frozenset())
    lines = room.chat.lines(audiences_of(room.table, guest)) if kind == "line" else ()
    known = ignored.muted | ignored.blocked
    author = next((line.guest for line in lines if line.id == name and (hears(ignored, line) or line.guest in known)), None)
    if author is None:
        return frozenset()
    seat = room.table.seat_of(author)
    return frozenset({author}) if seat is None else room.table.seats[seat].guests | {author}


def _name_among(room: Room, guest: Guest) -> str:
    """Return a spectator's name, with a number if a player or another author has one that looks like it."""
    authors = {line.name for line in room.chat.lines(("players", "spectators")) if line.guest != guest.id}
    return unlike_others(guest.name, names_at(room.table) | authors)


def _checked_repeat(repeated: tuple[str, ChatLine], line: talk.NewLine) -> ChatLine:
    """Return the line that a repeated request has said. Raises KeyReused if it was another one."""
    table, said = repeated
    is_same = table == line.table and (said.is_deleted or (said.text, said.phrase) == (line.text, line.phrase))
    if not is_same:
        raise KeyReused(_("This Idempotency-Key belongs to another request. Use a new key."))
    return said
