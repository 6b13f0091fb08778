"""The private link of a seat: it shares the seat with another device, tells its owner, and can be renewed."""

from __future__ import annotations

import re

import pytest

from meadhall.server.hall.people.names import unlike_others
from meadhall.server.store import guests, tables
from server.manual_time import settled
from server.people import AXES, OpenHall, Person, stream

pytestmark = pytest.mark.asyncio(loop_scope="module")


def link_of(page: str) -> str:
    """Return the path of the private link on a table's page."""
    return str(re.findall(r"/seat/[\w-]+", page)[0])


async def joined(hall: OpenHall, owner: Person, path: str) -> Person:
    """Take the owner's seat with another device."""
    device = hall.person("10.0.0.7")
    answer = await device.post(link_of((await owner.get(path)).text))
    assert answer.headers["location"] == path
    return device


async def test_the_owner_is_told_when_a_device_joins_and_the_others_are_not(hall: OpenHall) -> None:
    owner, other, room = await hall.two_at(AXES)
    path = f"/tables/{room.table.id}"
    assert "1 device holds your seat." in (await owner.get(path)).text
    async with stream(owner, f"{path}/stream") as live, stream(other, f"{path}/stream") as theirs:
        await settled()  # both are shown as online
        for each in (live, theirs):
            while each.waiting:
                await each.frame()
        await joined(hall, owner, path)
        while "2 devices hold your seat." not in await live.frame():
            pass
        assert not theirs.waiting
    assert "devices hold" not in (await other.get(path)).text


async def test_a_renewed_link_takes_the_seat_from_other_devices(hall: OpenHall) -> None:
    owner, _, room = await hall.two_at(AXES)
    path = f"/tables/{room.table.id}"
    old = link_of((await owner.get(path)).text)
    device = await joined(hall, owner, path)
    async with stream(device, f"{path}/stream") as live:
        assert "You are watching." not in await live.frame()
        answer = await owner.post(f"{path}/device")
        assert (answer.status_code, answer.headers["location"]) == (303, path)
        while "You are watching." not in await live.frame():
            pass
    new = link_of((await owner.get(path)).text)
    assert new != old
    assert (await device.get(old)).status_code == (await device.post(old)).status_code == 404
    assert (await device.act(room.table.id, 0)).status_code == 403
    assert room.table.seat_of(next(iter(room.table.seats[0].guests))) == 0
    assert len(room.table.seats[0].guests) == 1
    assert (await hall.person("10.0.0.8").post(new)).status_code == 303


async def test_only_a_seats_owner_can_renew_its_link(hall: OpenHall) -> None:
    _, _, room = await hall.two_at(AXES)
    tokens = [seat.link_token for seat in room.table.seats]
    assert (await hall.person("10.0.0.9").post(f"/tables/{room.table.id}/device")).status_code == 403
    assert [seat.link_token for seat in room.table.seats] == tokens


async def test_look_alike_names_at_a_table_get_numbers(hall: OpenHall) -> None:
    """Bots have names, too."""
    host = hall.person()
    await host.post("/settings", {"name": "Astrid"})
    table = await host.open(AXES, players=6)
    for number, name in enumerate(("\N{CYRILLIC CAPITAL LETTER A}strid", "ASTRID", "Sigrid")):
        person = hall.person(f"10.0.1.{number}")
        await person.post("/settings", {"name": name})
        await person.ask(f"/tables/{table}/seats", {"set": "sit"})
    names = [seat.name for seat in (await hall.room(table)).table.seats][:4]
    assert names == ["Astrid", "\N{CYRILLIC CAPITAL LETTER A}strid 2", "ASTRID 3", "Sigrid"]


async def names_of(hall: OpenHall, table: str) -> list[str]:
    return [seat.name for seat in (await hall.room(table)).table.seats]


async def test_a_guest_and_a_bot_never_have_one_name_at_a_table(hall: OpenHall) -> None:
    host, guest = hall.person(), hall.person("10.0.1.2")
    await host.post("/settings", {"name": "Gorm"})
    table = await host.open(AXES, players=4)
    seats = f"/tables/{table}/seats"
    for seat in (1, 2, 3):
        await host.ask(seats, {"seat": str(seat), "set": "bot:thrall"})
    assert await names_of(hall, table) == ["Gorm", "Hrefna", "Brandr", "Svala"]
    await host.ask(seats, {"seat": "1", "set": "remove"})
    await host.ask(f"/tables/{table}/size", {"players": "5"})
    await host.ask(seats, {"seat": "3", "set": "bot:thrall"})
    assert await names_of(hall, table) == ["Gorm", "Brandr", "Svala", "Toki", ""]
    await guest.ask(seats, {"set": "sit"})
    for name, here in (("brandr", "brandr 2"), ("Gorm", "Gorm 2"), ("Ylva", "Ylva")):
        await guest.post("/settings", {"name": name})
        assert await names_of(hall, table) == ["Gorm", "Brandr", "Svala", "Toki", here]
    played = await host.ask("/tables", {"game": AXES, "kind": "bots", "seats": "4"})
    assert await names_of(hall, played.json()["id"]) == ["Gorm", "Hrefna", "Brandr", "Svala"]


async def test_a_command_gives_no_seat_the_name_of_another_one(hall: OpenHall) -> None:
    """The host of the hall renames people also during matches."""
    _host, _friend, room = await hall.two_at(AXES)
    before, (person, *_) = room.table.seats[0].name, room.table.seats[1].guests
    guest = hall.store.transact(guests.find, person)
    assert guest is not None
    hall.store.transact(guests.rename, guest, before, unlike_others)
    table = hall.store.transact(tables.find, room.table.id)
    assert table is not None
    assert [seat.name for seat in table.seats] == [before, f"{before} 2"]
