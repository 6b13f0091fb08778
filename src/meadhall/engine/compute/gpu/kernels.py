"""Loops that only a GPU has: the source of one module per game, like ``loops.py``, whose functions become kernels.

``docs/decisions/0022-gpu.md`` says why they are written so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from meadhall.engine.compile.portable import lanes, local_array, scratch_array
from meadhall.engine.compile.rule import i64, rule
from meadhall.engine.compute.gpu.shares import claim
from meadhall.engine.state.chance import below, key_from_counter
from meadhall.engine.state.events import WIDTH
from meadhall.engine.state.schema import Row, States, state_at

if TYPE_CHECKING:
    # Supplied by compiled.py.
    ACTIONS = 0
    STATE: Any = None

    def setup(state: Any, players: int, options: Any, log: Any) -> None: ...
    def legal(state: Any, out: Any) -> int: ...
    def play(state: Any, action: int, log: Any) -> None: ...
    def score(state: Any, out: Any) -> None: ...


@rule
def playouts(blank: States, players: int, options: Any, seed: int, first: int, taken: Row, lengths: Any, payoffs: Any) -> None:
    """Play games ``first``, ``first + 1`` … of a bulk run to their ends at random, as many as ``lengths`` has items.

    Game ``first + i`` writes its number of decisions to ``lengths[i]`` and its payoffs to ``payoffs[i]``. A thread whose game is
    over claims the next one at once, so that the threads of a warp always play.
    """
    states = scratch_array(1, STATE)
    out = scratch_array(ACTIONS, np.int32)
    log = local_array((0, WIDTH), np.int32)
    state = state_at(states, 0)
    game = claim(taken)
    decisions = i64(-1)
    while game < lengths.shape[0]:
        if decisions < 0:
            states[0] = blank[0]
            key_from_counter(state.rng, seed, first + game)
            state.players = players
            setup(state, players, options, log)
            decisions = i64(0)
        if state.actor >= 0:
            play(state, i64(out[below(state.rng, legal(state, out))]), log)
            decisions += 1
        else:
            score(state, payoffs[game])
            lengths[game] = decisions
            decisions = i64(-1)
            game = claim(taken)


@rule
def add_up(lengths: Row, payoffs: Any, chunk: int, decisions: Any, sums: Any) -> None:
    """Add up the games of each chunk one after the other, as the CPU does: the sums are the same to the last bit."""
    players = payoffs.shape[1]
    for share in lanes(sums.shape[0] * players):
        k = share // players
        seat = share % players
        total = 0.0
        played = i64(0)
        for game in range(k * chunk, min((k + 1) * chunk, payoffs.shape[0])):
            total += payoffs[game, seat]
            played += lengths[game]
        sums[k, seat] = total
        if seat == 0:
            decisions[k] = played


@rule
def actors(states: States, found: Any) -> None:
    """Set ``found[i]`` to the seat to move in ``states[i]``, -1 where the game is over."""
    for i in lanes(states.shape[0]):
        found[i] = state_at(states, i).actor
