"""A game declares its kind, as algorithms read it."""

from __future__ import annotations

from typing import Any

import pytest

from games_for_tests.hoard import game as hoard
from games_for_tests.nim import game as nim
from meadhall import BadSetup, game
from meadhall.engine.kind import Kind


@pytest.mark.parametrize(
    ("name", "players", "options", "information", "payoffs", "sides", "bounded"),
    [
        ("axes-and-allies", 3, {}, "perfect", "constant-sum", ((0,), (1,), (2,)), False),
        ("viking-axes", 2, {"variant": "strategic"}, "imperfect", "constant-sum", ((0,), (1,)), False),
        ("axxa", 3, {}, "imperfect", "identical", ((0, 1, 2),), True),
        ("axxa", 3, {"mode": "versus"}, "imperfect", "general-sum", ((0, 2), (1,)), True),
        ("axxa", 4, {"mode": "versus"}, "imperfect", "constant-sum", ((0, 2), (1, 3)), True),
        ("dungeon-allies", 2, {}, "imperfect", "constant-sum", ((0,), (1,)), True),
    ],
)
def test_the_kind_of_the_four_games(
    name: str, players: int, options: dict[str, Any], information: str, payoffs: str, sides: Any, bounded: bool
) -> None:
    kind = game(name).kind_of(players, options)
    assert (kind.players, kind.chance, kind.dynamics) == (players, True, "sequential")
    assert (kind.information, kind.payoffs, kind.sides) == (information, payoffs, sides)
    assert (kind.smallest, kind.largest) == (0, 1)
    assert (kind.max_length is not None) == bounded


def test_a_kind_may_depend_on_the_options() -> None:
    heap, hand = nim.kind_of(), nim.kind_of(2, {"heap": "hand"})
    assert (heap.chance, heap.information, heap.max_length) == (False, "perfect", 10)
    assert (hand.chance, hand.information) == (True, "imperfect")


def test_a_game_that_declares_nothing_is_taken_to_have_chance_and_what_it_conceals() -> None:
    assert hoard.kind_of(4, {"mode": "sides"}) == Kind(
        4, True, "imperfect", "sequential", "constant-sum", 0, 1, ((0, 2), (1, 3)), None
    )


def test_the_kind_of_an_impossible_setup_is_refused() -> None:
    with pytest.raises(BadSetup, match="2 to 6 players"):
        game("axes-and-allies").kind_of(7)
    with pytest.raises(BadSetup, match="no option"):
        game("axes-and-allies").kind_of(2, {"mode": "versus"})


@pytest.mark.parametrize(("name", "options"), [("axxa", {}), ("axxa", {"mode": "versus"}), ("dungeon-allies", {})])
def test_no_random_match_is_longer_than_declared(name: str, options: dict[str, Any]) -> None:
    subject = game(name)
    match = subject.match(players=2, seed="length", **options)
    longest = subject.kind_of(2, options).max_length
    assert longest is not None
    while not match.over:
        match.play(match.legal()[-1])
    assert len(match.steps) <= longest
