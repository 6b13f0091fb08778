"""Reactions: signs that players show over their plates for some seconds, and that leave nothing behind."""

from __future__ import annotations

import re

import httpx
import pytest

from meadhall.server.hall.chat import PHRASES, REACTION_RATE, REACTIONS, SHOWN_FOR
from meadhall.server.settings import Settings
from server.manual_time import ManualTime, settled
from server.people import OpenHall, Person, open_hall, stream
from server.test_chat import Panel, say

pytestmark = pytest.mark.asyncio


async def react(person: Person, table: str, key: str = "skal") -> httpx.Response:
    return await person.ask(f"/tables/{table}/chat", {"reaction": key})


async def seen(person: Person, table: str) -> list[tuple[str, str]]:
    """Return the seat and the words of each reaction on a page that is loaded now."""
    page = (await person.get(f"/tables/{table}")).text
    return re.findall(r'(?s)<p id="reacted-[\w-]+" class="reacted" data-seat="(\d)">.*?<span>(.*?)</span></p>', page)


async def test_a_reaction_is_shown_for_some_seconds_to_all_at_the_table(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await hall.two_at()
    table, watcher = room.table.id, hall.person("10.0.0.3")
    await friend.post("/settings", {"language": "de"})
    for person in (host, watcher):
        await seen(person, table)  # whom they ignore is known from now on
    async with stream(watcher, f"/tables/{table}/stream", page="p") as streamed:
        panel, version = Panel(streamed), room.version
        await panel.news()
        assert (await react(friend, table, "well")).status_code == 200
        assert "Well played!" in await panel.news()
        await settled()
        assert not streamed.waiting, "no frame comes with it"
        assert room.version == version
    assert await seen(host, table) == await seen(watcher, table) == [("1", "Well played!")]
    assert await seen(friend, table) == [("1", "Gut gespielt!")]
    await time.advance(SHOWN_FOR.total_seconds() + 0.1)
    assert await seen(host, table) == await seen(friend, table) == []
    assert room.chat.lines(("players", "spectators")) == []
    assert hall.store.transact(lambda db: db.rows("SELECT * FROM chat_lines")) == []


async def test_a_seat_reacts_a_few_times_in_ten_seconds(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await hall.two_at()
    lasting, most = REACTION_RATE
    answers = [await react(friend, room.table.id) for _ in range(most + 1)]
    assert [answer.status_code for answer in answers] == [200] * most + [429]
    assert answers[-1].json()["error"] == "too-many"
    assert len(room.chat.reactions()) == most, "the refused one isn't shown"
    assert (await react(host, room.table.id)).status_code == 200, "each seat for itself"
    await time.advance(lasting.total_seconds() + 0.1)
    assert (await react(friend, room.table.id)).status_code == 200


async def test_muted_and_blocked_people_show_nothing(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    table = room.table.id
    async with stream(host, f"/tables/{table}/stream", page="p") as streamed:
        panel = Panel(streamed)
        for kind, end in (("mute", "unmute"), ("block", "unblock")):
            await host.ask(f"/tables/{table}/chat/people", {"who": "seat:1", "set": kind})
            while f'value="{end}"' not in await panel.news():
                pass
            await react(friend, table, "laugh")
            await settled()
            assert not streamed.waiting, "not even a heartbeat"
            assert await seen(host, table) == []
            assert ("1", "Ha, ha, ha!") in await seen(friend, table)
            if kind == "block":
                await react(host, table, "oops")
                assert ("0", "Oops …") not in await seen(friend, table)
            await host.ask(f"/tables/{table}/chat/people", {"who": "seat:1", "set": end})


async def test_only_players_react_while_the_chat_is_open(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    table, watcher = room.table.id, hall.person("10.0.0.3")
    assert (await react(watcher, table)).json()["error"] == "not-your-seat"
    assert (await react(friend, table, "hello")).json()["error"] == "bad-line"
    assert 'id="react-form"' in (await friend.get(f"/tables/{table}")).text
    assert 'id="react-form"' not in (await watcher.get(f"/tables/{table}")).text
    await host.ask(f"/tables/{table}/chat/close")
    assert (await react(friend, table)).json()["error"] == "wrong-moment"
    assert 'id="react-form"' not in (await friend.get(f"/tables/{table}")).text
    assert room.chat.reactions() == []


async def test_a_hall_without_chat_and_a_table_of_one_person_have_no_reactions(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as silent:
        silent.switch("chat", "off")
        host, _friend, room = await silent.two_at()
        assert (await react(host, room.table.id)).json()["error"] == "no-chat"
        assert "reaction" not in (await host.get(f"/tables/{room.table.id}")).text
    async with open_hall(settings) as opened:
        alone = opened.person()
        started = await alone.post("/tables", {"game": "axes-and-allies", "kind": "bots", "players": "3"})
        table = started.headers["location"]
        assert 'id="react-form"' not in (await alone.get(table)).text


async def test_what_a_reaction_says_is_said_by_no_line_any_more(hall: OpenHall) -> None:
    host, _friend, room = await hall.two_at()
    page = (await host.get(f"/tables/{room.table.id}")).text
    assert set(re.findall(r'name="phrase" value="(\w+)"', page)) == PHRASES.keys() - {*REACTIONS}
    assert re.findall(r'name="reaction" value="(\w+)"', page) == [*REACTIONS]
    assert (await say(host, room.table.id, phrase="well")).json()["error"] == "bad-line"


async def test_programs_react_and_see_reactions(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs()
    async with stream(host, f"/api/v1/tables/{table}/events") as streamed:
        answer = (await friend.post(f"/tables/{table}/chat", {"reaction": "wow"})).json()
        assert (answer["seat"], answer["phrase"], answer["text"], answer["you"]) == (1, "wow", "By Odin's beard!", True)
        while not (message := await streamed.message() or "").startswith("event: reaction\n"):
            assert message
        assert f'"id":"{answer["id"]}"' in message
        assert '"you":false' in message
