"""The values for AxxA's page agree with the rules."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from games.axxa.scenes import FAR, move, scene
from meadhall.engine.match.match import Match
from meadhall.engine.replay import replay
from meadhall.games.axxa.page import Picture, Waypoints, own, picture
from meadhall.games.axxa.state import HEIGHT, NUMBERS, OF_EACH, SPACES, TRIPLET_SIZE, UNKNOWN, Phase, distance, routes

RECORDS = Path(__file__).parents[2] / "records" / "axxa"
NAMES = (
    "standstill-together",
    "standstill-versus",
    "greedy-together-all-0",
    "greedy-versus-all-0",
    "4-players-versus-orthogonal-1",
    "greedy-versus-all-strict-0",
    "greedy-versus-all-any-0",
    "5-players-versus-all-any-1",
)
records = pytest.mark.parametrize("name", NAMES)


@cache
def recorded(name: str) -> Match:
    return replay(json.loads((RECORDS / f"{name}.match.json").read_text(encoding="utf-8")))


@cache
def pictures(name: str) -> list[Picture]:
    match = recorded(name)
    return [picture(match.view_at(position)) for position in range(len(match.steps) + 1)]


@records
def test_a_stack_shows_only_pieces_that_have_been_seen(name: str) -> None:
    match = recorded(name)
    for position, drawn in enumerate(pictures(name)):
        state = match.view_at(position).state
        for space, pieces in drawn.pieces.items():
            stack = state.stack_at[space]
            assert 1 <= len(pieces) == state.height[stack] <= HEIGHT
            for level, number in enumerate(pieces):
                assert (number == UNKNOWN) == (not state.seen[stack, level])


@records
def test_every_piece_is_on_the_board_paid_or_removed(name: str) -> None:
    match = recorded(name)
    events: Counter[str] = Counter()
    for step, drawn in zip((None, *match.steps), pictures(name), strict=True):
        events.update(event.name for event in (() if step is None else step.events))
        lying = sum(map(len, drawn.pieces.values()))
        assert lying == sum(each.left for each in drawn.numbers)
        assert lying == NUMBERS * OF_EACH - TRIPLET_SIZE * events["removed"] - events["paid"]
        assert sum(len(each.takers) for each in drawn.numbers) == events["removed"]


@records
def test_routes_are_free_and_as_long_as_the_top_piece_shows(name: str) -> None:
    match = recorded(name)
    for position, step in enumerate(match.steps):
        view = match.view_at(position, step.seat)
        if view.state.phase != Phase.MOVE:
            continue
        occupied = pictures(name)[position].pieces
        for space, goals in own(view).goals.items():
            for goal, waypoints in goals.items():
                entered = spaces_along(waypoints)
                assert len(entered) == occupied[space][-1]
                assert not set(occupied) & set(entered)
                assert entered in routes(space, goal, len(entered))
        trail = pictures(name)[position + 1].trail
        assert trail is not None
        assert (trail[0], trail[-1]) == divmod(step.action, SPACES)


def spaces_along(waypoints: Waypoints) -> list[int]:
    """Return the spaces that a route enters."""
    entered: list[int] = []
    for start, end in pairwise(waypoints):
        (leg,) = routes(start, end, distance(start, end))
        entered += leg
    return entered


@pytest.mark.parametrize(
    ("options", "costs"),
    [
        ({"mode": "together"}, {1: "spare", 2: "loses", 3: "loses"}),
        ({"mode": "versus"}, {1: "spare", 2: "skips", 3: "skips"}),
        ({"mode": "versus", "order": "strict"}, {1: "spare", 2: "blocks", 3: "blocks"}),
        ({"mode": "versus", "order": "any"}, {1: "spare", 2: "ends", 3: "ends"}),
    ],
)
def test_a_payment_says_what_it_costs(options: dict[str, Any], costs: dict[int, str]) -> None:
    match = scene({**FAR, "b6": "1111"[:3], "b4": "1"}, **options)
    match.play(move("b4", "b3"))
    shown = {number.number: cost for number, cost in own(match.view(0)).payments.values()}
    assert {number: shown[number] for number in costs} == costs


def test_pieces_of_numbers_out_of_reach_cost_nothing() -> None:
    match = scene({"c7": "222", "e7": "33", "g5": "444", "b4": "2"}, mode="versus", order="strict", current=2)
    match.play(move("b4", "b2"))
    shown = {number.number: cost for number, cost in own(match.view(0)).payments.values()}
    assert shown == {2: "spare", 3: "free", 4: "free"}  # too few 3s are left, and the 4s wait for them
