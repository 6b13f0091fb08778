"""Decide ahead: the actions that a waiting seat can choose before its decision."""

from __future__ import annotations

import meadhall
from meadhall.engine.match.view import View
from meadhall.games.axes_and_allies import page as axes_page
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK
from meadhall.games.viking_axes import page as vikings_page
from meadhall.games.viking_axes.state import Act


def view_of(game: str, seat: int, seed: str = "mead", **options: str) -> View:
    return meadhall.game(game).match(players=3, seed=seed, **options).view(seat)


def test_in_axes_and_allies_one_attacks_or_allies_with_the_living() -> None:
    match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
    offered = axes_page.ahead(match.view(0))
    assert [*offered] == [ATTACK + 1, ATTACK + 2, ALLY + 1, ALLY + 2]
    assert offered[ALLY + 1].startswith("ally with ")
    while match.states["alive"][0].sum() == 3:
        match.play(match.legal()[0])
    dead, *alive = sorted(range(3), key=lambda seat: match.states["alive"][0, seat])
    assert axes_page.ahead(match.view(dead)) == {}
    assert [*axes_page.ahead(match.view(alive[0]))] == [ATTACK + alive[1], ALLY + alive[1]]


def test_in_viking_axes_one_throws_at_a_player_or_plays_a_card_of_the_hand() -> None:
    offered = vikings_page.ahead(view_of("viking-axes", 0))
    assert [*offered] == [Act.THROW + 1, Act.THROW + 2]
    view = view_of("viking-axes", 0, variant="strategic")
    held = [kind for kind, count in enumerate(view.plain.hand[0]) if count]
    assert [*vikings_page.ahead(view)] == [Act.PLAY + kind for kind in held]
    assert all(words.startswith("play ") for words in vikings_page.ahead(view).values())


def test_a_player_who_is_out_decides_nothing_ahead() -> None:
    match = meadhall.game("viking-axes").match(players=3, seed="mead")
    while not match.states["out"][0].any():
        match.play(match.legal()[0])
    seat = int(match.states["out"][0].argmax())
    assert vikings_page.ahead(match.view(seat)) == {}
