"""The chart at the end of a match: each seat's chance of winning after every action, and where it turned."""

from __future__ import annotations

from dataclasses import dataclass

from meadhall.engine.kernels import outlook
from meadhall.engine.match import SPECTATOR, Match

_GAMES = 400
"""Continuations played at random from each position: a standard error of 2.5 percentage points at most."""

_TURNING_POINTS = 3


@dataclass(frozen=True)
class Outlook:
    """``chances[k][seat]`` after the first k actions; ``turning``: after which of them the winner's chance had risen most."""

    chances: tuple[tuple[float, ...], ...]
    turning: frozenset[int]


def match_outlook(match: Match) -> Outlook:
    """The chances through a finished match, from what spectators knew, by random continuations."""
    result = match.result()
    assert result is not None
    chances = [
        tuple(outlook(match.game, match.view_at(position).tables, SPECTATOR, _GAMES, seed=position).tolist())
        for position in range(len(match.steps))
    ]
    chances.append(result.scores)
    winners = result.winners or tuple(range(match.players))
    rise = {k: sum(chances[k][seat] - chances[k - 1][seat] for seat in winners) for k in range(1, len(chances))}
    turning = sorted(rise, key=lambda k: -rise[k])[:_TURNING_POINTS]
    return Outlook(tuple(chances), frozenset(turning))
