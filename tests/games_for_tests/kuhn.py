"""Kuhn poker (Kuhn, 1950), whose value is known: -1/18 chips for seat 0. A payoff is (2 + chips) / 4."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, cast

import numpy as np

from meadhall.sdk import (
    I8,
    EventKind,
    Game,
    GameRules,
    GameState,
    GameWords,
    Row,
    below,
    emit_private,
    number,
    record,
    register,
    rule,
    seat,
    shuffle,
)

CARDS = 3
SEATS = 2
UNKNOWN = 0
PASS, BET = 0, 1
DEALT = 1


@record
class State(GameState):
    card: Annotated[Row, np.int8, SEATS]
    chips: Annotated[Row, np.int8, SEATS]
    passes: I8  # in a row
    winner: I8


@rule
def setup(state: State, _players: int, _options: Any, log: Any) -> None:
    deck = np.zeros(CARDS, np.int8)
    for k in range(CARDS):
        deck[k] = k + 1
    shuffle(state.rng, deck, CARDS)
    state.reveals += 1
    for owner in range(SEATS):
        state.card[owner] = deck[owner]
        state.chips[owner] = 1
        emit_private(log, owner, DEALT, owner, deck[owner])
    state.actor = 0


@rule
def legal(state: State, out: Row) -> int:
    out[0] = PASS
    out[1] = BET
    return 2


@rule
def play(state: State, action: int, _log: Any) -> None:
    me = state.actor
    if action == BET:
        state.chips[me] += 1
        state.passes = 0
        if state.chips[0] == state.chips[1]:
            show(state)
        else:
            state.actor = 1 - me
    elif state.chips[me] < state.chips[1 - me]:
        finish(state, 1 - me)
    else:
        state.passes += 1
        if state.passes == SEATS:
            show(state)
        else:
            state.actor = 1 - me


@rule
def show(state: State) -> None:
    finish(state, 0 if state.card[0] > state.card[1] else 1)


@rule
def finish(state: State, winner: int) -> None:
    state.reveals += 1
    state.winner = winner
    state.actor = -1


@rule
def conceal(state: State, viewer: int) -> None:
    if state.actor >= 0:
        for owner in range(SEATS):
            if owner != viewer:
                state.card[owner] = UNKNOWN


@rule
def redeal(state: State, viewer: int) -> None:
    for owner in range(SEATS):
        while state.card[owner] == UNKNOWN:
            card = 1 + below(state.rng, CARDS)
            if card != state.card[1 - owner]:
                state.card[owner] = card


@rule
def score(state: State, out: Any) -> None:
    won = min(state.chips[0], state.chips[1])
    out[state.winner] = (2 + won) / 4
    out[1 - state.winner] = (2 - won) / 4


EVENTS = {DEALT: EventKind("dealt", (seat, number), "KP-1", "{0} is dealt {1}")}
rules = SimpleNamespace(setup=setup, legal=legal, play=play, conceal=conceal, redeal=redeal, score=score)
words = SimpleNamespace(
    action=lambda _state, action, _names: ("pass", "bet")[action],
    prompt=lambda _state, _names, _viewer: "Pass or bet?",
    ending=lambda _state: ("KP-2", "The hand is over."),
)

game = register(
    Game(
        name="kuhn",
        title="Kuhn Poker",
        tagline="Three cards.",
        version=1,
        min_players=SEATS,
        max_players=SEATS,
        actions=2,
        state=State,
        rules=cast("GameRules", rules),
        words=cast("GameWords", words),
        events=EVENTS,
        folder=Path(__file__).parent,
        max_length=3,
    )
)
