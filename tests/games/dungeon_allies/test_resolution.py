"""Dungeon Allies, rule by rule: turn order, treasure, trainer, tavern, prisoners, trade, sorcerer (chapters 5 to 11)."""

from __future__ import annotations

from games.dungeon_allies.scenes import (
    A,
    B,
    go,
    scene,
    send,
)
from meadhall.games.dungeon_allies.pieces import CARDS, NONE, Act

# --------------------------------------------------------------------------------------------------------------------- sorcerer


def test_DA_11_2_cards_are_kept_open_to_all() -> None:
    match = scene(crystals={A: "B"})
    send(match, (A, 4, "sorcerer:1"))
    go(match)
    match.play(Act.END_TRADE)
    match.play(Act.BUY)
    for viewer in (-1, A, B):
        assert match.view(viewer).state.card_owner.tolist() == [A, *[NONE] * (CARDS - 1)]
