"""No response reveals an unseen piece of AxxA or an unseen tile, follower or card of Dungeon Allies."""

from __future__ import annotations

import random

import pytest

from meadhall.engine.match import match as matches
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.state import chance
from meadhall.games.axxa.state import Act as AxxaAct
from meadhall.games.dungeon_allies.pieces import DICE, SQUARES, Act, Target
from meadhall.games.dungeon_allies.state import Event
from server.leaks import all_responses, news_of, open_page, with_other_hidden_parts
from server.matches import match_of
from server.people import OpenHall, Person, Program

pytestmark = pytest.mark.asyncio(loop_scope="module")

DECISIONS = {"axxa": 12, "dungeon-allies": 60}


def axxa_prefers(action: int) -> bool:
    return action == AxxaAct.TURN


def dungeon_allies_prefers(action: int) -> bool:
    """Look at tiles, and otherwise take the place in the order of turns, whose first spaces give the crystals for a look."""
    in_order = range(Act.PLACE + DICE * Target.TURN_ORDER, Act.PLACE + DICE * (Target.TURN_ORDER + 1))
    return action == Act.ILLUMINATE or action in range(Act.PEEK, Act.PEEK + SQUARES) or action in in_order


PREFERS = {"axxa": axxa_prefers, "dungeon-allies": dungeon_allies_prefers}


@pytest.fixture(autouse=True)
def one_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all matches have the same deal: with some deals of AxxA the first legal actions end a match too early."""
    monkeypatch.setattr(chance, "new_seed", lambda: b"a deal in which all can be shown")


@pytest.mark.parametrize("game", DECISIONS)
async def test_redealing_what_is_unseen_changes_no_response(hall: OpenHall, game: str) -> None:
    viewers, truth, table = await in_the_middle(hall, game)
    room = await hall.room(table)
    draw = random.Random(1)
    for viewer, (person, program) in zip((0, 1, SPECTATOR), viewers, strict=True):
        async with open_page(person, room) as page:
            before = await all_responses(person, program, table)
            room.state.match = with_other_hidden_parts(truth, viewer, draw)
            room.publish()
            assert match_of(room).states.tobytes() != truth.states.tobytes()
            assert await news_of(page, room) == {"regions": {}}, f"viewer {viewer}"
            assert await all_responses(person, program, table) == before, f"viewer {viewer}"
        room.state.match = truth
        room.publish()


@pytest.mark.parametrize("game", DECISIONS)
async def test_without_concealment_the_responses_differ(hall: OpenHall, monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    """Check that the test above would notice a leak."""
    viewers, truth, table = await in_the_middle(hall, game)
    room = await hall.room(table)
    twin = with_other_hidden_parts(truth, SPECTATOR, random.Random(2))
    monkeypatch.setattr(matches, "concealed", lambda game, tables, viewer: tables.copy())
    room.publish()
    before = await viewers[-1][0].get(f"/tables/{table}")
    room.state.match = twin
    room.publish()
    assert (await viewers[-1][0].get(f"/tables/{table}")).text != before.text


async def in_the_middle(hall: OpenHall, game: str) -> tuple[list[tuple[Person, Program]], Match, str]:
    """Start a match, in which each player has seen something, for two players, a spectator, and a program beside each of them."""
    host, friend, room = await hall.two_at(game)
    people = (host, friend, hall.person("10.0.0.3"))
    await people[-1].get("/settings")  # to get cookies, like the others
    for _ in range(DECISIONS[game]):
        match = room.match
        assert match is not None
        assert match.actor is not None
        legal = [choice.action for choice in match.legal()]
        action = next(filter(PREFERS[game], legal), legal[-1 if game == "dungeon-allies" else 0])
        answer = await people[match.actor].act(room.table.id, action)
        assert answer.status_code == 200, answer.text
    assert room.match is not None
    if game == "dungeon-allies":
        looks = {event.arguments[0] for step in room.match.steps for event in step.events if event.kind == Event.PEEK_FACE}
        assert looks, "a player has looked at a tile"
    viewers = [(person, await hall.program(f"Robot {k}")) for k, person in enumerate(people)]
    return viewers, room.match, room.table.id
