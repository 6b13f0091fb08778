"""The loop of random playouts with a game's rules as first-class functions; see first_class.py."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from meadhall.engine.game import Game
from meadhall.engine.state.chance import below, key_from_counter
from meadhall.engine.state.events import NO_LOG_SHAPE

options = {"cache": True, "nogil": True, "error_model": "numpy"}


def compiled(game: Game) -> tuple[Any, tuple[Any, ...]]:
    """Return the loop, compiled for functions with declared signatures, and its first arguments for this game."""
    state = numba.from_dtype(game.state.dtype)
    codes, out, log = types.int64[::1], types.int32[::1], types.int32[:, ::1]
    signatures = {
        "setup": types.void(state, types.int64, codes, log),
        "legal": types.int64(state, out),
        "play": types.void(state, types.int64, log),
        "score": types.void(state, types.float64[::1]),
    }
    rules = [numba.njit(signature, **options)(getattr(game.rules, name).py_func) for name, signature in signatures.items()]
    given = [types.FunctionType(signature) for signature in signatures.values()]
    number, payoffs = types.int64, types.float64[::1]
    loop = numba.njit(number(*given, out, state[::1], number, codes, number, number, number, payoffs), **options)(play_with)
    return loop, (*rules, np.zeros(game.actions, np.int32))


def play_with(
    setup: Any,
    legal: Any,
    play: Any,
    score: Any,
    out: Any,
    states: Any,
    players: int,
    codes: Any,
    seed: int,
    first: int,
    count: int,
    payoffs: Any,
) -> int:
    """Do the same as ``loops.playouts``."""
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    result = np.zeros(players, np.float64)
    decisions = 0
    for game in range(first, first + count):
        states[0] = states[1]
        state = states[0]
        key_from_counter(state.rng, seed, game)
        state.players = players
        setup(state, players, codes, log)
        while state.actor >= 0:
            play(state, out[below(state.rng, legal(state, out))], log)
            decisions += 1
        score(state, result)
        for seat in range(players):
            payoffs[seat] += result[seat]
    return decisions
