"""What the debug panel does at a table: act for a seat, edit a position, change who plays, begin another match from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from meadhall.bots import UnknownBot, bot_names
from meadhall.engine.checks import check_seed
from meadhall.engine.errors import BadSetup
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.text.language import gettext as _
from meadhall.server.dev.fields import changed_fields
from meadhall.server.errors import Stale, WrongMoment
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.replaying import with_fields
from meadhall.server.hall.room import Room
from meadhall.server.hall.seating import again
from meadhall.server.hall.state import TableState
from meadhall.server.store import matches
from meadhall.server.store.models import Entry, Guest, SeatRow, TableRow

ME = "me"
PERSON = "person"
"""Who plays for a seat, besides the levels of bots: the developer on the table's page, or a person who uses the panel."""


def act(room: Room, seat: int, action: int, number: int) -> None:
    """Play an action for any seat. Raises Stale, and the errors of ``Match.play``."""

    def play(draft: TableState) -> None:
        match = draft.running_match()
        _check_number(match, number)
        draft.add("action", seat, match.check(action, seat))

    room.change(play)


def edit(room: Room, form: Mapping[str, str], number: int) -> None:
    """Give the fields of a form their new values. The match has no result and no record from then on.

    Raises:
        BadSetup: a field can't have its value, nothing is changed, or the rules can't go on from that position.
        Stale: the match has gone on.
    """

    def change(draft: TableState) -> None:
        match = draft.running_match()
        _check_number(match, number)
        fields = changed_fields(match.states, form)
        if not fields:
            raise BadSetup(_("No field has a new value."))
        edited = match.copy()
        edited.edit(with_fields(match.game, match.states, fields))
        check_position(edited)
        draft.add("edit", 0, data={"fields": fields})

    if room.table.clock is not None:
        raise WrongMoment(_("A match with a clock can't be edited."))
    room.change(change)


def check_position(match: Match) -> None:
    """Check that a match can go on from an edited position. Raises BadSetup."""
    actor = int(match.states["actor"][0])
    if not -1 <= actor < match.players or int(match.states["players"][0]) != match.players:
        text = _("There are {count} players, and the field actor is the seat to move, or -1 at the end.")
        raise BadSetup(text.format(count=match.players))
    try:
        for viewer in (SPECTATOR, *range(match.players)):
            view = match.view(viewer)
            if actor >= 0:
                view.prompt()
            view.actions()
        how = match.game.words.ending(match.state) if actor < 0 else None
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise BadSetup(_("The rules or the words of the game fail at this position: {what}").format(what=what)) from error
    if how is None and not match.legal_count():
        raise BadSetup(_("At this position the seat to move has no legal action."))


def change_player(room: Room, guest: Guest, seat: int, player: str) -> None:
    """Choose who plays for a seat: the guest (``me``), a person at the panel, or a bot. Raises BadSetup, UnknownBot."""
    if not 0 <= seat < len(room.table.seats):
        raise BadSetup(_("There is no seat {seat}.").format(seat=seat))
    if player not in (ME, PERSON) and player not in bot_names(room.game):
        raise UnknownBot(f"{room.game.title} has no bot {player!r}; it has: {', '.join(bot_names(room.game))}")

    def change(table: TableRow) -> TableRow:
        return replace(table, seats=tuple(_with_player(row, guest.id, player, is_chosen=row.seat == seat) for row in table.seats))

    room.change(lambda draft: draft.seat(change(draft.table)))


def _with_player(row: SeatRow, guest: str, player: str, *, is_chosen: bool) -> SeatRow:
    """Return a seat after a change. A guest has one seat, so they leave the others."""
    if not is_chosen:
        return replace(row, guests=row.guests - {guest}) if player == ME else row
    if player in (ME, PERSON):
        guests = row.guests | {guest} if player == ME else row.guests - {guest}
        return replace(row, kind="human", bot=None, guests=guests)
    return replace(row, kind="bot", bot=player, guests=frozenset())


async def continue_from(hall: Hall, room: Room, position: int) -> Room:
    """Begin another match at a position of this one, with the same seats and the same dice to come. Return its room.

    The match itself stays as it is: the store appends to a match and deletes nothing.
    """
    played = entries_until(hall, room, position)
    return await _begin(hall, room, room.table.seed, played)


async def restart(hall: Hall, room: Room, seed: str) -> Room:
    """Begin the match again and return its room. ``seed``: a text; "" or the seed in hexadecimal form means the same seed."""
    same = seed.strip() in ("", room.table.seed.hex())
    return await _begin(hall, room, room.table.seed if same else check_seed(seed.strip()))


def entries_until(hall: Hall, room: Room, position: int) -> tuple[Entry, ...]:
    """Return the entries of a match that lead to a position: actions, take-backs and edits. Raises BadSetup."""
    match = room.match
    if match is None or not 0 <= position <= len(match.steps):
        raise BadSetup(_("There is no such position in this match."))
    count = 0
    kept: list[Entry] = []
    stop = room.stop.entry if room.stop is not None else None
    wanted = match.steps[position].n if position < len(match.steps) else None
    for entry in hall.store.transact(matches.entries_of, room.table.id):
        if stop is not None and entry.number >= stop.number:
            break
        if entry.kind in ("action", "hinted"):
            count += 1
            if count == wanted:
                break
            kept.append(replace(entry, number=len(kept) + 1, kind="action"))
        elif entry.kind in ("undo", "edit"):
            kept.append(replace(entry, number=len(kept) + 1))
    return tuple(kept)


async def _begin(hall: Hall, room: Room, seed: bytes, played: tuple[Entry, ...] = ()) -> Room:
    """Open another table for the same people and bots, without a clock, and begin its match."""
    table = again(room.table, room.game.version, room.time.now())
    seats = tuple(replace(row, is_ready=True) for row in table.seats)
    table = replace(table, seed=seed, seats=seats, is_public=False, clock=None)
    hall.store.add_table(table)
    room = await hall.room(table.id)
    room.start(played)
    return room


def _check_number(match: Match, number: int) -> None:
    if number != match.next_number:
        raise Stale(_("The game has moved on. Look again, then choose."))
