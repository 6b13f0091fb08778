"""The order of the first turns: fairness by place is about it, not about seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from meadhall.engine.match.match import Match


def first_order(players: int, named: Sequence[int], deciding: Iterable[int]) -> tuple[int, ...]:
    """Return the seats in the order of their first turns.

    Args:
        players: the number of seats.
        named: the seats that the game names, in their order; empty if it names none.
        deciding: the seats in the order of their decisions.

    Examples:
        >>> from meadhall.engine.match.first_order import first_order
        >>> first_order(4, [], [2, 2, 3, 2]), first_order(4, [1, 0, 3, 2], [2]), first_order(3, [1], [2])
        ((2, 3, 0, 1), (1, 0, 3, 2), (1, 2, 0))
    """
    found = list(dict.fromkeys(named or deciding))
    last = found[-1] if found else -1
    return (*found, *(seat for step in range(1, players + 1) if (seat := (last + step) % players) not in found))


def first_order_of(match: Match) -> tuple[int, ...]:
    """Return the seats of a match in the order of their first turns, as far as it has been decided.

    Examples:
        >>> import meadhall
        >>> from meadhall.engine.match.first_order import first_order_of
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> events = match.play(match.legal()[0])
        >>> first_order_of(match)
        (1, 2, 0)
    """
    wanted = match.game.elements.first_order
    events = (event for events in (match.setup, *(step.events for step in match.steps)) for event in events)
    named = next((event.arguments for event in events if event.kind == wanted), ())
    return first_order(match.players, named, (step.seat for step in match.steps))
