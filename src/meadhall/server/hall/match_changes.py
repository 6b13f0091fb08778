"""The changes of a table that are no moves: its start, undo, hints, resignations, the end of the time, stand-ins, devices.

Each of them checks a draft, and changes it. ``hall.move.change`` stores the draft. ``hall.lobby_changes`` has those before the
match.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

from meadhall.engine.match.step import RESIGNATION, TIME, Lasting
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import WrongMoment
from meadhall.server.hall.deadlines import NotUp
from meadhall.server.hall.holidays import is_slow, telling
from meadhall.server.hall.lobby_changes import again, bot_seat, check_start
from meadhall.server.hall.move import check_undo, reveals
from meadhall.server.hall.services import TableRoom
from meadhall.server.hall.stand_ins import (
    check_absence,
    check_not_out,
    check_not_resigned,
    check_only_bots_play,
    check_own_decision,
    check_return,
    persons_playing,
    standing_in,
)
from meadhall.server.hall.state import TableState
from meadhall.server.store import tables
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import FINISHED, Guest, TableRow, new_link_token


def rearrange(draft: TableState, change: Callable[[TableRow], TableRow]) -> None:
    """Change the table before the match; ``change`` may refuse."""
    draft.check_gathering()
    draft.table = change(draft.table)


def start(draft: TableState, room: TableRoom) -> None:
    """Start the match with the seated players. Refuse while a seat is empty, or a player is away and hasn't agreed."""
    draft.check_gathering()
    room.services.switches.check_new_match()
    check_start(room.game, draft.table, room.visits.is_here)
    draft.table = replace(draft.table, status="running", started_at=draft.at, rules=room.game.version)
    draft.begin(room.game, room.services.deadlines.outages)
    if is_slow(draft.table):
        draft.effects += (telling(draft.table, draft.at),)
        room.services.scheduler.expect(draft.at)
    draft.newcomers = room.services.store.transact(tables.newcomers, draft.table)


def take_back(draft: TableState, guest: Guest, number: int | None) -> None:
    """Take back the guest's last decision, and the actions of bots since then. Refuse as ``check_undo`` does."""
    match, seat = draft.running_match(), draft.seat_of(guest)
    draft.check_not_paused()
    check_not_out(match, seat)
    check_own_decision(match, seat)
    count = check_undo(match, draft.table, seat, number)
    draft.add("undo", seat, count, {"revealed": True} if reveals(match, count) else None)


def ask_for_hint(draft: TableState, guest: Guest) -> None:
    """Note that the guest has requested a hint, once. Refuse a seat that has nothing to decide."""
    if draft.table.daily is not None:
        raise WrongMoment(_("There are no hints in the puzzle of the day."))
    match, seat = draft.running_match(), draft.seat_of(guest)
    if draft.is_hinted(seat):
        return
    draft.check_not_paused()
    check_own_decision(match, seat)
    if seat not in match.deciders:
        raise WrongMoment(_("You have nothing to decide now."))
    draft.add("hint", seat, match.decision_of(seat))
    draft.for_seat = seat


def resign(draft: TableState, guest: Guest) -> None:
    """Give up the guest's seat."""
    match = draft.running_match()
    if match.over:
        raise WrongMoment(_("The match is over."))
    seat = draft.seat_of(guest)
    check_not_resigned(match, seat)
    check_not_out(match, seat)
    _give_up(draft, seat, "resigned")


def _give_up(draft: TableState, seat: int, why: Literal["resigned", "time"]) -> None:
    """Give up a person's seat.

    In a match of two players or sides, the other side wins. With more, a bot plays on to the end, and the result still counts
    for the owner of the seat; if no other person plays, the match is given up.
    """
    match = draft.running_match()
    if draft.table.daily is None and len(match.parties) == 2:
        match.resign(seat, RESIGNATION if why == "resigned" else TIME)
        draft.end()
    elif len(persons_playing(draft.table, match)) == 1:
        match.abandon("everybody left")
        draft.end()
    else:
        draft.add("stand_in", seat, data=standing_in(why, "end"))


def let_time_be_up(draft: TableState, job: Job | None = None) -> None:
    """Apply the table's rule for the end of the time of the seat to move, and end the job. Raises NotUp if no time is up."""
    clocks = draft.running_clocks
    if clocks is None or clocks.running is None or clocks.deadline is None or clocks.deadline > draft.at:
        raise NotUp
    draft.ends = None if job is None else (job, clocks.deadline_of(next(iter(clocks.all_running[1:]), None)))
    if clocks.clock.time_up == "resign":
        _give_up(draft, clocks.running, "time")
    else:
        lasts: Lasting = "decision" if clocks.clock.time_up == "bot_decision" else "return"
        draft.add("stand_in", clocks.running, data=standing_in("time", lasts))


def let_bot_play(draft: TableState, room: TableRoom, guest: Guest, seat: int) -> None:
    """Let a bot play for an absent player until the player returns. Any other person at the match may ask for it.

    Change nothing if a bot plays there already: the request may be repeated. Refuse unless the player has been away for long
    enough.
    """
    if seat in draft.running_match().stand_ins:
        return
    check_absence(draft.table, draft.running_match(), draft.seat_of(guest), seat)
    row, until = draft.table.seats[seat], room.absences.may_be_replaced_at(seat)
    if until is None or room.visits.is_here(row):
        raise WrongMoment(_("{name} is here.").format(name=row.name))
    if until > draft.at:
        raise WrongMoment(_("{name} has not been away for long enough.").format(name=row.name))
    draft.add("stand_in", seat, data=standing_in("away"))


def take_back_seat(draft: TableState, guest: Guest) -> None:
    """Give a seat back from a bot to its owner. Change nothing if the owner plays already: the request may be repeated.

    Refuse an owner who has resigned.
    """
    match, seat = draft.running_match(), draft.seat_of(guest)
    if match.over or seat in match.stand_ins:
        check_return(match, seat)
        draft.add("return", seat)


def go_on(draft: TableState, guest: Guest) -> None:
    """End the pause of the match. Change nothing without a pause: another player may have ended it."""
    seat = draft.seat_of(guest)
    if draft.clocks is None:
        raise WrongMoment(_("This table has no clock."))
    if draft.pause is not None:
        draft.add("resume", seat)


def skip_to_end(draft: TableState, guest: Guest) -> None:
    """Let the bots play on without pauses, when the guest is out and only bots are left. Change nothing if they do."""
    match, seat = draft.running_match(), draft.seat_of(guest)
    draft.check_not_paused()
    check_only_bots_play(draft.table, match, seat)
    if not draft.is_skipped:
        draft.add("skip", seat)


def carry_seat(draft: TableState, seat: int, guest: Guest) -> None:
    """Share a seat with ``guest``, the same person on another device. Refuse if the guest has another seat here.

    The pages of the seat show how many devices hold it.
    """
    if draft.table.seat_of(guest.id) not in (None, seat):
        raise WrongMoment(_("You already have another seat at this table."))
    row = next((row for row in draft.table.seats if row.seat == seat and row.kind == "human"), None)
    if row is None:
        raise WrongMoment(_("The player has left this seat."))
    draft.table, draft.for_seat = draft.table.replace_seat(replace(row, guests=row.guests | {guest.id})), seat


def renew_link(draft: TableState, guest: Guest) -> None:
    """Give the guest's seat another private link. Other devices lose the seat, and the old link leads nowhere."""
    row = draft.table.seats[draft.seat_of(guest)]
    alone = replace(row, guests=frozenset({guest.id}), link_token=new_link_token())
    draft.table = draft.table.replace_seat(alone)


def open_rematch(draft: TableState, room: TableRoom, guest: Guest, level: str = "", instead_of: str | None = None) -> None:
    """Open the table of the rematch, with the same people, bots and options, unless there is one. Refuse spectators.

    It is refused before the end of the match, unless the guest is out and only bots play on.

    Args:
        level: of all bots, in place of their levels.
        instead_of: the id of a rematch that was closed; another one is opened in its place.
    """
    if draft.table.daily is not None:
        raise WrongMoment(_("You can play the puzzle of the day only once. Tomorrow there is a new one."))
    seat = draft.seat_of(guest)
    if draft.table.status not in FINISHED:
        check_only_bots_play(draft.table, draft.running_match(), seat)
    opened = replace(again(draft.table, room.game.version, draft.at), host=guest.id)
    for row in opened.seats:
        if level and row.kind == "bot":
            opened = opened.replace_seat(replace(bot_seat(room.game, row.seat, level, ()), name=row.name))
    if draft.table.rematch in (None, instead_of):
        draft.table = replace(draft.table, rematch=opened.id)
        draft.effects += (partial(tables.add, table=opened),)
