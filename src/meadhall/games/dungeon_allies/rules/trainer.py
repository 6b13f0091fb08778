"""Step 4, the trainer (§Trainer)."""

from __future__ import annotations

from meadhall.games.dungeon_allies.pieces import DICE, NONE, SIDES
from meadhall.games.dungeon_allies.state import Event, State
from meadhall.sdk import Grid, emit, rule


@rule
def resolve_trainer(state: State, log: Grid) -> None:
    """DA-7.1: Dice are resolved from top to bottom."""
    for space in range(state.trainees):
        train(state, state.trainee[space] // DICE, state.trainee[space] % DICE, log)


@rule
def train(state: State, seat: int, die: int, log: Grid) -> None:
    """DA-7.1: The ally gets the next larger die, unless another ally has it now.

    DA-7.2: The ally is the one whose die was placed.
    """
    ally = state.ally[seat, die]
    if state.ally[seat, die + 1] != NONE:
        emit(log, Event.TRAINING_FORFEIT, seat, ally)
        return
    state.ally[seat, die] = NONE
    state.ally[seat, die + 1] = ally
    emit(log, Event.TRAINED, seat, ally, SIDES[die + 1])
