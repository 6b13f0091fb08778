"""Dungeon Allies, rule by rule: placement, Illuminate, bids (chapters 3 and 8 of the rules)."""

from __future__ import annotations

from games.dungeon_allies.scenes import (
    A,
    B,
    legal,
    peek,
    scene,
    send,
    spots,
)
from meadhall.games.dungeon_allies.pieces import (
    DICE,
    Act,
)

THREE = {4: "water", 6: "fire", 8: "armor"}

# ------------------------------------------------------------------------------------------------------------- whose turn it is


def test_DA_3_2_any_die_on_any_space_but_no_pass() -> None:
    match = scene({A: THREE})
    actions = legal(match)
    assert all(Act.PLACE <= action < Act.ILLUMINATE for action in actions)
    assert {(action - Act.PLACE) % DICE for action in actions} == {0, 1, 2}
    for sides in THREE:
        assert spots(match, sides) == spots(match, 4)


# ------------------------------------------------------------------------------------------------------------------- Illuminate


def test_DA_3_4_a_look_is_private_and_permanent() -> None:
    match = scene(crystals={A: "RR", B: "R"})
    match.play(Act.ILLUMINATE)
    match.play(peek(3))
    match.play(peek(4))
    monsters = {seat: match.view(seat).state.monster.tolist() for seat in (-1, A, B)}
    assert monsters[A][:6] == [-1, -1, -1, 3, 4, -1]
    assert set(monsters[B]) == set(monsters[-1]) == {-1}
    send(match, (A, 4, "square:3"))
    match.play(Act.ILLUMINATE)
    assert peek(3) in legal(match), "a die on a tile doesn't matter"
    match.play(peek(3))
    match.play(peek(5))
    assert [square for square, tile in enumerate(match.view(B).state.monster) if tile >= 0] == [3, 5]
