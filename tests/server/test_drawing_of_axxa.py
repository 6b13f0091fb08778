"""Every step of AxxA can be drawn, for spectators and for the seat to move."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from meadhall.engine.match.match import Match
from meadhall.engine.replay import replay
from meadhall.games.axxa.page import own
from meadhall.games.axxa.state import POSITIONS, SPACES
from meadhall.server.pages.frames import controls_part, public_part
from meadhall.server.pages.match import match_page, result_view
from meadhall.server.pages.models import SeatView

RECORDS = Path(__file__).parents[1] / "records" / "axxa"


@cache
def recorded(name: str) -> Match:
    return replay(json.loads((RECORDS / f"{name}.match.json").read_text(encoding="utf-8")))


def test_controls_of_spaces_are_at_their_positions() -> None:
    drawn = _private(recorded("standstill-together"), 0, 1)
    places = re.findall(r'id="space-(\d+)" class="axxa-idle at r(\d) c(\d)"', drawn)
    assert {int(space): (int(row) - 1, int(column) - 1) for space, row, column in places} == dict(enumerate(POSITIONS))


def _private(match: Match, position: int, seat: int) -> str:
    """Return the private part of the page of a seat."""
    page = match_page(match, match.view_at(position, seat), id="x", url="/tables/x", seats=_seats(match), public=False)
    return controls_part(page)


def _seats(match: Match) -> tuple[SeatView, ...]:
    return tuple(SeatView(seat, each, "human") for seat, each in enumerate(match.names))


@pytest.mark.parametrize(
    "name",
    [
        "greedy-together-all-0",
        "standstill-versus",
        "4-players-versus-all-1",
        "greedy-versus-orthogonal-0",
        "greedy-versus-all-strict-0",
        "5-players-versus-all-any-1",
    ],
)
def test_steps_of_every_kind_can_be_drawn_for_spectators_and_the_seat_to_move(name: str) -> None:
    match = recorded(name)
    drawn_of = Counter[str]()
    for position in range(len(match.steps)):
        view = match.view_at(position)
        assert view.actor is not None
        view_of_seat = match.view_at(position, view.actor)
        drawn_of[phase := own(view_of_seat).phase] += 1
        if drawn_of[phase] > 4:
            continue
        public = match_page(match, view, id="x", url="/tables/x", seats=_seats(match))
        assert public_part(public).count('class="axxa-stack s-') == len(public.picture.pieces)
        drawn = _private(match, position, view.actor)
        for action in view_of_seat.legal:
            assert f'name="action" value="{action}"' in drawn
        assert drawn.count("data-space=") == SPACES + sum(map(len, own(view_of_seat).goals.values()))
    assert set(drawn_of) >= {"move", "turn", "pay"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("greedy-together-all-0", "Puzzle solved!"),
        ("1-players-together-all-0", "Lost: too few "),
        ("standstill-together", "Lost: no stack can move"),
        ("greedy-versus-orthogonal-0", "A draw"),
        ("4-players-versus-all-1", "Astrid and Cnut win"),
        ("greedy-versus-all-0", "Björn wins"),
    ],
)
def test_the_board_shows_the_result(name: str, text: str) -> None:
    match = recorded(name)
    page = match_page(match, match.view(), id="x", url="/tables/x", seats=_seats(match))
    drawn = public_part(replace(page, result=result_view(match)))
    plaque = re.search(r'<g id="axxa-ending".*?</svg>', drawn, re.DOTALL)
    assert plaque
    assert text in plaque[0]
