"""The order of a move, from the guest's request to the pages. Every other change of a table takes the same way.

Nothing waits on this way, so no other change comes between. Others learn of a move in the last step, when it is stored. Before
that, only the draft has changed: a copy of the state of the room, which is dropped if the move is refused, or if nothing can be
stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from meadhall.server.errors import Stale
from meadhall.server.hall.action_numbers import check_number, was_played
from meadhall.server.hall.bots.stand_ins import check_own_decision
from meadhall.server.hall.consent.undoing import check_sure
from meadhall.server.hall.records.kept_records import keeping
from meadhall.server.hall.state import TableState
from meadhall.server.hall.time.turn_reminders import reminders_after
from meadhall.server.ops.metrics import MATCHES_ENDED
from meadhall.server.store import jobs, matches, tables
from meadhall.server.store.models import FINISHED, Guest

if TYPE_CHECKING:
    from meadhall.server.hall.room import Room

P = ParamSpec("P")

Edit = Callable[Concatenate[TableState, P], None]
"""Checks and changes a draft."""


def act(room: Room, guest: Guest, action: Any, number: int | None = None, is_sure: bool = True) -> None:
    """Play an action for the guest's seat. Refuse if its number in the match would not be ``number``.

    Raises Unsure if the player is not sure and can't take it back.

    An action that the seat has already played with this number changes nothing: the request may have been repeated after
    its answer was lost.
    """
    try:
        change(room, play, guest, action, number, is_sure)
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


def change(room: Room, edit: Edit[P], *args: P.args, **kwargs: P.kwargs) -> None:
    """Change a table by ``edit``, and publish the change to everyone who may see it.

    Raises the errors of ``edit``, JobTaken, DatabaseUnavailable. Then nothing has changed.
    """
    room.count_outages()
    draft = room.state.draft(room.time.now())
    edit(draft, *args, **kwargs)
    _store(room, draft)
    if draft.new or draft.table is not room.table:
        _keep(room, draft)
        room.publish(draft.for_seat)  # now the others learn of it
        room.let_bots_act()


def _store(room: Room, draft: TableState) -> None:
    """Store a draft in one transaction, with its deadline, its reminders of turns, and the record of a match that has ended."""
    services, before, match = room.services, room.state, draft.match
    reminders = reminders_after(before, draft, room.visits.looking(draft))
    found = [*draft.effects, services.deadlines.moved(before, draft), reminders]
    if match is not None and _ends(before, draft) and not services.development:
        found.append(keeping(draft.table.id, match))
    effects = [effect for effect in found if effect is not None]
    is_same = draft.table is before.table
    if not is_same or draft.new or effects or draft.ends is not None:
        with services.store.change() as db:
            if draft.new:
                matches.append(db, before.table.id, draft.new)
            if not is_same:
                draft.table = tables.save(db, draft.table)  # after the entries: the results of a match count them
            for effect in effects:
                effect(db)
            if draft.ends is not None:
                jobs.finish(db, *draft.ends)
        if draft.ends is not None:
            services.scheduler.note_finished(draft.ends[0])
    services.deadlines.expect(draft.clocks, reminders)


def _keep(room: Room, draft: TableState) -> None:
    """Let a stored draft be the state of the room."""
    if _ends(room.state, draft):
        MATCHES_ENDED.labels(draft.table.game, draft.table.status).inc()
    room.state = draft


def _ends(before: TableState, draft: TableState) -> bool:
    return draft.table.status in FINISHED and before.table.status not in FINISHED
