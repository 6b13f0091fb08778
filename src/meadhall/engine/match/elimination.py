"""Places in a game whose players drop out one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meadhall.engine.match.match import Match


def places_by_elimination(match: Match, kind: int, argument: int, behind: Sequence[int]) -> tuple[int, ...]:
    """Return every seat's place in a finished match, 1 for the winners: who drops out earlier is placed lower.

    Args:
        kind: the kind of event that tells that a player drops out.
        argument: which of its arguments is that player's seat.
        behind: by seat, what ranks the players left over, the lowest first.

    Examples:
        >>> import meadhall
        >>> from meadhall.games.axes_and_allies.rules import Event
        >>> from meadhall.sdk import places_by_elimination
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> while not match.over:
        ...     events = match.play(match.legal()[0])
        >>> places_by_elimination(match, Event.KILLED, argument=1, behind=[0, 0, 0])
        (3, 2, 1)
    """
    result = match.result()
    winners = result.winners if result else ()
    out = [event.arguments[argument] for step in match.steps for event in step.events if event.kind == kind]
    left = [seat for seat in range(match.players) if seat not in out]

    def place(seat: int) -> int:
        if seat in winners:
            return 1
        if seat in out:
            return match.players - out.index(seat)
        return 1 + sum(other in winners or behind[other] < behind[seat] for other in left)

    return tuple(place(seat) for seat in range(match.players))
