"""The decisions of the greedy player."""

from __future__ import annotations

import itertools
from math import prod

import numpy as np
import pytest

from bulk_games import counted_tournament, tournament
from games.dungeon_allies.scenes import (
    DA,
    A,
    B,
    bless,
    enhance,
    fated,
    follower_die,
    go,
    legal,
    others_trade,
    peek,
    place,
    reroll,
    scene,
    send,
    state_of,
    target,
    trade,
    trade_with,
)
from meadhall import Match
from meadhall.bots import bot
from meadhall.engine.loops import GREEDY, RANDOM
from meadhall.games.dungeon_allies.elements import STATISTICS
from meadhall.games.dungeon_allies.heuristics.fights import DIE_CODE, REACH_PROBABILITY, probability
from meadhall.games.dungeon_allies.pieces import DICE, SIDES, SQUARES, Act, Phase
from meadhall.games.dungeon_allies.state import MAX_TURNS
from sizes import sized

GAMES = sized(100, 200)


def choices(match: Match) -> set[int]:
    """Return its choices with several seeds."""
    assert match.actor is not None
    view = match.view(match.actor)
    return {bot(DA, "karl", bytes([seed])).choose(view) for seed in range(sized(2, 8))}


def targets(match: Match) -> set[int]:
    """Return the targets on which it places a die."""
    assert state_of(match).phase == Phase.PLACE
    return {(action - Act.PLACE) // DICE for action in choices(match)}


# --------------------------------------------------------------------------------------------------------------------- strength


@pytest.mark.compiled
def test_greedy_beats_random_nearly_always() -> None:
    shares, _ = tournament(DA, [GREEDY, RANDOM], GAMES, seed="greedy")
    assert np.mean([shares[number, -number % 2] for number in range(GAMES)]) > 0.95


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "turns", "score"), [(2, 17, 70), (3, 14, 38), (4, 12, 23), (5, 11, 16)])
def test_matches_of_greedy_players_end_in_time_and_use_every_place(players: int, turns: int, score: int) -> None:
    """They end by DA-13.1, not DA-13.3, after about the number of turns and points for which the components were balanced."""
    counts = counted_tournament(DA, [GREEDY] * players, GAMES, seed="turns").counts
    fields = STATISTICS.fields(STATISTICS.gather(counts, players), players, DA.check_options({}))
    assert fields["turns"]["max"] < MAX_TURNS / 2
    assert turns - 2 < fields["turns"]["mean"] < turns + 3
    assert score - 5 < fields["score"]["median"] < score + 10
    assert min(fields["dice_placed"].values()) > 0.5


# ------------------------------------------------------------------------------------------------------------- the sums of dice


@pytest.mark.parametrize(
    "times",
    [(1, 0, 0, 0, 0, 0), (2, 1, 0, 0, 0, 0), (0, 2, 2, 0, 0, 0), (1, 1, 1, 1, 0, 0), (0, 0, 0, 2, 1, 0), (1, 0, 2, 0, 0, 2)],
)
def test_probabilities_agree_with_counting_all_rolls(times: tuple[int, ...]) -> None:
    dice = [(sides, count) for sides, count in zip(SIDES, times, strict=True) if count]
    sums = [
        sum(face * count for face, (_sides, count) in zip(faces, dice, strict=True))
        for faces in itertools.product(*(range(1, sides + 1) for sides, _count in dice))
    ]
    code = sum(weight * count for weight, count in zip(DIE_CODE, times, strict=True))
    for wanted in range(max(sums) + 2):
        assert probability(code, wanted) == pytest.approx(
            sum(total >= wanted for total in sums) / prod(sides for sides, _ in dice)
        )


def test_without_dice_nothing_is_reached_and_with_all_doubled_at_most_120() -> None:
    assert (probability(0, 0), probability(0, 1)) == (1, 0)
    assert REACH_PROBABILITY[-1].nonzero()[0].max() == 2 * sum(SIDES)


# -------------------------------------------------------------------------------------------------------------------- placement


def known(match: Match, seat: int, *squares: int) -> Match:
    """Return the match after the seat has looked at some squares."""
    states = match.states
    for square in squares:
        states["seen"][0, square] |= 1 << (1 + seat)
    return match.supposing(states)


def test_a_known_monster_is_fought_where_the_skill_counts_double() -> None:
    allies = {A: {10: "fire", 12: "water"}, B: {10: "fire", 12: "melee"}}
    faces = {8: (14, 2, "water"), 9: (14, 2, "melee"), 10: (14, 2, "armor")}
    match = known(scene(allies, monsters=faces, removed=25, followers=0), A, *faces)
    assert choices(match) == {place(12, "square:8")}


def test_an_easy_monster_is_better_than_a_hard_one() -> None:
    faces = dict.fromkeys(range(SQUARES), (12, 1, "armor")) | {5: (2, 2, "armor")}
    match = known(scene({A: {12: "fire"}, B: {12: "fire"}}, monsters=faces, followers=0), A, *faces)
    assert targets(match) == {5}


def test_guarded_treasure_is_worth_a_die_only_if_a_fight_may_be_won() -> None:
    faces = dict.fromkeys(range(SQUARES), (60, 1, "armor"))
    allies = {A: {10: "fire"}, B: {10: "water"}}
    hopeless = known(scene(allies, monsters=faces, treasure={2: "WWG", 3: "Y"}, followers=0), A, *range(SQUARES))
    assert target("treasure:2") not in targets(hopeless)

    faces[0] = (1, 1, "armor")
    allies = {A: {8: "fire", 10: "nature"}, B: {10: "water"}}
    sure = known(scene(allies, monsters=faces, treasure={2: "WWG", 3: "Y"}, followers=0), A, *range(SQUARES))
    assert targets(sure) == {target("treasure:2")}
    send(sure, (A, 8, "treasure:2"), (B, 10, "trade"))
    assert targets(sure) == {0}


def test_greedy_wants_a_follower_if_there_is_room_for_one() -> None:
    with_room = scene({A: {8: "fire", 10: "water"}, B: {8: "nature", 10: "armor"}})
    without = scene({A: {4: "fire", 6: "water"}, B: {4: "nature", 10: "armor"}})
    assert targets(with_room) == {target("tavern")}
    assert target("tavern") not in targets(without)


def test_greedy_makes_room_for_a_follower_in_the_same_turn() -> None:
    match = scene({A: {4: "fire", 10: "water"}, B: {12: "nature"}})
    assert choices(match) == {place(10, "tavern")}
    send(match, (A, 10, "tavern"), (B, 12, "trade"))
    assert choices(match) == {place(4, "trainer")}


def test_greedy_first_trains_the_larger_die_then_the_smaller() -> None:
    match = scene({A: {4: "fire", 6: "water"}})
    assert choices(match) == {place(6, "trainer")}
    send(match, (A, 6, "trainer"))
    match.play(trade_with(match))
    assert choices(match) == {place(4, "trainer")}


def test_greedy_buys_a_valuable_card_that_it_can_pay() -> None:
    cards = ["crown_of_tales", "ruby_cluster_charm", "emerald_crook", "diamond_diadem", "topaz_scepter"]
    allies = {A: {12: "fire"}, B: {12: "water"}}
    match = scene(allies, crystals={A: "B"}, cards=cards, removed=4, followers=0)
    assert targets(match) == {target("sorcerer:1")}
    assert targets(scene(allies, cards=cards, removed=4, followers=0)).isdisjoint(
        range(target("sorcerer:1"), target("sorcerer:5"))
    )


def test_greedy_frees_a_prisoner_whose_offering_it_can_pay() -> None:
    faces = dict.fromkeys(range(SQUARES), (60, 1, "armor"))
    allies = {A: {12: "fire"}, B: {12: "water"}}
    match = known(scene(allies, monsters=faces, crystals={A: "W"}, followers=0, removed=0), A, *range(SQUARES))
    states = match.states
    states["display"][0] = -1
    states["cards"][0] = 0
    states["deck"][0] = -1
    assert targets(match.supposing(states)) == {target("prisoner:5")}


# ------------------------------------------------------------------------------------------------------------------------ looks


def test_greedy_pays_for_a_look_only_if_tiles_differ() -> None:
    match = scene({A: {8: "fire", 10: "fire"}, B: {8: "fire"}}, crystals={A: "RRRR"}, followers=0)
    states = match.states
    states["weakness"], states["target"], states["bounty"] = 7, 5, 9
    assert Act.ILLUMINATE not in choices(match.supposing(states))
    states["target"][0, :, ::2], states["bounty"][0, :, ::2] = 15, 18
    assert choices(match.supposing(states)) == {Act.ILLUMINATE}


def test_greedy_looks_where_it_could_fight() -> None:
    match = scene({A: {8: "fire"}, B: {8: "water"}}, order=[B, A], crystals={A: "R"})
    send(match, (B, 8, "square:0"))
    match.play(Act.ILLUMINATE)
    assert peek(0) in legal(match)
    assert peek(0) not in choices(match)


# ----------------------------------------------------------------------------------------------------------------------- fights


def fight_with(crystals: str, needed: int, gold: int = 3, square: int = 0, dice: tuple[int, ...] = (8,)) -> Match:
    """Return a match in which A is about to roll for a fight."""
    allies = {A: dict.fromkeys(dice, "water") if len(dice) == 1 else dict(zip(dice, ("water", "nature"), strict=True))}
    match = scene(allies, crystals={A: crystals}, monsters={square: (needed, gold, "armor")}, removed=16, followers=0)
    send(match, (A, dice[0], f"square:{square}"))
    others_trade(match)
    match.play(trade_with(match))
    assert state_of(match).phase == Phase.PREP
    return match


def test_greedy_uses_the_hammer_on_valuable_and_hard_monsters() -> None:
    assert choices(fight_with("W", needed=15, gold=9)) == {Act.HAMMER}
    assert choices(fight_with("W", needed=2, gold=9)) == {Act.ROLL}
    assert choices(fight_with("W", needed=15, gold=0)) == {Act.ROLL}


def test_greedy_casts_a_spell_if_it_helps_enough() -> None:
    assert choices(fight_with("Y", needed=7, gold=6)) == {bless(8)}
    assert choices(fight_with("Y", needed=1, gold=6)) == {Act.ROLL}
    assert choices(fight_with("Y", needed=17, gold=6)) == {Act.ROLL}
    assert choices(fight_with("G", needed=15, gold=20)) == {enhance(12)}


def test_greedy_rerolls_the_die_that_helps_most_if_it_can_help_at_all() -> None:
    allies = {A: {6: "fire", 12: "water"}}
    match = scene(allies, crystals={A: "B"}, monsters={0: (13, 4, "armor")}, followers=0)
    send(match, (A, 6, "square:0"))
    match.play(trade_with(match))
    send(match, (A, 12, "square:0"))
    go(match, 5, 3)
    assert state_of(match).phase == Phase.REROLL
    assert choices(match) == {reroll(12)}

    hopeless = scene(allies, crystals={A: "B"}, monsters={0: (25, 4, "armor")}, followers=0)
    send(hopeless, (A, 6, "square:0"))
    go(hopeless, 5)
    assert choices(hopeless) == {Act.ACCEPT}


def test_greedy_plans_for_two_rerolls() -> None:
    monsters = {0: (12, 9, "armor")}
    allies = {A: {8: "fire", 10: "water"}}
    for crystals, again in (("B", False), ("BB", True)):
        match = scene(allies, crystals={A: crystals}, monsters=monsters, followers=0)
        send(match, (A, 8, "square:0"))
        match.play(trade_with(match))
        send(match, (A, 10, "square:0"))
        fated(match, trade_with(match), 1, 1)
        assert (choices(match) != {Act.ACCEPT}) == again


# -------------------------------------------------------------------------------------------------------------- other decisions


def test_greedy_gives_the_larger_die_to_the_more_frequent_weakness() -> None:
    match = DA.match(seed="assign")
    states = match.states
    states["skill"][0, int(states["dealt"][0, 0, 1])] = 0
    states["skill"][0, int(states["dealt"][0, 0, 0])] = 1
    states["weakness"][0] = 0
    assert choices(match.supposing(states)) == {Act.ASSIGN + 1}


def test_greedy_gives_a_follower_the_largest_possible_die() -> None:
    match = scene({A: {10: "fire", 12: "water"}, B: {6: "nature", 8: "armor"}}, monsters={})
    send(match, (A, 10, "tavern"))
    others_trade(match)
    match.play(trade_with(match))
    assert state_of(match).phase == Phase.FOLLOWER_DIE
    assert choices(match) == {follower_die(8)}


def test_greedy_never_bids_more_than_a_follower_is_worth() -> None:
    allies = {A: {8: "fire", 10: "water"}, B: {8: "nature", 10: "armor"}}
    match = scene(allies, order=[B, A], gold={A: 40}, removed=20)
    send(match, (B, 8, "tavern"))
    match.play(place(8, "tavern"))
    assert state_of(match).phase == Phase.BID
    assert {action - legal(match)[0] for action in choices(match)} == {0}


def test_greedy_trades_for_the_price_of_a_card() -> None:
    match = scene({A: {8: "fire"}, B: {8: "water"}}, crystals={A: "RR"}, cards=["crown_of_tales"])
    states = match.states
    states["holder"][0, target("sorcerer:1")] = A
    match = match.supposing(states)
    send(match, (A, 8, "trade"))
    match.play(trade_with(match))
    assert state_of(match).phase == Phase.TRADE
    assert choices(match) == {trade(0, 0)}
    match.play(trade(0, 0))
    if state_of(match).phase == Phase.TRADE:
        assert choices(match) == {Act.END_TRADE}
        match.play(Act.END_TRADE)
    assert state_of(match).phase == Phase.BUY
    assert choices(match) == {Act.BUY}


def test_greedy_buys_the_better_of_two_cards_with_one_crystal() -> None:
    cards = ["walking_staff", "crown_of_tales"]
    match = scene({A: {8: "fire", 10: "nature"}, B: {8: "water"}}, crystals={A: "B"}, cards=cards)
    send(match, (A, 8, "sorcerer:1"))
    match.play(trade_with(match))
    send(match, (A, 10, "sorcerer:2"))
    while state_of(match).phase != Phase.BUY:
        match.play(Act.END_TRADE)
    assert choices(match) == {Act.DECLINE}
    match.play(Act.DECLINE)
    assert choices(match) == {Act.BUY}


def test_greedy_does_not_depend_on_hidden_information() -> None:
    match = DA.match(players=3, seed="led")
    draw = np.random.default_rng(5)
    for number in range(sized(10, 60)):
        states = match.states
        unseen = np.flatnonzero((states["seen"][0] == 0) & (states["monster"][0] >= 0))
        states["monster"][0, unseen] = draw.permutation(states["monster"][0, unseen])
        for hidden, count in (("deck", states["cards"][0]), ("stack", states["followers"][0] - 1)):
            states[hidden][0, :count] = draw.permutation(states[hidden][0, :count])
        chosen = choices(match)
        assert choices(match.supposing(states)) == chosen, number
        match.play(min(chosen))
