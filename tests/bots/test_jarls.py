"""A jarl with its real budget, in positions of each game in which one action wins at once and others lose."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from games.axxa.scenes import move, pay, scene as axxa
from games.dungeon_allies.scenes import A, B, place, scene as dungeon_allies, send
from games.viking_axes.scenes import CARDS, scene as viking_axes
from meadhall import Match, game
from meadhall.bots import bot
from meadhall.games.axes_and_allies.rules import ATTACK
from meadhall.games.dungeon_allies.pieces import Act as DungeonAct
from meadhall.games.viking_axes.state import Act

pytestmark = pytest.mark.compiled  # half a second is only a few iterations of interpreted rules


def a_strike_that_five_of_six_dice_win() -> tuple[Match, set[int]]:
    """An alliance would give the opponent the next turn, and a chance to win at once (AA-3.2)."""
    match = game("axes-and-allies").match(2, seed="duel")
    states = match.states
    states["actor"], states["power"], states["allied"] = 0, 6, 0
    return match.supposing(states), {ATTACK + 1}


def a_price_that_leaves_the_last_triplet() -> tuple[Match, set[int]]:
    match = axxa({"b6": "6", "c6": "6", "d4": "26", "a5": "1"}, current=6)
    match.play(move("a5", "b5"))
    return match, {pay("d4"), pay("b5")}


def the_last_tile() -> tuple[Match, set[int]]:
    faces = {0: (1, 2, "armor")}
    allies = {A: {12: "fire"}, B: {12: "water"}}
    match = dungeon_allies(allies, monsters=faces, removed=27, gold={A: 10, B: 11}, followers=0, turn=12)
    return match, {place(12, "square:0")}


def a_hammer_that_cannot_fail() -> tuple[Match, set[int]]:
    faces = {16: (12, 4, "melee")}
    allies = {A: {12: "fire"}, B: {4: "water"}}
    match = dungeon_allies(allies, monsters=faces, removed=27, gold={A: 9, B: 11}, crystals={A: "W"}, turn=12)
    send(match, (A, 12, "square:16"), (B, 4, "trade"))
    return match, {DungeonAct.HAMMER}


def an_axe_for_the_last_rival() -> tuple[Match, set[int]]:
    hands = {0: ["axe1", "wench", "shield4"], 1: ["axe3", "axe3"]}
    return viking_axes(players=2, hits={0: 14, 1: 14}, hands=hands), {Act.PLAY + CARDS.index("axe1")}


@pytest.mark.parametrize(
    "position",
    [
        a_strike_that_five_of_six_dice_win,
        a_price_that_leaves_the_last_triplet,
        the_last_tile,
        a_hammer_that_cannot_fail,
        an_axe_for_the_last_rival,
    ],
)
def test_a_jarl_chooses_an_immediate_win(position: Callable[[], tuple[Match, set[int]]]) -> None:
    match, good = position()
    view = match.view(match.actor)
    assert good < set(view.legal)
    assert bot(match.game, "jarl", b"a jarl", alone=True).choose(view) in good
