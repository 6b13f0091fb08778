"""Crests of people, which are the marks of their seats: chosen in the settings, and shown wherever their names are."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, strategies as st

from meadhall.server.pages.picture import picture_of, styles, svg
from meadhall.server.store.models import COLOURS, SIGNS, Crest, TableRow, told_apart
from server.matches import match_of
from server.people import AXES, HOARD, OpenHall, Person, play_out
from server.test_merging import table_with

RAVEN = {"name": "Sigrid", "sign": "raven", "colour": "rose"}
ARMS = re.compile(r'class="arms dye-(\d) ?\w*" viewBox="[^"]*" aria-hidden="true" focusable="false"><use href="#arms-(\d)"')
CREST = re.compile(r'class="crest seat-(\d) ?\w*" viewBox="[^"]*" aria-hidden="true" focusable="false"><use href="#shield-(\d)"')
SHIELD = re.compile(r'<symbol id="shield-(\d)" (?:(?!</symbol>).)*href="#sign-(\d)"')
DYED = re.compile(r'class="[^"]*\b(?:frame|chat-page|chart-page)\b([^"]*)"')


async def crests(person: Person, path: str, begin: str = "", end: str = "</body>") -> list[str]:
    """Return the crests of people on a part of a page, and the marks of seats as its styles and its shields draw them."""
    page = (await person.get(path)).text
    part = page[page.index(begin) :]
    part = part[: part.index(end)]
    signs = dict(SHIELD.findall(page))
    colours = dict(re.findall(r"\bs(\d)-c(\d)", "".join(DYED.findall(page))))
    marks = [Crest(int(signs[seat]), int(colours.get(seat, seat))).text for seat, _seat in CREST.findall(part)]
    assert len(SHIELD.findall(page)) == len(signs) == 7, "each shield stands on a page once"
    return list(dict.fromkeys([Crest(int(sign), int(colour)).text for colour, sign in ARMS.findall(part)] + marks))


@pytest.mark.asyncio
async def test_a_crest_is_chosen_in_the_settings_and_a_wrong_one_changes_nothing(hall: OpenHall) -> None:
    person = hall.person()
    await person.get("/")
    given = await crests(person, "/people/me", "<h1>")
    assert len(given) == 1
    assert await crests(person, "/people/me", "<h1>") == given, "it follows from the id"
    assert await crests(person, "/", '<header class="bar">', "</header>") == given
    await person.post("/settings", RAVEN)
    assert await crests(person, "/people/me", "<h1>") == ["raven-rose"]
    for wrong in ({"sign": "dragon", "colour": "gold"}, {"sign": "wolf"}, {"sign": "wolf-gold", "colour": ""}, {"theme": "dark"}):
        await person.post("/settings", wrong)
        assert await crests(person, "/people/me", "<h1>") == ["raven-rose"]
    page = (await person.get("/settings")).text
    assert 'value="raven" checked' in page
    assert 'value="rose" checked' in page
    assert [page.count(f'value="{each}"') for each in (*SIGNS, *COLOURS)] == [1] * 14


@pytest.mark.asyncio
async def test_a_crest_is_the_mark_of_the_seat_in_lobby_match_chat_lists_and_picture(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person("10.0.0.2")
    await friend.post("/settings", {"sign": "boar", "colour": "gold"})
    table = await host.open(HOARD)
    await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
    await friend.post(f"/tables/{table}/chat", {"text": "Well met"})
    await host.post("/settings", RAVEN)
    both = ["raven-rose", "boar-gold"]
    assert await crests(host, f"/tables/{table}", '<ol class="chairs">', "</ol>") == both
    assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    await friend.post("/settings", {"sign": "ship", "colour": "teal"})
    room = await hall.room(table)
    assert await crests(host, f"/tables/{table}", 'class="plate ') == both, "a new crest waits for the next match"
    assert await crests(host, "/", "<main") == both
    assert await crests(host, f"/tables/{table}/chat", 'id="said-', "Well met") == ["boar-gold"]
    await play_out(room, {0: host, 1: friend})
    assert await crests(host, f"/tables/{table}", 'class="plate ') == both
    assert await crests(host, f"/tables/{table}/replay", 'class="plate ') == both
    assert set(await crests(host, f"/tables/{table}/chart", "<main")) <= {*both}
    assert await crests(host, "/people", "<main") == ["ship-teal"]
    picture = svg(picture_of(match_of(room), room.table))
    drawn = re.findall(r'<g class="seat-(\d)"><svg class="picture-crest"[^>]*><use href="#shield-(\d)"', picture)
    assert [Crest(int(dict(SHIELD.findall(picture))[seat]), int(colour)).text for colour, seat in drawn] == both
    assert all(f".seat-{colour} .picture-crest {{ color: " in styles(HOARD).sheet for colour, _seat in drawn)
    for person in (friend, host):
        again = (await person.post(f"/tables/{table}/rematch")).headers["location"]
    assert await crests(host, again, 'class="plate ') == ["raven-rose", "ship-teal"]
    data = json.loads((await host.get("/privacy/data")).text)
    assert data["guests"][0]["crest"] == "raven-rose"
    await host.post("/privacy/delete", {"sure": "on"})
    assert await crests(friend, again, 'class="plate ') == ["raven-rose", "ship-teal"], "it has begun"
    assert await crests(friend, f"/tables/{table}", 'class="plate ') == ["wolf-blue", "boar-gold"]


@pytest.mark.asyncio
async def test_no_seats_of_a_table_look_alike_and_nothing_changes_them_during_a_match(hall: OpenHall) -> None:
    people = [hall.person(f"10.0.0.{k}") for k in range(2, 5)]
    for person, crest in zip(people, (("bear", "teal"), ("bear", "blue"), ("ship", "teal")), strict=True):
        await person.post("/settings", dict(zip(("sign", "colour"), crest, strict=True)))
    table = await people[0].open(AXES, 4)
    for person in people[1:]:
        await person.ask(f"/tables/{table}/seats", {"set": "sit"})
    await people[0].ask(f"/tables/{table}/seats", {"seat": "3", "set": "bot:huscarl"})
    lobby = await crests(people[0], f"/tables/{table}", '<ol class="chairs">', "</ol>")
    assert lobby == ["bear-teal", "tree-blue", "ship-green", "wolf-violet"]
    assert lobby[2].startswith("ship"), "a person whose sign is taken takes no other person's"
    for person in people[1:]:
        await person.ask(f"/tables/{table}/seats", {"set": "ready"})
    assert (await people[0].ask(f"/tables/{table}/start")).status_code == 200
    room = await hall.room(table)
    await people[1].post("/settings", {"name": "Ulfhild", "sign": "boar", "colour": "gold"})
    await people[2].ask(f"/tables/{table}/resign")
    await people[0].post("/privacy/delete", {"sure": "on"})
    assert room.table.seats[0].kind == "bot"
    assert await crests(people[1], f"/tables/{table}", 'class="plate ') == lobby


def table_of(*worn: str) -> TableRow:
    """Return a table where people with some crests sit; "" is a bot."""
    table = table_with("host", *(f"guest {k}" if crest else "" for k, crest in enumerate(worn)))
    for seat, crest in zip(table.seats, worn, strict=True):
        object.__setattr__(seat, "stored_crest", crest)
    return table


def test_bots_keep_the_marks_of_their_seats_as_far_as_these_are_free() -> None:
    own = [f"{sign}-{colour}" for sign, colour in zip(SIGNS, COLOURS, strict=True)]
    assert [mark.text for mark in table_of("", "", "").marks] == own
    assert [mark.text for mark in table_of("raven-violet", "", "").marks][:3] == ["raven-violet", "wolf-blue", "bear-copper"]


@given(st.lists(st.none() | st.integers(0, 6), min_size=1, max_size=7))
def test_who_wants_a_sign_first_has_it_and_no_two_seats_have_the_same(wanted: list[int | None]) -> None:
    signs = told_apart(wanted)
    assert len({*signs}) == len(wanted)
    for sign in {*wanted} - {None}:
        assert sign is not None
        assert signs[wanted.index(sign)] == sign
    for seat, sign in enumerate(wanted):
        assert sign is not None or signs[seat] == seat or seat in signs


def test_a_table_of_more_than_seven_has_a_mark_for_each_seat() -> None:
    assert len(told_apart([3] * 9)) == 9
    assert {*told_apart([3] * 9)} == {*range(7)}
