"""No response reveals an unseen piece of AxxA."""

from __future__ import annotations

import random

import pytest

from meadhall.engine.match import match as matches
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR
from meadhall.games.axxa.state import Act
from server.leaks import all_responses, with_other_hidden_parts
from server.matches import match_of
from server.people import OpenHall, Person, Program

pytestmark = pytest.mark.asyncio(loop_scope="module")

DECISIONS = 12


async def test_redealing_the_unseen_pieces_changes_no_response(hall: OpenHall) -> None:
    viewers, truth, table = await in_the_middle(hall)
    room = await hall.room(table)
    draw = random.Random(1)
    for viewer, (person, program) in zip((0, 1, SPECTATOR), viewers, strict=True):
        before = await all_responses(person, program, table)
        room.state.match = with_other_hidden_parts(truth, viewer, draw)
        room.publish()
        assert match_of(room).states["piece"].tobytes() != truth.states["piece"].tobytes()
        assert await all_responses(person, program, table) == before, f"viewer {viewer}"
        room.state.match = truth
        room.publish()


async def test_without_concealment_the_responses_differ(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the test above would notice a leak."""
    viewers, truth, table = await in_the_middle(hall)
    room = await hall.room(table)
    twin = with_other_hidden_parts(truth, SPECTATOR, random.Random(2))
    monkeypatch.setattr(matches, "concealed", lambda game, tables, viewer: tables.copy())
    room.publish()
    before = await viewers[-1][0].get(f"/tables/{table}")
    room.state.match = twin
    room.publish()
    assert (await viewers[-1][0].get(f"/tables/{table}")).text != before.text


async def in_the_middle(hall: OpenHall) -> tuple[list[tuple[Person, Program]], Match, str]:
    """Start a match, with some moves and stacks turned over, for two players, a spectator, and a program beside each of them."""
    host, friend, room = await hall.two_at("axxa")
    people = (host, friend, hall.person("10.0.0.3"))
    await people[-1].get("/settings")  # to get cookies, like the others
    for _ in range(DECISIONS):
        match = room.match
        assert match is not None
        assert match.actor is not None
        legal = [choice.action for choice in match.legal()]
        answer = await people[match.actor].act(room.table.id, Act.TURN if Act.TURN in legal else legal[0])
        assert answer.status_code == 200, answer.text
    assert room.match is not None
    viewers = [(person, await hall.program(f"Robot {k}")) for k, person in enumerate(people)]
    return viewers, room.match, room.table.id
