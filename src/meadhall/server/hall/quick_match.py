"""Quick match: sit at the first open table that fits, or open one.

Only one guest is seated at a time, so two guests who look for the same match meet. A table that was opened here has a *wait*
(``hall.waits``).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from meadhall.bots import UnknownBot, bot_names
from meadhall.bots.ranks import HUSCARL
from meadhall.engine.errors import BadSetup
from meadhall.engine.registry import game
from meadhall.engine.state import chance
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.lobby_changes import left_by, open_seat, with_person
from meadhall.server.hall.room import Room
from meadhall.server.hall.state import TableState
from meadhall.server.hall.waits import let_wait, rearrange
from meadhall.server.store import acquaintances, tables
from meadhall.server.store.models import Clock, Guest, TableRow, new_id
from meadhall.server.worker.threads import run_in_thread

_JUST_NOW: Final = timedelta(seconds=3)
"""How long after the start of a match another request of its player leads to it: it was sent before."""


@dataclass(frozen=True)
class Wanted:
    """What a guest looks for.

    Attributes:
        bots_after: seconds after which bots take the empty seats; None: never.
        bot: the level of these bots.
    """

    game: str
    players: int
    options: Mapping[str, Any]
    clock: Clock | None
    bots_after: int | None
    bot: str

    def fits(self, table: TableRow) -> bool:
        """Return whether it is a table for such a match."""
        wanted = (self.game, self.players, dict(self.options), self.clock)
        return wanted == (table.game, len(table.seats), table.options, table.clock)

    def accepts(self, room: Room) -> bool:
        """Return whether bots take the seats here if the guest wants them. At the last open seat that doesn't matter."""
        wait = room.state.wait
        takes_bots = wait is not None and wait.until is not None
        return takes_bots == (self.bots_after is not None) or len(_open_seats(room.table)) == 1


async def wanted_match(
    name: str,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    bots_after: int | None = None,
    bot: str = "",
) -> Wanted:
    """Return what a guest looks for, checked, with the usual choices for what is not given.

    Raises BadSetup, UnknownGame, UnknownBot.
    """
    subject = game(name)
    count = subject.check_players(subject.default_players if players is None else players)
    if count < 2:
        raise BadSetup(_("A quick match needs at least two players."))
    chosen = await run_in_thread(subject.check_options, options or {})
    subject.check_setup(count, chosen)
    level = bot or HUSCARL.name
    if level not in bot_names(subject):
        raise UnknownBot(f"{subject.title} has no bot {level!r}; it has: {', '.join(bot_names(subject))}")
    return Wanted(subject.name, count, chosen, clock, bots_after, level)


async def quick_match(hall: Hall, guest: Guest, wanted: Wanted) -> Room:
    """Seat a guest at the first open table that fits, or at a new one, and return its room.

    A guest who waits at another table leaves it. At the same table the host's wait begins anew. Raises NotReady, TooMany,
    UnderMaintenance.
    """
    hall.switches.check_new_match()
    hall.ready.check(wanted.game)
    guest = hall.store.save_guest(guest)
    async with hall.matching:
        room = await _own_table(hall, guest, wanted)
        if room is None:
            room = await _open_table(hall, guest, wanted) or await _new_table(hall, guest, wanted)
            room.visits.note(guest.id)
            seat = random.SystemRandom().choice(_open_seats(room.table))
            room.change(_sit, room, guest, seat, wanted)
    room.visits.note(guest.id)  # since they have a seat, the others see them go
    hall.scheduler.wake()
    return room


async def waiting_at(hall: Hall, guest: Guest) -> Room | None:
    """Return the room of the table where a guest waits for a quick match. It is a sign that the guest is still here."""
    for table in hall.store.transact(tables.of_guest, guest.id) if guest.is_stored else ():
        if table.status == "gathering" and hall.can_show(table) and table.seat_of(guest.id) is not None:
            room = await hall.room(table.id)
            if room.state.wait is not None:
                room.visits.note(guest.id)
                return room
    return None


async def stop_waiting(hall: Hall, guest: Guest) -> None:
    """Let a guest leave the table where they wait, if there is one."""
    room = await waiting_at(hall, guest)
    if room is not None:
        room.change_table(left_by(guest))


async def _own_table(hall: Hall, guest: Guest, wanted: Wanted) -> Room | None:
    """Return the room of the table where the guest waits for this match or has just begun it. The guest leaves another wait."""
    for table in hall.store.transact(tables.of_guest, guest.id):
        has_begun = table.started_at is not None and table.started_at > hall.time.now() - _JUST_NOW
        if has_begun and wanted.fits(table) and table.seat_of(guest.id) is not None:
            return await hall.room(table.id)
    room = await waiting_at(hall, guest)
    if room is None or wanted.fits(room.table):
        if room is not None and room.table.is_hosted_by(guest.id):
            room.change(let_wait, wanted.bots_after, wanted.bot)
        return room
    room.change_table(left_by(guest))
    return None


async def _open_table(hall: Hall, guest: Guest, wanted: Wanted) -> Room | None:
    """Return the room of the open table that fits and was opened first; None without one.

    A guest meets no people whom they have blocked, or who have blocked them.
    """
    apart = hall.store.transact(acquaintances.blocks_of, guest.id)
    for table in reversed(hall.offered()):
        people = {person for row in table.seats for person in row.guests}
        if wanted.fits(table) and not people & (apart | {guest.id}) and wanted.accepts(room := await hall.room(table.id)):
            return room
    return None


async def _new_table(hall: Hall, guest: Guest, wanted: Wanted) -> Room:
    """Open a public table without players. Raises TooMany."""
    room = await hall.add_table(
        TableRow(
            id=new_id(),
            game=wanted.game,
            rules=game(wanted.game).version,
            options=dict(wanted.options),
            status="gathering",
            host=guest.id,
            is_public=True,
            seed=chance.new_seed(),
            created_at=hall.time.now(),
            seats=tuple(open_seat(seat) for seat in range(wanted.players)),
            clock=wanted.clock,
        )
    )
    room.change(let_wait, wanted.bots_after, wanted.bot)
    return room


def _sit(draft: TableState, room: Room, guest: Guest, seat: int, wanted: Wanted) -> None:
    """Take a seat, with the shorter of both waits. The last seat starts the match."""
    rearrange(draft, room, with_person(guest, seat))
    wait, seconds = draft.wait, wanted.bots_after
    if draft.table.status != "gathering" or wait is None or wait.until is None or seconds is None:
        return
    if draft.at + timedelta(seconds=seconds) < wait.until:
        let_wait(draft, seconds, wait.bot)


def _open_seats(table: TableRow) -> list[int]:
    return [row.seat for row in table.seats if row.kind == "open"]
