"""The greedy player knows what is good for it."""

from __future__ import annotations

import itertools
from math import prod

import numpy as np
import pytest

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
from meadhall.engine.bulk import counted_tournament, tournament
from meadhall.engine.loops import GREEDY, RANDOM
from meadhall.engine.rule import INTERPRETED
from meadhall.games.dungeon_allies.heuristics.chances import REACH, WEIGHT, chance
from meadhall.games.dungeon_allies.state import (
    ACCEPT,
    ASSIGN,
    BUY,
    DECLINE,
    DICE,
    END_TRADE,
    HAMMER,
    ILLUMINATE,
    MAX_TURNS,
    PLACE,
    ROLL,
    SIDES,
    SQUARES,
    Phase,
)
from meadhall.games.dungeon_allies.statistics import STATISTICS

GAMES = 1 if INTERPRETED else 200


def choices(match: Match) -> set[int]:
    """What it does, whatever it draws."""
    assert match.actor is not None
    view = match.view(match.actor)
    return {bot(DA, "greedy", bytes([seed])).choose(view) for seed in range(2 if INTERPRETED else 8)}


def targets(match: Match) -> set[int]:
    """Where it places a die."""
    assert state_of(match).phase == Phase.PLACE
    return {(action - PLACE) // DICE for action in choices(match)}


# ----------------------------------------------------------------------------------------------------------------- strength


def test_it_beats_a_random_player_nearly_always() -> None:
    shares, _ = tournament(DA, [GREEDY, RANDOM], GAMES, seed="greedy")
    assert np.mean([shares[number, -number % 2] for number in range(GAMES)]) > 0.95


@pytest.mark.parametrize(("players", "turns", "score"), [(2, 17, 70), (3, 14, 38), (4, 12, 23), (5, 11, 16)])
def test_among_its_like_matches_end_in_time_and_every_place_is_used(players: int, turns: int, score: int) -> None:
    """DA-13.1, not DA-13.3: about as long, and for about as many points, as the reconstruction was balanced for."""
    _, _, counts = counted_tournament(DA, [GREEDY] * players, GAMES, seed="turns")
    fields = STATISTICS.fields(counts, players)
    assert fields["turns"]["max"] < MAX_TURNS / 2
    assert INTERPRETED or turns - 2 < fields["turns"]["mean"] < turns + 3
    assert INTERPRETED or score - 5 < fields["score"]["median"] < score + 10
    assert min(fields["dice_placed"].values()) > 0.5


# ------------------------------------------------------------------------------------------------------------ the sums of dice


@pytest.mark.parametrize("times", [(1, 0, 0, 0, 0), (2, 1, 0, 0, 0), (0, 2, 2, 0, 0), (1, 1, 1, 1, 0), (0, 0, 0, 2, 1)])
def test_chances_are_those_of_all_rolls_counted_out(times: tuple[int, ...]) -> None:
    dice = [(sides, count) for sides, count in zip(SIDES, times, strict=True) if count]
    sums = [
        sum(face * count for face, (_sides, count) in zip(faces, dice, strict=True))
        for faces in itertools.product(*(range(1, sides + 1) for sides, _count in dice))
    ]
    code = sum(weight * count for weight, count in zip(WEIGHT, times, strict=True))
    for wanted in range(max(sums) + 2):
        assert chance(code, wanted) == pytest.approx(sum(total >= wanted for total in sums) / prod(sides for sides, _ in dice))


def test_without_dice_nothing_is_reached_and_with_all_doubled_at_most_80() -> None:
    assert (chance(0, 0), chance(0, 1)) == (1, 0)
    assert REACH[-1].nonzero()[0].max() == 2 * sum(SIDES)


# ----------------------------------------------------------------------------------------------------------------- placement


def known(match: Match, seat: int, *squares: int) -> Match:
    """The same, the seat having looked at some squares."""
    states = match.states
    for square in squares:
        states["seen"][0, square] |= 1 << (1 + seat)
    return match.supposing(states)


def test_a_known_monster_is_fought_where_the_skill_counts_double() -> None:
    allies = {A: {10: "fire", 12: "water"}, B: {10: "fire", 12: "melee"}}
    faces = {8: (14, 2, "water"), 9: (14, 2, "melee"), 10: (14, 2, "armor")}
    match = known(scene(allies, monsters=faces, removed=25, followers=0), A, *faces)
    assert choices(match) == {place(12, "square:8")}


def test_an_easy_prey_is_better_than_a_hard_one() -> None:
    faces = dict.fromkeys(range(SQUARES), (12, 1, "armor")) | {5: (2, 2, "armor")}
    match = known(scene({A: {12: "fire"}, B: {12: "fire"}}, monsters=faces, followers=0), A, *faces)
    assert targets(match) == {5}


def test_guarded_treasure_is_only_worth_a_die_with_a_fight_that_may_be_won() -> None:
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


def test_a_follower_is_wanted_where_there_is_room_for_one() -> None:
    with_room = scene({A: {8: "fire", 10: "water"}, B: {8: "nature", 10: "armor"}})
    without = scene({A: {4: "fire", 6: "water"}, B: {4: "nature", 10: "armor"}})
    assert targets(with_room) == {target("tavern")}
    assert target("tavern") not in targets(without)


def test_room_for_a_follower_is_made_in_the_turn_in_which_it_comes() -> None:
    match = scene({A: {4: "fire", 10: "water"}, B: {12: "nature"}})
    assert choices(match) == {place(10, "tavern")}
    send(match, (A, 10, "tavern"), (B, 12, "trade"))
    assert choices(match) == {place(4, "trainer")}


def test_at_first_the_dice_are_trained_the_larger_one_before_the_smaller() -> None:
    match = scene({A: {4: "fire", 6: "water"}})
    assert choices(match) == {place(6, "trainer")}
    send(match, (A, 6, "trainer"))
    match.play(trade_with(match))
    assert choices(match) == {place(4, "trainer")}


def test_a_dear_card_that_can_be_paid_is_bought() -> None:
    cards = ["crown_of_tales", "ruby_cluster_charm", "emerald_crook", "diamond_diadem", "topaz_scepter"]
    allies = {A: {12: "fire"}, B: {12: "water"}}
    match = scene(allies, crystals={A: "B"}, cards=cards, removed=4, followers=0)
    assert targets(match) == {target("sorcerer:1")}
    assert targets(scene(allies, cards=cards, removed=4, followers=0)).isdisjoint(
        range(target("sorcerer:1"), target("sorcerer:5"))
    )


def test_a_prisoner_is_freed_who_can_be_paid_for() -> None:
    faces = dict.fromkeys(range(SQUARES), (60, 1, "armor"))
    allies = {A: {12: "fire"}, B: {12: "water"}}
    match = known(scene(allies, monsters=faces, crystals={A: "W"}, followers=0, removed=0), A, *range(SQUARES))
    states = match.states
    states["display"][0] = -1
    states["cards"][0] = 0
    states["deck"][0] = -1
    assert targets(match.supposing(states)) == {target("prisoner:5")}


# --------------------------------------------------------------------------------------------------------------------- looks


def test_it_pays_for_a_look_only_where_tiles_differ() -> None:
    match = scene({A: {8: "fire", 10: "fire"}, B: {8: "fire"}}, crystals={A: "RRRR"}, followers=0)
    states = match.states
    states["weakness"], states["target"], states["bounty"] = 7, 5, 9
    assert ILLUMINATE not in choices(match.supposing(states))
    states["target"][0, :, ::2], states["bounty"][0, :, ::2] = 15, 18
    assert choices(match.supposing(states)) == {ILLUMINATE}


def test_it_looks_where_it_could_fight() -> None:
    match = scene({A: {8: "fire"}, B: {8: "water"}}, order=[B, A], crystals={A: "R"})
    send(match, (B, 8, "square:0"))
    match.play(ILLUMINATE)
    assert peek(0) in legal(match)
    assert peek(0) not in choices(match)


# --------------------------------------------------------------------------------------------------------------------- fights


def fight_with(crystals: str, needed: int, gold: int = 3, square: int = 0, dice: tuple[int, ...] = (8,)) -> Match:
    """A is about to roll for a fight."""
    allies = {A: dict.fromkeys(dice, "water") if len(dice) == 1 else dict(zip(dice, ("water", "nature"), strict=True))}
    match = scene(allies, crystals={A: crystals}, monsters={square: (needed, gold, "armor")}, removed=16, followers=0)
    send(match, (A, dice[0], f"square:{square}"))
    others_trade(match)
    match.play(trade_with(match))
    assert state_of(match).phase == Phase.PREP
    return match


def test_the_hammer_falls_on_what_is_dear_and_hard() -> None:
    assert choices(fight_with("W", needed=15, gold=9)) == {HAMMER}
    assert choices(fight_with("W", needed=2, gold=9)) == {ROLL}
    assert choices(fight_with("W", needed=15, gold=0)) == {ROLL}


def test_a_spell_is_cast_where_it_helps_enough() -> None:
    assert choices(fight_with("Y", needed=7, gold=6)) == {bless(8)}
    assert choices(fight_with("Y", needed=1, gold=6)) == {ROLL}
    assert choices(fight_with("Y", needed=17, gold=6)) == {ROLL}
    assert choices(fight_with("G", needed=15, gold=20)) == {enhance(12)}


def test_the_die_is_rolled_again_that_may_help_and_only_if_it_may() -> None:
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
    assert choices(hopeless) == {ACCEPT}


def test_two_rerolls_may_do_what_one_can_not() -> None:
    monsters = {0: (12, 9, "armor")}
    allies = {A: {8: "fire", 10: "water"}}
    for crystals, again in (("B", False), ("BB", True)):
        match = scene(allies, crystals={A: crystals}, monsters=monsters, followers=0)
        send(match, (A, 8, "square:0"))
        match.play(trade_with(match))
        send(match, (A, 10, "square:0"))
        fated(match, trade_with(match), 1, 1)
        assert (choices(match) != {ACCEPT}) == again


# --------------------------------------------------------------------------------------------------------------- other decisions


def test_the_larger_die_goes_to_the_skill_that_more_monsters_fear() -> None:
    match = DA.match(seed="assign")
    states = match.states
    states["skill"][0, int(states["dealt"][0, 0, 1])] = 0
    states["skill"][0, int(states["dealt"][0, 0, 0])] = 1
    states["weakness"][0] = 0
    assert choices(match.supposing(states)) == {ASSIGN + 1}


def test_a_follower_gets_the_largest_die_there_is_room_for() -> None:
    match = scene({A: {10: "fire", 12: "water"}, B: {6: "nature", 8: "armor"}}, monsters={})
    send(match, (A, 10, "tavern"))
    others_trade(match)
    match.play(trade_with(match))
    assert state_of(match).phase == Phase.FOLLOWER_DIE
    assert choices(match) == {follower_die(8)}


def test_nobody_bids_more_than_a_follower_is_worth() -> None:
    allies = {A: {8: "fire", 10: "water"}, B: {8: "nature", 10: "armor"}}
    match = scene(allies, order=[B, A], gold={A: 40}, removed=20)
    send(match, (B, 8, "tavern"))
    match.play(place(8, "tavern"))
    assert state_of(match).phase == Phase.BID
    assert {action - legal(match)[0] for action in choices(match)} == {0}


def test_the_price_of_a_card_that_waits_is_got_by_trade() -> None:
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
        assert choices(match) == {END_TRADE}
        match.play(END_TRADE)
    assert state_of(match).phase == Phase.BUY
    assert choices(match) == {BUY}


def test_with_one_crystal_for_two_cards_the_better_one_is_bought() -> None:
    cards = ["walking_staff", "crown_of_tales"]
    match = scene({A: {8: "fire", 10: "nature"}, B: {8: "water"}}, crystals={A: "B"}, cards=cards)
    send(match, (A, 8, "sorcerer:1"))
    match.play(trade_with(match))
    send(match, (A, 10, "sorcerer:2"))
    while state_of(match).phase != Phase.BUY:
        match.play(END_TRADE)
    assert choices(match) == {DECLINE}
    match.play(DECLINE)
    assert choices(match) == {BUY}


def test_it_is_not_led_by_what_it_cannot_see() -> None:
    match = DA.match(players=3, seed="led")
    draw = np.random.default_rng(5)
    for number in range(10 if INTERPRETED else 60):
        states = match.states
        unseen = np.flatnonzero((states["seen"][0] == 0) & (states["monster"][0] >= 0))
        states["monster"][0, unseen] = draw.permutation(states["monster"][0, unseen])
        for hidden, count in (("deck", states["cards"][0]), ("stack", states["followers"][0] - 1)):
            states[hidden][0, :count] = draw.permutation(states[hidden][0, :count])
        chosen = choices(match)
        assert choices(match.supposing(states)) == chosen, number
        match.play(min(chosen))
