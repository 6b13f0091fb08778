"""Accounts by the forms of the pages: names, passwords, recovery codes, devices, merging and deletion."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
import pytest_asyncio

from meadhall.server.hall.people import names
from meadhall.server.settings import Settings
from meadhall.server.store import guests
from meadhall.server.web import sessions
from server.people import AXES, OpenHall, Person, open_hall

pytestmark = pytest.mark.asyncio

PASSWORD = "correct horse battery"  # noqa: S105
ANOTHER = "staple of the northern sea"
CODE = re.compile(r"<code>([0-9a-z]{4}(?:-[0-9a-z]{4}){3})</code>")


@pytest_asyncio.fixture
async def opened_hall(on_sqlite: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    async with open_hall(on_sqlite) as opened:
        yield opened


async def keep(person: Person, name: str = "Sigrid", password: str = PASSWORD) -> list[str]:
    """Make an account by the form, and return its recovery codes."""
    answer = await person.post("/account/new", {"name": name, "password": password})
    assert answer.status_code == 200, re.findall(r'role="alert">([^<]*)', answer.text)
    codes = CODE.findall(answer.text)
    assert len(set(codes)) == 10
    assert all(each in answer.text for each in ('data-copy="#codes-text"', 'download="meadhall-', "data-print"))
    return codes


async def sign_in(person: Person, name: str = "Sigrid", **fields: str) -> httpx.Response:
    return await person.post("/sign-in", {"name": name, "password": PASSWORD, **fields})


async def name_of(person: Person) -> str:
    page = (await person.get("/settings")).text
    found = re.search(r'id="name" name="name" type="text" value="([^"]*)"', page)
    assert found is not None
    return found.group(1)


async def has_account(person: Person) -> bool:
    return (await person.get("/account")).status_code == 200


def cookie(person: Person) -> str:
    return str(person.http.cookies.get("meadhall_guest", "", domain="hall.test", path="/"))


async def test_a_guest_keeps_their_seats_and_signs_in_on_another_device(opened_hall: OpenHall) -> None:
    laptop, phone = opened_hall.person(), opened_hall.person("10.0.0.2")
    table = await laptop.open()
    guest = next(iter((await opened_hall.room(table)).table.seats[0].guests))
    before = cookie(laptop)
    await keep(laptop)
    assert cookie(laptop) != before, "the session is renewed"
    assert (await opened_hall.room(table)).table.seats[0].guests == {guest}, "the guest is the same"
    assert (await opened_hall.room(table)).table.seats[0].name == "Sigrid"
    assert (await sign_in(phone, "sigrid")).status_code == 303
    assert await name_of(phone) == "Sigrid"
    assert (await phone.ask(f"/tables/{table}/seats", {"seat": "1", "set": "bot:karl"})).status_code == 200, "as the host"


async def test_a_word_says_once_that_one_is_signed_in_or_out(opened_hall: OpenHall) -> None:
    laptop = opened_hall.person()
    await keep(laptop)
    await laptop.post("/sign-out")
    assert "You are signed out. On this device you are a new guest now: " in said(await laptop.get("/"))
    assert said(await laptop.get("/")) == ""
    await sign_in(laptop, back="/rules/axxa")
    assert said(await laptop.get("/rules/axxa")) == "Welcome, Sigrid. You are signed in."
    assert said(await laptop.get("/")) == ""


def said(answer: httpx.Response) -> str:
    """Return the message that a page shows when it is loaded."""
    found = re.search(r'id="toast"([^>]*)>([^<]*)</div>', answer.text)
    assert found is not None
    assert found[1].split()[-1] != "hidden" or not found[2]
    return found[2]


async def test_no_guest_has_the_name_of_an_account(opened_hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (names, sessions):
        monkeypatch.setattr(module, "GIVEN", ["Runa", "Sten"])
    owner, early = opened_hall.person(), opened_hall.person("10.0.0.2")
    await early.post("/settings", {"name": "Runa"})
    await keep(owner, "Runa")
    assert {await name_of(opened_hall.person(f"10.0.1.{number}")) for number in range(8)} == {"Sten"}
    refused = await opened_hall.person("10.0.0.3").post("/settings", {"name": "runa"})
    assert refused.status_code == 409
    assert "That name belongs to another player of this hall. Choose a different one; if it is yours, sign in." in refused.text
    table = await owner.open()
    await early.post(f"/tables/{table}/chat", {"text": "I was here before"})
    said_by = [line.name for line in (await opened_hall.room(table)).chat.lines({"players", "spectators"})]
    assert said_by == ["Runa 2"]
    await owner.post("/account/name", {"name": "Sten"})
    assert {await name_of(opened_hall.person(f"10.0.2.{number}")) for number in range(8)} == {"Runa"}


async def test_the_signed_id_of_a_guest_with_an_account_is_worth_nothing(opened_hall: OpenHall) -> None:
    laptop, thief = opened_hall.person(), opened_hall.person("10.0.0.2")
    await laptop.post("/settings", {"name": "Sigrid"})
    thief.http.cookies.set("meadhall_guest", cookie(laptop), domain="hall.test", path="/")
    assert await name_of(thief) == "Sigrid", "two tabs of one browser"
    guest = opened_hall.store.transact(lambda db: db.value("SELECT id FROM guests"))
    token = {"Authorization": f"Bearer {opened_hall.app.state.sessions._tokens.dumps(guest)}"}
    assert (await thief.http.post("/api/v1/tables", json={"game": AXES}, headers=token)).status_code == 201
    await keep(laptop)
    assert (await thief.http.post("/api/v1/tables", json={"game": AXES}, headers=token)).status_code == 401
    assert await name_of(laptop) == "Sigrid"
    assert await name_of(thief) != "Sigrid"
    assert not await has_account(thief)


async def test_what_a_device_has_played_comes_along_only_if_its_owner_wants(opened_hall: OpenHall) -> None:
    laptop, phone, tablet = (opened_hall.person(f"10.0.0.{k}") for k in (1, 2, 3))
    await keep(laptop)
    on_phone, on_tablet = await phone.open(), await tablet.open()
    page = (await phone.get("/sign-in")).text
    assert "(1 match)" in page
    assert 'name="take_along" checked' in page
    await sign_in(phone, take_along="on")
    await sign_in(tablet)
    mine = (await laptop.get("/")).text
    assert on_phone in mine
    assert on_tablet not in mine
    assert (await phone.ask(f"/tables/{on_phone}/seats", {"seat": "1", "set": "bot:karl"})).status_code == 200
    assert (await tablet.ask(f"/tables/{on_tablet}/seats", {"seat": "1", "set": "bot:karl"})).status_code == 403


async def test_names_of_accounts_are_unique_and_look_alikes_are_refused(opened_hall: OpenHall) -> None:
    await keep(opened_hall.person(), "Sigrid")
    other = opened_hall.person("10.0.0.2")
    for name in ("Sigrid", "SIGRID", "Sígrid", "Sigrіd", "S igrid"):
        answer = await other.post("/account/new", {"name": name, "password": ANOTHER})
        assert answer.status_code == 409, name
        assert "belongs to another player" in answer.text
        chosen = await other.post("/settings", {"name": name})
        assert chosen.status_code == 409, name
        program = await other.http.post("/api/v1/guests", json={"name": name})
        assert (program.status_code, program.json()["error"]) == (409, "name-taken")
    for name in ("Gorm", "former player", "Ehemaliger Spieler", " "):
        assert (await other.post("/account/new", {"name": name, "password": ANOTHER})).status_code == 409, name
    assert not await has_account(other)


async def test_an_account_can_change_its_name_to_a_free_one_only(opened_hall: OpenHall) -> None:
    one, other = opened_hall.person(), opened_hall.person("10.0.0.2")
    await keep(one, "Sigrid")
    await keep(other, "Hrolf")
    assert (await one.post("/account/name", {"name": "Hrólf"})).status_code == 409
    assert (await one.post("/account/name", {"name": "Sigrun"})).status_code == 303
    assert await name_of(one) == "Sigrun"
    assert (await sign_in(opened_hall.person("10.0.0.3"), "Sigrid")).status_code == 403
    assert (await sign_in(opened_hall.person("10.0.0.3"), "Sigrun")).status_code == 303
    assert (await other.post("/account/name", {"name": "Sigrid"})).status_code == 303, "the old name is free"


@pytest.mark.parametrize(
    "password", ["short", "password", "PASSWORD123", "aaaaaaaaaaaa", "sigridsigrid", "sigrid12", "x" * 257, "       "]
)
async def test_weak_passwords_are_refused_and_change_nothing(hall: OpenHall, password: str) -> None:
    person = hall.person()
    answer = await person.post("/account/new", {"name": "Sigrid", "password": password})
    assert answer.status_code == 400
    assert 'value="Sigrid"' in answer.text, "the form keeps the name"
    assert f'value="{password}"' not in answer.text
    assert not await has_account(person)
    assert hall.store.transact(lambda db: db.value("SELECT count(*) FROM accounts")) == 0


@pytest.mark.parametrize("password", ["xyz " * 60 + "a" * 16, "пароль от зала", "     a b c     ", "ﬃne Ångström"])
async def test_long_passwords_and_those_of_all_scripts_are_accepted_whole(hall: OpenHall, password: str) -> None:
    await keep(hall.person(), password=password)
    assert (await sign_in(hall.person("10.0.0.2"), password=password)).status_code == 303
    assert (await sign_in(hall.person("10.0.0.2"), password=password[:-1] + "z")).status_code == 403


async def test_a_wrong_name_and_a_wrong_password_look_the_same(hall: OpenHall) -> None:
    await keep(hall.person())
    stranger = hall.person("10.0.0.2")
    wrong = [await sign_in(stranger, name, password=ANOTHER) for name in ("Sigrid", "Nobody")]
    assert [answer.status_code for answer in wrong] == [403, 403]
    assert wrong[0].text.replace("Sigrid", "Nobody") == wrong[1].text


async def test_recovery_codes_work_once_and_until_they_are_renewed(opened_hall: OpenHall) -> None:
    laptop = opened_hall.person()
    codes = await keep(laptop)
    phone = opened_hall.person("10.0.0.2")
    assert (await sign_in(phone, password="", code=codes[0].upper().replace("-", " "))).status_code == 303
    assert await has_account(phone)
    again = opened_hall.person("10.0.0.3")
    assert (await sign_in(again, password="", code=codes[0])).status_code == 403
    assert "9 codes are left" in (await laptop.get("/account")).text
    renewed = CODE.findall((await laptop.post("/account/codes")).text)
    assert len(renewed) == 10
    assert (await sign_in(again, password="", code=codes[1])).status_code == 403
    assert (await sign_in(again, password="", code=renewed[1])).status_code == 303


async def test_codes_and_passwords_are_stored_as_hashes_only(hall: OpenHall, settings: Settings) -> None:
    person, database = hall.person(), settings.data / "meadhall.db"
    codes = await keep(person)
    secrets = [PASSWORD, *codes, *(code.replace("-", "") for code in codes), cookie(person)]
    dump = "\n".join(sqlite3.connect(database).iterdump())
    assert "$argon2id$v=19$m=19456,t=2,p=1$" in dump
    for secret in secrets:
        assert secret not in dump


async def test_devices_are_signed_out_one_by_one_and_everywhere(opened_hall: OpenHall) -> None:
    laptop, phone, tablet = (opened_hall.person(f"10.0.0.{k}") for k in (1, 2, 3))
    phone.http.headers["User-Agent"] = "Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0"
    await keep(laptop)
    await sign_in(phone)
    await sign_in(tablet)
    page = (await laptop.get("/account")).text
    ids = re.findall(r'name="end" value="([^"]{12})"', page)
    assert len(ids) == 3
    assert "Firefox on Android" in page
    of_phone = re.search(r'Firefox on Android</strong>.*?name="end" value="([^"]{12})"', page, re.DOTALL)
    assert of_phone is not None
    await laptop.post("/account/sessions", {"end": of_phone.group(1)})
    assert [await has_account(each) for each in (laptop, phone, tablet)] == [True, False, True]
    await sign_in(phone)
    table = await laptop.open()
    await opened_hall.person("10.0.0.9").ask(f"/tables/{table}/seats", {"set": "sit"})
    await laptop.ask(f"/tables/{table}/start")
    seen = re.findall(r"/seat/[\w-]+", (await phone.get(f"/tables/{table}")).text)[0]
    await laptop.post("/account/sessions", {"end": "others"})
    assert [await has_account(each) for each in (laptop, phone, tablet)] == [True, False, False]
    assert (await phone.get(seen)).status_code == 404, "the link of a seat that it has seen is worth nothing"
    assert re.findall(r"/seat/[\w-]+", (await laptop.get(f"/tables/{table}")).text)[0] != seen
    await sign_in(tablet)
    await laptop.post("/account/sessions", {"end": "all"})
    assert [await has_account(each) for each in (laptop, phone, tablet)] == [False, False, False]


async def test_a_new_sign_in_ends_the_session_that_it_replaces(hall: OpenHall) -> None:
    laptop = hall.person()
    await keep(laptop)
    sessions = [cookie(laptop)]
    await sign_in(laptop)
    assert len(re.findall(r'name="end" value="([^"]{12})"', (await laptop.get("/account")).text)) == 1
    await keep(other := hall.person("10.0.0.2"), "Other")
    sessions.append(cookie(laptop))
    await laptop.post(await link_to(other))
    assert await name_of(laptop) == "Other"
    for session in sessions:
        laptop.http.cookies.set("meadhall_guest", session, domain="hall.test", path="/")
        assert not await has_account(laptop), "its old cookie is worth nothing"


async def link_to(person: Person) -> str:
    return str((await person.post("/identity")).headers["location"])


async def test_settings_that_are_saved_late_undo_no_other_change(hall: OpenHall) -> None:
    person = hall.person()
    await person.open()
    before = hall.store.transact(guests.find, next(iter((await hall.room(await person.open())).table.seats[0].guests)))
    assert before is not None
    await keep(person)
    saved = hall.store.save_guest(replace(before, name="Late", theme="dark"), is_chosen=True)
    assert (saved.has_account, saved.name, saved.theme) == (True, "Late", "dark")
    assert saved == hall.store.transact(guests.find, before.id)
    assert (await sign_in(hall.person("10.0.0.2"), "Late")).status_code == 303, "the account has the name, too"


async def test_a_device_that_signs_out_is_a_new_guest(hall: OpenHall) -> None:
    person = hall.person()
    await keep(person)
    table = await person.open()
    session = cookie(person)
    await person.post("/sign-out")
    assert not await has_account(person)
    assert table not in (await person.get("/")).text
    person.http.cookies.set("meadhall_guest", session, domain="hall.test", path="/")
    assert not await has_account(person), "its old cookie is worth nothing"


async def test_a_new_password_signs_out_all_other_devices(opened_hall: OpenHall) -> None:
    laptop, phone = opened_hall.person(), opened_hall.person("10.0.0.2")
    await keep(laptop)
    await sign_in(phone)
    assert (await laptop.post("/account/password", {"password": "short"})).status_code == 400
    assert await has_account(phone)
    assert (await laptop.post("/account/password", {"password": ANOTHER})).status_code == 200
    assert await has_account(laptop)
    assert not await has_account(phone)
    assert (await sign_in(phone)).status_code == 403
    assert (await sign_in(phone, password=ANOTHER)).status_code == 303
    answer = await laptop.post("/account/password", {"set": "none"})
    assert answer.status_code == 409, "without a passkey the password stays"


async def test_a_deleted_account_leaves_its_matches_and_frees_its_name(opened_hall: OpenHall) -> None:
    owner, other = opened_hall.person(), opened_hall.person("10.0.0.2")
    await keep(owner)
    table = await owner.open()
    await other.ask(f"/tables/{table}/seats", {"set": "sit"})
    await owner.ask(f"/tables/{table}/start")
    assert (await owner.post("/account/delete", {})).status_code == 303
    assert await has_account(owner), "not without the box ticked"
    await owner.post("/account/delete", {"sure": "on"})
    assert not await has_account(owner)
    room = await opened_hall.room(table)
    first = room.table.seats[0]
    assert (first.kind, first.name) == ("bot", "former player")
    assert (await sign_in(owner)).status_code == 403
    await keep(owner)
    assert (await other.get(f"/tables/{table}")).status_code == 200


async def test_a_change_of_how_one_signs_in_needs_a_confirmation_after_a_while(hall: OpenHall) -> None:
    person = hall.person()
    await keep(person)
    hall.store.transact(lambda db: db.run("UPDATE sessions SET confirmed_at = '2026-01-01 00:00:00.000000'"))
    hall.app.state.sessions._sessions.clear()
    for path, form in (
        ("/account/password", {"password": ANOTHER}),
        ("/account/codes", {}),
        ("/account/passkeys", {"remove": "x"}),
        ("/account/delete", {"sure": "on"}),
    ):
        answer = await person.post(path, form)
        assert (answer.status_code, answer.headers["location"]) == (303, "/account/confirm"), path
    assert (await person.post("/account/confirm", {"password": ANOTHER})).status_code == 403
    before = cookie(person)
    assert (await person.post("/account/confirm", {"password": PASSWORD})).status_code == 303
    assert cookie(person) != before
    assert (await person.post("/account/password", {"password": ANOTHER})).status_code == 200


async def test_an_account_is_made_once(hall: OpenHall) -> None:
    person = hall.person()
    await keep(person)
    assert (await person.post("/account/new", {"name": "Sigrun", "password": PASSWORD})).status_code == 409
    assert await name_of(person) == "Sigrid"


async def test_pages_of_an_account_lead_strangers_to_the_right_form(hall: OpenHall) -> None:
    person = hall.person()
    assert (await person.get("/account")).headers["location"] == "/account/new"
    assert (await person.get("/account/confirm")).headers["location"] == "/sign-in"
    for path in ("/account/password", "/account/codes", "/account/delete", "/account/sessions", "/account/passkeys"):
        assert (await person.post(path, {"sure": "on", "password": PASSWORD})).headers["location"] == "/sign-in", path
    await keep(person)
    assert (await person.get("/account/new")).headers["location"] == "/account"
    assert (await person.get("/sign-in")).headers["location"] == "/account"
