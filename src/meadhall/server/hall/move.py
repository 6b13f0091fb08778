"""The order of a move, from the guest's request to the pages. Every other change of a table takes the same way.

Nothing waits on this way, so no other change comes between. Others learn of a move in the last step, when it is stored. Before
that, only the draft has changed: a copy of the state of the room, which is dropped if the move is refused, or if nothing can be
stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Final

from meadhall.engine.compiled import loops
from meadhall.engine.errors import CannotUndo, MatchOver, NotYourTurn, Refused
from meadhall.engine.laws.knowledge import redealt
from meadhall.engine.match.deciders import acting
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import action_number, legal_actions
from meadhall.engine.state.events import new_log
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Stale, Unsure
from meadhall.server.hall.deadlines import reminders_after
from meadhall.server.hall.intentions import REVOKED, choices_ahead
from meadhall.server.hall.services import Edit, P, TableRoom
from meadhall.server.hall.stand_ins import check_own_decision
from meadhall.server.hall.state import TableState, check_not_acted, check_number, was_played
from meadhall.server.hall.table_tools import table_tools
from meadhall.server.ops.metrics import MATCHES_ENDED
from meadhall.server.store import jobs, matches, tables
from meadhall.server.store.models import FINISHED, Guest, TableRow

# --------------------------------------------------------------------------------------------------------------------------- undo

# The undo of a seat: it may take back its last decision while only bots have moved since.
#
# Among people, nothing may have been revealed since. A person who plays alone or with bots may take back more: it is counted.


def check_undo(match: Match, table: TableRow, seat: int, number: int | None = None) -> int:
    """Return how many actions are taken back when a seat takes back its last decision: that one, and those of bots after it.

    Args:
        number: the number of the decision that the player means; None for the last one.

    Raises:
        CannotUndo, MatchOver, Stale: with what really stands in the way, the earliest first.
    """
    if match.over:
        raise MatchOver(_("You can't undo this: the match is over."))
    position = next((k for k in reversed(range(len(match.steps))) if match.steps[k].seat == seat), None)
    if position is None:
        raise CannotUndo(_("There is nothing to undo: you haven't decided anything yet."))
    if match.steps[position].bot is not None:
        raise CannotUndo(_("You can't undo this: a bot decided it for you."))
    if number is not None and number != match.steps[position].n:
        raise Stale(_("The game has moved on. Look again, then choose."))
    rethinking = table_tools(table).rethinking
    for k in range(position, len(match.steps)):
        step = match.steps[k]
        if step.seat != seat and step.bot is None and table.seats[step.seat].kind == "human":
            raise CannotUndo(_("You can't undo this: {name} has moved since.").format(name=match.names[step.seat]))
        if match.reveals(k) and not rethinking:
            raise CannotUndo(_revelation(match, step.seat, seat))
    return len(match.steps) - position


def check_sure(match: Match, table: TableRow, seat: int, action: int) -> None:
    """Refuse a legal action that its seat can't take back. Raises Unsure.

    Such an action reveals something or ends the match. It is tried in a determinization of what the seat knows: the answer tells
    nothing of what is hidden.
    """
    if table_tools(table).rethinking:
        return
    view = match.view(seat)
    states = acting(match.game, redealt(match.game, view.states, seat, Random()), seat)
    before = int(states["reveals"][0])
    if action in legal_actions(match.game, states):
        loops(match.game).play_one(states, action, new_log(1))
        if int(states["reveals"][0]) == before and states["actor"][0] >= 0:
            return
    words = match.game.words.action(view.state, action, view.names)
    text = _("{action}? You can't take this back.")
    raise Unsure(text.format(action=words[:1].upper() + words[1:]))


def reveals(match: Match, count: int) -> bool:
    """Return whether one of the last ``count`` actions revealed something."""
    return any(match.reveals(k) for k in range(len(match.steps) - count, len(match.steps)))


def _revelation(match: Match, mover: int, seat: int) -> str:
    if mover == seat:
        return _("You can't undo this: your action rolled dice, drew something or revealed something.")
    name = match.names[mover]
    return _("You can't undo this: {name} has rolled dice, drawn something or revealed something since.").format(name=name)


@dataclass(frozen=True)
class UndoOffer:
    """What a seat may take back.

    Attributes:
        number: of the decision; None if it may not take back any.
        refusal: why not; "" if it may.
        counts: something was revealed since, so the take-back is counted.
    """

    number: int | None
    refusal: str = ""
    counts: bool = False


NO_UNDO: Final = UndoOffer(None)


def undo_of(match: Match, table: TableRow, seat: int) -> UndoOffer:
    """Return which decision a seat may take back."""
    try:
        count = check_undo(match, table, seat)
    except Refused as error:
        return UndoOffer(None, error.reason)
    return UndoOffer(match.steps[-count].n, counts=reveals(match, count))


# ------------------------------------------------------------------------------------------------------------ the order of a move


def act(room: TableRoom, guest: Guest, action: Any, number: int | None = None, is_sure: bool = True) -> None:
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
    draft.check_not_paused()
    played = match.check(action, seat)  # is it legal?
    if not is_sure:
        check_sure(match, draft.table, seat, played)
    _add_action(draft, seat, played)


def _add_action(draft: TableState, seat: int, action: int) -> None:
    draft.add("hinted" if draft.is_hinted(seat) else "action", seat, action)  # the rules play it, and the clocks go on


def choose_ahead(draft: TableState, guest: Guest, action: Any, number: int | None) -> None:
    """Choose the action of the guest's next decision ahead, or revoke that choice: ``action`` is None.

    If the decision has begun meanwhile, the action is played. Refuse what the game doesn't offer ahead.
    """
    match, seat = draft.running_match(), draft.seat_of(guest)
    check_own_decision(match, seat)
    chosen = draft.intentions.chosen.get(seat)
    if action is None:
        if chosen is not None:
            draft.add("ahead", seat, REVOKED)
            draft.for_seat = seat
        return
    check_not_acted(match, seat, number)
    if seat in match.deciders:
        play(draft, guest, action, None, is_sure=True)
        return
    offered = choices_ahead(match, draft.running_clocks, match.view(seat))
    intended = action_number(match.game, action)
    if intended not in offered:
        possible = ", ".join(f"{each} ({words})" for each, words in offered.items())
        raise NotYourTurn(_("You can't choose that ahead. Possible now: {actions}.").format(actions=possible or _("nothing")))
    if intended != chosen:
        draft.add("ahead", seat, intended)
        draft.for_seat = seat


def _play_intentions(draft: TableState) -> None:
    """Play what the seats whose decisions have begun had chosen ahead, one after the other."""
    while draft.match is not None and (due := draft.intentions.due(draft.match)) is not None:
        _add_action(draft, *due)


def change(room: TableRoom, edit: Edit[P], *args: P.args, **kwargs: P.kwargs) -> None:
    """Change a table by ``edit``, and publish the change to everyone who may see it.

    Raises the errors of ``edit``, JobTaken, DatabaseUnavailable. Then nothing has changed.
    """
    room.count_outages()
    draft = room.state.draft(room.time.now())
    edit(draft, *args, **kwargs)
    _play_intentions(draft)
    _store(room, draft)
    if draft.new or draft.table is not room.table or draft.wait is not room.state.wait:
        _keep(room, draft)
        room.publish(draft.for_seat)  # now the others learn of it
        room.let_bots_act()


def _store(room: TableRoom, draft: TableState) -> None:
    """Store a draft in one transaction, with its deadline and its reminders of turns."""
    services, before = room.services, room.state
    reminders = reminders_after(before, draft, room.visits.looking(draft))
    found = (*draft.effects, services.deadlines.moved(before, draft), reminders)
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


def _keep(room: TableRoom, draft: TableState) -> None:
    """Let a stored draft be the state of the room."""
    if draft.table.status in FINISHED and room.table.status not in FINISHED:
        MATCHES_ENDED.labels(draft.table.game, draft.table.status).inc()
    room.state = draft
