"""Processes that share a PostgreSQL database: each shows what the others have changed, at once and to the same people."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import Connection, text

from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall.engine.match.match import Match
from meadhall.server.hall import following
from meadhall.server.hall.notices import presence as presence_module
from meadhall.server.hall.notices import visits
from meadhall.server.hall.room import Room
from meadhall.server.hall.state import TableState
from meadhall.server.settings import Settings
from meadhall.server.store.models import Entry, TableRow
from meadhall.server.store.queries import entries
from server.people import HOARD, PATIENCE, OpenHall, Program, Stream, open_hall, stream
from server.test_postgresql import elsewhere
from server.waiting import until as soon

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]


@dataclass
class Halls:
    """Two processes, as far as their memory is concerned."""

    one: OpenHall
    two: OpenHall


@pytest_asyncio.fixture
async def halls(on_postgresql: Settings, at_once: None) -> AsyncIterator[Halls]:
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        yield Halls(one, two)


def at_process(program: Program, hall: OpenHall) -> Program:
    """Return the same program, connected to another process."""
    return Program(hall.app, Authorization=program.http.headers["Authorization"])


async def frame_with(pages: Stream, words: str) -> str:
    """Return the first frame of a stream that contains words."""
    while words not in (frame := await pages.frame()):
        pass
    return frame


def version(frame: str) -> int:
    found = re.search(r'data-version="(\d+)"', frame)
    assert found is not None
    return int(found[1])


def match_of(room: Room) -> Match:
    assert room.match is not None
    return room.match


def is_known(hall: OpenHall, table: str) -> bool:
    return table in hall.hall.presence.tables()


def forget_visits(*rooms: Room) -> None:
    """Let the time pass in which a request counts as a visit."""
    for room in rooms:
        room.visits.last.clear()
        room.visits.announce()


async def settled(table: str, halls: Halls) -> None:
    """Wait until both processes know the same of a table."""
    rooms = []
    for hall in (halls.one, halls.two):
        assert await hall.store.synced()
        rooms.append(await hall.room(table))
    one, two = rooms
    assert (one.table.version, one.entry_count) == (two.table.version, two.entry_count)


# ----------------------------------------------------------------------------------------------------------------- the match


async def test_a_page_at_another_process_shows_a_move_at_once(halls: Halls) -> None:
    host, friend, room = await halls.one.two_at(HOARD)
    url = f"/tables/{room.table.id}/stream"
    clock = asyncio.get_running_loop().time
    async with stream(elsewhere(friend, halls.two), url) as there:
        await there.frame()
        times: list[float] = []
        people = {0: host, 1: friend}
        while not match_of(room).over and len(times) < 20:
            match = match_of(room)
            began, count = clock(), match.next_number
            assert (await people[match.actor or 0].act(room.table.id, match.legal()[0].action, count)).status_code == 200
            await there.frame()
            times.append(clock() - began)
    assert sorted(times)[len(times) // 2] < 0.5, "most take a few milliseconds, but this machine may be busy"


async def test_no_request_is_answered_from_an_older_state(halls: Halls) -> None:
    """Whoever made the last action, and wherever, every process shows it to the next request."""
    programs = [await halls.one.program(name) for name in ("Ask", "Embla")]
    table = (await programs[0].open(game=HOARD, players=2))["id"]
    assert (await programs[1].post(f"/tables/{table}/join")).status_code == 200
    assert (await programs[0].post(f"/tables/{table}/start")).status_code == 200
    view = (await programs[0].read(f"/tables/{table}")).json()["view"]
    processes = [[at_process(program, hall) for program in programs] for hall in (halls.one, halls.two)]
    number = 0
    while view["actor"] is not None:
        number = view["next"]
        actor = processes[number % 2][view["actor"]]
        action = (await actor.read(f"/tables/{table}/legal")).json()[0]["action"]
        assert (await actor.act(table, action, number)).status_code == 200
        answers = await asyncio.gather(*(who.read(f"/tables/{table}") for each in processes for who in each))
        views = [answer.json()["view"] for answer in answers]
        assert {view["next"] for view in views} == {number + 1}
        view = views[0]
    assert number > 3


async def test_a_room_that_is_behind_reads_new_entries_and_does_not_replay(halls: Halls, monkeypatch: pytest.MonkeyPatch) -> None:
    host, _friend, room = await halls.one.two_at(HOARD)
    there = await halls.two.room(room.table.id)
    applied: list[int] = []
    follow = TableState.follow

    def watched(state: TableState, table: TableRow, entries: Sequence[Entry]) -> None:
        applied.append(len(entries))
        follow(state, table, entries)

    def never(*_: Any) -> Any:
        raise AssertionError("the match is replayed")

    monkeypatch.setattr(TableState, "follow", watched)
    monkeypatch.setattr(following, "replayed", never)
    with there.channel.subscribe("") as page:
        for action, who in ((BOAST, host), (LOOK, host)):
            assert (await who.act(room.table.id, action)).status_code == 200
            await soon(lambda: there.entry_count == room.entry_count)
        assert await page.wait(PATIENCE)
    assert applied == [1, 1]
    assert [step.action for step in match_of(there).steps] == [BOAST, LOOK]


async def test_an_undo_is_applied(halls: Halls) -> None:
    host, _friend, room = await halls.one.two_at(HOARD)
    table = room.table.id
    there = elsewhere(host, halls.two)
    await host.act(table, BOAST)
    assert "boasts" in (await there.get(f"/tables/{table}")).text
    assert (await there.ask(f"/tables/{table}/undo")).status_code == 200
    assert (await host.get(f"/tables/{table}/record")).json()["actions"] == []
    await settled(table, halls)
    assert match_of(room).record() == match_of(await halls.two.room(table)).record()


async def test_a_resignation_and_the_bot_in_its_place_are_taken_over(on_postgresql: Settings) -> None:
    slow = replace(on_postgresql, bot_pause=3600.0)
    async with open_hall(slow) as one, open_hall(replace(slow)) as two:
        host, friend, room = await one.three_at(HOARD)
        there = await two.room(room.table.id)
        async with stream(elsewhere(friend, two), f"/tables/{room.table.id}/stream") as page:
            await page.frame()
            assert (await host.ask(f"/tables/{room.table.id}/resign")).status_code == 200
            await frame_with(page, "Jarl plays")
        assert there.table == room.table
        assert match_of(there).record() == match_of(room).record()
        assert (await elsewhere(friend, two).ask(f"/tables/{room.table.id}/resign")).status_code == 200
        await settled(room.table.id, Halls(one, two))  # without a page, only the process with the lease reads changes at once
        assert match_of(room).abandoned is not None
        assert match_of(there).record() == match_of(room).record()


async def test_a_match_that_begins_or_ends_elsewhere_does_so_on_every_page(halls: Halls) -> None:
    host, friend = halls.one.person(), halls.two.person("10.0.0.2")
    table = await host.open(HOARD)
    async with stream(host, f"/tables/{table}/stream") as here:
        await here.frame()
        async with stream(friend, f"/tables/{table}/stream") as there:
            await there.frame()
            assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
            assert (await host.ask(f"/tables/{table}/start")).status_code == 200
            await frame_with(there, 'id="log"')
            assert (await friend.ask(f"/tables/{table}/resign")).status_code == 200
            await frame_with(here, "You win")


# ----------------------------------------------------------------------------------------------------------- private changes


@pytest.fixture
def visits_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let guests be present for an hour after a request: that a visit ends is a public change."""
    monkeypatch.setattr(visits, "VISIT_SECONDS", 3600.0)


@pytest.mark.usefixtures("visits_last")
async def test_a_hint_reaches_the_pages_of_its_seat_and_no_others(halls: Halls) -> None:
    host, friend, room = await halls.one.two_at(HOARD)
    table = room.table.id
    there = await halls.two.room(table)
    url = f"/tables/{table}/stream"
    async with stream(elsewhere(host, halls.two), url) as own, stream(elsewhere(friend, halls.two), url) as other:
        first = [await own.frame(), await other.frame()]
        await soon(lambda: room.visits.open_pages()[0] == 1 and room.visits.open_pages()[1] == 1)
        while other.waiting:
            await other.frame()
        while own.waiting:
            await own.frame()
        public = there.version
        assert (await host.ask(f"/tables/{table}/hint")).status_code == 200
        assert 'id="hints"' not in first[0]
        await frame_with(own, 'id="hints"')
        assert there.version == public
        assert await other.is_silent(), "the other seat does not learn of it"
    assert [entry.kind for entry in await halls.two.store.transact(entries.all_of, table)] == ["hint"]
    await host.act(table, BOAST)
    await settled(table, halls)
    assert match_of(there).steps[0].hinted


@pytest.mark.usefixtures("visits_last")
async def test_another_device_is_shown_to_its_player_only(halls: Halls) -> None:
    host, friend, room = await halls.one.two_at(HOARD)
    there = await halls.two.room(room.table.id)
    url = f"/tables/{room.table.id}/stream"
    async with stream(elsewhere(host, halls.two), url) as own, stream(elsewhere(friend, halls.two), url) as other:
        await own.frame(), await other.frame()
        await soon(lambda: room.visits.open_pages()[0] == 1 and room.visits.open_pages()[1] == 1)
        while other.waiting:
            await other.frame()
        public = there.version
        phone = halls.one.person("10.0.0.9")
        assert (await phone.post(f"/seat/{room.table.seats[0].link_token}")).status_code == 303
        await soon(lambda: there.table == room.table)
        assert there.version_for(0) > public == there.version_for(1)
        assert await other.is_silent()
        assert (await elsewhere(phone, halls.two).act(room.table.id, BOAST)).status_code == 200


async def test_a_renewed_link_shuts_other_devices_out_everywhere(halls: Halls) -> None:
    host, _friend, room = await halls.one.two_at(HOARD)
    phone = halls.two.person("10.0.0.9")
    assert (await phone.post(f"/seat/{room.table.seats[0].link_token}")).status_code == 303
    assert (await host.ask(f"/tables/{room.table.id}/device")).status_code == 200
    assert (await phone.ask(f"/tables/{room.table.id}/undo")).status_code == 403
    assert 'id="controls"' not in (await phone.get(f"/tables/{room.table.id}")).text


# ------------------------------------------------------------------------------------------------------ guests and presence


async def test_a_new_name_is_known_to_every_process(halls: Halls) -> None:
    host = halls.one.person()
    there = elsewhere(host, halls.two)
    await host.post("/settings", {"name": "Oleg"})
    there = elsewhere(host, halls.two)
    assert "Oleg" in (await there.get("/settings")).text
    table = await host.open(HOARD)
    assert "Oleg" in (await there.get(f"/tables/{table}")).text
    await there.post("/settings", {"name": "Sigrid", "language": "de"})
    for person in (host, there):
        assert "Sigrid" in (await person.get("/settings")).text
        assert "Sigrid" in (await person.get(f"/tables/{table}")).text


async def test_replaced_keys_are_used_without_a_restart(halls: Halls) -> None:
    host = halls.one.person()
    await host.post("/settings", {"name": "Oleg"})
    there = elsewhere(host, halls.two)
    assert "Oleg" in (await there.get("/settings")).text
    await halls.one.store.rotate_secret("guests", None)
    assert "Oleg" not in (await there.get("/settings")).text, "the old key is not accepted any more"


async def test_a_player_at_another_process_is_online(halls: Halls) -> None:
    host, friend = halls.one.person(), halls.two.person("10.0.0.2")
    table = await host.open(HOARD)
    assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
    room, there = await halls.one.room(table), await halls.two.room(table)
    forget_visits(room, there)
    await soon(lambda: not there.visits.is_here(there.table.seats[0]))
    async with stream(host, f"/tables/{table}/stream"), stream(friend, f"/tables/{table}/stream") as page:
        await soon(lambda: there.visits.is_here(there.table.seats[0]) and room.visits.is_here(room.table.seats[1]))
        await soon(lambda: room.visits.open_pages()[1] == 1)
        assert (await elsewhere(host, halls.two).ask(f"/tables/{table}/start")).status_code == 200
        await frame_with(page, 'id="log"')
    forget_visits(room, there)
    await soon(lambda: not room.visits.is_here(room.table.seats[1]))


async def test_spectators_are_counted_over_all_processes(halls: Halls) -> None:
    _host, _friend, room = await halls.one.two_at(HOARD)
    url = f"/tables/{room.table.id}/stream"
    async with stream(halls.two.person("10.0.0.7"), url), stream(halls.one.person("10.0.0.8"), url):
        await soon(lambda: room.visits.open_pages()[None] == 2)
    await soon(lambda: room.visits.open_pages()[None] == 0)


async def test_who_is_here_is_counted_over_all_processes(halls: Halls) -> None:
    """Also who plays; a guest at two processes counts once."""
    host, _friend, room = await halls.one.two_at(HOARD)
    await elsewhere(host, halls.two).get(f"/tables/{room.table.id}")
    await (third := halls.two.person("10.0.0.3")).get("/")
    await third.get("/")
    counts = [each.hall.attendance for each in (halls.one, halls.two)]
    await soon(lambda: all((each.guests, each.matches) == (3, 1) for each in counts))


async def test_a_table_is_offered_at_every_process(halls: Halls) -> None:
    """Also at one that has never had the table in memory, and that starts later."""
    host = halls.one.person()
    table = await host.open(HOARD)
    await host.ask(f"/tables/{table}/visibility", {"public": "yes"})
    async with stream(host, f"/tables/{table}/stream"), open_hall(replace(halls.one.hall.settings)) as three:
        for hall in (halls.one, halls.two, three):
            program = await hall.program()
            await soon(partial(is_known, hall, table))
            assert [each["id"] for each in (await program.read("/tables/open")).json()] == [table]
            assert f"/tables/{table}" in (await hall.person("10.0.0.5").get("/")).text
            assert table not in halls.two.hall._rooms
        await host.ask(f"/tables/{table}/visibility", {"public": "no"})
        assert (await (await halls.two.program()).read("/tables/open")).json() == []
    await halls.one.hall.presence.leave()
    await soon(lambda: not halls.two.hall.presence.tables())


async def test_the_guests_of_a_process_that_falls_silent_are_away(halls: Halls, monkeypatch: pytest.MonkeyPatch) -> None:
    host, _friend, room = await halls.one.two_at(HOARD)
    there = await halls.two.room(room.table.id)
    async with stream(host, f"/tables/{room.table.id}/stream"):
        await soon(lambda: halls.two.hall.presence.has(room.table.id, min(room.table.seats[0].guests)))
        monkeypatch.setattr(presence_module, "SILENCE", 0.0)
        monkeypatch.setattr(presence_module, "ALIVE_INTERVAL", 0.01)
        checking = asyncio.create_task(halls.two.hall.presence.keep_alive())
        await soon(lambda: not there.visits.is_here(there.table.seats[0]) or not halls.two.hall.presence.tables())
        checking.cancel()


# ------------------------------------------------------------------------------------------------------------------- outages


def cut(connection: Connection) -> None:
    """End all connections to the database except this one."""
    others = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    connection.execute(text(others))


async def test_a_listener_that_reconnects_looks_at_everything(halls: Halls, monkeypatch: pytest.MonkeyPatch) -> None:
    host, friend, room = await halls.one.two_at(HOARD)
    there = await halls.two.room(room.table.id)
    listener = halls.two.store.listener
    assert listener is not None
    await host.post("/settings", {"name": "Oleg"})
    async with stream(elsewhere(friend, halls.two), f"/tables/{room.table.id}/stream") as page:
        await page.frame()
        connect = listener._connection
        may_connect = asyncio.Event()

        def refuse() -> Any:
            if not may_connect.is_set():
                raise OSError("no route to the database")
            return connect()

        monkeypatch.setattr(listener, "_connection", refuse)
        await halls.one.store.transact(cut)
        await soon(lambda: not listener.connected)
        assert (await host.act(room.table.id, BOAST, 1)).status_code == 200
        await host.post("/settings", {"name": "Sigrid"})
        assert match_of(there).steps == [], "it has heard nothing"
        stale = elsewhere(host, halls.two)
        assert "boasts" in (await stale.get(f"/tables/{room.table.id}")).text, (
            "without the listener each request asks the database"
        )
        assert "Sigrid" in (await stale.get("/settings")).text
        assert (await host.act(room.table.id, LOOK, 2)).status_code == 200
        may_connect.set()
        await soon(lambda: listener.connected)
        await soon(lambda: len(match_of(there).steps) == 2)
        await frame_with(page, "boasts")


async def test_open_pages_follow_the_match_while_the_pool_is_exhausted(halls: Halls) -> None:
    host, friend, room = await halls.one.two_at(HOARD)
    async with stream(elsewhere(friend, halls.two), f"/tables/{room.table.id}/stream") as page:
        await page.frame()
        engine: Any = halls.two.store._database._connections.engine  # type: ignore[attr-defined]
        held = [await engine.connect() for _ in range(10)]
        try:
            assert (await host.act(room.table.id, BOAST, 1)).status_code == 200
            await frame_with(page, "boasts")
        finally:
            for connection in held:
                await connection.close()


# ---------------------------------------------------------------------------------------------------------- pages that move


async def test_versions_rise_from_process_to_process(halls: Halls) -> None:
    """A page drops an older version than it has. So it must not meet one at the next process."""
    host, friend, room = await halls.one.two_at(HOARD)
    url = f"/tables/{room.table.id}"
    people = {0: host, 1: friend}
    newest = number = 0
    for number in range(1, 7):
        if number == 3:
            halls.one.store._stamps._first += 3_600_000_000  # its clock is an hour ahead
        match = match_of(await halls.one.room(room.table.id))
        if match.over:
            break
        hall, other = (halls.one, halls.two)[:: 1 if number % 2 else -1]
        actor = elsewhere(people[match.actor or 0], hall)
        assert (await actor.act(room.table.id, match.legal()[0].action, number)).status_code == 200
        shown = [version((await elsewhere(actor, each).get(url)).text) for each in (hall, other)]
        assert min(shown) > newest, "a page that has an older state has a lower version, at whichever process"
        newest = max(shown)
        await settled(room.table.id, halls)
    assert number > 3


async def test_a_stream_of_the_api_continues_at_another_process(halls: Halls) -> None:
    program = await halls.one.program()
    info = await program.open(game=HOARD, bots=["random"])
    table = info["id"]
    there = at_process(program, halls.two)
    await program.act(table, BOAST)
    url = f"/api/v1/tables/{table}/events"
    async with stream(program, url) as first:
        assert (await first.event())[0] == "action"
    there.http.headers["Last-Event-ID"] = "1"
    assert (await program.act(table, LOOK)).status_code == 200
    async with stream(there, url) as second:
        name, data = await second.event()
        assert (name, data["n"]) == ("action", 2), "no reload, no gap"
        seen = 2
        while seen < len(match_of(await halls.one.room(table)).steps):
            name, data = await second.event()
            if name == "action":
                assert data["n"] == seen + 1
                seen += 1


async def test_a_room_that_was_released_is_loaded_again(halls: Halls) -> None:
    host, friend, room = await halls.one.two_at(HOARD)
    await halls.two.room(room.table.id)
    halls.two.hall._release(room.table.id)
    assert (await host.act(room.table.id, BOAST)).status_code == 200
    assert "boasts" in (await elsewhere(friend, halls.two).get(f"/tables/{room.table.id}")).text
