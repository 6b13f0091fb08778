"""The rights of hosts and helpers: who may open and send what, for every page and form below ``/host``; and the log of it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from typing import Final

import pytest
from litestar.routes import HTTPRoute

from meadhall.server.settings import Settings
from meadhall.server.store.database import Db
from server.halls import run_command
from server.people import OpenHall, Person

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

HELPERS: Final = frozenset({"helper", "host"})
HOSTS: Final = frozenset({"host"})

RIGHTS: Final[Mapping[str, frozenset[str]]] = {
    "GET /host": HELPERS,
    "POST /host/cases/{id}": HELPERS,
    "GET /host/waiting": HELPERS,
    "GET /host/people/{person}": HOSTS,
    "POST /host/people/{person}": HELPERS,
    "GET /host/switches": HOSTS,
    "POST /host/switches": HOSTS,
    "GET /host/log": HOSTS,
    "GET /host/log.csv": HOSTS,
}
"""Who may do what; for all others the page doesn't exist. A new route below ``/host`` must be added here."""

NO_PAGE: Final = "There is no page at this address."


async def run(settings: Settings, *arguments: str) -> str:
    """Run a command beside the hall, and return what it prints."""
    done = await asyncio.to_thread(run_command, settings, *arguments)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


async def with_role(hall: OpenHall, settings: Settings, role: str, address: str = "10.0.7.7") -> Person:
    """Return a person with an account, who is called like their role and has it."""
    person = hall.person(address)
    made = await person.post("/account/new", {"name": role.title(), "password": "a long enough password"})
    assert made.status_code == 200, made.text
    if role in HELPERS:
        assert role in await run(settings, "people", "role", role.title(), role)
    return person


def routes(hall: OpenHall) -> set[str]:
    """Return the methods and paths of all pages and forms below ``/host``."""
    found = [each for each in hall.app.routes if isinstance(each, HTTPRoute) and each.path.split("/")[1] == "host"]
    return {f"{method} {each.path_format}" for each in found for method in each.methods - {"OPTIONS", "HEAD"}}


async def test_every_page_and_form_of_hosts_is_for_those_who_have_the_role(hall: OpenHall, settings: Settings) -> None:
    assert routes(hall) == RIGHTS.keys()
    people = {role: await with_role(hall, settings, role) for role in ("host", "helper", "member")}
    people["guest"] = hall.person()
    for right, roles in RIGHTS.items():
        method, path = right.split()
        for role, person in people.items():
            answer = await person.http.request(method, path.replace("{", "").replace("}", ""), data={})
            is_allowed = not (answer.status_code == 404 and NO_PAGE in answer.text)
            assert is_allowed == (role in roles), (right, role, answer.status_code)
    for role, person in people.items():
        assert ('href="/host"' in (await person.get("/")).text) == (role in HELPERS), role


async def test_a_role_needs_an_account_and_can_be_taken_away(hall: OpenHall, settings: Settings) -> None:
    await hall.person().post("/settings", {"name": "Wanderer"})
    for name, role, said in (("Wanderer", "host", "There is no person"), ("Helper", "king", "helper, host or none, not king")):
        refused = await asyncio.to_thread(run_command, settings, "people", "role", name, role)
        assert (refused.returncode, said in refused.stderr) == (2, True), refused.stderr
    helper = await with_role(hall, settings, "helper")
    assert (await helper.get("/host")).status_code == 200
    await run(settings, "people", "role", "Helper", "none")
    assert (await helper.get("/host")).status_code == 404


async def test_the_log_has_every_deed_and_the_database_changes_none(hall: OpenHall, settings: Settings) -> None:
    host = await with_role(hall, settings, "host")
    await run(settings, "people", "rename", (await run(settings, "people", "list")).split()[0], "=Odin")
    for text in ((await host.get("/host/log.csv")).text, await run(settings, "host", "log")):
        assert [line.split(",")[3] for line in text.splitlines()] == ["deed", "role", "rename"]
    assert "rename" in (await host.get("/host/log")).text
    for statement in ("UPDATE host_log SET deed = 'nothing'", "DELETE FROM host_log"):
        with pytest.raises(sqlite3.DatabaseError, match="stays as it is"):
            hall.store.transact(Db.run, statement)
    assert hall.store.transact(lambda db: db.value("SELECT count(*) FROM host_log")) == 2
