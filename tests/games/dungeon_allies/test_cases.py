"""The worked examples of the rules, by their numbers. Dice that an example doesn't place go to trade and exchange nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from games.dungeon_allies.scenes import (
    CARD_IDS,
    DA,
    A,
    B,
    C,
    D,
    bid,
    bless,
    box,
    crystals,
    dice,
    fated,
    go,
    gold,
    laid,
    legal,
    lying,
    only,
    place,
    reroll,
    scene,
    send,
    spots,
    state_of,
    told,
    trade_with,
    without,
)
from meadhall import Match
from meadhall.games.dungeon_allies.components import SKILL_NAMES
from meadhall.games.dungeon_allies.pieces import CARDS, CHARACTERS, DISPLAY, FOLLOWERS, GONE, MONSTERS, NONE, Act, Phase
from meadhall.games.dungeon_allies.state import State

WATER_FIRE = {A: {4: "water", 6: "fire"}}


def test_case_G1_setup() -> None:
    match = DA.match(players=3, seed="G1")
    for _ in range(3):
        match.play(0)
    state = state_of(match)
    assert sorted(state.monster) == list(range(MONSTERS))
    assert Counter(state.level.tolist()) == {0: 8, 1: 8, 2: 12}
    assert sum(box(match).values()) == 56
    assert [sum(lying(match, space).values()) for space in range(1, 6)] == [1, 1, 1, 1, 1]
    assert lying(match, 5) == {"gold": 1}
    assert (state.display != NONE).sum() == DISPLAY
    assert (state.cards, state.followers) == (CARDS - DISPLAY, FOLLOWERS)
    for seat in range(3):
        skills = dice(match, seat)
        assert list(skills) == [4, 6]
        assert skills[4] != skills[6]
        assert (gold(match, seat), crystals(match, seat)) == (0, "")
        assert all(ally < CHARACTERS for ally in state.ally[seat])


def test_case_G2_placement_passes() -> None:
    match = scene({A: {4: "water", 6: "fire", 8: "armor"}}, players=3, order=[B, A, C])
    seats = []
    while state_of(match).turn == 1:
        seats.append(match.actor)
        match.play(trade_with(match))
    assert seats == [B, A, C, B, A, C, A]


def test_case_G3_space_exclusivity() -> None:
    match = scene({A: {4: "water", 6: "fire", 8: "armor"}})
    send(match, (A, 6, "square:0"))
    assert "square:0" not in spots(match, 4)
    assert "trade" in spots(match, 4)
    send(match, (B, 4, "trade"), (A, 4, "trade"), (B, 6, "trade"))
    assert {"square:0", "trade"} <= set(spots(match, 8))


@pytest.mark.parametrize(("roll", "won"), [(4, True), (3, False)])
def test_case_G4_exact_hit(roll: int, won: bool) -> None:
    match = scene({A: {4: "armor", 6: "fire"}}, monsters={0: (4, 1, "water")})
    send(match, (A, 6, "square:0"))
    go(match, roll)
    assert (gold(match, A), state_of(match).removed, state_of(match).owner[0]) == ((1, 1, A) if won else (0, 1, GONE))


@pytest.mark.parametrize(("rolls", "total"), [((3, 3), 9), ((2, 3), 8)])
def test_case_G5_weakness_and_sum(rolls: tuple[int, int], total: int) -> None:
    match = scene(WATER_FIRE, monsters={8: (9, 2, "fire")})
    send(match, (A, 4, "square:8"), (B, 4, "trade"), (A, 6, "square:8"))
    assert ["total", A, total, 9] in told(go(match, *rolls))
    assert gold(match, A) == (2 if total == 9 else 0)


def test_case_G6_bless() -> None:
    match = scene(WATER_FIRE, crystals={A: "YY"}, monsters={8: (12, 2, "fire")})
    before = box(match)
    send(match, (A, 4, "square:8"), (B, 4, "trade"), (A, 6, "square:8"), (B, 6, "trade"))
    assert legal(match) == [Act.ROLL, bless(4)]
    events = fated(match, bless(4), 3, 3)
    assert told(events)[:4] == [["blesses", A, 4], ["rolled", A, 4, 3, 6], ["rolled", A, 6, 3, 6], ["total", A, 12, 12]]
    assert ["defeats", A, 8, 2] in told(events)
    assert crystals(match, A) == "Y"
    assert box(match) == without(before, laid(events), given="Y")


def test_case_G8_reroll() -> None:
    def rolled_two() -> Match:
        match = scene({A: {4: "water", 8: "fire"}}, crystals={A: "BB"}, monsters={8: (6, 2, "armor")})
        send(match, (A, 8, "square:8"), (B, 4, "treasure:1"), (A, 4, "treasure:2"))
        fated(match, place(6, "treasure:3"), 2)
        assert legal(match) == [Act.ACCEPT, reroll(8)]
        return match

    match = rolled_two()
    fated(match, reroll(8), 5)
    assert ["defeats", A, 8, 2] in told(fated(match, reroll(8), 6))
    assert "B" not in crystals(match, A)
    match = rolled_two()
    assert ["defeats", A, 8, 2] in told(fated(match, reroll(8), 7))
    assert crystals(match, A) == "B"
    assert state_of(match).phase == Phase.PLACE
    match = rolled_two()
    assert ["fails", A, 8] in told(match.play(Act.ACCEPT))
    assert crystals(match, A) == "BB"


def test_case_G10_hammer_result() -> None:
    match = scene(crystals={A: "W"}, monsters={20: (18, 4, "armor")}, removed=16, treasure={5: "3"})
    before = box(match)
    send(match, (A, 4, "square:20"), (B, 4, "trade"), (A, 6, "treasure:5"), (B, 6, "trade"))
    events = match.play(Act.HAMMER)
    assert not only(events, "rolled", "total")
    assert only(events, "defeats", "gains") == [["defeats", A, 20, 4], ["gains", A, "gold", 3]]
    assert state_of(match).owner[20] == A
    assert (gold(match, A), crystals(match, A)) == (7, "")
    assert box(match) == without(before, laid(events), given="W")


def test_case_G11_turn_order() -> None:
    match = scene(players=4)
    send(match, (A, 4, "trade"), (B, 4, "trade"))
    assert told(send(match, (C, 4, "turn_order")))[-1] == ["placed", C, 4, "turn_order:1"]
    send(match, (D, 4, "trade"))
    assert told(send(match, (A, 6, "turn_order")))[-1] == ["placed", A, 6, "turn_order:2"]
    assert "turn_order" in spots(match, 6)
    before = match.copy()
    assert told(send(before, (B, 6, "turn_order")))[0] == ["placed", B, 6, "turn_order:3"]
    send(match, (B, 6, "trade"))
    assert match.actor == C
    assert "turn_order" not in spots(match, 6)
    send(match, (C, 6, "trade"))
    events = send(match, (D, 6, "trade"))
    assert only(events, "gains", "order") == [["gains", C, "red", 1], ["gains", A, "red", 1], ["order", C, A, B, D]]


def test_case_G11_a_player_on_the_track_gets_no_second_space() -> None:
    match = scene(players=4)
    send(match, (A, 4, "turn_order"), (B, 4, "trade"), (C, 4, "turn_order"), (D, 4, "trade"))
    assert "turn_order" not in spots(match, 6)


def test_case_G13_guarded_no_win() -> None:
    match = scene(monsters={0: (9, 1, "armor")}, treasure={2: "RG"})
    send(match, (A, 4, "square:0"), (B, 4, "trade"), (A, 6, "treasure:2"))
    events = go(match, 1)
    assert only(events, "fails", "guarded", "gains") == [["fails", A, 0], ["guarded", A, 2]]
    found = Counter({"red": 1, "green": 1})
    found[next(item for _, space, item in only(events, "treasure") if space == 2)] += 1
    assert lying(match, 2) == found


def test_case_G14_one_win_opens_all() -> None:
    match = scene(
        {A: {4: "water", 6: "fire", 8: "armor"}},
        monsters={0: (1, 0, "melee")},
        treasure={1: "RW", 3: "BY", 5: "3"},
    )
    send(match, (A, 4, "square:0"), (B, 4, "treasure:3"), (A, 6, "treasure:5"), (B, 6, "prisoner:1"), (A, 8, "treasure:1"))
    assert (gold(match, A), crystals(match, A)) == (3, "RW")
    assert crystals(match, B) == "BY"


@pytest.mark.parametrize(
    ("dice_in_order", "after"),
    [([6, 4], [6, 8]), ([4, 6], [4, 8])],
)
def test_case_G16_trainer_order(dice_in_order: list[int], after: list[int]) -> None:
    match = scene()
    first, last = dice_in_order
    send(match, (A, first, "trainer"), (B, 4, "trainer"))
    assert told(send(match, (A, last, "trainer"))) == [["placed", A, last, "trainer:3"]]
    go(match)
    assert sorted(dice(match, A)) == after


def test_case_G17_top_of_the_ladder() -> None:
    match = scene({A: {4: "water", 12: "fire"}})
    assert place(4, "trainer") in legal(match)
    assert place(12, "trainer") not in legal(match)


def test_case_G18_all_pay_auction() -> None:
    match = scene({A: {6: "water", 8: "fire", 10: "armor"}, B: {6: "nature", 8: "melee"}}, gold={A: 3, B: 2})
    top = state_of(match).stack[FOLLOWERS - 1]
    send(match, (A, 6, "tavern"), (B, 6, "tavern"))
    match.play(bid(1))
    send(match, (A, 8, "tavern"))
    match.play(bid(2))
    assert "tavern" not in spots(match, 8)
    events = go(match)
    assert [event[3] for event in only(events, "follower_joins")] == [4]
    assert state_of(match).ally[A, 0] == top
    assert (gold(match, A), gold(match, B)) == (1, 1)
    assert sorted(dice(match, B)) == [6, 8]


def test_case_G21_prisoner_paid_from_treasure() -> None:
    match = scene(treasure={3: "Y"})
    send(match, (A, 4, "treasure:3"), (B, 4, "trade"), (A, 6, "prisoner:3"))
    assert only(go(match), "gains", "pays") == [["gains", A, "yellow", 1]]
    assert legal(match) == [Act.KEEP_OFFERING, Act.FREE]
    declined = match.copy()
    assert told(declined.play(Act.KEEP_OFFERING))[0] == ["prisoner_declined", A, 3]
    assert (gold(declined, A), crystals(declined, A)) == (0, "Y")
    assert only(match.play(Act.FREE), "gains", "pays") == [["pays", A, "yellow", 1], ["gains", A, "gold", 2]]
    assert (gold(match, A), crystals(match, A)) == (2, "")
    match = scene(treasure={3: "Y"}, order=[B, A])
    send(match, (B, 4, "treasure:3"), (A, 4, "prisoner:3"))
    events = go(match)
    assert only(events, "pays", "prisoner_forfeit") == [["prisoner_forfeit", A, 3]]
    assert gold(match, A) == 0


@pytest.mark.parametrize(("of_b", "winners"), [("GGW", [B]), ("RRRRRRRW", [A, B])])
def test_case_G24_score_and_ties(of_b: str, winners: list[int]) -> None:
    match = scene(
        gold={A: 14, B: 27},
        crystals={A: "RRRRRRRW", B: of_b},
        monsters={27: (99, 1, "armor")},
        removed=MONSTERS - 1,
    )
    states = match.states
    state: Any = State.at(states)
    for name in ("duelists_charm", "ruby_cluster_charm", "silver_bell"):
        state.card_owner[CARD_IDS.index(name)] = A
    melee = [monster for monster in range(MONSTERS) if state.weakness[monster] == SKILL_NAMES.index("melee")]
    for monster in melee[:3]:
        state.owner[monster] = A
    match = match.supposing(states)
    send(match, (A, 4, "square:27"), (B, 4, "treasure:1"), (A, 6, "treasure:2"), (B, 6, "treasure:3"))
    assert only(match.play(Act.ROLL), "score", "won") == [
        ["score", A, 14, 13, 27],
        ["score", B, 27, 0, 27],
        ["won", *winners],
    ]
