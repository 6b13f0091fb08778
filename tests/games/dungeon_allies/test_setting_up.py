"""Dungeon Allies, rule by rule: components and set-up (chapters 1 and 2 of the rules)."""

from __future__ import annotations

from collections import Counter

import pytest

from games.dungeon_allies.scenes import (
    DA,
    A,
    at_random,
    check_counts,
    enhance,
    go,
    legal,
    only,
    play_at_random,
    refused,
    scene,
    send,
    state_of,
    told,
)
from meadhall import BadSetup, CannotUndo, Match
from meadhall.games.dungeon_allies.pieces import CARDS, DISPLAY, FOLLOWERS, NONE, SQUARES, Act, Die
from sizes import sized

SETUPS = sized(10, 60)

# ----------------------------------------------------------------------------------------------------------------------- pieces


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_DA_1_1_two_to_five_play_with_all_the_pieces(players: int) -> None:
    match = DA.match(players=players, seed="pieces")
    for action in at_random(match):
        check_counts(match.state)
        match.play(action)
    check_counts(match.state)


@pytest.mark.parametrize("players", [1, 6])
def test_DA_1_1_no_other_number_of_players_is_possible(players: int) -> None:
    with pytest.raises(BadSetup):
        DA.match(players=players)


def test_DA_1_2_an_ally_has_one_die_that_no_other_ally_of_its_player_has() -> None:
    for number in range(sized(1, 10)):
        match = play_at_random(DA.match(players=3, seed=f"dice {number}"))
        dice_of: list[dict[str, int]] = [{}, {}, {}]
        for step in match.steps:
            for seat, ally, die in [event[1:] for event in only(step.events, "assigned", "trained", "follower_joins")]:
                dice_of[seat][ally] = die
                assert len(set(dice_of[seat].values())) == len(dice_of[seat])
        assert all(len(dice) >= 2 for dice in dice_of)


def test_DA_1_4_the_d20_is_not_rolled_and_the_percentile_die_only_for_the_first_order() -> None:
    match = play_at_random(DA.match(players=4, seed="dice of a match"))
    events = [event for step in match.steps for event in step.events]
    assert {event.arguments[1] for event in events if event.name == "rolled"} <= {4, 6, 8, 10, 12}
    assert "percentile" in {event.name for event in match.steps[3].events}, "after the last player has chosen"
    assert "percentile" not in {event.name for step in [*match.steps[:3], *match.steps[4:]] for event in step.events}
    match = scene({A: {4: "water", 6: "fire"}}, crystals={A: "G"}, monsters={0: (99, 1, "armor")})
    send(match, (A, 4, "square:0"))
    go(match)
    assert [action for action in legal(match) if action >= enhance(4)] == [enhance(8), enhance(10), enhance(12)]


# ----------------------------------------------------------------------------------------------------------------------- set-up


def assigned(match: Match) -> Match:
    """Return the match after all players have chosen the character with the d6."""
    for _ in range(match.players):
        match.play(Act.ASSIGN)
    return match


def test_DA_2_3_turn_order_and_treasure_come_after_the_last_choice() -> None:
    match = DA.match(players=3, seed="sheet")
    assert {event.name for event in match.setup} == {"tile", "character", "card_shown", "follower_top"}
    for _ in range(2):
        assert {event.name for event in match.play(Act.ASSIGN)} == {"assigned"}
        assert state_of(match).order.tolist() == [NONE] * 5
        assert not state_of(match).treasure.any()
    names = [event.name for event in match.play(Act.ASSIGN)]
    assert names == [*["assigned"] * 2, *["percentile"] * names.count("percentile"), "order", *["treasure"] * 5]


def test_DA_2_3_the_last_choice_can_not_be_undone() -> None:
    """The roll for the turn order and the crystals have come to light."""
    match = DA.match(players=2, seed="undone")
    match.play(Act.ASSIGN)
    match.undo()
    match.play(Act.ASSIGN + 1)
    match.play(Act.ASSIGN)
    with pytest.raises(CannotUndo):
        match.undo()


@pytest.mark.parametrize("players", [2, 5])
def test_DA_2_1_two_characters_each_of_different_skills(players: int) -> None:
    dealt: Counter[int] = Counter()
    for number in range(SETUPS):
        match = DA.match(players=players, seed=f"deal {number}")
        state = state_of(match)
        found = only(match.setup, "character")
        assert [seat for _, seat, _ in found] == [seat for seat in range(players) for _ in range(2)]
        assert len({ally for *_, ally in found}) == 2 * players
        for seat in range(players):
            assert state.skill[state.dealt[seat, 0]] != state.skill[state.dealt[seat, 1]]
            dealt.update(state.dealt[seat].tolist())
    assert set(dealt) == set(range(10))


def test_DA_2_2_five_cards_are_shown_and_the_follower_on_top() -> None:
    for number in range(SETUPS):
        match = DA.match(players=3, seed=f"cards {number}")
        state = state_of(match)
        assert [event[1] for event in only(match.setup, "card_shown")] == [1, 2, 3, 4, 5]
        assert sorted([*state.display, *state.deck[: state.cards]]) == list(range(CARDS))
        assert state.cards == CARDS - DISPLAY
        assert state.followers == len({*state.stack.tolist()}) == FOLLOWERS
        assert len(only(match.setup, "follower_top")) == 1


def test_DA_2_3_every_player_in_seat_order_decides_who_gets_the_d6() -> None:
    match = DA.match(players=3, seed="assign")
    for seat, choice in enumerate((1, 0, 1)):
        assert (match.actor, legal(match)) == (seat, [Act.ASSIGN, Act.ASSIGN + 1])
        assert refused(match, Act.ILLUMINATE) == "DA-2.3"
        names = [event[2] for event in only(match.setup, "character")][2 * seat : 2 * seat + 2]
        events = told(match.play(Act.ASSIGN + choice))
        assert events[:2] == [["assigned", seat, names[k], 6 if k == choice else 4] for k in range(2)]
        assert len(events) == 2 or seat == 2
        state = state_of(match)
        assert [state.ally[seat, Die.D6], state.ally[seat, Die.D4]] == [state.dealt[seat, choice], state.dealt[seat, 1 - choice]]
    assert match.actor == state_of(match).order[0]
    assert refused(match, Act.ASSIGN) == "DA-2.3"


def test_DA_2_4_a_monster_face_down_on_every_square() -> None:
    places: Counter[str] = Counter()
    for number in range(SETUPS):
        match = DA.match(players=2, seed=f"monsters {number}")
        tiles = [event for event in match.setup if event.name == "tile"]
        assert [event.arguments[0] for event in tiles] == list(range(SQUARES))
        assert {event.audience for event in tiles} == {-2}
        assert len({event.arguments[1] for event in tiles}) == SQUARES
        assert not state_of(match).seen.any()
        places[tiles[0].arguments[1]] += 1
    assert len(places) > 5


def test_DA_2_5_the_highest_roll_is_first_and_ties_roll_again() -> None:
    """Tied players roll until the tie is broken; ranks that are settled stay."""
    rounds: Counter[int] = Counter()
    for number in range(10 * SETUPS):
        match = assigned(DA.match(players=5, seed=f"order {number}"))
        last = match.steps[-1].events
        rolls: dict[int, list[int]] = {seat: [] for seat in range(5)}
        for _, seat, value in only(last, "percentile"):
            assert value in range(0, 100, 10)
            assert not rolls[seat] or list(rolls.values()).count(rolls[seat]) > 0
            rolls[seat].append(value)
        (order,) = only(last, "order")
        assert order[1:] == sorted(rolls, key=lambda seat: rolls[seat], reverse=True)
        assert len({tuple(rolled) for rolled in rolls.values()}) == 5
        for seat, rolled in rolls.items():  # only tied players roll
            rivals = [other for other in rolls if other != seat and rolls[other][: len(rolled) - 1] == rolled[:-1]]
            assert rivals
        rounds[max(map(len, rolls.values()))] += 1
    assert {1, 2} <= set(rounds)


def test_DA_2_6_a_crystal_on_each_of_four_treasures_and_a_gold_on_the_fifth() -> None:
    colours: Counter[str] = Counter()
    for number in range(SETUPS):
        match = DA.match(players=4, seed=f"treasure {number}")
        assert (state_of(match).box.sum(), state_of(match).treasure.sum()) == (60, 0)
        laid = only(assigned(match).steps[-1].events, "treasure")
        assert [event[1] for event in laid] == [1, 2, 3, 4, 5]
        assert laid[-1][2] == "gold"
        colours.update(event[2] for event in laid[:-1])
        state = state_of(match)
        assert state.box.sum() == 56
        assert not state.gold.any()
        assert not state.crystals.any()
    assert set(colours) >= {"red", "blue", "yellow"}


def test_DA_2_6_every_crystal_in_the_box_is_drawn_as_often_as_any_other() -> None:
    """Chi-squared with 4 degrees of freedom is above 18.5 once in a thousand times."""
    drawn: Counter[str] = Counter()
    for number in range(10 * SETUPS):
        drawn[only(assigned(DA.match(players=2, seed=f"drawn {number}")).steps[-1].events, "treasure")[0][2]] += 1
    expected = {"red": 24, "blue": 16, "yellow": 10, "green": 6, "white": 4}
    scale = drawn.total() / 60
    assert sum((drawn[colour] - scale * count) ** 2 / (scale * count) for colour, count in expected.items()) < 18.5
