"""Simultaneous decisions: which seats have still to choose, and what the others may know of a choice.

A game with simultaneous decisions has one more rule, ``deciders(state) -> int``: a bit mask of the seats that have still to
choose. ``state.actor`` is the lowest of them. They may choose in any order, and the rules stay sequential: before the engine
plays the action of another of these seats, it makes that seat the actor. A choice is *sealed*: it lies in the state, ``conceal``
blanks it for all other seats, and the rules carry out all choices when the last seat has chosen. The engine shows the actions of
such a game only to the seat that plays them. All others learn what the events tell.
"""

from __future__ import annotations

from meadhall.engine.compile.compiled import HasRules, loops
from meadhall.engine.compile.rule import rule
from meadhall.engine.state.schema import States, copied

SEALED = -1
"""The placeholder of an action that the viewer of a step may not know."""


@rule
def lowest_seat(mask: int) -> int:
    """Return the lowest seat of a bit mask of seats, -1 if it is empty. Rules set ``state.actor`` with it.

    Examples:
        >>> lowest_seat(0b110)
        1
        >>> lowest_seat(0)
        -1
    """
    seat = 0
    while mask != 0:
        if mask & 1:
            return seat
        mask >>= 1
        seat += 1
    return -1


@rule
def is_among(mask: int, seat: int) -> bool:
    """Return whether a bit mask of seats contains ``seat``.

    Examples:
        >>> is_among(0b110, 2)
        True
    """
    return seat >= 0 and (mask >> seat) & 1 == 1


def is_simultaneous(game: HasRules) -> bool:
    """Return whether seats of the game can decide at the same time: its rules have ``deciders``."""
    return getattr(game.rules, "deciders", None) is not None


def deciders(game: HasRules, states: States) -> tuple[int, ...]:
    """Return the seats that have still to choose in a state (an array of one), in ascending order; none when it is over."""
    actor = int(states["actor"][0])
    if actor < 0:
        return ()
    if getattr(game.rules, "deciders", None) is None:
        return (actor,)
    mask = int(loops(game).deciders_one(states))
    return tuple(seat for seat in range(int(states["players"][0])) if mask >> seat & 1)


def acting(game: HasRules, states: States, seat: int) -> States:
    """Return the state with ``seat`` as its actor if that seat has still to choose; otherwise the state itself."""
    if int(states["actor"][0]) == seat or not is_simultaneous(game) or seat not in deciders(game, states):
        return states
    changed = copied(states)
    changed["actor"] = seat
    return changed
