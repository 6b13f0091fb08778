"""The strategic variant of Viking Axes: nobody is told what others hold, nor what lies in the draw pile."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from meadhall.engine.match import Match
from meadhall.engine.view import SPECTATOR
from meadhall.games.viking_axes.cards import TITLES
from meadhall.games.viking_axes.state import Phase
from meadhall.lab import warm
from meadhall.server.hall.room import Room
from server.people import OpenHall, Person, Program
from server.test_secrets import all_that_is_told, guest_of, otherwise

pytestmark = pytest.mark.asyncio

VIKING_AXES = "viking-axes"
CARDS = list(TITLES)


@pytest.fixture(scope="module", autouse=True)
def compiled_too() -> None:
    warm([VIKING_AXES], bulk=False)


async def at_a_table(hall: OpenHall) -> tuple[list[tuple[Person, Program]], Room]:
    """A match of three. The players and a spectator, each a person at a browser and a program that sees as much."""
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
            guest = await hall.store.guest(await guest_of(hall, program))
            assert guest is not None
            await room.carry_seat(seat, guest)
        viewers.append((person, program))
    await people[-1].get("/settings")  # has cookies, like the others
    await host.ask(f"/tables/{table}/start")
    return viewers, room


def moments(begun: Match) -> Iterator[Match]:
    """A moment of each kind, from random matches: a card to choose, somebody to throw at, an armory, a wench, an offer."""
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


async def test_changing_what_is_hidden_changes_no_byte_that_others_are_sent(hall: OpenHall) -> None:
    viewers, room = await at_a_table(hall)
    assert room.match is not None
    draw = random.Random(1)
    for truth in list(moments(room.match)):
        for viewer, (person, program) in zip((0, 1, 2, SPECTATOR), viewers, strict=True):
            room.match = truth
            room.publish()
            before = await all_that_is_told(person, program, room.table.id)
            assert any("va-place" in each for each in before)
            room.match = otherwise(truth, viewer, draw, CARDS)
            room.publish()
            assert room.match.states.tobytes() != truth.states.tobytes()
            assert await all_that_is_told(person, program, room.table.id) == before, (viewer, len(truth.steps))


async def test_the_test_above_would_notice(hall: OpenHall) -> None:
    """What is changed for another's eyes, the owner of the cards is shown."""
    viewers, room = await at_a_table(hall)
    truth = room.match
    assert truth is not None
    before = await all_that_is_told(*viewers[0], room.table.id)
    draw = random.Random(2)
    while np.array_equal((twin := otherwise(truth, SPECTATOR, draw, CARDS)).states["hand"][0, 0], truth.states["hand"][0, 0]):
        pass
    room.match = twin
    room.publish()
    assert await all_that_is_told(*viewers[0], room.table.id) != before
