"""Pennies: in each of six rounds both players choose heads or tails at the same time. Seat 0 scores if they are equal.

Every action is legal at every decision, as some suites of tests expect.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, cast

import numpy as np

from meadhall.sdk import (
    CLOCKWISE,
    I8,
    Elements,
    Game,
    GameRules,
    GameState,
    GameWords,
    Row,
    is_among,
    lowest_seat,
    record,
    register,
    rule,
)

ROUNDS = 6
SEATS = 2
HIDDEN = -1


@record
class State(GameState):
    round: I8
    pending: I8
    chosen: Annotated[Row, np.int8, SEATS]  # the choice of each seat; HIDDEN before it, or if the viewer may not know it
    equal: I8  # the number of rounds with equal choices


@rule
def setup(state: State, _players: int, _options: Any, log: Any) -> None:
    begin_round(state)


@rule
def begin_round(state: State) -> None:
    state.pending = 0b11
    state.actor = 0
    for seat in range(SEATS):
        state.chosen[seat] = HIDDEN


@rule
def deciders(state: State) -> int:
    return state.pending


@rule
def legal(state: State, out: Row) -> int:
    out[0] = 0
    out[1] = 1
    return 2


@rule
def play(state: State, action: int, log: Any) -> None:
    state.chosen[state.actor] = action
    state.pending &= ~(1 << state.actor)
    state.actor = lowest_seat(state.pending)
    if state.pending == 0:
        state.reveals += 1
        state.equal += state.chosen[0] == state.chosen[1]
        state.round += 1
        if state.round < ROUNDS:
            begin_round(state)


@rule
def conceal(state: State, seat: int) -> None:
    if state.actor >= 0:
        for other in range(SEATS):
            if other != seat:
                state.chosen[other] = HIDDEN


@rule
def redeal(state: State, seat: int) -> None:
    if state.actor >= 0:
        for other in range(SEATS):
            if other != seat and not is_among(state.pending, other):
                state.chosen[other] = int(state.rng[0] & 1)


@rule
def score(state: State, out: Any) -> None:
    out[0] = state.equal / ROUNDS
    out[1] = 1 - state.equal / ROUNDS


rules = SimpleNamespace(setup=setup, legal=legal, play=play, conceal=conceal, redeal=redeal, score=score, deciders=deciders)
words = SimpleNamespace(
    action=lambda _state, action, _names: ("heads", "tails")[action],
    prompt=lambda _state, _names, _viewer: "Heads or tails?",
    ending=lambda _state: ("PE-1", "Six rounds have been played."),
)

game = register(
    Game(
        name="pennies",
        title="Pennies",
        tagline="Heads or tails.",
        version=1,
        min_players=SEATS,
        max_players=SEATS,
        actions=2,
        elements=Elements(first_order=CLOCKWISE),
        state=State,
        rules=cast("GameRules", rules),
        words=cast("GameWords", words),
        events={},
        folder=Path(__file__).parent,
        chance=False,
        max_length=SEATS * ROUNDS,
    )
)
