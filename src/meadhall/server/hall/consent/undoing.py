"""The undo of a seat: it may take back its last decision while only bots have moved since.

Among people, nothing may have been revealed since. A person who plays alone or with bots may take back more: it is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from meadhall.engine.errors import CannotUndo, MatchOver, Refused
from meadhall.engine.match.match import Match
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Stale
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
