"""No response reveals another player's hand or the draw pile in the strategic variant of Viking Axes."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR
from meadhall.games.viking_axes.state import TITLES, Phase
from meadhall.server.hall import match_changes
from meadhall.server.hall.room import Room
from meadhall.server.store import guests
from server.leaks import all_responses, guest_of, news_of, open_page, with_other_hidden_parts
from server.people import OpenHall, Person, Program

pytestmark = pytest.mark.asyncio(loop_scope="module")

VIKING_AXES = "viking-axes"
CARDS = list(TITLES)


async def at_a_table(hall: OpenHall) -> tuple[list[tuple[Person, Program]], Room]:
    """Start a match of three. The players and a spectator each have a browser and a program with the same view."""
    host, others = hall.person(), [hall.person(f"10.0.2.{seat}") for seat in (1, 2)]
    table = await host.open(VIKING_AXES, players=3)
    await host.ask(f"/tables/{table}/options", {"variant": "strategic"})
    for seat, person in enumerate(others, 1):
        await person.ask(f"/tables/{table}/seats", {"set": "sit", "seat": str(seat)})
    room = await hall.room(table)
    people = [host, *others, hall.person("10.0.2.9")]
    viewers = []
    for seat, person in enumerate(people):
        program = await hall.program(f"Robot {seat}")
        if seat < 3:
            guest = hall.store.transact(guests.find, guest_of(hall, program))
            assert guest is not None
            room.change(match_changes.carry_seat, seat, guest)
        viewers.append((person, program))
    await people[-1].get("/settings")  # to get cookies, like the others
    await host.ask(f"/tables/{table}/start")
    return viewers, room


def positions_of_every_phase(begun: Match) -> Iterator[Match]:
    """Yield a position of each phase from random matches: choice of a card, a target, an armory, a wench, an offer."""
    draw, seen = random.Random(5), set[int]()
    while len(seen) < len(Phase):
        match = begun
        while not match.over:
            phase = int(match.states["phase"][0])
            if phase not in seen:
                seen.add(phase)
                yield match
            match = match.copy()
            match.play(draw.choice(match.legal()))


async def test_changing_hidden_parts_changes_no_response(hall: OpenHall) -> None:
    viewers, room = await at_a_table(hall)
    assert room.match is not None
    draw = random.Random(1)
    for k, truth in enumerate(list(positions_of_every_phase(room.match))):
        for seat in (k % 3, 3):
            viewer, (person, program) = seat if seat < 3 else SPECTATOR, viewers[seat]
            room.state.match = truth
            room.publish()
            async with open_page(person, room) as page:
                before = await all_responses(person, program, room.table.id)
                assert any("va-place" in each for each in before)
                room.state.match = with_other_hidden_parts(truth, viewer, draw, CARDS)
                room.publish()
                assert room.match.states.tobytes() != truth.states.tobytes()
                assert await news_of(page, room) == {"regions": {}}, (viewer, len(truth.steps))
                assert await all_responses(person, program, room.table.id) == before, (viewer, len(truth.steps))


async def test_changing_visible_cards_changes_the_responses(hall: OpenHall) -> None:
    """Check that the test above would notice a leak: the owner of the cards sees the change."""
    viewers, room = await at_a_table(hall)
    truth = room.match
    assert truth is not None
    before = await all_responses(*viewers[0], room.table.id)
    draw = random.Random(2)
    hand = truth.states["hand"][0, 0]
    while np.array_equal((twin := with_other_hidden_parts(truth, SPECTATOR, draw, CARDS)).states["hand"][0, 0], hand):
        pass
    room.state.match = twin
    room.publish()
    assert await all_responses(*viewers[0], room.table.id) != before
