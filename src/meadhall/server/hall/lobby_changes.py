"""Changes of a table before its match: seats, bots, options, visibility.

Most functions return a change: a function from a table to the changed table, which may refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from meadhall.bots import UnknownBot, bot_names
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Document, Game
from meadhall.engine.state import chance
from meadhall.engine.text.language import gettext as _, listed as joined, ngettext
from meadhall.server.errors import NotFound, NotSeated, WrongMoment
from meadhall.server.hall.people.names import bot_name, unlike_others
from meadhall.server.store.models import Guest, SeatRow, TableRow, new_id, new_link_token

Change = Callable[[TableRow], TableRow]


def with_bot(subject: Game, seat: int, rank: str) -> Change:
    """Return the change that puts a bot on a seat."""

    def change(table: TableRow) -> TableRow:
        _check_no_person(table, seat)
        return table.replace_seat(bot_seat(subject, seat, rank, names_at(table)))

    return change


def with_person(guest: Guest, seat: int | None = None) -> Change:
    """Return the change that seats a guest: on ``seat``, or on the first open seat unless the guest has one already."""

    def change(table: TableRow) -> TableRow:
        current = table.seat_of(guest.id)
        if current is not None and seat is None:
            return table
        choice = seat if seat is not None else next((row.seat for row in table.seats if row.kind == "open"), None)
        if choice is None:
            raise WrongMoment(_("All seats are taken."))
        row = _row(table, choice)
        if row.kind != "open":
            raise WrongMoment(_("That seat is taken."))
        if current is not None:
            table = table.replace_seat(open_seat(current))
        name = unlike_others(guest.name, names_at(table))
        return table.replace_seat(person_seat(row.seat, name, guest, row.link_token))

    return change


def emptied(seat: int) -> Change:
    """Return the change that opens a seat, and removes the person or bot on it. If it was the host's, the next person is host."""

    def change(table: TableRow) -> TableRow:
        row = _row(table, seat)
        opened = table.replace_seat(open_seat(row.seat))
        if table.host not in row.guests:
            return opened
        following = [*table.seats[seat + 1 :], *table.seats[:seat]]
        heirs = (min(other.guests) for other in following if other.kind == "human" and other.guests)
        return replace(opened, host=next(heirs, table.host))

    return change


def left_by(guest: Guest) -> Change:
    """Return the change that opens the guest's seat."""
    return lambda table: emptied(_seat_of(table, guest))(table)


def renamed(guest: Guest) -> Change:
    """Return the change that gives the guest's seat their current name and crest."""

    def change(table: TableRow) -> TableRow:
        seat = table.seat_of(guest.id)
        if seat is None:
            return table
        row = table.seats[seat]
        name = unlike_others(guest.name, names_at(table.replace_seat(open_seat(seat))))
        return table.replace_seat(replace(row, name=name, stored_crest=guest.crest.text))

    return change


def agreed(guest: Guest, is_ready: bool) -> Change:
    """Return the change by which the guest agrees to a start while they are away, or no longer does."""

    def change(table: TableRow) -> TableRow:
        return table.replace_seat(replace(table.seats[_seat_of(table, guest)], is_ready=is_ready))

    return change


def arranged(change: Change) -> Change:
    """Return a change by the host. If it changes seats, options or the clock, the players have to agree again."""

    def arrange(table: TableRow) -> TableRow:
        changed = change(table)
        same_seats = [row.guests for row in changed.seats] == [row.guests for row in table.seats]
        if same_seats and (changed.options, changed.clock) == (table.options, table.clock):
            return changed
        return replace(changed, seats=tuple(replace(row, is_ready=False) for row in changed.seats))

    return arrange


def check_host(table: TableRow, guest: Guest) -> None:
    """Refuse all guests except the host of the table. Raises NotSeated."""
    if not table.is_hosted_by(guest.id):
        raise NotSeated(_("Only the host of the table can do that."))


def start_refusal(subject: Game, table: TableRow, is_here: Callable[[SeatRow], bool]) -> str:
    """Say why the match can't start yet, in the current language; "" if it can."""
    try:
        check_start(subject, table, is_here)
    except (BadSetup, WrongMoment) as error:
        return str(error)
    return ""


def check_start(subject: Game, table: TableRow, is_here: Callable[[SeatRow], bool]) -> None:
    """Check that the match can start. It waits for the people who are away, unless they have agreed.

    Raises BadSetup, WrongMoment.
    """
    empty = sum(row.kind == "open" for row in table.seats)
    if empty:
        raise WrongMoment(ngettext("{count} seat is still empty.", "{count} seats are still empty.", empty).format(count=empty))
    subject.check_setup(len(table.seats), table.options)
    missing = [row.name for row in table.seats if row.kind == "human" and not row.is_ready and not is_here(row)]
    if missing:
        text = ngettext("{names} is away. Wait, or free the seat.", "{names} are away. Wait, or free their seats.", len(missing))
        raise WrongMoment(text.format(names=joined(missing)))


def resized(subject: Game, players: int) -> Change:
    """Return the change to another number of seats. It removes open seats and bots, the last first, but no people."""

    def change(table: TableRow) -> TableRow:
        subject.check_players(players)
        seats = list(table.seats)
        for row in reversed(table.seats):
            if len(seats) > players and row.kind != "human":
                seats.remove(row)
        if len(seats) > players:
            raise WrongMoment(_("More people than that are already seated."))
        rows = [replace(row, seat=seat) for seat, row in enumerate(seats)]
        return replace(table, seats=tuple(rows + [open_seat(seat) for seat in range(len(rows), players)]))

    return change


def without_seat(subject: Game, seat: int) -> Change:
    """Return the change that removes a seat."""

    def change(table: TableRow) -> TableRow:
        row = _check_no_person(table, seat)
        subject.check_players(len(table.seats) - 1)
        left = [other for other in table.seats if other is not row]
        return replace(table, seats=tuple(replace(other, seat=k) for k, other in enumerate(left)))

    return change


def with_options(subject: Game, options: Mapping[str, Any]) -> Change:
    """Return the change of some options. An option that doesn't apply any more gets its default."""
    return lambda table: replace(table, options=subject.fitting_options({**table.options, **options}))


def document_of(subject: Game, name: str) -> Document[Any]:
    """Return the document option of that name. Refuse if the game has none."""
    for option in subject.options:
        if option.name == name and isinstance(option, Document):
            return option
    raise NotFound(_("This game has no such document."))


def listed(public: bool) -> Change:
    """Return the change that adds the table to the public list, or removes it."""
    return lambda table: replace(table, is_public=public)


def again(table: TableRow, rules: int, at: datetime) -> TableRow:
    """Return another table for the same game, people, bots, options and clock, where the players have to agree again."""
    return TableRow(
        id=new_id(),
        game=table.game,
        rules=rules,
        options=table.options,
        status="gathering",
        host=table.host,
        is_public=table.is_public,
        seed=chance.new_seed(),
        created_at=at,
        seats=tuple(replace(row, link_token=new_link_token(), is_ready=False) for row in table.seats),
        clock=table.clock,
    )


def open_seat(seat: int) -> SeatRow:
    """Return an open seat."""
    return SeatRow(seat, "open", "", None, frozenset(), new_link_token())


def person_seat(seat: int, name: str, guest: Guest, link_token: str = "") -> SeatRow:
    """Return the seat of a person: their name there, and their crest. ``link_token``: "" for a new one."""
    owners = frozenset({guest.id})
    return SeatRow(seat, "human", name, None, owners, link_token or new_link_token(), stored_crest=guest.crest.text)


def bot_seat(subject: Game, seat: int, rank: str, others: Collection[str]) -> SeatRow:
    """Return a seat with a bot. ``others``: the names of all others at the table. Raises UnknownBot."""
    if rank not in bot_names(subject):
        raise UnknownBot(f"{subject.title} has no bot {rank!r}; it has: {', '.join(bot_names(subject))}")
    return SeatRow(seat, "bot", bot_name(seat, others), rank, frozenset(), new_link_token())


def _row(table: TableRow, seat: int) -> SeatRow:
    if not 0 <= seat < len(table.seats):
        raise BadSetup(_("There is no seat {seat}.").format(seat=seat))
    return table.seats[seat]


def _seat_of(table: TableRow, guest: Guest) -> int:
    seat = table.seat_of(guest.id)
    if seat is None:
        raise NotSeated(_("You have no seat at this table; you are a spectator."))
    return seat


def _check_no_person(table: TableRow, seat: int) -> SeatRow:
    row = _row(table, seat)
    if row.kind == "human":
        raise WrongMoment(_("A player sits there."))
    return row


def names_at(table: TableRow) -> set[str]:
    """Return the names of all who have a seat, people and bots."""
    return {seat.name for seat in table.seats if seat.name}
