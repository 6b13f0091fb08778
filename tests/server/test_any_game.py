"""Games without a page of their own: every page of the hall shows them, and a mistake of a game is told as such."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio

from games_for_tests import goofspiel, hoard, kuhn, least
from games_for_tests.broken import Words
from meadhall.engine.game import Game
from meadhall.engine.registry import registered
from meadhall.server.pages.log import rule_url
from meadhall.server.settings import Settings
from server.people import OpenHall, open_hall, play_out, until

pytestmark = pytest.mark.asyncio

PAGELESS = replace(goofspiel.game, name="goofspiel-without-a-page", page=None, folder=None)
GAMES = [least.game, kuhn.game, PAGELESS]  # without hidden cards, with them, and with simultaneous decisions


@pytest.fixture(params=GAMES, ids=lambda game: game.name)
def subject(request: pytest.FixtureRequest) -> Iterator[Game]:
    with registered(request.param):
        yield request.param


@pytest_asyncio.fixture
async def opened(subject: Game, settings: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    async with open_hall(settings) as hall:
        yield hall


async def test_every_page_shows_a_game_that_has_none_of_its_own(opened: OpenHall, subject: Game) -> None:
    host, friend, room = await opened.two_at(subject.name)
    watcher, table = opened.person("10.0.0.3"), f"/tables/{room.table.id}"
    for person in (host, friend, watcher):
        page = await person.get(table)
        assert page.status_code == 200, page.text
        assert 'id="any-public"' in page.text
        assert "any_game.css" in page.text
        assert ('id="any-own"' in page.text) == (person is not watcher)
    await play_out(room, {0: host, 1: friend})
    for path in (table, f"{table}/replay", f"{table}/replay?step=1&seat=0", f"{table}/record", f"{table}/picture.png"):
        answer = await host.get(path)
        assert answer.status_code == 200, (path, answer.text)
    for path in ("/", f"/rules/{subject.name}", "/matches"):
        answer = await host.get(path, **{"Accept-Language": "de"})
        assert answer.status_code == 200, (path, answer.text)
        assert subject.title in answer.text


@pytest.mark.parametrize("subject", [least.game], indirect=True)
async def test_bots_play_such_a_game_and_a_person_gets_hints(opened: OpenHall, subject: Game) -> None:
    program = await opened.program()
    table = await program.open(game=subject.name, bots=["thrall"])
    room = await opened.room(table["id"])
    await until(room, lambda: room.match is not None and (room.match.over or 0 in room.match.deciders))
    assert room.match is not None
    if not room.match.over:
        hint = await program.post(f"/tables/{table['id']}/hint")
        assert hint.status_code < 300, hint.text


async def test_the_seat_to_move_has_a_button_for_each_action_and_its_own_view(settings: Settings, at_once: None) -> None:
    subject = replace(hoard.game, name="hoard-of-words")
    with registered(subject):
        async with open_hall(settings) as opened:
            host, friend, room = await opened.two_at(subject.name)
            assert room.match is not None
            mover, waiter = (host, friend) if room.match.actor == 0 else (friend, host)
            actor = room.match.actor
            assert actor is not None
            path = f"/tables/{room.table.id}"
            page, other = (await mover.get(path)).text, (await waiter.get(path)).text
            for action in room.match.legal():
                assert f'id="act-{action.action}"' in page
            assert 'id="act-' not in other
            own = "<td>" + " ".join(map(str, room.match.state.hand[actor][:2]))
            assert own in page.partition('id="any-own"')[2]
            assert own not in other


async def test_a_mistake_of_a_game_is_told_and_logged(
    settings: Settings, at_once: None, caplog: pytest.LogCaptureFixture
) -> None:
    def prompt(_state: Any, _names: Any, _viewer: int) -> str:
        raise KeyError("the hidden card is 7")

    subject = replace(least.game, name="faulty-stone", title="Faulty stone", words=Words(prompt=prompt))
    with registered(subject):
        async with open_hall(settings) as opened:
            host, _, room = await opened.two_at(subject.name)
            answer = await host.get(f"/tables/{room.table.id}")
            assert answer.status_code == 500
            assert "The game Faulty stone has a mistake" in answer.text
            assert "hidden card" not in answer.text
            assert (await host.get("/")).status_code == 200
    told = [record.getMessage() for record in caplog.records if "faulty-stone" in record.getMessage()]
    assert len(told) == 1
    assert "test_any_game.py" in told[0]
    assert "KeyError" in told[0]


async def test_an_event_without_a_rule_leads_to_the_rulebook() -> None:
    assert rule_url("last-stone", "") == "/rules/last-stone"
