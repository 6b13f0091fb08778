"""The undo of a seat: it may take back its last decision while only bots have moved since.

Among people, nothing may have been revealed since. A person who plays alone or with bots may take back more: it is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from meadhall.engine.compiled import loops
from meadhall.engine.errors import CannotUndo, MatchOver, Refused
from meadhall.engine.laws.knowledge import redealt
from meadhall.engine.match.deciders import acting
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import legal_actions
from meadhall.engine.state.events import new_log
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Stale, Unsure
from meadhall.server.hall.furniture import furniture
from meadhall.server.store.models import TableRow


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
    rethinking = furniture(table).rethinking
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
    if furniture(table).rethinking:
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
