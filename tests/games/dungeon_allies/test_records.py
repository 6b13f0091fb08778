"""The golden records of Dungeon Allies cover every ending, every tie-break, and other components."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from meadhall import Match, game, replay
from meadhall.engine.match.record import read_records
from meadhall.games.dungeon_allies.pieces import COLOURS, MONSTERS, Item
from meadhall.games.dungeon_allies.state import MAX_TURNS

DA = game("dungeon-allies")
pytestmark = pytest.mark.compiled
FOLDER = Path(__file__).parents[2] / "records" / DA.name


@cache
def golden() -> tuple[Match, ...]:
    return tuple(replay(record) for path in sorted(FOLDER.iterdir()) for record in read_records(path))


def points(match: Match) -> tuple[int, ...]:
    result = match.result()
    assert result is not None
    assert result.points is not None
    return result.points


def deciding(match: Match) -> int | None:
    """DA-13.4: Return the colour that breaks a tie on points; -1 if the tie stays, None if there is no tie."""
    best = [seat for seat in range(match.players) if points(match)[seat] == max(points(match))]
    state: Any = match.state
    if len(best) == 1:
        return None
    held = [[state.crystals[seat, colour] for seat in best] for colour in range(COLOURS)]
    return next((colour for colour in range(Item.WHITE, -1, -1) if len(set(held[colour])) > 1), -1)


def test_there_are_enough_golden_records_for_every_number_of_players() -> None:
    assert len(golden()) >= 20
    assert all(sum(match.players == players for match in golden()) >= 4 for players in range(2, 6))


def test_ties_broken_by_every_colour_and_unbroken_ties_are_recorded() -> None:
    assert {deciding(match) for match in golden()} == {None, -1, *range(COLOURS)}


@pytest.mark.parametrize(("reason", "removed"), [("DA-13.1", [MONSTERS]), ("DA-13.3", range(MONSTERS))])
def test_matches_to_the_last_turn_are_recorded_with_and_without_a_last_monster(reason: str, removed: Any) -> None:
    long: list[Any] = [match for match in golden() if match.state.turn == MAX_TURNS]
    ended = [match for match in long if match.result().reason == reason]
    assert ended
    assert all(match.state.removed in removed for match in ended)


def test_a_record_contains_its_own_components() -> None:
    others = [match for match in golden() if "data" in match.options["components"]]
    assert others
    for match in others:
        assert match.game is not DA
        told = [match.game.words.event(event, match.names) for step in match.steps for event in step.events]
        assert any("Dragon" in line for line in told)
