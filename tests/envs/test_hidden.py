"""What is hidden never changes what a seat observes: not its observation, its mask, its information state or its picture.

A match is played at random. At every few decisions, all that a seat may not know is dealt again, and each environment is asked
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from games_for_tests.goofspiel import game as goofspiel
from games_for_tests.hoard import game as hoard
from games_for_tests.kuhn import game as kuhn
from games_for_tests.outnumbered import game as outnumbered
from meadhall import Game, game
from meadhall.engine.laws.knowledge import redealt
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import concealed
from meadhall.engine.state.schema import copied, state_at
from meadhall.envs import aec_env, gym_env, information_state, observe, openspiel, parallel_env, render, vector_env
from meadhall.envs.desks import stepping_of, table_of
from meadhall.envs.openspiel.game import MeadhallState, short_name

CASES: list[tuple[Game, int, dict[str, Any]]] = [
    (game("axes-and-allies"), 3, {}),
    (game("axxa"), 1, {}),
    (game("axxa"), 4, {"mode": "versus"}),
    (game("dungeon-allies"), 3, {}),
    (goofspiel, 3, {}),
    (hoard, 3, {"hand": "many"}),
    (kuhn, 2, {}),
    (outnumbered, 3, {"hunter": "dared"}),
    (game("viking-axes"), 3, {}),
    (game("viking-axes"), 3, {"variant": "strategic"}),
]
NAMES = ["-".join((each.name, *options.values())) for each, _, options in CASES]
CHECKS = 4
"""The number of decisions of a match that are checked."""

every_case = pytest.mark.parametrize(
    ("subject", "players", "options"),
    CASES,
    ids=NAMES,
)


def decisions(subject: Game, players: int, options: dict[str, Any]) -> Iterator[tuple[Match, Random]]:
    """Yield a random match at decisions from its beginning to its end."""
    draw = Random(subject.name)
    length = len(finished(subject, players, options).steps)
    match = Match(subject, players=players, seed="hidden", options=options)
    checked = set(range(0, length, max(1, length // CHECKS)))
    choose = Random("choices")
    while not match.over:
        if len(match.steps) in checked:
            yield match, draw
        play_at_random(match, choose)


def finished(subject: Game, players: int, options: dict[str, Any]) -> Match:
    match, choose = Match(subject, players=players, seed="hidden", options=options), Random("choices")
    while not match.over:
        play_at_random(match, choose)
    return match


def play_at_random(match: Match, choose: Random) -> None:
    seat = choose.choice(match.deciders)
    match.play(choose.choice(match.view(seat).legal), seat)


def supposed(match: Match, seat: int, draw: Random) -> Match:
    """Return the match with everything dealt again that the seat may not know."""
    states = redealt(match.game, concealed(match.game, match._states, seat), seat, draw)
    states["actor"] = match._states["actor"]
    return match.supposing(states)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return bool(np.array_equal(one, other))


@every_case
def test_of_the_agents_of_pettingzoo(subject: Game, players: int, options: dict[str, Any]) -> None:
    envs: list[Any] = [aec_env(subject, players, observations=form, **options) for form in ("flat", "dict")]
    if subject is goofspiel:
        envs.append(parallel_env(subject, players, **options))
    for env in envs:
        env.reset(seed=0)
    changed = False
    for match, draw in decisions(subject, players, options):
        for seat in range(players):
            other = supposed(match, seat, draw)
            changed |= other._states.tobytes() != match._states.tobytes()
            for env in envs:
                env.match = match
                shown = env.observe(f"player_{seat}")
                env.match = other
                assert same(env.observe(f"player_{seat}"), shown), f"seat {seat} at decision {len(match.steps)}"
    assert changed or subject.kind_of(players, options).information == "perfect", "nothing was dealt again"


@every_case
def test_of_the_views_that_are_rendered_and_written(subject: Game, players: int, options: dict[str, Any]) -> None:
    for match, draw in decisions(subject, players, options):
        for seat in range(-1, players):
            other = supposed(match, seat, draw).view(seat)
            view = match.view(seat)
            assert information_state(other) == information_state(view)
            assert render(other, "ansi") == render(view, "ansi")
            if len(match.steps) % 3 == 0:
                assert render(other, "svg") == render(view, "svg")


@every_case
def test_of_the_states_of_openspiel(subject: Game, players: int, options: dict[str, Any]) -> None:
    import pyspiel  # noqa: PLC0415 - after the games are registered

    openspiel.register(subject)
    openspiel_game = pyspiel.load_game(short_name(subject), {"players": players, **options})
    state, choose, met = openspiel_game.new_initial_state(), np.random.RandomState(3), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(int(choose.choice([outcome for outcome, _ in state.chance_outcomes()])))
            continue
        met += 1
        if met % 5 == 1:
            for seat in range(players):
                no_difference(state, state.resample_from_infostate(seat, choose.uniform), seat)
        if state.is_simultaneous_node():
            state.apply_actions([int(choose.choice(state.legal_actions(seat))) for seat in range(players)])
        else:
            state.apply_action(int(choose.choice(state.legal_actions())))


def no_difference(state: MeadhallState, other: MeadhallState, seat: int) -> None:
    assert other.information_state_string(seat) == state.information_state_string(seat)
    assert other.observation_string(seat) == state.observation_string(seat)
    assert other.observation_tensor(seat) == state.observation_tensor(seat)
    assert other.legal_actions(seat) == state.legal_actions(seat)


@every_case
def test_of_the_matches_of_a_vector_environment(subject: Game, players: int, options: dict[str, Any]) -> None:
    env = vector_env(subject, num_envs=4, players=players, **options)
    seen, infos = env.reset(seed=1)
    draw = Random("vector")
    for step in range(30):
        if step % 5 == 0:
            shown, masks = np.array(seen), infos["action_mask"].copy()
            dealt_again, mask_again = after_another_deal(env, draw)
            assert np.array_equal(dealt_again, shown)
            assert np.array_equal(mask_again, masks)
        actions = [draw.choice(np.flatnonzero(mask).tolist()) for mask in infos["action_mask"]]
        seen, _, _, _, infos = env.step(actions)
    env.close()


def after_another_deal(env: Any, draw: Random) -> tuple[Any, Any]:
    """Return observations and masks as the environment computes them when everything hidden was dealt again."""
    observe_again(env, env._desks, env._module, draw)
    env._module.tell(*env._outputs, 0, env.num_envs)
    return np.array(env._observation()), np.array(env._masks)


def observe_again(env: Any, desks: Any, module: Any, draw: Random) -> None:
    """Compute observations and masks when everything hidden was dealt again. The states stay as they are."""
    before = copied(desks["state"])
    states, views = desks["state"], desks["view"]
    for i, desk in enumerate(desks):
        if before["actor"][i] >= 0:
            viewer = int(desk["viewer"])
            states[i] = redealt(env.game, concealed(env.game, before[i : i + 1], viewer), viewer, draw)[0]
        module.unmark(desk)
        module.observe(desk, state_at(states, i), state_at(views, i))
    states[:] = before


@every_case
def test_of_the_learner_of_gymnasium(subject: Game, players: int, options: dict[str, Any]) -> None:
    """Against bots that are functions of a view, the environment plays a ``Match``."""
    envs: list[Any] = [
        gym_env(subject, 0, lambda view: view.legal[0], players=players, observations=form, **options)
        for form in ("flat", "dict")
    ]
    for env in envs:
        env.reset(seed=0)
    for match, draw in decisions(subject, players, options):
        for seat in range(players):
            other = supposed(match, seat, draw)
            for env in envs:
                env._seat, env._over, env.match = seat, False, match
                shown, mask = env._observation(), env.action_masks()
                env.match = other
                assert same(env._observation(), shown), f"seat {seat} at decision {len(match.steps)}"
                assert same(env.action_masks(), mask), f"seat {seat} at decision {len(match.steps)}"


@every_case
def test_of_the_compiled_learner_of_gymnasium(subject: Game, players: int, options: dict[str, Any]) -> None:
    env: Any = gym_env(subject, None, players=players, **options)
    draw = Random("gymnasium")
    seen, info = env.reset(seed=1)
    table = env._memory.view(table_of(env.game))
    for _ in range(30):
        shown, mask = np.array(seen), info["action_mask"].copy()
        module = stepping_of(env.game, env._policies, env._rule)
        observe_again(env, table["desk"], module, draw)
        module.flatten_one(env._memory, table)
        assert np.array_equal(env._observation(), shown)
        assert np.array_equal(table["desk"]["mask"][0], mask)
        seen, _, terminated, _, info = env.step(draw.choice(np.flatnonzero(mask).tolist()))
        if terminated:
            seen, info = env.reset()


def test_a_leak_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show every seat what seat 1 sees, as an environment with a mistake might."""
    monkeypatch.setattr("meadhall.envs.pettingzoo.observe", lambda game, states, _seat, form: observe(game, states, 1, form))
    with pytest.raises(AssertionError, match="seat 0 at decision 0"):
        test_of_the_agents_of_pettingzoo(hoard, 3, {"hand": "many"})
