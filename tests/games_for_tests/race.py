"""A race: each turn rolls a die, and a document gives each place a start. So its fairness can be tuned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, cast

import msgspec
import numpy as np

from meadhall.sdk import CLOCKWISE, I16, Document, Elements, Game, GameRules, GameState, Row, below, record, rule

GOAL = 12
SEATS = 2


class Track(msgspec.Struct, forbid_unknown_fields=True):
    start: list[int]
    lucky: list[int] = []
    game: str = "race"


def objections(track: Track) -> Iterator[tuple[str, str]]:
    if len(track.start) != SEATS or not all(0 <= space < GOAL for space in track.start):
        yield "$.start", f"{SEATS} spaces from 0 to {GOAL - 1} are needed"


def codes(track: Track) -> Sequence[int]:
    return (*track.start, len(track.lucky))


@record
class State(GameState):
    spaces: Annotated[Row, np.int16, SEATS]
    winner: I16


@rule
def setup(state: State, players: int, options: Any, _log: Any) -> None:
    for seat in range(players):
        state.spaces[seat] = options[seat]


@rule
def legal(_state: State, out: Row) -> int:
    out[0] = 0
    return 1


@rule
def play(state: State, _action: int, _log: Any) -> None:
    state.spaces[state.actor] += 1 + below(state.rng, 6)
    if state.spaces[state.actor] >= GOAL:
        state.winner = state.actor
        state.actor = -1
    else:
        state.actor = (state.actor + 1) % state.players


@rule
def score(state: State, out: Any) -> None:
    out[state.winner] = 1.0
    out[1 - state.winner] = 0.0


game = Game(
    name="race",
    state=State,
    rules=cast("GameRules", SimpleNamespace(setup=setup, legal=legal, play=play, score=score)),
    actions=1,
    elements=Elements(first_order=CLOCKWISE),
    max_players=SEATS,
    options=(Document("track", "The start of each place.", Path(__file__).with_suffix(".toml"), Track, objections, codes),),
)
