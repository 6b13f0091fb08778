"""The worked examples of the rules, by their numbers. Dice that an example doesn't place go to trade and exchange nothing."""

from __future__ import annotations

from collections import Counter

from games.dungeon_allies.scenes import (
    DA,
    A,
    B,
    C,
    D,
    box,
    crystals,
    dice,
    go,
    gold,
    legal,
    lying,
    only,
    place,
    scene,
    send,
    spots,
    state_of,
    told,
)
from meadhall.games.dungeon_allies.pieces import CARDS, CHARACTERS, DISPLAY, FOLLOWERS, MONSTERS, NONE, Act


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


def test_case_G17_top_of_the_ladder() -> None:
    match = scene({A: {4: "water", 12: "fire"}})
    assert place(4, "trainer") in legal(match)
    assert place(12, "trainer") not in legal(match)


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
