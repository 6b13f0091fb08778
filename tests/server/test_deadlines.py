"""When the time of a seat is up, the choice of the table applies: once, and not while the hall was down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

import meadhall
from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall.server.hall import clocks as clocks_module
from meadhall.server.hall.clock_choice import with_clock
from meadhall.server.hall.room import Room
from meadhall.server.hall.uptime import CLOCK_JOB
from meadhall.server.settings import Settings
from meadhall.server.store import schema
from meadhall.server.store.clock import Clock, TimeUp
from meadhall.server.store.models import Entry, now
from meadhall.server.store.queries import jobs, uptime
from server.matches import match_of
from server.people import HOARD, PATIENCE, OpenHall, Program, open_hall, until

pytestmark = pytest.mark.asyncio

QUICK = 0.4
"""Seconds of a decision."""


@asynccontextmanager
async def clocked(settings: Settings, clock: Clock, players: int = 2, game: str = HOARD) -> AsyncIterator[Table]:
    """Open a hall with a running match of programs."""
    async with open_hall(settings) as hall:
        people = [await hall.program(f"Program {seat}") for seat in range(players)]
        table = (await people[0].open(game=game, players=players))["id"]
        for program in people[1:]:
            await program.post(f"/tables/{table}/join")
        room = await hall.room(table)
        await room.change_table(with_clock(clock))
        assert (await people[0].post(f"/tables/{table}/start")).status_code == 200
        yield Table(hall, people, room)


class Table:
    def __init__(self, hall: OpenHall, people: list[Program], room: Room) -> None:
        self.hall = hall
        self.people = people
        self.room = room
        self.id = room.table.id

    async def act(self, seat: int, action: int) -> None:
        assert (await self.people[seat].act(self.id, action)).status_code == 200

    async def entries(self, *kinds: str) -> list[Entry]:
        return [entry for entry in await self.hall.store.entries(self.id) if not kinds or entry.kind in kinds]

    async def jobs(self) -> list[Any]:
        def read(connection: Connection) -> list[Any]:
            waiting = select(schema.jobs).where(schema.jobs.c.kind == CLOCK_JOB, schema.jobs.c.key == self.id)
            return list(connection.execute(waiting).all())

        return await self.hall.store.transact(read)

    async def until(self, holds: Callable[[], bool]) -> None:
        await until(self.room, holds)


def live(seconds: float, time_up: TimeUp = "bot_decision") -> Clock:
    return Clock("seat", seconds, 0, time_up)  # type: ignore[arg-type]  # tests can't wait for whole seconds


def per_decision(seconds: float, time_up: TimeUp = "bot_decision") -> Clock:
    return Clock("decision", seconds, 0, time_up)  # type: ignore[arg-type]


async def test_a_bot_plays_the_decision_and_the_seat_has_one_more_minute(on_each_database: Settings, at_once: None) -> None:
    async with clocked(on_each_database, live(QUICK)) as table:
        await table.until(lambda: match_of(table.room).steps != [])
        (entry,) = await table.entries("stand_in")
        assert (entry.seat, entry.data) == (0, {"bot": "jarl", "lasts": "decision", "why": "time"})
        assert entry.at - table.room.table.started_at >= timedelta(seconds=QUICK)  # type: ignore[operator]
        step = match_of(table.room).steps[0]
        assert (step.seat, step.bot, step.seconds) == (0, "jarl", None)
        clocks = table.room.clocks
        assert clocks is not None
        assert clocks.left[0] == 60
        assert 0 not in clocks.bots


async def test_a_seat_that_has_moved_in_time_keeps_its_turn(on_each_database: Settings, at_once: None) -> None:
    async with clocked(on_each_database, per_decision(2.0)) as table:
        (job,) = await table.jobs()
        await table.act(0, BOAST)
        (later,) = await table.jobs()
        assert later.due_at > job.due_at
        assert later.id != job.id
        await table.act(0, LOOK)
        assert await table.entries("stand_in") == []


async def test_a_job_that_comes_too_early_waits_again_and_changes_nothing(on_each_database: Settings, at_once: None) -> None:
    async with clocked(on_each_database, per_decision(60)) as table:
        early = partial(jobs.put, kind=CLOCK_JOB, key=table.id, due_at=now())
        await table.hall.store.transact(early)
        table.hall.hall.scheduler.wake()
        async with asyncio.timeout(PATIENCE):
            while (await table.jobs())[0].due_at.replace(tzinfo=UTC) < now() + timedelta(seconds=50):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert await table.entries() == []
        assert len(await table.jobs()) == 1


async def test_a_bot_takes_the_seat_and_its_owner_comes_back(on_each_database: Settings, at_once: None) -> None:
    async with clocked(on_each_database, per_decision(QUICK, "bot_seat")) as table:
        await table.until(lambda: len(match_of(table.room).steps) >= 2)
        entries = await table.entries("stand_in")
        assert [entry.seat for entry in entries][:1] == [0]
        assert entries[0].data == {"bot": "jarl", "lasts": "return", "why": "time"}
        answer = await table.people[0].post(f"/tables/{table.id}/return")
        assert answer.status_code in (200, 409), "409: the match is over already"


@pytest.mark.parametrize(("players", "mode"), [(2, "rivals"), (4, "sides")])
async def test_in_a_match_of_two_sides_the_other_one_wins_on_time(
    on_each_database: Settings, at_once: None, players: int, mode: str
) -> None:
    async with open_hall(on_each_database) as hall:
        people = [await hall.program(f"Program {seat}") for seat in range(players)]
        id = (await people[0].open(game=HOARD, players=players, options={"mode": mode}))["id"]
        for program in people[1:]:
            await program.post(f"/tables/{id}/join")
        room = await hall.room(id)
        await room.change_table(with_clock(per_decision(QUICK, "resign")))
        await people[0].post(f"/tables/{id}/start")
        await until(room, lambda: room.table.status == "abandoned")
        info = (await people[1].read(f"/tables/{id}")).json()
        assert info["awarded"]["why"] == "time"
        assert 0 not in info["awarded"]["winners"]
        record = (await people[1].read(f"/tables/{id}/record")).json()
        assert record["abandoned"] == "Program 0 ran out of time"
        assert meadhall.replay(record).awarded is not None
        assert not await hall.store.transact(partial(uptime.is_waiting, kind=CLOCK_JOB)), "no clock waits any more"


async def test_among_three_who_resign_on_time_a_bot_plays_to_the_end(on_each_database: Settings, at_once: None) -> None:
    async with clocked(on_each_database, per_decision(QUICK, "resign"), players=3) as table:
        await table.until(lambda: table.room.table.status != "running")
        ends = await table.entries("stand_in")
        assert [(entry.seat, entry.data) for entry in ends] == [
            (seat, {"bot": "jarl", "lasts": "end", "why": "time"}) for seat in (0, 1)
        ]
        assert table.room.table.abandon_reason == "everybody left"


async def test_while_a_bot_plays_the_decision_the_owner_waits(on_each_database: Settings, at_once: None) -> None:
    async with clocked(on_each_database, per_decision(QUICK)) as table:
        table.room.bots.pause = 30.0  # the bot thinks on
        await table.until(lambda: 0 in match_of(table.room).stand_ins)
        for path, body in (("actions", {"action": BOAST}), ("return", None)):
            answer = await table.people[0].post(f"/tables/{table.id}/{path}", body)
            assert (answer.status_code, answer.json()["reason"]) == (409, "Your time was up. A bot plays this one decision.")
        assert table.room.deadline is None
        assert await table.jobs() == []


async def test_actions_in_good_time_do_not_make_the_scheduler_look(settings: Settings, at_once: None) -> None:
    """A look costs as much as an action. A message that time is short waits for its own time."""
    async with clocked(settings, per_decision(600.0), players=3) as table:
        scheduler, looks = table.hall.hall.scheduler, 0
        start_due_jobs = scheduler._start_due_jobs

        async def counted() -> float:
            nonlocal looks
            looks += 1
            return await start_due_jobs()

        await asyncio.sleep(0.1)
        scheduler._start_due_jobs = counted  # type: ignore[method-assign]
        for _ in range(6):
            actor = match_of(table.room).actor
            assert actor is not None
            await table.act(actor, match_of(table.room).legal()[0].action)
            await asyncio.sleep(0.01)
        assert looks == 0
        scheduler.expect(now() + timedelta(seconds=0.01))
        async with asyncio.timeout(PATIENCE):
            while not looks:  # noqa: ASYNC110 - the scheduler has no event for it
                await asyncio.sleep(0.01)


async def test_paused_clocks_have_no_deadline(on_each_database: Settings, at_once: None) -> None:
    async with clocked(on_each_database, per_decision(QUICK)) as table:
        await table.room.append(lambda _match: Entry(1, "pause", 0, 0))
        await asyncio.sleep(2 * QUICK)
        assert await table.entries("stand_in") == []
        await table.room.append(lambda _match: Entry(2, "resume", 0, 0))
        await table.until(lambda: match_of(table.room).steps != [])
        assert [entry.kind for entry in await table.entries()][:4] == ["pause", "resume", "stand_in", "action"]


async def test_the_end_of_a_match_cancels_its_deadline(on_each_database: Settings, at_once: None) -> None:
    async with clocked(on_each_database, per_decision(60)) as table:
        while not match_of(table.room).over:
            actor = match_of(table.room).actor
            assert actor is not None
            await table.act(actor, match_of(table.room).legal()[0].action)
        assert await table.jobs() == []


async def test_after_a_restart_the_clock_goes_on_where_it_was(
    on_each_database: Settings, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks_module, "COME_BACK", timedelta(seconds=1))
    async with clocked(on_each_database, per_decision(1.0)) as table:
        await table.hall.hall.uptime.beat()
        id = table.id
    await asyncio.sleep(1.5)
    async with open_hall(on_each_database) as hall:
        started = now()
        room = await hall.room(id)
        await until(room, lambda: match_of(room).steps != [])
        entry = next(entry for entry in await hall.store.entries(id) if entry.kind == "stand_in")
        assert entry.at > started + timedelta(seconds=1), "the clock stands still until people have come back"


async def test_a_frozen_hall_lets_no_time_be_up_when_it_goes_on(settings: Settings, at_once: None) -> None:
    async with clocked(settings, per_decision(1.0)) as table:
        hour = timedelta(hours=1)
        known = table.hall.hall.uptime
        assert known._seen_at is not None
        known._seen_at -= hour

        def an_hour_ago(connection: Connection) -> None:
            started = table.room.table.started_at
            assert started is not None
            connection.execute(update(schema.tables).values(started_at=started - hour))
            connection.execute(update(schema.jobs).where(schema.jobs.c.kind == CLOCK_JOB).values(due_at=now() - hour))

        await table.hall.store.transact(an_hour_ago)
        table.hall.hall.scheduler.wake()
        await table.until(lambda: table.room.clocks is not None and table.room.clocks.standstills != ())
        assert table.room.deadline is not None
        assert table.room.deadline > now() + timedelta(seconds=10)
        assert await table.entries() == []


async def test_a_rematch_has_the_same_clock(hall: OpenHall) -> None:
    people = [await hall.program(name) for name in ("Ada", "Björn")]
    id = (await people[0].open(game=HOARD, players=2, clock={"kind": "slow", "seconds": 86400}))["id"]
    await people[1].post(f"/tables/{id}/join")
    await people[0].post(f"/tables/{id}/start")
    room = await hall.room(id)
    await people[1].post(f"/tables/{id}/resign")
    guests = [await hall.store.guest(min(seat.guests)) for seat in room.table.seats]
    assert guests[0] is not None
    again = await hall.hall.rematch(room, guests[0])
    assert again.table.clock == room.table.clock == Clock("slow", 86400, 0, "bot_seat")


async def test_an_action_and_the_end_of_the_time_at_the_same_moment_at_two_processes(
    on_postgresql: Settings, at_once: None
) -> None:
    """Whichever is stored first counts: each decision is made once, by the person or by the bot."""
    async with clocked(on_postgresql, per_decision(QUICK)) as table, open_hall(replace(on_postgresql)) as other:
        elsewhere = [Program(other.app, Authorization=each.http.headers["Authorization"]) for each in table.people]
        answers = []
        for _ in range(12):
            match, deadline = match_of(table.room), table.room.deadline
            if match.over:
                break
            if deadline is None or match.actor is None:  # a bot plays
                await asyncio.sleep(0.05)
                continue
            await asyncio.sleep(max(0.0, (deadline - now()).total_seconds() - 0.005))
            answer = await elsewhere[match.actor].act(table.id, match.legal()[0].action, match.next_number)
            answers.append(answer.status_code)
            await table.hall.room(table.id)
        assert set(answers) <= {200, 409}
        entries = await table.entries()
        assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
        kinds = [entry.kind for entry in entries]
        for number, kind in enumerate(kinds[:-1]):
            if kind == "stand_in":
                assert (kinds[number + 1], entries[number + 1].seat) == ("action", entries[number].seat)
        async with asyncio.timeout(PATIENCE):
            while table.room.deadline is None and not match_of(table.room).over:  # noqa: ASYNC110 - a bot plays
                await asyncio.sleep(0.05)
        steps = match_of(table.room).steps
        stand_ins = kinds.count("stand_in")
        assert sum(step.bot is not None for step in steps) in (stand_ins, stand_ins + 1), "one more may have come since"
