"""Outnumbered: one player against two or three, by option or decided in play."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Annotated, Any, cast

import numpy as np

from meadhall.sdk import (
    CLOCKWISE,
    I8,
    Choice,
    Elements,
    Game,
    GameRules,
    GameState,
    Grid,
    Row,
    Scoring,
    die,
    record,
    register,
    rule,
)

SEATS = 4
TURNS = 2
ROLL, DARE, REFUSE = range(3)
NOT_DECIDED = -1


@record
class State(GameState):
    hunter: I8  # NOT_DECIDED until a player dares
    turns: I8
    sums: Annotated[Row, np.int8, 2]  # of the hunter, of the others


@rule
def setup(state: State, _players: int, options: Any, _log: Grid) -> None:
    state.hunter = 0 if options[0] == 0 else NOT_DECIDED


@rule
def legal(state: State, out: Row) -> int:
    out[0] = ROLL if state.hunter != NOT_DECIDED else DARE
    out[1] = REFUSE
    return 1 if state.hunter != NOT_DECIDED else 2


@rule
def play(state: State, action: int, _log: Grid) -> None:
    """The first player who dares hunts, or else the last one."""
    if action == REFUSE:
        state.actor += 1
    if state.hunter == NOT_DECIDED:
        if action == DARE or state.actor + 1 == state.players:
            state.hunter = state.actor
        return
    state.reveals += 1
    state.sums[0 if state.actor == state.hunter else 1] += die(state.rng, 6)
    state.turns += 1
    state.actor = -1 if state.turns == TURNS * state.players else (state.actor + 1) % state.players


@rule
def score(state: State, out: Any) -> None:
    """Compare the sums, weighted by the number of players."""
    lead = state.sums[0] * (state.players - 1) - state.sums[1]
    for seat in range(state.players):
        ahead = lead if seat == state.hunter else -lead
        out[seat] = 0.5 if ahead == 0 else 1.0 if ahead > 0 else 0.0


@rule
def greedy(_state: State, legal: Row, _count: int, _rng: Row) -> int:
    return legal[0]


def sides(players: int, options: Mapping[str, Any], state: State | None) -> tuple[tuple[int, ...], ...] | None:
    """The hunter against all others. In play they are decided with the option ``dared``."""
    hunter = 0 if options["hunter"] == "fixed" else NOT_DECIDED if state is None else state.hunter
    if hunter == NOT_DECIDED:
        return None
    return (hunter,), tuple(seat for seat in range(players) if seat != hunter)


game = register(
    Game(
        name="outnumbered",
        min_players=3,
        max_players=SEATS,
        actions=REFUSE + 1,
        elements=Elements(first_order=CLOCKWISE),
        state=State,
        rules=cast("GameRules", SimpleNamespace(setup=setup, legal=legal, play=play, score=score)),
        options=(
            Choice("hunter", {"fixed": ("First", "The first player."), "dared": ("Dared", "Who dares first.")}, title="Hunter"),
        ),
        greedy=greedy,
        scoring=Scoring.SIDES,
        sides=sides,
    )
)
