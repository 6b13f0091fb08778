"""Chance nodes of OpenSpiel: the game's own rules with scripted draws."""

from __future__ import annotations

import random
from math import prod
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyspiel
import pytest

from games_for_tests.every import EVERY_GAME
from games_for_tests.goofspiel import game as goofspiel
from games_for_tests.nim import State as NimState, game as nim
from meadhall import Game, sdk
from meadhall.engine.match.match import Match
from meadhall.engine.state import chance
from meadhall.engine.state.chance import step_key
from meadhall.engine.state.schema import States, copied
from meadhall.envs import openspiel
from meadhall.envs.openspiel.position import MAX_OUTCOMES, Draw, Position, Setting
from meadhall.envs.openspiel.scripted import Needed, ScriptedRules, UnknownChance

GAMES = [*EVERY_GAME, goofspiel]


class Recording(ScriptedRules):
    """Rules that draw from the generator of the state, and note what they draw."""

    def _below(self, rng: Any, n: int) -> int:
        value = int(chance.below(np.asarray(rng), n))
        if n > 1:
            self.drawn.append(value)
        return value

    def __init__(self, game: Game) -> None:
        self.drawn: list[int] = []
        super().__init__(game)


def without_generator(states: States) -> bytes:
    copy = copied(states)
    copy["rng"] = 0
    return copy.tobytes()


def after(position: Position, outcomes: list[int]) -> Position:
    """Return the position after draws with these values, however many nodes each takes."""
    for value in outcomes:
        draw = position.draw
        assert draw is not None
        while draw is not None and draw.size > 1:
            outcome = (value - draw.first) // draw.block
            draw, position = draw.narrowed(outcome), position.drawn(outcome)
    return position


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_with_the_draws_of_a_match_its_states_and_events_follow(game: Game) -> None:
    match, choose, recording = Match(game, seed="chance nodes"), random.Random(1), Recording(game)
    setting = Setting(game, match.players, match.options)
    blank = game.state.new()
    blank["rng"][0] = step_key(match.seed, 0)
    recording._run(blank, lambda state, log: setup(recording, state, match, setting, log), ())
    position = after(setting.start, recording.drawn)
    assert position.setup == match.setup
    while not match.over:
        assert position.draw is None
        assert without_generator(position.states) == without_generator(match._states)
        seat = match.deciders[-1]
        action = choose.choice(match.view(seat).legal)
        before = match.states
        before["rng"][0], before["actor"] = step_key(match.seed, match.next_number), seat
        recording.drawn.clear()
        states, _ = recording.play(before, action, ())
        match.play(action, seat)
        assert states.tobytes() == match._states.tobytes(), "a copied rule differs from the rule"
        position = after(position.played(((seat, action),)), recording.drawn)
        assert position.steps[-1].events == match.steps[-1].events
    result = match.result()
    assert result is not None
    assert position.payoffs() == list(result.scores)


def setup(recording: Recording, state: Any, match: Match, setting: Setting, log: Any) -> None:
    state.players = match.players
    recording._setup(state, match.players, setting.codes, log)


@pytest.mark.parametrize("size", [2, 6, MAX_OUTCOMES, MAX_OUTCOMES + 1, 1000, MAX_OUTCOMES**2 + 1])
def test_every_value_of_a_draw_is_equally_likely(size: int) -> None:
    reached: dict[int, float] = {}

    def walk(draw: Draw, probability: float) -> None:
        if draw.size == 1:
            reached[draw.first] = probability
            return
        outcomes = draw.outcomes()
        assert len(outcomes) <= MAX_OUTCOMES
        assert sum(weight for _, weight in outcomes) == pytest.approx(1)
        for outcome, weight in outcomes:
            walk(draw.narrowed(outcome), probability * weight)

    walk(Draw(0, size), 1.0)
    assert sorted(reached) == list(range(size))
    assert list(reached.values()) == pytest.approx([1 / size] * size)


def test_a_shuffle_takes_a_node_for_each_card_but_the_last() -> None:
    state = pyspiel.load_game("python_meadhall_viking_axes").new_initial_state()
    sizes = []
    while state.is_chance_node():
        sizes.append(len(state.chance_outcomes()))
        state.apply_action(0)
    assert sizes[:119] == list(range(120, 1, -1))
    assert prod(sizes[119:]) == 2  # which of two players goes first


def test_a_die_has_six_equally_likely_outcomes() -> None:
    state = pyspiel.load_game("python_meadhall_axes_and_allies").new_initial_state()
    assert state.chance_outcomes() == [(side, 1 / 6) for side in range(6)]


def test_without_chance_a_game_starts_with_a_decision() -> None:
    name = openspiel.register(nim)
    assert pyspiel.load_game(name, {"heap": "small"}).new_initial_state().current_player() == 0


@sdk.rule
def drawing_raw(state: NimState, _players: int, _options: Any, _log: Any) -> None:
    state.left = int(chance.draw(state.rng) & 1)


def test_a_rule_that_draws_raw_bits_is_refused() -> None:
    game = cast("Game", SimpleNamespace(title="Raw", state=NimState, rules=SimpleNamespace(setup=drawing_raw, play=drawing_raw)))
    with pytest.raises(UnknownChance, match="Raw draw raw bits"):
        ScriptedRules(game).set_up(2, (), ())


@sdk.rule
def through_the_module(state: NimState, _players: int, _options: Any, _log: Any) -> None:
    state.left = sdk.die(state.rng, 6)


def test_rules_may_name_the_module_of_the_die() -> None:
    rules = SimpleNamespace(setup=through_the_module, play=through_the_module)
    scripted = ScriptedRules(cast("Game", SimpleNamespace(title="Dice", state=NimState, rules=rules, events={})))
    with pytest.raises(Needed) as needed:
        scripted.set_up(2, (), ())
    assert needed.value.size == 6
    states, _ = scripted.set_up(2, (), (4,))
    assert NimState.at(states).left == 5
