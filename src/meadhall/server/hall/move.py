"""The order of a move, from the guest's request to the pages. Every other change of a table takes the same way.

Others learn of a move in the last step, when it is stored. Before that, only the draft has changed: a copy of the state of the
room, which is dropped if the move is refused, if another process was faster, or if nothing can be stored.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Stale
from meadhall.server.hall.action_numbers import check_number, was_played
from meadhall.server.hall.bots.stand_ins import check_own_decision
from meadhall.server.hall.consent.undoing import check_sure
from meadhall.server.hall.records.kept_records import keeping
from meadhall.server.hall.state import TableState
from meadhall.server.hall.time.turn_reminders import reminders_after
from meadhall.server.ops.metrics import MATCHES_ENDED
from meadhall.server.store.models import FINISHED, Conflict, Guest

if TYPE_CHECKING:
    from meadhall.server.hall.room import Room

P = ParamSpec("P")

Edit = Callable[Concatenate[TableState, P], Awaitable[None] | None]
"""Checks and changes a draft. It is called again with another draft if another process was faster."""

_TRIES: Final = 3
"""Number of attempts at a change when another process has written first."""


async def act(room: Room, guest: Guest, action: Any, number: int | None = None, is_sure: bool = True) -> None:
    """Play an action for the guest's seat. Refuse if its number in the match would not be ``number``.

    Raises Unsure if the player is not sure and can't take it back.

    An action that the seat has already played with this number changes nothing: the request may have been repeated after
    its answer was lost.
    """
    try:
        await change(room, play, guest, action, number, is_sure)
    except Stale:
        if room.match is None or not was_played(room.match, room.seat_of(guest), action, number):
            raise


def play(draft: TableState, guest: Guest, action: Any, number: int | None, is_sure: bool) -> None:
    """Check an action, and play it in the draft."""
    match, seat = draft.running_match(), draft.seat_of(guest)  # may the guest act?
    check_own_decision(match, seat)
    check_number(match, seat, number)  # is it meant for this decision?
    played = match.check(action, seat)  # is it legal?
    if not is_sure:
        check_sure(match, draft.table, seat, played)
    draft.add("hinted" if draft.is_hinted(seat) else "action", seat, played)  # the rules play it, and the clocks go on


async def change(room: Room, edit: Edit[P], *args: P.args, **kwargs: P.kwargs) -> None:
    """Change a table by ``edit``, and publish the change to everyone who may see it. Changes of a table are made one at a time.

    Raises the errors of ``edit``, Stale, JobTaken, DatabaseUnavailable. Then nothing has changed.
    """
    async with room.lock:
        for tries_left in reversed(range(_TRIES)):
            stamp = room.services.store.stamp()  # before the change: what other processes do after it gets a later version
            try:
                draft = await _draft(room, edit, *args, **kwargs)
                await _store(room, draft)
                break
            except (Conflict, MeadhallError) as error:
                if not await _was_behind(room, error):
                    raise
                if not tries_left:
                    raise Stale(_("The game has moved on. Look again, then choose.")) from None
        is_changed = draft.new or draft.table is not room.table
        if is_changed:
            _keep(room, draft)
    if is_changed:
        room.publish(stamp, draft.for_seat)  # now the others learn of it
        room.let_bots_act()
    if room.match is None and room.visits.announce():  # the guest who sat down is here
        await room.services.store.synced()


async def _draft(room: Room, edit: Edit[P], *args: P.args, **kwargs: P.kwargs) -> TableState:
    """Return a copy of the room's state in which the change is made."""
    await room.follower.count_outages()
    draft = room.state.draft(room.time.now())
    edited = edit(draft, *args, **kwargs)
    if edited is not None:
        await edited
    return draft


async def _store(room: Room, draft: TableState) -> None:
    """Store a draft in one transaction, with its deadline, its reminders of turns, and the record of a match that has ended."""
    services, before, match = room.services, room.state, draft.match
    reminders = reminders_after(before, draft, room.visits.looking(draft))
    async with services.store.unit() as unit:
        if draft.table is not before.table:
            draft.table = unit.save(draft.table)
        if draft.new:
            unit.append(before.table, *draft.new)
        unit.also(*draft.effects, services.deadlines.moved(before, draft), reminders)
        if match is not None and _ends(before, draft) and not services.development:
            unit.also(keeping(draft.table.id, match))
        if draft.ends is not None:
            services.scheduler.finish_in(unit, *draft.ends)
    services.deadlines.expect(draft.clocks, reminders)


def _keep(room: Room, draft: TableState) -> None:
    """Let a stored draft be the state of the room."""
    if _ends(room.state, draft):
        MATCHES_ENDED.labels(draft.table.game, draft.table.status).inc()
    room.state = draft


def _ends(before: TableState, draft: TableState) -> bool:
    return draft.table.status in FINISHED and before.table.status not in FINISHED


async def _was_behind(room: Room, error: Exception) -> bool:
    """Return whether the room was behind, and has caught up: then a refusal may be wrong. After a conflict it always was."""
    is_refusal = isinstance(error, MeadhallError)
    if is_refusal and not room.services.store.shared:
        return False
    was_behind = await room.follower.read_changes()
    if was_behind or not is_refusal:
        room.let_bots_act()
    return was_behind or not is_refusal
