"""People that a guest has met: invitations to tables, muting and blocking."""

from __future__ import annotations

import httpx
import pytest

from meadhall.server.hall.people import acquaintances
from server.people import OpenHall, Person
from server.test_chat import lines, said, shown

pytestmark = pytest.mark.asyncio(loop_scope="module")

INVITES = "invites you to AxxA"


async def two_who_have_met(hall: OpenHall) -> tuple[Person, Person]:
    ask, embla, _room = await hall.two_at()
    return ask, embla


async def person_id(viewer: Person) -> str:
    """Return the id of the one person that the viewer has met."""
    return (await viewer.get("/people")).text.partition('action="/people/')[2].partition("/")[0]


async def invite(host: Person, table: str, person: str) -> httpx.Response:
    return await host.ask(f"/tables/{table}/invitations", {"person": person})


async def test_a_person_met_is_invited_and_finds_it_in_the_hall_until_the_table_is_full(hall: OpenHall) -> None:
    ask, embla = await two_who_have_met(hall)
    table = await ask.open("axxa")
    assert (await invite(ask, table, await person_id(ask))).status_code == 200
    assert INVITES in (await embla.get("/")).text
    assert INVITES not in (await ask.get("/")).text
    await embla.ask(f"/tables/{table}/seats", {"set": "sit"})
    assert INVITES not in (await embla.get("/")).text, "accepted"


async def test_an_invitation_can_be_declined_and_is_not_repeated(hall: OpenHall) -> None:
    ask, embla = await two_who_have_met(hall)
    table = await ask.open("axxa")
    await invite(ask, table, await person_id(ask))
    assert (await embla.ask(f"/invitations/{table}/decline")).status_code == 200
    await invite(ask, table, await person_id(ask))
    assert INVITES not in (await embla.get("/")).text
    assert (await embla.ask(f"/invitations/{table}/decline")).status_code == 404


async def test_only_people_met_are_invited_and_only_by_a_player_before_the_match(hall: OpenHall) -> None:
    ask, embla = await two_who_have_met(hall)
    eve = hall.person("10.0.0.3")
    table, id_of_embla, id_of_ask = await ask.open("axxa"), await person_id(ask), await person_id(embla)
    assert (await invite(eve, table, id_of_embla)).json()["error"] == "not-your-seat"
    assert (await invite(ask, table, "nobody")).json()["error"] == "not-found"
    assert (await invite(eve, await eve.open("axxa"), id_of_ask)).json()["error"] == "not-found"
    await ask.ask(f"/tables/{table}/close")
    assert (await invite(ask, table, id_of_embla)).json()["error"] == "wrong-moment"


async def test_a_guest_can_not_invite_without_end(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acquaintances, "MOST_INVITED", 1)
    ask, _embla = await two_who_have_met(hall)
    answers = [await invite(ask, await ask.open("axxa"), await person_id(ask)) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]


async def test_a_blocked_person_invites_in_vain_and_is_not_told(hall: OpenHall) -> None:
    ask, embla = await two_who_have_met(hall)
    person = await person_id(embla)
    await embla.post(f"/people/{person}/ignore", {"set": "block"})
    assert (await invite(ask, await ask.open("axxa"), await person_id(ask))).status_code == 200
    assert INVITES not in (await embla.get("/")).text
    await embla.post(f"/people/{person}/ignore", {"set": "unblock"})
    assert INVITES in (await embla.get("/")).text


async def test_the_pages_show_people_and_invitations(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    host_name, friend_name = (row.name.removesuffix(" 2") for row in room.table.seats)  # both may have got one random name
    table = await host.open()
    page = (await host.get(f"/tables/{table}/invitations")).text
    assert friend_name in page
    person = page.partition('name="person" value="')[2].partition('"')[0]
    assert (await host.post(f"/tables/{table}/invitations", {"person": person})).status_code == 303
    assert "invited" in (await host.get(f"/tables/{table}/invitations")).text
    assert f"{host_name} invites you to Axes and Allies" in (await friend.get("/")).text
    assert (await friend.post(f"/invitations/{table}/decline")).status_code == 303
    assert "invites you" not in (await friend.get("/")).text
    assert "declined" in (await host.get(f"/tables/{table}/invitations")).text
    met = (await friend.get("/people")).text
    assert host_name in met
    assert "1 match together" in met


async def test_a_person_from_a_chat_can_be_unblocked_later(hall: OpenHall) -> None:
    _host, _friend, room = await hall.two_at()
    eve, tyr = hall.person("10.0.0.3"), hall.person("10.0.0.4")
    await said(eve, room.table.id, "Boo")
    line = lines(room, "spectators")[0].id
    await tyr.ask(f"/tables/{room.table.id}/chat/people", {"who": f"line:{line}", "set": "block"})
    page = (await tyr.get("/people")).text
    assert "from a chat" in page
    person = page.partition('action="/people/')[2].partition("/")[0]
    assert (await tyr.post(f"/people/{person}/ignore", {"set": "unblock"})).status_code == 303
    assert "Boo" in await shown(tyr, room.table.id)


async def test_a_person_can_be_blocked_on_their_profile(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    await friend.post("/people/me/visibility", {"profile": "public"})
    person = (await host.get("/people")).text.partition('action="/people/')[2].partition("/")[0]
    page = (await host.get(f"/people/{person}")).text
    assert f'action="/people/{person}/ignore"' in page
    answer = await host.post(f"/people/{person}/ignore", {"set": "block", "back": f"/people/{person}"})
    assert answer.headers["location"] == f"/people/{person}"
    assert 'value="unblock" aria-pressed="true"' in (await host.get(f"/people/{person}")).text
    await said(friend, room.table.id, "Boo")
    assert "Boo" not in await shown(host, room.table.id)
    assert "/ignore" not in (await host.get("/people/me")).text


async def test_no_page_tells_the_secret_id_of_a_person(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    await said(friend, room.table.id, "Skal!")
    table = await host.open()
    secret = next(iter(room.table.seats[1].guests))
    for path in ("/people", f"/tables/{table}/invitations", f"/tables/{room.table.id}", f"/tables/{room.table.id}/chat"):
        assert secret not in (await _text(host, path)), path


async def _text(person: Person, path: str) -> str:
    return (await person.get(path)).text
