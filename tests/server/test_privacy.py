"""What the hall keeps about a person: told on a page, downloaded as one file, and deleted."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from meadhall.server.pages.people import KEPT
from meadhall.server.settings import Settings
from meadhall.server.store import acquaintances, personal_data, schema
from meadhall.server.store.database import Db
from server.people import AXES, OpenHall, Person, open_hall

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]


@pytest_asyncio.fixture
async def each_hall(on_sqlite: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    async with open_hall(on_sqlite) as opened:
        yield opened


async def data_of(person: Person) -> dict[str, Any]:
    answer = await person.get("/privacy/data")
    assert answer.headers["content-disposition"].startswith("attachment")
    found: dict[str, Any] = json.loads(answer.text)
    return found


def ids(hall: OpenHall) -> set[str]:
    """Return the secret ids of all guests."""
    return set(hall.store.transact(lambda db: db.values("SELECT id FROM guests")))


async def test_the_page_tells_of_every_table_that_has_data_of_a_person(hall: OpenHall) -> None:
    named = {each.table for each in schema.GUEST_COLUMNS}
    assert named - KEPT.keys() == set(), "say in pages/privacy.py what the new table keeps, and for how long"
    assert KEPT.keys() - named == set()
    page = (await hall.person().get("/privacy")).text
    assert {table for table, (title, _, _) in KEPT.items() if title not in page} == {"mail_addresses", "mail_confirmations"}
    assert "in one database file" in page
    assert "after the match: 365 days" in page
    german = (await hall.person(**{"Accept-Language": "de"}).get("/privacy")).text
    assert "Was über dich gespeichert ist" in german
    for path in ("/", "/settings"):
        assert 'href="/privacy"' in (await hall.person().get(path)).text


async def test_the_download_has_everything_and_no_secret(each_hall: OpenHall) -> None:
    ada, bo = each_hall.person(), each_hall.person("10.0.0.2")
    await ada.post("/settings", {"name": "Ada", "theme": "dark"})
    table = await ada.open(AXES)
    await bo.ask(f"/tables/{table}/seats", {"set": "sit"})
    await ada.post("/account/new", {"name": "Ada", "password": "a long enough password"})
    data = await data_of(ada)
    assert data["guests"][0]["name"] == "Ada"
    assert data["guests"][0]["theme"] == "dark"
    assert data["accounts"] == [{"created_at": data["accounts"][0]["created_at"]}]
    assert len(data["sessions"]) == 1
    (match,) = data["matches"]
    assert (match["id"], match["game"], [seat["you"] for seat in match["seats"]]) == (table, AXES, [True, False])
    text = json.dumps(data)
    stored = each_hall.store.transact(lambda db: db.rows("SELECT password, handle FROM accounts")[0])

    def read_tokens(db: Db) -> list[str]:
        return db.values("SELECT token FROM sessions UNION SELECT link_token FROM seats")

    tokens = each_hall.store.transact(read_tokens)
    for secret in (*ids(each_hall), *stored, *tokens):
        assert secret not in text


async def test_a_note_at_a_table_is_private_and_goes_with_the_guest(each_hall: OpenHall) -> None:
    host, friend, room = await each_hall.two_at(AXES)
    table, watcher = f"/tables/{room.table.id}", each_hall.person("10.0.0.9")
    for text in ("Watch the shield.", "  Bo keeps <one> shield.\r\nThrow\x00 late.  "):
        assert (await friend.post(f"{table}/note", {"text": text})).headers["location"] == table
    assert "Bo keeps &lt;one&gt; shield.\nThrow late.</textarea>" in (await friend.get(f"{table}/propose")).text
    assert 'class="noted"' in (await friend.get(table)).text
    marked = "You have a note here"
    assert [marked in (await person.get("/")).text for person in (host, friend, watcher)] == [False, True, False]
    for other in (host, watcher):
        assert "one&gt; shield" not in (await other.get(f"{table}/propose")).text + (await other.get(table)).text
    for person, text, status in ((watcher, "I am not seated.", 403), (friend, "x" * 2001, 400)):
        assert (await person.post(f"{table}/note", {"text": text})).status_code == status
    assert [note["text"] for note in (await data_of(friend))["notes"]] == ["Bo keeps <one> shield.\nThrow late."]
    await host.post(f"{table}/note", {"text": "Mine."})
    await host.post(f"{table}/note", {"text": " "})
    assert (await data_of(host))["notes"] == []
    await friend.post("/privacy/delete", {"sure": "on"})
    assert each_hall.store.transact(lambda db: db.rows("SELECT * FROM notes")) == []


async def test_another_person_in_the_download_is_named_by_the_public_id(hall: OpenHall) -> None:
    ada, bo = hall.person(), hall.person("10.0.0.2")
    for person, name in ((ada, "Ada"), (bo, "Bo")):
        await person.post("/settings", {"name": name})
    guests = {row["name"]: row for row in hall.store.transact(lambda db: db.rows("SELECT * FROM guests"))}
    hall.store.transact(lambda db: acquaintances.ignore(db, guests["Ada"]["id"], [guests["Bo"]["id"]], "block", on=True))
    (blocked,) = (await data_of(ada))["ignored_guests"]
    assert blocked["other"] == guests["Bo"]["public_id"]
    assert (await data_of(bo))["ignored_guests"] == [], "whoever was blocked does not learn it"


async def test_a_guest_who_deletes_everything_leaves_only_their_matches(each_hall: OpenHall) -> None:
    host, friend, room = await each_hall.two_at(AXES)
    await friend.post("/settings", {"name": "Bo"})
    (before,) = [guest for seat in room.table.seats if seat.seat == 1 for guest in seat.guests]
    page = (await friend.get("/privacy/delete")).text
    assert "1 match stays for the others" in page
    refused = await friend.post("/privacy/delete")
    assert (refused.status_code, "Tick the box first." in refused.text) == (400, True)
    assert before in ids(each_hall)
    assert (await friend.post("/privacy/delete", {"sure": "on"})).headers["location"] == "/privacy"
    assert before not in ids(each_hall)
    left = each_hall.store.transact(lambda db: personal_data.export(db, before))
    assert all(rows == [] for rows in left.values())
    assert "former player" in (await host.get(f"/tables/{room.table.id}")).text
    assert f"/tables/{room.table.id}" not in (await friend.get("/")).text
    again = await friend.get("/settings")
    assert 'value="Bo"' not in again.text, "the device is a new guest"


async def test_an_account_is_deleted_on_its_own_page(hall: OpenHall) -> None:
    ada = hall.person()
    await ada.post("/account/new", {"name": "Ada", "password": "a long enough password"})
    assert (await ada.get("/privacy/delete")).headers["location"] == "/account"
    assert (await ada.post("/privacy/delete", {"sure": "on"})).headers["location"] == "/account"
    assert "Ada" in (await ada.get("/settings")).text
