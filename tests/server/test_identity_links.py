"""A link carries a whole guest to another device: once, within ten minutes, and only after the device has confirmed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio

from meadhall.server.settings import Settings
from meadhall.server.store import links
from meadhall.server.store.links import IdentityLink
from server.people import AXES, OpenHall, Person, open_hall

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]


@pytest_asyncio.fixture
async def each_hall(on_sqlite: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    async with open_hall(on_sqlite) as opened:
        yield opened


async def named(hall: OpenHall, name: str, address: str = "10.0.0.1") -> Person:
    person = hall.person(address)
    await person.post("/settings", {"name": name})
    return person


async def link_of(person: Person) -> str:
    """Return the path of a new link of a person."""
    path = str((await person.post("/identity")).headers["location"])
    for _ in range(2):  # the page can be loaded again
        assert "<svg" in (await person.get(path)).text, "a QR code"
    return path


async def is_named(person: Person, name: str) -> bool:
    return f'value="{name}"' in (await person.get("/settings")).text


async def test_the_other_device_becomes_the_guest_with_all_seats_of_both(each_hall: OpenHall) -> None:
    ada, phone = await named(each_hall, "Ada"), await named(each_hall, "Telephone", "10.0.0.2")
    first, second = await ada.open(AXES), await phone.open(AXES)
    path = await link_of(ada)
    page = (await phone.get(path)).text
    assert "Play as Ada on this device?" in page
    assert "1 match of Telephone, who this device was so far, comes along." in page
    assert await is_named(phone, "Telephone"), "a look uses nothing up: messengers preview links"
    assert (await phone.post(path)).headers["location"] == "/"
    for device in (ada, phone):
        assert await is_named(device, "Ada")
        hall_page = (await device.get("/")).text
        assert first in hall_page
        assert second in hall_page
        assert 'id="start"' in (await device.get(f"/tables/{second}")).text, "host at both tables"


async def test_a_link_is_used_once(each_hall: OpenHall) -> None:
    ada = await named(each_hall, "Ada")
    path = await link_of(ada)
    devices = [await named(each_hall, f"Device {k}", f"10.0.1.{k}") for k in range(6)]
    answers = await asyncio.gather(*(device.post(path) for device in devices))
    assert sorted(answer.status_code for answer in answers) == [303, 404, 404, 404, 404, 404]
    assert sum([await is_named(device, "Ada") for device in devices]) == 1
    assert "was used already" in (await devices[0].get(path)).text


async def test_a_link_expires_and_a_new_one_ends_the_old(hall: OpenHall) -> None:
    ada, phone = await named(hall, "Ada"), hall.person("10.0.0.2")
    old, new = await link_of(ada), await link_of(ada)
    assert (await phone.post(old)).status_code == 404
    assert (await phone.get(new)).status_code == 200
    target = hall.hall.identity.target(new.rpartition("/")[2])
    token, outdated = IdentityLink.new(target, hall.store.time.now(), valid_for=timedelta(0))
    hall.store.transact(lambda db: links.put_identity_link(db, outdated))
    assert (await phone.post(f"/identity/{token}")).status_code == 404


async def test_only_the_hash_of_a_link_is_stored(hall: OpenHall) -> None:
    token = (await link_of(await named(hall, "Ada"))).rpartition("/")[2]
    (stored,) = hall.store.transact(lambda db: db.values("SELECT token FROM identity_links"))
    assert token not in stored
    assert len(stored) == 64


async def test_on_the_same_device_it_is_shown_and_not_used_up(hall: OpenHall) -> None:
    ada, phone = await named(hall, "Ada"), hall.person("10.0.0.2")
    path = await link_of(ada)
    assert (await ada.post(path)).status_code == 303
    assert (await phone.post(path)).status_code == 303
    assert await is_named(phone, "Ada")


async def test_a_link_to_a_guest_is_worth_nothing_once_the_guest_has_an_account(hall: OpenHall) -> None:
    ada = await named(hall, "Ada")
    path = await link_of(ada)
    made = await ada.post("/account/new", {"name": "Ada", "password": "a long enough password"})
    assert made.status_code == 200, made.text
    assert (await hall.person("10.0.0.2").post(path)).status_code == 404


async def test_a_link_of_an_account_signs_the_device_in_but_proves_nothing(each_hall: OpenHall) -> None:
    ada, phone = await named(each_hall, "Ada"), await named(each_hall, "Telephone", "10.0.0.2")
    await ada.post("/account/new", {"name": "Ada", "password": "a long enough password"})
    table = await phone.open(AXES)
    path = await link_of(ada)
    assert "signed in to the account of Ada" in (await phone.get(path)).text
    await phone.post(path)
    assert await is_named(phone, "Ada")
    assert table in (await ada.get("/")).text
    refused = await phone.post("/account/password", {"password": "another long password"})
    assert refused.headers["location"] == "/account/confirm", "a link doesn't prove who somebody is"
    assert (await phone.post("/identity")).headers["location"] == "/account/confirm"
    again = await link_of(ada)
    await ada.post("/account/sessions", {"end": "others"})
    assert await answer_to(each_hall, again) == 404, "who signs out everywhere else ends the links, too"
    assert not await is_named(phone, "Ada")


async def answer_to(hall: OpenHall, path: str) -> int:
    return (await hall.person("10.0.0.9").post(path)).status_code
