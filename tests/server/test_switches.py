"""The switches and quotas that a host sets while the hall runs."""

from __future__ import annotations

import asyncio
from typing import Final

import httpx
import pytest

from meadhall.server.settings import BadSetting, Settings
from server.halls import run_command
from server.people import AXES, OpenHall, Person, Visitor

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

PASSWORD: Final = "a long enough password"  # noqa: S105


async def with_account(hall: OpenHall, name: str = "Gudrun") -> Person:
    person = hall.person("10.0.9.9")
    assert (await person.post("/account/new", {"name": name, "password": PASSWORD})).status_code == 200
    return person


async def chat(person: Person) -> httpx.Response:
    table = await person.open()
    return await person.ask(f"/tables/{table}/chat", {"text": "Skal!"})


async def quick(person: Person) -> httpx.Response:
    return await person.ask("/quick", {"game": AXES, "seats": "2", "clock": "none"})


async def upload(person: Person) -> httpx.Response:
    return await person.upload(b"{}")


OFFERS: Final = {"chat": chat, "quick_match": quick, "uploads": upload}
"""What a person does that a switch allows."""


@pytest.mark.parametrize("name", OFFERS)
async def test_a_switch_holds_at_once_for_guests_or_for_all(hall: OpenHall, settings: Settings, name: str) -> None:
    guest, member = hall.person(), await with_account(hall)
    for value, for_guest, for_member in (("accounts", False, True), ("off", False, False), ("on", True, True)):
        said = await asyncio.to_thread(run_command, settings, "host", "switch", name, value)
        assert (said.returncode, said.stdout) == (0, f"{name} {value}\n"), said.stderr
        for person, may in ((guest, for_guest), (member, for_member)):
            answer = await OFFERS[name](person)
            is_refused = answer.status_code == 403
            assert is_refused == (not may), (name, value, answer.status_code, answer.text[:400])


async def test_programs_get_a_code_and_pages_hide_what_is_off(hall: OpenHall) -> None:
    person, program = hall.person(), await hall.program()
    assert 'action="/quick"' in (await person.get("/")).text
    for name in ("quick_match", "reports", "uploads"):
        hall.switch(name, "off")
    for path, body in (("/quick-match", {"game": AXES}), ("/balance", {"game": AXES, "players": [2]})):
        answer = await program.post(path, body)
        assert (answer.status_code, answer.json()["error"]) == (403, "switched-off"), path
    assert 'action="/quick"' not in (await person.get("/")).text
    shown = (await person.get("/replay")).text
    assert ('type="file"' in shown, "This hall takes no records." in shown) == (False, True)


async def test_a_hall_that_takes_no_new_guests_keeps_those_it_knows(hall: OpenHall) -> None:
    known, member = hall.person(), await with_account(hall)
    await known.open()
    hall.switch("new_guests", "off")
    stranger = hall.person("10.0.0.9")
    page = await stranger.get("/")
    assert (page.status_code, "takes no new guests" in page.text, "/account/new" in page.text) == (403, True, False)
    for path, form in (("/settings", {"name": "Eve"}), ("/account/new", {"name": "Eve", "password": PASSWORD}), ("/daily", {})):
        assert (await stranger.post(path, form)).status_code == 403, path
    newcomer = await Visitor(hall.app, "10.0.0.8").http.post("/api/v1/guests", json={"name": "Robot"})
    assert (newcomer.status_code, newcomer.json()["error"]) == (403, "not-admitted")
    assert hall.store.transact(lambda db: db.value("SELECT count(*) FROM guests")) == 2
    for person in (known, member):
        assert (await person.get("/")).status_code == 200
    assert (await stranger.post("/sign-in", {"name": "Gudrun", "password": PASSWORD})).status_code == 303
    hall.switch("new_guests", "accounts")
    other = hall.person("10.0.0.10")
    page = await other.get("/")
    assert (page.status_code, "/account/new" in page.text) == (403, True)
    assert (await other.post("/settings", {"name": "Eve"})).status_code == 403
    assert (await other.post("/account/new", {"name": "Eve", "password": PASSWORD})).status_code == 200


async def test_the_host_sets_switches_on_a_page_and_a_bad_value_changes_nothing(hall: OpenHall, settings: Settings) -> None:
    host = await with_account(hall, "Host")
    assert (await asyncio.to_thread(run_command, settings, "people", "role", "Host", "host")).returncode == 0
    before = dict(hall.hall.switches.values)
    refused = await host.post("/host/switches", {"ladder": "on", "tables_per_guest": "-1"})
    assert (refused.status_code, "can be: a whole number" in refused.text) == (400, True)
    assert hall.hall.switches.values == before
    assert (await host.post("/host/switches", {"ladder": "on", "chat": "on", "tables_per_guest": "3"})).status_code == 303
    assert (hall.hall.switches.values["ladder"], hall.hall.switches.quota("tables_per_guest")) == ("on", 3)
    deeds = [line.split(",")[2:5] for line in (await host.get("/host/log.csv")).text.splitlines()]
    assert deeds[-1] == ["Host", "switch", '"ladder on']
    for arguments, said in ((("beer", "on"), "There is no switch beer"), (("chat", "loud"), "on, accounts, off, not 'loud'")):
        done = await asyncio.to_thread(run_command, settings, "host", "switch", *arguments)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    shown = (await asyncio.to_thread(run_command, settings, "host", "switch")).stdout
    assert ["ladder", "on"] in [line.split()[:2] for line in shown.splitlines()]


async def test_a_variable_that_is_a_switch_now_is_refused() -> None:
    with pytest.raises(BadSetting, match="meadhall host switch chat off"):
        Settings.from_environment({"MEADHALL_CHAT": "off"})
