"""Every moment of Dungeon Allies can be drawn, for everybody and for who is to decide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from games.dungeon_allies.scenes import DA, at_random, enriched
from meadhall.engine.match import Match
from meadhall.games.dungeon_allies import state
from meadhall.games.dungeon_allies.names import FIRST_TARGETS
from meadhall.games.dungeon_allies.page import own
from meadhall.games.dungeon_allies.state import BID, TARGETS, Phase
from meadhall.server.pages.frames import FRAMES
from meadhall.server.pages.match import match_page, result_view
from meadhall.server.pages.models import SeatView
from meadhall.server.pages.templates import template

pytestmark = pytest.mark.usefixtures("compiled")


def moments() -> Iterator[Match]:
    """Every moment of a plain match and of two that begin rich, and late: among them decisions of every kind."""
    rich = [enriched(DA.match(players=players, seed=f"rich {seed}")) for players, seed in ((2, 2), (5, 5))]
    for match in (DA.match(players=2, seed="plain"), *rich):
        for action in at_random(match):
            yield match
            match.play(action)
        yield match


def _public(match: Match) -> str:
    page = match_page(match, match.view(), id="x", url="/tables/x", seats=_seats(match), result=result_view(match))
    return FRAMES.public(page)


def _private(match: Match, seat: int) -> str:
    page = match_page(match, match.view(seat), id="x", url="/tables/x", seats=_seats(match), public=False)
    return FRAMES.private(page)


def _seats(match: Match) -> tuple[SeatView, ...]:
    return tuple(SeatView(seat, each, "human") for seat, each in enumerate(match.names))


def test_the_page_numbers_targets_and_actions_as_the_rules_do() -> None:
    numbers: Any = template("dungeon-allies/page.html").module
    for name in ("PLACE", "ILLUMINATE", "PEEK", "BID", "FIGHT", "ROLL", "HAMMER", "ENHANCE", "BLESS", "ACCEPT", "REROLL"):
        assert getattr(numbers, name) == getattr(state, name)
    for name in ("FOLLOWER_DIE", "END_TRADE", "TRADE", "BUY"):
        assert getattr(numbers, name) == getattr(state, name)
    assert numbers.first[1:] == FIRST_TARGETS


def test_every_moment_can_be_drawn_and_every_action_chosen() -> None:
    """DA-4.1: the places are read in their order, whatever their places in the picture."""
    phases = set()
    for match in moments():
        drawn = _public(match)
        assert [int(target) for target in re.findall(r'id="spot-(\d+)"', drawn)] == list(range(TARGETS))
        assert drawn.count('role="dialog" aria-labelledby="corner-') == match.players
        if match.actor is None:
            assert 'id="da-final"' in drawn
            continue
        view = match.view(match.actor)
        phase = Phase(view.state.phase)
        phases.add(phase)
        drawn = _private(match, match.actor)
        for action in view.legal:
            bid = f'<option value="{action}">{action - BID}</option>'
            assert drawn.count(bid if phase == Phase.BID else f'name="action" value="{action}"') == 1
        for look in own(view).looks:
            assert f'id="look-{look.on.square}"' in drawn
        for waiting in set(range(match.players)) - {match.actor}:
            assert 'name="action"' not in _private(match, waiting)
    assert phases == set(Phase)


def test_nothing_that_all_see_names_a_tile_that_nobody_has_seen() -> None:
    match = DA.match(players=2, seed="plain")
    assert "da-face" not in _public(match)
