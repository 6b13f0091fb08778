"""No page reads whole tables: the plans of its queries in a hall with 10,000 matches."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

import pytest
from litestar.routes import HTTPRoute

from meadhall.server.hall.upkeep.housekeeping import delete_old
from meadhall.server.settings import Retention, Settings
from meadhall.server.store import guests
from meadhall.server.store.database import Db
from meadhall.server.store.store import Store
from server.mail_server import NO_MAIL_SERVER
from server.many_rows import fill, growing
from server.people import AXES, BASE, HOARD, OpenHall, Program, open_hall, play_out

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

Statements = dict[str, Any]

_LEFT_OUT: Final = re.compile(r"/(stream|events|echo|picture.png)$|^/(learn|rules|static|openapi|schema)\b")
"""Addresses that don't end, or that draw much and read little."""

_READS_ALL: Final = re.compile(r"\bSCAN (\w+)")


@contextmanager
def recorded() -> Iterator[Statements]:
    """Yield the statements that are executed during the block, each with its parameters."""
    found: Statements = {}

    execute = Db._execute

    def note(db: Db, statement: str, values: Any) -> sqlite3.Cursor:
        found.setdefault(statement, values)
        return execute(db, statement, values)

    with patch.object(Db, "_execute", note):
        yield found


def plan(db: Db, statement: str, parameters: Any) -> str:
    """Return the plan of a statement."""
    return "\n".join(str(row[-1]) for row in db.raw.execute(f"EXPLAIN QUERY PLAN {statement}", parameters))


async def visit(hall: OpenHall) -> None:
    """Play a match, and open every page as a person with an account, an invitation and a finished match."""
    host, friend, room = await hall.two_at(HOARD)
    table, (one, other) = room.table.id, (min(seat.guests) for seat in room.table.seats)
    await host.ask(f"/tables/{table}/chat", {"text": "Skål"})
    await play_out(room, {0: host, 1: friend})
    person, partner = [hall.store.transact(guests.find, guest) for guest in (one, other)]
    assert person is not None
    assert partner is not None
    lobby = await friend.open(AXES)
    assert (await friend.ask(f"/tables/{lobby}/invitations", {"person": person.public_id})).status_code == 200
    account = {"name": "Astrid", "password": "correct horse battery"}
    assert (await host.post("/account/new", account)).status_code == 200
    hall.appoint("Astrid")
    line = hall.store.transact(lambda db: db.value("SELECT id FROM chat_lines WHERE table_id = ?", table))
    assert (await friend.post("/report", {"of": f"line:{line}", "reason": "spam"})).status_code == 303
    assert (await host.get("/host?case=x")).status_code == 200
    assert (await host.post("/quick", {"game": AXES, "players": "2"})).status_code == 303
    hall.switch("ladder", "on")
    assert (await host.post("/ladder", {"part": "on"})).status_code == 303
    signed_in = await hall.person("10.0.0.3").http.post("/api/v1/sessions", json=account)
    here = hall.person("127.0.0.1", Host="localhost")
    program = Program(hall.app, Authorization=f"Bearer {signed_in.json()['token']}")
    values = {
        "id": table,
        "table": lobby,
        "seat": "0",
        "key": room.table.seats[0].link_token,
        "token": "none",
        "deed": "stop",
        "name": AXES,
    }
    for path, form in (("/account/mail", {"address": "a@example.org"}), ("/sign-in/forgotten", {"name": "a@example.org"})):
        assert (await host.post(path, form)).status_code == 200
    question = (await host.post("/workshop", {"game": AXES})).headers["location"].rpartition("/")[2]
    for form in ({"only": "players", "players": "3"}, {"do": "undo"}, {"do": "add"}, {"do": "report"}):
        assert (await host.post(f"/workshop/{question}", form)).status_code == 303
    form = {"name": "Club", f"game-{AXES}": "on", "rounds": "2", "seats": "2", "clock": "none", "plays": "on"}
    evening = (await host.post("/evenings", form)).headers["location"]
    for someone, deed in ((friend, "join"), (host, "start"), (host, "close"), (host, "end"), (friend, "leave")):
        assert (await someone.post(evening, {"do": deed})).status_code == 303, deed
    values |= {"evening": evening.rpartition("/")[2]}
    values |= {"question": question, "report": "none", "number": "0", "variant": "none"}
    values |= {"subject": AXES, "day": "2026-01-01", "person": partner.public_id, "public_id": partner.public_id, "rest": "none"}
    for path in addresses(hall, values):
        reader = program if path.startswith("/api") else here if path == "/metrics" else host
        answer = await reader.get(path)
        assert answer.status_code in (200, 301, 303, 308, 404), path
    assert (await friend.post("/privacy/delete", {"sure": "on"})).status_code == 303


def addresses(hall: OpenHall, values: Mapping[str, str]) -> list[str]:
    """Return the paths of all pages, with these values of their parameters."""
    paths = {route.path_format for route in hall.app.routes if isinstance(route, HTTPRoute) and "GET" in route.methods}
    for name, value in (("workshop", "{question}"), ("evenings", "{evening}")):
        paths = {path.replace(f"/{name}/{{id}}", f"/{name}/{value}") for path in paths}
    return sorted(path.format_map(values) for path in paths if not _LEFT_OUT.search(path))


def reading_all(db: Db, statements: Statements) -> dict[str, str]:
    """Return the plans of the statements that read all rows of a table that grows."""
    queries = {text: values for text, values in statements.items() if re.match(r"\s*(WITH|SELECT|UPDATE|DELETE)\b", text)}
    found, grown = {query: plan(db, query, values) for query, values in queries.items()}, {*growing(db)}
    return {query: text for query, text in found.items() if grown.intersection(_READS_ALL.findall(text))}


async def test_no_page_reads_all_rows_of_a_table_that_grows(on_sqlite: Settings) -> None:
    async with open_hall(replace(on_sqlite, public_url=BASE, smtp=NO_MAIL_SERVER)) as hall:
        hall.store.transact(lambda db: fill(db, matches=10_000, others=2_000))
        with recorded() as statements:
            await visit(hall)
        assert len(statements) > 60
        assert hall.store.transact(reading_all, statements) == {}


async def test_a_deletion_reads_all_rows_only_of_orders_and_of_players_who_are_away(on_sqlite: Settings) -> None:
    """A guest has few orders, and a running match few players."""
    async with Store.open(on_sqlite) as store:
        store.transact(lambda db: fill(db, matches=10_000, others=2_000))
        with recorded() as statements:
            await delete_old(store, Retention(30, 90, 90, 90), set)
        assert len(statements) > 15
        plans = store.transact(reading_all, statements)
        assert {table for text in plans.values() for table in _READS_ALL.findall(text)} == {"orders", "departures"}
