"""Laws about simultaneous decisions: no other seat sees a sealed choice, and the order of the choices doesn't matter."""

from __future__ import annotations

import random
from collections.abc import Sequence

from meadhall.engine.laws.hidden import demand, differing_fields
from meadhall.engine.match.deciders import is_simultaneous
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR, concealed

_CHOICES = 4  # the number of choices that are compared
_ORDERS = 3  # the number of random orders that are tried
_LONGEST = 1000  # the largest number of actions of a sealed choice


def actor_is_a_decider(match: Match) -> None:
    """Check that the actor is the lowest seat of those that have still to choose."""
    if is_simultaneous(match.game):
        lowest = match.deciders[0] if match.deciders else None
        demand(match.actor == lowest, f"`actor` is {match.actor}, but the seats that have still to choose are {match.deciders}")


def choices_are_sealed(match: Match, draw: random.Random) -> None:
    """Check that other viewers see the same, whatever a seat chooses, while others have still to choose."""
    if len(match.deciders) < 2:
        return
    seat = draw.choice(match.deciders)
    legal = match.view(seat).legal
    for viewer in range(SPECTATOR, match.players):
        if viewer == seat:
            continue
        seen: dict[tuple[int, ...], Match] = {}
        for action in draw.sample(legal, min(_CHOICES, len(legal))):
            after = match.copy()
            after.play(action, seat)
            demand(not after.over, f"seat {seat} has chosen, others have not, and the match is over")
            first = seen.setdefault(after.deciders, after)
            one, other = (concealed(match.game, each._states, viewer) for each in (first, after))
            demand(
                one.tobytes() == other.tobytes(),
                f"viewer {viewer} sees what seat {seat} has chosen before all have: {differing_fields(one, other)}",
            )
            told = [each.view(viewer).steps[-1].events for each in (first, after)]
            demand(told[0] == told[1], f"events tell viewer {viewer} what seat {seat} has chosen before all have")


def order_is_irrelevant(match: Match, draw: random.Random) -> None:
    """Check that each seat can play its choice in any order, and that all orders lead to the same state."""
    seats = list(match.deciders)
    if len(seats) < 2:
        return
    choices = {seat: _choice_of(match, seat, draw) for seat in seats}
    first = _played(match, seats, choices)
    for _ in range(_ORDERS):
        order = draw.sample(seats, len(seats))
        other = _played(match, order, choices)
        differences = differing_fields(first._states, other._states)
        demand(
            first._states.tobytes() == other._states.tobytes(),
            f"if seats {order} choose in this order, the state differs from that of {seats}: {differences or 'rng'}",
        )


def _choice_of(match: Match, seat: int, draw: random.Random) -> list[int]:
    """Return the actions of a random choice of a seat: usually one, more if the seat goes on choosing."""
    alone, actions = match.copy(), list[int]()
    others = set(match.deciders) - {seat}
    while seat in alone.deciders:
        actions.append(draw.choice(alone.view(seat).legal))
        alone.play(actions[-1], seat)
        demand(set(alone.deciders) - {seat} == others, f"a choice of seat {seat} changes which other seats have still to choose")
        demand(alone.state.reveals == match.state.reveals, f"`reveals` rises when seat {seat} chooses before all have")
        demand(len(actions) <= _LONGEST, f"a choice of seat {seat} never ends")
    return actions


def _played(match: Match, order: Sequence[int], choices: dict[int, list[int]]) -> Match:
    after = match.copy()
    for seat in order:
        for action in choices[seat]:
            demand(
                action in after.view(seat).legal, f"whether seat {seat} may choose {action} depends on what others have chosen"
            )
            after.play(action, seat)
    return after
