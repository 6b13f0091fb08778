"""The order of the first turns, because fairness by place is about it and not about seats; and places by elimination."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine.match.match import Match
from meadhall.engine.report_terms import Elements


def first_order(elements: Elements, players: int, named: Sequence[int]) -> tuple[int, ...]:
    """Return the seats in the order of their first turns.

    Args:
        elements: the elements of the game.
        players: the number of seats.
        named: the seats that the game names, in their order: all, or the first alone.

    Examples:
        >>> from meadhall.engine.report_terms import Elements
        >>> from meadhall.engine.match.places import first_order
        >>> first_order(Elements(), 4, [2]), first_order(Elements(), 4, [1, 0, 3, 2])
        ((2, 3, 0, 1), (1, 0, 3, 2))
    """
    return tuple(named if len(named) == players else elements.first_turns(int(named[0]), players))


def first_order_of(match: Match) -> tuple[int, ...]:
    """Return the seats of a match in the order of their first turns. Before the game tells it, the first decision counts.

    Examples:
        >>> import meadhall
        >>> from meadhall.engine.match.places import first_order_of
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> first_order_of(match)
        (1, 2, 0)
    """
    told = named_order(match)
    beginner = match.steps[0].seat if match.steps else match.actor or 0
    return first_order(match.game.elements, match.players, told or (beginner,))


def named_order(match: Match) -> tuple[int, ...]:
    """Return the seats that the game has named for the first order; () if it has not."""
    wanted = match.game.elements.first_order
    events = (event for events in (match.setup, *(step.events for step in match.steps)) for event in events)
    return next((event.arguments for event in events if event.kind == wanted), ())


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
