"""Crests of people: chosen in the settings, and shown wherever their names are."""

from __future__ import annotations

import json
import re

import pytest

from meadhall.server.pages.picture import picture_of, svg
from meadhall.server.store.models import COLOURS, SIGNS, Crest
from server.matches import match_of
from server.people import HOARD, OpenHall, Person, play_out

pytestmark = pytest.mark.asyncio

RAVEN = {"name": "Sigrid", "sign": "raven", "colour": "rose"}
ARMS = re.compile(r'class="arms seat-(\d) ?\w*" viewBox="[^"]*" aria-hidden="true" focusable="false"><use href="#arms-(\d)"')


async def crests(person: Person, path: str, begin: str = "", end: str = "</body>") -> set[str]:
    """Return the crests on a part of a page."""
    page = (await person.get(path)).text
    part = page[page.index(begin) :]
    return {Crest(int(sign), int(colour)).text for colour, sign in ARMS.findall(part[: part.index(end)])}


async def test_a_crest_is_chosen_in_the_settings_and_a_wrong_one_changes_nothing(hall: OpenHall) -> None:
    person = hall.person()
    await person.get("/")
    given = await crests(person, "/people/me", "<h1>")
    assert len(given) == 1
    assert await crests(person, "/people/me", "<h1>") == given, "it follows from the id"
    assert await crests(person, "/", '<header class="bar">', "</header>") == given
    await person.post("/settings", RAVEN)
    assert await crests(person, "/people/me", "<h1>") == {"raven-rose"}
    for wrong in ({"sign": "dragon", "colour": "gold"}, {"sign": "wolf"}, {"sign": "wolf-gold", "colour": ""}, {"theme": "dark"}):
        await person.post("/settings", wrong)
        assert await crests(person, "/people/me", "<h1>") == {"raven-rose"}
    page = (await person.get("/settings")).text
    assert 'value="raven" checked' in page
    assert 'value="rose" checked' in page
    assert [page.count(f'value="{each}"') for each in (*SIGNS, *COLOURS)] == [1] * 14


async def test_a_crest_stands_beside_the_name_in_lobby_match_chat_lists_and_picture(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person("10.0.0.2")
    await friend.post("/settings", {"sign": "boar", "colour": "gold"})
    table = await host.open(HOARD)
    await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
    await host.post("/settings", RAVEN)
    both = {"raven-rose", "boar-gold"}
    assert await crests(host, f"/tables/{table}", '<ol class="chairs">', "</ol>") == both
    assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    room = await hall.room(table)
    assert await crests(host, f"/tables/{table}", 'class="plate ') == both
    assert await crests(host, "/", "<main") == both
    await friend.post(f"/tables/{table}/chat", {"text": "Well met"})
    assert await crests(host, f"/tables/{table}/chat", 'id="said-', "Well met") == {"boar-gold"}
    await friend.post("/settings", {"sign": "ship", "colour": "teal"})
    both = {"raven-rose", "ship-teal"}
    assert await crests(host, f"/tables/{table}", 'class="plate ') == both, "also during the match"
    await play_out(room, {0: host, 1: friend})
    drawn = re.findall(r'<g class="seat-(\d)">[^>]*><use href="#arms-(\d)"', svg(picture_of(match_of(room), room.table)))
    assert {Crest(int(sign), int(colour)).text for colour, sign in drawn} == both
    assert await crests(host, f"/tables/{table}/replay", 'class="plate ') == both
    assert await crests(host, "/people", "<main") == {"ship-teal"}
    data = json.loads((await host.get("/privacy/data")).text)
    assert data["guests"][0]["crest"] == "raven-rose"
    await host.post("/privacy/delete", {"sure": "on"})
    assert await crests(friend, f"/tables/{table}", 'class="plate ') == {"ship-teal"}
