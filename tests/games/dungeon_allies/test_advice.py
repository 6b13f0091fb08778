"""The evaluation and the other search settings of Dungeon Allies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from games.dungeon_allies.scenes import DA, A, B, place, scene, send, state_of, target
from meadhall import Match
from meadhall.bots import bot
from meadhall.engine.state.chance import step_key
from meadhall.games.dungeon_allies import ADVICE
from meadhall.games.dungeon_allies.heuristics.evaluation import FEATURES, Feature
from meadhall.games.dungeon_allies.heuristics.learned import KNOTS, SHARPNESS, WEIGHTS
from meadhall.games.dungeon_allies.pieces import COLOURS, DICE, NONE, SQUARES, Act, Die, Phase
from sizes import sized

SEED = b"a seed of a search"
LAST = {0: (1, 2, "armor")}
"""A last tile that every die defeats, for two gold."""


def payoffs(match: Match) -> list[float]:
    """Return the estimated payoffs."""
    out = np.zeros(match.players)
    ADVICE.evaluate(match.state, out)
    return out.tolist()


def supposing(match: Match, **changed: Any) -> Match:
    """Return the match with changed values in some fields of its state."""
    states = match.states
    for name, (where, value) in changed.items():
        states[name][0][where] = value
    return match.supposing(states)


def greedy_match(players: int, seed: str) -> Iterator[Match]:
    """Yield a match of greedy players, position by position."""
    match = DA.match(players=players, seed=seed)
    player = bot(DA, "karl", seed.encode())
    while match.actor is not None:
        yield match
        match.play(player.choose(match.view(match.actor)))
    yield match


def after(actions: int, players: int = 3, seed: str = "going on") -> Match:
    for number, match in enumerate(greedy_match(players, seed)):
        if number == actions:
            return match.copy()
    raise AssertionError("the match is shorter")


# ------------------------------------------------------------------------------------------------------------------- evaluation


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_estimated_payoffs_sum_to_one_in_every_position(players: int) -> None:
    for number, match in enumerate(greedy_match(players, "sums")):
        if match.actor is None or number > sized(40, 1000):
            break
        found = payoffs(match)
        assert sum(found) == pytest.approx(1)
        assert 0 < min(found) <= max(found) <= 1


def test_equal_seats_differ_only_by_the_turn_order() -> None:
    first, second = payoffs(scene({A: {4: "fire", 6: "armor"}, B: {4: "fire", 6: "armor"}}))
    assert first > second
    assert first == pytest.approx(0.5, abs=0.15)


def test_the_numbers_of_the_seats_do_not_matter() -> None:
    one = scene(
        {A: {4: "fire", 8: "armor"}, B: {6: "water", 12: "melee"}},
        gold={A: 7, B: 3},
        crystals={A: "RRB", B: "YGW"},
        order=[A, B],
        removed=9,
    )
    other = scene(
        {B: {4: "fire", 8: "armor"}, A: {6: "water", 12: "melee"}},
        gold={B: 7, A: 3},
        crystals={B: "RRB", A: "YGW"},
        order=[B, A],
        removed=9,
    )
    assert payoffs(one) == pytest.approx(payoffs(other)[::-1])


@pytest.mark.parametrize("removed", [0, 5, 14, 20, 26])
def test_more_of_anything_never_lowers_the_estimate(removed: int) -> None:
    match = scene({A: {6: "fire", 8: "armor"}, B: {6: "water", 8: "melee"}}, gold={A: 5, B: 5}, removed=removed)
    before = payoffs(match)[A]
    assert payoffs(supposing(match, gold=(A, 6)))[A] > before
    assert payoffs(supposing(match, gold=(B, 6)))[A] < before
    for colour in range(COLOURS):
        assert payoffs(supposing(match, crystals=((A, colour), 1)))[A] >= before
    assert payoffs(supposing(match, ally=((A, Die.D4), 17)))[A] > before
    assert payoffs(supposing(match, ally=((A, Die.D12), 17)))[A] > before
    assert payoffs(supposing(match, order=(slice(2), [B, A])))[A] <= before


def test_a_lead_counts_more_towards_the_end() -> None:
    found = [payoffs(scene(gold={A: 12, B: 8}, removed=removed))[A] for removed in (10, 20, 27)]
    assert found == sorted(found)
    assert found[0] < 0.75
    assert found[-1] > 0.85


def test_every_feature_has_learned_weights_and_none_is_negative() -> None:
    assert WEIGHTS.shape == (FEATURES, len(KNOTS))
    assert SHARPNESS.shape == (DA.max_players - 1, len(KNOTS))
    assert (WEIGHTS >= 0).all()
    assert (WEIGHTS[Feature.POINTS] == 1).all()
    assert (SHARPNESS > 0).all()


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 4])
def test_estimates_are_calibrated_on_matches_of_greedy_players(players: int) -> None:
    said, came = [], []
    for number in range(sized(15, 40)):
        turn, positions = 0, []
        for match in greedy_match(players, f"calibration {number}"):
            if match.actor is not None and state_of(match).turn > turn and ADVICE.quiescent(match.state):
                turn = state_of(match).turn
                positions.append(payoffs(match))
        result = match.result()
        assert result is not None
        said += positions
        came += [result.scores] * len(positions)
    guesses, results = np.array(said), np.array(came)
    brier = ((guesses - results) ** 2).sum(1).mean()
    assert brier < 0.9 * (1 - 1 / players)  # 1 - 1 / players is the score of equal payoffs
    likely = guesses > 0.6
    assert guesses[likely].mean() == pytest.approx(results[likely].mean(), abs=0.2)  # few matches, so a wide interval


@pytest.mark.compiled
def test_the_beginning_of_a_turn_is_quiescent() -> None:
    starts = 0
    for match in islice(greedy_match(2, "quiet"), 60):
        state = state_of(match)
        begins = state.phase == Phase.PLACE and (state.place == NONE).all()
        assert ADVICE.quiescent(match.state) == begins
        starts += begins
    assert starts > 2


# ------------------------------------------------------------------------------------------------------------------ -- policies


def test_rollouts_never_look_at_tiles() -> None:
    match = next(each for each in greedy_match(2, "looks") if Act.ILLUMINATE in each.view(each.actor).legal)
    legal = np.array(match.view(match.actor).legal, np.int32)
    rng = np.array(step_key(SEED, 1), np.uint64)
    assert {int(ADVICE.rollout(match.state, legal, len(legal), rng)) for _ in range(5)} <= set(legal.tolist()) - {Act.ILLUMINATE}


def test_the_guide_continues_with_the_next_best_and_tries_one_unseen_square_per_level() -> None:
    match = scene({A: {8: "fire", 12: "armor"}, B: {4: "fire", 6: "water"}}, treasure={1: "BB", 2: "R"}, followers=0)
    view = match.view(A)
    left = list(view.legal)
    rng = np.array(step_key(SEED, 1), np.uint64)
    tried = []
    for _ in range(12):
        tried.append(int(ADVICE.guide(view.state, np.array(left, np.int32), len(left), rng)))
        left.remove(tried[-1])
    assert len(set(tried)) == 12
    spaces = [(action - Act.PLACE) // DICE for action in tried]
    assert spaces.index(target("treasure:1")) < [*spaces, target("treasure:2")].index(target("treasure:2"))
    dark = [space for space in dict.fromkeys(spaces[1:]) if space < SQUARES and space != spaces[0]]
    assert len({min(space // 8, 2) for space in dark}) == len(dark)  # one for each level


# ------------------------------------------------------------------------------------------------------------------- --- search


def choice(match: Match, iterations: int = 2000, seed: bytes = SEED) -> int:
    assert match.actor is not None
    return bot(DA, f"search@{iterations}", seed).choose(match.view(match.actor))


@pytest.mark.compiled
def test_a_search_takes_the_last_tile_if_that_wins() -> None:
    """The last tile gives two gold: the player who takes it wins, and the opponent would take it next."""
    match = scene({A: {12: "fire"}, B: {12: "water"}}, monsters=LAST, removed=27, gold={A: 10, B: 11}, followers=0, turn=12)
    assert choice(match) == place(12, "square:0")


@pytest.mark.compiled
def test_a_search_leaves_the_last_tile_for_later_if_taking_it_at_once_loses() -> None:
    """After the last tile the gold isn't guarded (DA-6.3): taking the tile first leaves the three gold to the opponent."""
    faces = {0: (1, 1, "armor")}
    allies = {A: {4: "water", 12: "fire"}, B: {12: "water"}}
    match = scene(allies, monsters=faces, removed=27, gold={A: 10, B: 10}, treasure={5: "3"}, followers=0, turn=12)
    lost, won, also = match.copy(), match.copy(), match.copy()
    send(lost, (A, 12, "square:0"), (B, 12, "treasure:5"), (A, 4, "trade"))
    assert lost.result().scores == (0, 1)  # type: ignore[union-attr]
    send(won, (A, 4, "treasure:5"), (B, 12, "square:0"), (A, 12, "trade"))
    assert won.result().scores == (1, 0)  # type: ignore[union-attr]
    send(also, (A, 4, "treasure:5"), (B, 12, "turn_order"), (A, 12, "square:0"))
    assert also.result().scores == (1, 0)  # type: ignore[union-attr]
    assert choice(match) == place(4, "treasure:5")


@pytest.mark.compiled
def test_a_search_spends_its_last_crystal_if_that_wins_at_once() -> None:
    """A roll may fail and lose; the Hammer can't."""
    faces = {16: (12, 4, "melee")}
    match = scene({A: {12: "fire"}, B: {4: "water"}}, monsters=faces, removed=27, gold={A: 9, B: 11}, crystals={A: "W"}, turn=12)
    send(match, (A, 12, "square:16"), (B, 4, "trade"))
    assert state_of(match).phase == Phase.PREP
    assert {Act.ROLL, Act.HAMMER} == set(match.view(A).legal)
    assert choice(match) == Act.HAMMER
