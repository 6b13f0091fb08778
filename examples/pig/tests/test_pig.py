"""Tests of Pig: the laws that every game must keep, and the rules one by one."""

from __future__ import annotations

import pytest
from pig import game
from pig.rules import HOLD, ROLL, Event

from meadhall.sdk import IllegalAction, check_game


def test_every_law_is_kept() -> None:
    check_game(game, matches=1)


def test_a_turn_begins_with_a_roll() -> None:
    match = game.match(players=2)
    with pytest.raises(IllegalAction, match=r"PG-2\.2"):
        match.play(HOLD)


def test_rolls_go_into_the_pot_until_a_one_empties_it() -> None:
    match = game.match(players=3, seed="any text")
    pot = 0
    while match.actor == 0:
        match.play(ROLL)
        pot += match.state.face
        if match.actor == 0:
            assert match.state.pot == pot
    assert match.state.face == 1
    assert (match.actor, match.state.pot, match.state.points[0]) == (1, 0, 0)


def test_points_that_are_held_are_safe() -> None:
    match = game.match(players=2, seed=next(seed for seed in range(100) if first_roll(seed) == 6))
    match.play(ROLL)
    match.play(HOLD)
    assert (match.actor, match.state.pot, match.state.points[0]) == (1, 0, 6)


def first_roll(seed: int) -> int:
    match = game.match(players=2, seed=seed)
    match.play(ROLL)
    return int(match.state.face)


def test_the_first_player_who_reaches_the_target_wins() -> None:
    match = game.match(players=2, seed="any text", target="50")
    while not match.over:
        enough = match.state.points[match.state.actor] + match.state.pot >= 50
        match.play(HOLD if enough else ROLL)
    result, last = match.result(), match.steps[-1].events[-1]
    assert last.kind == Event.WON
    assert result is not None
    assert result.winners == (last.arguments[0],)
