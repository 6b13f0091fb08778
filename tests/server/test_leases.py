"""Leases: of several processes one drives a table, and another takes over when it stops, dies or freezes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest
from sqlalchemy import Connection, func, select

from meadhall.server.hall.processes.leases import SharedLeases, SoleLeases, open_leases
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import schema
from meadhall.server.store.models import Entry, LeaseLost, TableRow
from meadhall.server.store.queries import entries
from meadhall.server.store.queries import leases as queries
from meadhall.server.store.store import Store
from server.matches import bots_and, match_of
from server.people import AXES, HOARD, PATIENCE, OpenHall, open_hall, until
from server.rows import append, table_of

pytestmark = pytest.mark.asyncio

RULES = 3


@asynccontextmanager
async def processes(settings: Settings, count: int = 2) -> AsyncIterator[tuple[Store, list[SharedLeases]]]:
    """Yield a store, and the leases of processes that have joined and can drive Hoard."""
    async with AsyncExitStack() as stack:
        members = []
        for _ in range(count):
            member = open_leases(await stack.enter_async_context(Store.open(replace(settings))))
            assert isinstance(member, SharedLeases)
            member.add_game(HOARD, RULES)
            await member._renew(monotonic())
            members.append(member)
        yield members[0]._store, members


async def add_running(store: Store, game: str = HOARD, rules: int = RULES, **changes: Any) -> str:
    return (await running(store, game, rules, **changes)).id


async def running(store: Store, game: str = HOARD, rules: int = RULES, **changes: Any) -> TableRow:
    table = table_of("ada", game=game, rules=rules, status="running", started_at=Time().now(), **changes)
    await store.add_table(table)
    return table


async def drivers(store: Store) -> dict[str, str | None]:
    def read(connection: Connection) -> dict[str, str | None]:
        columns = schema.tables.c
        return {row.id: row.driver for row in connection.execute(select(columns.id, columns.driver))}

    return await store.transact(read)


async def expire(leases: SharedLeases) -> None:
    """Let the lease of a process expire now, as if it had been frozen for a while."""
    process = schema.processes

    def change(connection: Connection) -> None:
        long_ago = func.clock_timestamp() - timedelta(seconds=1)
        connection.execute(process.update().where(process.c.id == leases.process).values(expires_at=long_ago))

    await leases._store.transact(change)
    leases._valid_until = 0.0


async def test_of_two_processes_one_drives_a_table(on_postgresql: Settings) -> None:
    async with processes(on_postgresql) as (store, members):
        table = await add_running(store)
        await asyncio.gather(*(member.claim(table) for member in members))
        assert [member.holds(table) for member in members].count(True) == 1
        assert [await member.acquire() for member in members] == [[], []]


async def test_free_tables_are_shared_out_and_each_is_taken_once(on_postgresql: Settings) -> None:
    async with processes(on_postgresql, 3) as (store, members):
        tables = [await add_running(store) for _ in range(120)]
        found = await asyncio.gather(*(member.acquire() for member in members))
        taken = [table.id for each in found for table in each]
        assert len(taken) == len(set(taken))
        while more := await members[0].acquire():
            taken += [table.id for table in more]
        assert sorted(taken) == sorted(tables)


async def test_tables_where_something_happened_last_are_taken_first(on_postgresql: Settings) -> None:
    async with processes(on_postgresql, 1) as (store, (member,)):
        old, older, fresh = [await running(store) for _ in range(3)]
        for second, (table, number) in enumerate(((old, 1), (older, 1), (old, 2)), 1):
            at = Time().now() + timedelta(seconds=second)
            await append(store, table, Entry(number, "action", 0, 1, at=at))
        assert [(table.id, table.has_bots) for table in await member.acquire()] == [
            (each.id, True) for each in (old, older, fresh)
        ]


async def test_only_tables_that_this_process_can_drive_are_taken(on_postgresql: Settings) -> None:
    async with processes(on_postgresql, 1) as (store, (member,)):
        await add_running(store, rules=RULES + 1)
        await add_running(store, game=AXES)
        await store.add_table(table_of("ada"))
        assert await member.acquire() == []
        member.tables_free.clear()
        await member._renew(monotonic())
        assert not member.tables_free.is_set()


async def test_a_process_that_leaves_hands_over_at_once(on_postgresql: Settings) -> None:
    async with processes(on_postgresql) as (store, (ada, bo)):
        table = await add_running(store)
        await ada.claim(table)
        heard = asyncio.Event()
        assert bo._store.listener is not None
        bo._store.listener.on("lease", lambda _: heard.set())
        async with bo._store.listening():
            await ada.leave()
            async with asyncio.timeout(1.0):
                await heard.wait()
        assert not ada.holds(table)
        assert [each.id for each in await bo.acquire()] == [table]
        assert bo.holds(table)


async def test_a_lease_that_expired_is_taken_over_and_can_not_be_renewed(on_postgresql: Settings) -> None:
    async with processes(on_postgresql) as (store, (ada, bo)):
        table, before = await add_running(store), ada.process
        await ada.claim(table)
        await expire(ada)
        assert not ada.holds(table)
        bo.tables_free.clear()
        await bo._renew(monotonic())
        assert bo.tables_free.is_set()
        assert [each.id for each in await bo.acquire()] == [table]
        assert await ada.acquire() == ()
        with pytest.raises(LeaseLost):
            await store.transact(lambda connection: queries.claim_table(connection, str(before), table))
        await ada._renew(monotonic())
        assert ada.process != before
        assert not ada.holds(table)
        assert await drivers(store) == {table: bo.process}


async def test_a_process_that_is_late_but_still_a_member_goes_on(on_postgresql: Settings) -> None:
    async with processes(on_postgresql) as (store, (ada, bo)):
        table, before = await add_running(store), ada.process
        await ada.claim(table)
        await expire(ada)
        ada.tables_free.clear()
        await ada._renew(monotonic())
        await bo._renew(monotonic())
        assert (ada.process, ada.holds(table)) == (before, True)
        assert ada.tables_free.is_set(), "so that the bots at its tables go on"


async def test_after_an_outage_of_the_database_a_process_does_not_end_the_others(on_postgresql: Settings) -> None:
    """None of them could renew its lease. The first that comes back leaves the others time for it."""
    async with processes(on_postgresql) as (_store, (ada, bo)):
        before = ada.process
        await expire(ada)
        await expire(bo)
        await bo._renew(monotonic())
        await ada._renew(monotonic())
        assert ada.process == before


async def test_without_the_database_a_lease_is_used_no_longer_than_it_is_valid(on_postgresql: Settings) -> None:
    async with processes(on_postgresql, 1) as (store, (ada,)):
        table = await add_running(store)
        await ada.claim(table)
        assert ada.holds(table)
        ada._valid_until = monotonic() + 0.1
        assert not ada.holds(table)


async def test_ended_processes_are_forgotten_when_they_drive_nothing(on_postgresql: Settings) -> None:
    async with processes(on_postgresql, 3) as (store, (ada, bo, eve)):
        table = await add_running(store)
        await ada.claim(table)
        await ada.leave()
        await bo.leave()

        def left(connection: Connection) -> set[str]:
            queries.forget_ended(connection)
            return set(connection.execute(select(schema.processes.c.id)).scalars())

        assert await store.transact(left) == {ada.process, eve.process}
        await eve.acquire()
        assert await store.transact(left) == {eve.process}


async def test_the_only_process_drives_every_table_without_a_write(hall: OpenHall) -> None:
    assert isinstance(hall.hall.leases, SoleLeases)
    program, room = await bots_and(hall, ["random"], HOARD)
    while not match_of(room).over:
        await until(room, lambda: match_of(room).actor in (0, None))
        if not match_of(room).over:
            await program.act(room.table.id, match_of(room).legal()[0].action)

    def rows(connection: Connection) -> int:
        return connection.execute(select(func.count()).select_from(schema.processes)).scalar_one()

    assert await hall.store.transact(rows) == 0
    assert await drivers(hall.store) == {room.table.id: None}


# ---------------------------------------------------------------------------------------------------------- tables and their bots


async def two_bots(hall: OpenHall) -> tuple[Any, TableRow]:
    program = await hall.program()
    info = await program.open(game=HOARD, bots=["random", "random"])
    return program, (await hall.room(info["id"])).table


def by_lease(one: OpenHall, two: OpenHall, table: TableRow) -> tuple[OpenHall, OpenHall]:
    """Return the process that drives a table, and the other, which may have been faster in the moment after the start."""
    driver, other = (one, two) if one.hall.leases.holds(table.id) else (two, one)
    assert driver.hall.leases.holds(table.id)
    assert not other.hall.leases.holds(table.id)
    return driver, other


async def test_a_move_at_one_process_lets_the_bots_of_the_driver_play(on_postgresql: Settings, at_once: None) -> None:
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        program, table = await two_bots(one)
        _driver, other = by_lease(one, two, table)
        there = await other.room(table.id)
        program.http._transport = other.person().http._transport
        for _ in range(3):
            await until(there, lambda: match_of(there).actor in (0, None))
            if match_of(there).over:
                break
            answer = await program.act(table.id, match_of(there).legal()[0].action)
            assert answer.status_code == 200
        assert not other.hall.leases.holds(table.id)
        numbers = [entry.number for entry in await one.store.transact(entries.all_of, table.id)]
        assert numbers == list(range(1, len(numbers) + 1))


async def test_the_driver_loads_a_table_that_it_does_not_have_in_memory(on_postgresql: Settings, at_once: None) -> None:
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        program, table = await two_bots(one)
        driver, other = by_lease(one, two, table)
        there = await other.room(table.id)
        await until(there, lambda: match_of(there).actor == 0)
        if table.id in driver.hall._rooms:
            driver.hall._release(table.id)
        program.http._transport = other.person().http._transport
        await program.act(table.id, match_of(there).legal()[0].action)
        await until(there, lambda: match_of(there).actor in (0, None))
        assert {entry.seat for entry in await driver.store.transact(entries.all_of, table.id)} > {0}
        assert driver.hall.leases.holds(table.id) or match_of(there).over
        assert not other.hall.leases.holds(table.id)


async def test_even_two_processes_that_believe_to_hold_a_lease_play_each_action_once(
    on_postgresql: Settings, at_once: None
) -> None:
    """A driver that was frozen may believe so for a moment when it wakes. The numbers of the entries decide."""
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        program, table = await two_bots(one)
        leases = two.hall.leases
        assert isinstance(leases, SharedLeases)
        leases._held.add(table.id)
        room, there = await one.room(table.id), await two.room(table.id)
        for _ in range(3):
            async with asyncio.timeout(PATIENCE):
                await until(room, lambda: match_of(room).actor in (0, None))
            if match_of(room).over:
                break
            await program.act(table.id, match_of(room).legal()[0].action)
        await until(there, lambda: match_of(there).actor in (0, None))
        found = await one.store.transact(entries.all_of, table.id)
        assert [entry.number for entry in found] == list(range(1, len(found) + 1))
        assert {entry.seat for entry in found} > {0}


async def test_tables_of_a_hall_that_stopped_are_driven_after_the_next_start(on_postgresql: Settings, at_once: None) -> None:
    async with open_hall(replace(on_postgresql, bot_pause=3600.0)) as one:
        program, table = await two_bots(one)
        await program.act(table.id, match_of(await one.room(table.id)).legal()[0].action)
    async with open_hall(on_postgresql) as two:
        room = await two.room(table.id)
        await until(room, lambda: room.entry_count >= 3)
        assert two.hall.leases.holds(table.id)
