"""The state drawn in a terminal."""

from __future__ import annotations

import meadhall
from meadhall.games.axes_and_allies.rules import State
from meadhall.games.axes_and_allies.words import sketch

NAMES = ["Ylva", "Astrid", "Bo"]


def three_players() -> State:
    """Return a state with three players, the first to move, with a power of 4."""
    state = State.at(meadhall.game("axes-and-allies").match(players=3, seed="hall").states)
    state.actor, state.power = 0, 4
    return state


def test_the_actor_and_the_power_are_shown() -> None:
    assert sketch(three_players(), NAMES) == "> Ylva    axe power 4\n  Astrid\n  Bo"


def test_allies_are_shown_on_both_sides() -> None:
    state = three_players()
    state.allied[0, 2] = state.allied[2, 0] = True
    assert sketch(state, NAMES) == "> Ylva    axe power 4; allied with Bo\n  Astrid\n  Bo      allied with Ylva"


def test_the_dead_are_shown_as_dead_and_without_alliances() -> None:
    state = three_players()
    state.allied[0, 2] = state.allied[2, 0] = True
    state.alive[2] = False
    assert sketch(state, NAMES) == "> Ylva    axe power 4\n  Astrid\n  Bo      dead"


def test_no_player_is_marked_when_the_match_is_over() -> None:
    state = three_players()
    state.actor = -1
    assert ">" not in sketch(state, NAMES)
