"""The smallest game that there can be: a name, a state, the number of actions, and four rules. Who takes the last stone wins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from meadhall.sdk import CLOCKWISE, I8, Elements, Game, GameRules, GameState, Row, record, rule

MOST = 3


@record
class State(GameState):
    stones: I8
    taken: I8  # by the seat that moved last
    winner: I8


@rule
def setup(state: State, _players: int, _options: Any, _log: Any) -> None:
    state.stones = 7


@rule
def legal(state: State, out: Row) -> int:
    count = min(state.stones, MOST)
    for k in range(count):
        out[k] = k
    return count


@rule
def play(state: State, action: int, _log: Any) -> None:
    state.taken = action + 1
    state.stones -= state.taken
    if state.stones == 0:
        state.winner = state.actor
        state.actor = -1
    else:
        state.actor = (state.actor + 1) % state.players


@rule
def score(state: State, out: Any) -> None:
    for seat in range(state.players):
        out[seat] = 1.0 if seat == state.winner else 0.0


rules = cast("GameRules", SimpleNamespace(setup=setup, legal=legal, play=play, score=score))

game = Game(name="last-stone", state=State, rules=rules, actions=MOST, elements=Elements(first_order=CLOCKWISE))
