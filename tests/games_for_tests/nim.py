"""Nim: the player who takes the last of a heap wins. With a hand instead of a heap, players guess its hidden content."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from meadhall.sdk import CLOCKWISE, I8, Choice, Elements, Game, GameRules, GameState, GameWords, Row, below, record, rule

HEAP = 10
MOST = 3
HEAPS = ("heap", "small", "hand")


@record
class State(GameState):
    left: I8  # in the heap
    hand: I8  # the content of the hand, 1 or 2; 0 if unknown
    winner: I8


@rule
def setup(state: State, _players: int, options: Any, _log: Any) -> None:
    state.left = (HEAP, 5, 0)[options[0]]
    if state.left == 0:
        state.hand = 1 + below(state.rng, 2)
    state.actor = 0


@rule
def legal(state: State, out: Row) -> int:
    """Take 1 to 3 (actions 0 to 2), or guess 1 or 2 (actions 0 and 1)."""
    count = min(state.left, MOST) if state.left > 0 else 2
    for k in range(count):
        out[k] = k
    return count


@rule
def play(state: State, action: int, _log: Any) -> None:
    if state.left == 0:
        state.winner = state.actor if action + 1 == state.hand else 1 - state.actor
        state.actor = -1
        return
    state.left -= action + 1
    if state.left == 0:
        state.winner = state.actor
        state.actor = -1
    else:
        state.actor = 1 - state.actor


@rule
def conceal(state: State, _seat: int) -> None:
    if state.actor >= 0:
        state.hand = 0


@rule
def redeal(state: State, _seat: int) -> None:
    if state.left == 0 and state.actor >= 0:
        state.hand = 1 + below(state.rng, 2)


@rule
def score(state: State, out: Any) -> None:
    out[state.winner] = 1.0
    out[1 - state.winner] = 0.0


rules = SimpleNamespace(setup=setup, legal=legal, play=play, conceal=conceal, redeal=redeal, score=score)

game = Game(
    name="nim",
    title="Nim",
    tagline="Take the last.",
    version=1,
    min_players=2,
    max_players=2,
    actions=MOST,
    elements=Elements(first_order=CLOCKWISE),
    state=State,
    rules=cast("GameRules", rules),
    words=cast("GameWords", SimpleNamespace(ending=lambda _state: ("NIM-1", "The heap is empty."))),
    events={},
    folder=Path(__file__).parent,
    chance=lambda _players, options: options["heap"] == "hand",
    information=lambda _players, options: "imperfect" if options["heap"] == "hand" else "perfect",
    max_length=HEAP,
    options=(Choice("heap", {heap: (heap.title(), "how many") for heap in HEAPS}, title="Heap"),),
)
