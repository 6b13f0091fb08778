"""Every position of Dungeon Allies can be drawn, in public and for the seat to move."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from games.dungeon_allies.scenes import DA, at_random, enriched
from games.dungeon_allies.shapes import drawn as drawn_shape
from meadhall.engine.match.match import Match
from meadhall.games.dungeon_allies.page import own
from meadhall.games.dungeon_allies.pieces import DICE, TARGETS, Act, Phase, Target, parse
from meadhall.server.hall.room import Room
from meadhall.server.pages.frames import controls_part, public_part
from meadhall.server.pages.match import match_page, result_view
from meadhall.server.pages.models import SeatView
from server.people import OpenHall, Person


def moments(most: int) -> Iterator[Match]:
    """Yield positions of a normal match, two that begin rich and late, and two with other components.

    They contain decisions of every kind, and at most so many of a kind for each number of players.
    """
    rich = [enriched(DA.match(players=players, seed=f"rich {seed}")) for players, seed in ((2, 2), (5, 5))]
    other = [enriched(DA.match(players=3, seed=f"other {shape}", components=drawn_shape(shape))) for shape in (4, 8)]
    found = Counter[tuple[int, int]]()
    for match in (DA.match(players=2, seed="plain"), *rich, *other):
        for action in at_random(match):
            found[kind := (int(match.states["phase"][0]), match.players)] += 1
            if found[kind] <= most:
                yield match
            match.play(action)
        yield match


def _public(match: Match) -> str:
    page = match_page(match, match.view(), id="x", url="/tables/x", seats=_seats(match), result=result_view(match))
    return public_part(page)


def _private(match: Match, seat: int) -> str:
    page = match_page(match, match.view(seat), id="x", url="/tables/x", seats=_seats(match), public=False)
    return controls_part(page)


def _seats(match: Match) -> tuple[SeatView, ...]:
    return tuple(SeatView(seat, each, "human") for seat, each in enumerate(match.names))


def _control(drawn: str, argument: int) -> str:
    """Return the button of a target that is not refused to a die, which can be selected."""
    target, die = divmod(argument, DICE)
    button = re.search(rf'<button id="to-{target}"[^>]*>', drawn)
    assert button
    assert not re.search(rf'class="[^"]*\b(?:no|x{die})\b|aria-disabled', button[0])
    assert re.search(rf'<input id="take-{die}" data-bare="" (?!disabled)', drawn)
    assert f'name="first" value="{Act.PLACE + DICE * target}"' in button[0]
    return button[0]


def targets(match: Match) -> list[int]:
    """Return the targets that there are with the components of the match."""
    state: Any = match.state
    return [*range(Target.PRISONER + state.prisoners), *range(Target.TRADE, TARGETS)]


@pytest.mark.parametrize("most", [1, pytest.param(1000, marks=pytest.mark.long)])
def test_every_position_can_be_drawn_and_every_action_chosen(most: int) -> None:
    """DA-4.1: The places stand in their order in the document, wherever they are in the picture."""
    phases = set()
    for match in moments(most):
        drawn = _public(match)
        assert [int(target) for target in re.findall(r'id="spot-(\d+)"', drawn)] == targets(match)
        assert drawn.count('role="dialog" aria-labelledby="corner-') == match.players
        assert ('id="da-final" class="da-final" hidden' in drawn) == (match.actor is not None)
        if match.actor is None:
            continue
        view = match.view(match.actor)
        phase = Phase(view.state.phase)
        phases.add(phase)
        drawn = _private(match, match.actor)
        for action in view.legal:
            kind, argument = parse(action)
            if kind == Act.PLACE:
                assert drawn.count(_control(drawn, argument)) == 1
            elif phase == Phase.BID:
                assert drawn.count(f'<option value="{action}">{action - Act.BID}</option>') == 1
            else:
                assert drawn.count(f'name="action" value="{action}"') == 1
        for target, *_ in own(view).seen:
            assert f'<span id="look-{target}" class="da-sight"><span class="da-face' in drawn
        for other in set(range(match.players)) - {match.actor}:
            assert 'name="action"' not in _private(match, other)
    assert phases == set(Phase)


def test_the_public_part_shows_no_unseen_tile() -> None:
    match = DA.match(players=2, seed="plain")
    assert 'class="da-face' not in _public(match)


async def test_a_form_sends_the_first_action_of_a_target_and_the_number_of_the_die(hall: OpenHall) -> None:
    """A form without a die, or with nonsense, is refused and changes nothing."""
    people, room = await _placing(hall)
    assert room.match is not None
    actor, before = room.match.actor, room.match.next_number
    assert actor is not None
    path, first = f"/tables/{room.table.id}/act", Act.PLACE + DICE * Target.TRADE
    for form in ({"first": str(first)}, {"first": "x", "plus": "0"}, {"first": str(first), "plus": "one"}, {}):
        refused = await people[actor].ask(path, form)
        assert refused.status_code == 400
        assert "An action must be an integer" in refused.text
    assert (await people[actor].ask(path, {"first": str(first), "plus": "4"})).status_code == 422  # no ally has a d12
    assert room.match.next_number == before
    assert (await people[actor].ask(path, {"first": str(first), "plus": "1"})).status_code == 200
    assert int(room.match.states["place"][0][actor][1]) == Target.TRADE


async def test_sheets_are_loaded_when_they_open(hall: OpenHall) -> None:
    people, room = await _placing(hall)
    path = f"/tables/{room.table.id}"
    page = (await people[0].get(path)).text
    for name, words in (("turn", "What happened in turn 1"), ("corner-1", "Bjorn"), ("corner-0", "0 points now")):
        assert f'id="{name}"' in page
        assert f'hx-get="{path}/sheets/{name}"' in page
        assert words in (await people[0].get(f"{path}/sheets/{name}")).text
    assert "What happened in turn 1" not in page
    for name in ("corner-2", "nothing"):
        assert (await people[0].get(f"{path}/sheets/{name}")).status_code == 404
    lobby = await people[0].open("dungeon-allies")
    assert (await people[0].get(f"/tables/{lobby}/sheets/turn")).status_code == 404


async def _placing(hall: OpenHall) -> tuple[list[Person], Room]:
    """Return a match of two in which the dice have been given out."""
    people = [hall.person(), hall.person("10.0.0.2")]
    await people[1].ask("/settings", {"name": "Bjorn"})
    table = await people[0].open("dungeon-allies")
    await people[1].ask(f"/tables/{table}/seats", {"set": "sit"})
    await people[0].ask(f"/tables/{table}/start")
    room = await hall.room(table)
    while room.match is None or room.match.state.phase != Phase.PLACE:
        assert room.match is not None
        assert room.match.actor is not None
        await people[room.match.actor].act(table, room.match.legal()[0].action)
    return people, room
