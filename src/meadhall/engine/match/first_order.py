"""The order of the first turns: fairness by place is about it, not about seats."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine.elements import Elements
from meadhall.engine.match.match import Match


def first_order(elements: Elements, players: int, named: Sequence[int]) -> tuple[int, ...]:
    """Return the seats in the order of their first turns.

    Args:
        elements: the elements of the game.
        players: the number of seats.
        named: the seats that the game names, in their order: all, or the first alone.

    Examples:
        >>> from meadhall.engine.elements import Elements
        >>> from meadhall.engine.match.first_order import first_order
        >>> first_order(Elements(), 4, [2]), first_order(Elements(), 4, [1, 0, 3, 2])
        ((2, 3, 0, 1), (1, 0, 3, 2))
    """
    return tuple(named if len(named) == players else elements.first_turns(int(named[0]), players))


def first_order_of(match: Match) -> tuple[int, ...]:
    """Return the seats of a match in the order of their first turns. Before the game tells it, the first decision counts.

    Examples:
        >>> import meadhall
        >>> from meadhall.engine.match.first_order import first_order_of
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
