"""Positions of matches between greedy players, with the results. The source of a module per game, see ``compiled.module_of``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from meadhall.engine.compile.rule import rule
from meadhall.engine.state.chance import below, key_from_counter
from meadhall.engine.state.events import NO_LOG_SHAPE
from meadhall.engine.state.schema import state_at

if TYPE_CHECKING:
    ACTIONS = 0

    def setup(state: Any, players: int, options: Any, log: Any) -> None: ...
    def legal(state: Any, out: Any) -> int: ...
    def play(state: Any, action: int, log: Any) -> None: ...
    def score(state: Any, out: Any) -> None: ...
    def greedy(state: Any, legal: Any, count: int, rng: Any) -> int: ...


@rule
def positions(states: Any, kept: Any, payoffs: Any, players: int, options: Any, seed: int, one_in: int) -> int:
    """Play matches and keep one position in ``one_in`` until ``kept`` is full; return the number from finished matches.

    ``states`` holds a working state and a blank one. ``payoffs[k]`` becomes every seat's payoff in the match of position k.
    """
    out = np.zeros(ACTIONS, np.int32)
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    rng = np.zeros(2, np.uint64)
    size = 0
    game = 0
    while True:
        states[0] = states[1]
        state = state_at(states, 0)
        key_from_counter(state.rng, seed, 2 * game)
        key_from_counter(rng, seed, 2 * game + 1)
        state.players = players
        setup(state, players, options, log)
        first = size
        while state.actor >= 0:
            if below(rng, one_in) == 0:
                if size == kept.shape[0]:
                    return first
                kept[size] = states[0]
                size += 1
            play(state, greedy(state, out, legal(state, out), rng), log)
        for k in range(first, size):
            score(state, payoffs[k])
        game += 1
