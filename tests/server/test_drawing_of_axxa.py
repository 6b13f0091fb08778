"""Every moment of AxxA can be drawn, for everybody and for who is to decide."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from meadhall.engine.match import Match
from meadhall.engine.record.replay import replay
from meadhall.games.axxa.board import POSITIONS, SPACES
from meadhall.games.axxa.page import own
from meadhall.server.pages.frames import FRAMES
from meadhall.server.pages.match import match_page, result_view
from meadhall.server.pages.models import SeatView

pytestmark = pytest.mark.usefixtures("compiled")

RECORDS = Path(__file__).parents[1] / "records" / "axxa"


@cache
def told(name: str) -> Match:
    return replay(json.loads((RECORDS / f"{name}.match.json").read_text(encoding="utf-8")))


def test_spaces_are_drawn_where_they_are() -> None:
    drawn = _private(told("standstill-together"), 0, 1)
    places = re.findall(r'id="space-(\d+)" class="axxa-idle at r(\d) c(\d)"', drawn)
    assert {int(space): (int(row) - 1, int(column) - 1) for space, row, column in places} == dict(enumerate(POSITIONS))


def _private(match: Match, position: int, seat: int) -> str:
    """What a seat alone is shown."""
    page = match_page(match, match.view_at(position, seat), id="x", url="/tables/x", seats=_seats(match), public=False)
    return FRAMES.private(page)


def _seats(match: Match) -> tuple[SeatView, ...]:
    return tuple(SeatView(seat, each, "human") for seat, each in enumerate(match.names))


@pytest.mark.parametrize(
    "name", ["greedy-together-all-0", "greedy-versus-all-0", "standstill-versus", "4-players-versus-orthogonal-1"]
)
def test_every_moment_can_be_drawn_for_everybody(name: str) -> None:
    match = told(name)
    phases = set()
    for position in range(len(match.steps)):
        view = match.view_at(position)
        public = match_page(match, view, id="x", url="/tables/x", seats=_seats(match))
        assert FRAMES.public(public).count('id="stack-') == len(public.picture.stacks)
        assert view.actor is not None
        ours = match.view_at(position, view.actor)
        drawn = _private(match, position, view.actor)
        for action in ours.legal:
            assert f'name="action" value="{action}"' in drawn
        assert drawn.count("data-space=") == SPACES + sum(len(stack.goals) for stack in own(ours).stacks)
        phases.add(own(ours).phase)
    assert phases >= {"move", "turn", "pay"}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("greedy-together-all-0", "All six are removed!"),
        ("1-players-together-all-0", "Lost: too few "),
        ("standstill-together", "Lost: no stack can move"),
        ("greedy-versus-orthogonal-0", "A draw"),
        ("4-players-versus-all-1", "Astrid and Cnut win"),
        ("greedy-versus-all-0", "Björn wins"),
    ],
)
def test_the_end_is_told_on_the_board(name: str, says: str) -> None:
    match = told(name)
    page = match_page(match, match.view(), id="x", url="/tables/x", seats=_seats(match))
    drawn = FRAMES.public(replace(page, result=result_view(match)))
    plaque = re.search(r'<g id="axxa-ending".*?</svg>', drawn, re.DOTALL)
    assert plaque
    assert says in plaque[0]
