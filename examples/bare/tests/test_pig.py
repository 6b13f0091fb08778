"""Tests of Pig: the laws that every game must keep."""

from __future__ import annotations

from pig import game

from meadhall.sdk import check_game


def test_every_law_is_kept() -> None:
    check_game(game, matches=1)
