"""Dungeon Allies, rule by rule: fights and rounds (chapters 4 and 12 of the rules)."""

from __future__ import annotations

import pytest

from games.dungeon_allies.scenes import (
    A,
    B,
    bless,
    legal,
    scene,
    send,
    state_of,
    told,
)
from meadhall.games.dungeon_allies.pieces import Act
from meadhall.games.dungeon_allies.state import current_round

WATER_FIRE = {A: {4: "water", 6: "fire"}}

# ----------------------------------------------------------------------------------------------------------------------- fights


def test_DA_4_3_the_tile_is_revealed_to_all_before_spells_are_cast() -> None:
    match = scene(WATER_FIRE, crystals={A: "Y"}, monsters={3: (3, 1, "fire")})
    send(match, (A, 6, "square:3"), (B, 4, "square:4"), (A, 4, "square:3"))
    before = state_of(match).reveals
    events = send(match, (B, 6, "trade"))
    assert told(events)[1:] == [["fights", A, 3], ["revealed", 3, "moss_gremlin"]]
    assert state_of(match).reveals == before + 1
    for viewer in (-1, A, B):
        assert match.view(viewer).state.monster[3] == 3
        assert match.view(viewer).state.monster[4] == -1
    assert legal(match) == [Act.ROLL, bless(4)]


# ----------------------------------------------------------------------------------------------------------------------- rounds


@pytest.mark.parametrize(("removed", "number"), [(0, 1), (7, 1), (8, 2), (15, 2), (16, 3), (27, 3), (28, 3)])
def test_DA_12_1_rounds_end_with_the_eighth_and_the_sixteenth_tile(removed: int, number: int) -> None:
    assert current_round(state_of(scene(removed=removed))) == number
