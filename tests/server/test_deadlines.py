"""When the time of a seat is up, the choice of the table applies: once, and not while the hall was down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall.bots import bot
from meadhall.engine.game import BEAT_SECONDS, beats_of
from meadhall.server.hall.clocks import COME_BACK, with_clock
from meadhall.server.hall.room import Room
from meadhall.server.hall.state import replayed
from meadhall.server.hall.uptime import CLOCK_JOB, Uptime
from meadhall.server.pages.clock import time_left
from meadhall.server.pages.front_page import _left
from meadhall.server.settings import Settings
from meadhall.server.store import guests, jobs, matches
from meadhall.server.store.models import Clock, Entry, TimeUp
from meadhall.server.worker import bot_cache
from server.manual_time import ManualTime, settled
from server.matches import match_of
from server.people import HOARD, OpenHall, Program, open_hall
from server.rows import stored_jobs
from server.waiting import until

pytestmark = pytest.mark.asyncio

MINUTE = 60
LONG = 600


@pytest.fixture(autouse=True)
def quick_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all bots play without a search."""
    monkeypatch.setattr(bot_cache, "bot", lambda game, _name: bot(game, "karl"))


@asynccontextmanager
async def clocked(
    settings: Settings,
    time: ManualTime,
    clock: Clock,
    players: int = 2,
    options: Mapping[str, Any] | None = None,
    game: str = HOARD,
) -> AsyncIterator[Table]:
    """Open a hall with a running match of programs."""
    async with open_hall(settings, time=time) as hall:
        people = [await hall.program(f"Program {seat}") for seat in range(players)]
        table = (await people[0].open(game=game, players=players, options=options or {}))["id"]
        for program in people[1:]:
            await program.post(f"/tables/{table}/join")
        room = await hall.room(table)
        room.change_table(with_clock(clock))
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

    def entries(self, *kinds: str) -> list[Entry]:
        return [entry for entry in self.hall.store.transact(matches.entries_of, self.id) if not kinds or entry.kind in kinds]

    def jobs(self) -> list[Any]:
        return stored_jobs(self.hall.store, kind=CLOCK_JOB, key=self.id)

    async def until(self, holds: Callable[[], bool]) -> None:
        await self.hall.let_time_pass_until(holds)


def per_decision(seconds: int, time_up: TimeUp = "bot_decision") -> Clock:
    return Clock("decision", seconds, 0, time_up)


async def test_a_bot_plays_the_decision_at_its_deadline_and_the_seat_has_one_more_minute(
    settings: Settings, at_once: None, time: ManualTime
) -> None:
    async with clocked(settings, time, Clock("seat", LONG, 0, "bot_decision")) as table:
        await time.advance(LONG - 0.1)
        assert table.entries() == []
        await time.advance(0.1)
        (entry,) = table.entries("stand_in")
        assert (entry.seat, entry.data) == (0, {"bot": "jarl", "lasts": "decision", "why": "time"})
        assert table.room.table.started_at is not None
        assert entry.at == table.room.table.started_at + timedelta(seconds=LONG)
        await table.until(lambda: match_of(table.room).steps != [])
        step = match_of(table.room).steps[0]
        assert (step.seat, step.bot, step.seconds) == (0, "jarl", None)
        clocks = table.room.state.clocks
        assert clocks is not None
        assert clocks.left[0] == MINUTE
        assert 0 not in clocks.bots


@pytest.mark.parametrize("jump", [3600, -3600])
async def test_the_machine_is_set_and_time_is_up_as_before(
    settings: Settings, at_once: None, time: ManualTime, jump: int
) -> None:
    async with clocked(settings, time, Clock("seat", LONG)) as table:
        await time.advance(200)
        time.jump(jump)
        await time.advance(100)
        assert table.room.state.clocks is not None
        assert table.room.state.clocks.left_at(time.now())[0] == LONG - 300
        await table.act(0, BOAST)
        assert match_of(table.room).steps[0].seconds == 300
        time.jump(-jump)
        await time.advance(LONG - 300.1)
        assert table.entries("stand_in") == []
        await time.advance(0.1)
        assert len(table.entries("stand_in")) == 1


async def test_a_seat_that_has_moved_in_time_keeps_its_turn(settings: Settings, at_once: None, time: ManualTime) -> None:
    async with clocked(settings, time, per_decision(MINUTE)) as table:
        (job,) = table.jobs()
        await time.advance(MINUTE - 1)
        await table.act(0, BOAST)
        (later,) = table.jobs()
        assert later.due_at - job.due_at == timedelta(seconds=MINUTE - 1)
        assert later.id != job.id
        await time.advance(MINUTE - 1)
        await table.act(0, LOOK)
        assert table.entries("stand_in") == []


async def test_a_job_that_comes_too_early_waits_again_and_changes_nothing(
    settings: Settings, at_once: None, time: ManualTime
) -> None:
    async with clocked(settings, time, per_decision(MINUTE)) as table:
        early = partial(jobs.put, kind=CLOCK_JOB, key=table.id, due_at=time.now())
        table.hall.store.transact(early)
        table.hall.hall.scheduler.wake()
        await settled()
        (job,) = table.jobs()
        assert job.due_at.replace(tzinfo=UTC) == table.room.deadline
        assert table.entries() == []


async def test_a_bot_takes_the_seat_and_its_owner_comes_back(settings: Settings, at_once: None, time: ManualTime) -> None:
    async with clocked(settings, time, per_decision(MINUTE, "bot_seat")) as table:
        await table.until(lambda: match_of(table.room).steps != [])
        (entry,) = table.entries("stand_in")
        assert (entry.seat, entry.data) == (0, {"bot": "jarl", "lasts": "return", "why": "time"})
        answer = await table.people[0].post(f"/tables/{table.id}/return")
        assert answer.status_code == 200


@pytest.mark.parametrize(("players", "mode"), [(2, "rivals"), (4, "sides")])
async def test_in_a_match_of_two_sides_the_other_one_wins_on_time(
    settings: Settings, at_once: None, time: ManualTime, players: int, mode: str
) -> None:
    async with clocked(settings, time, per_decision(MINUTE, "resign"), players, {"mode": mode}) as table:
        await time.advance(MINUTE)
        assert table.room.table.status == "abandoned"
        info = (await table.people[1].read(f"/tables/{table.id}")).json()
        assert info["awarded"]["why"] == "time"
        assert 0 not in info["awarded"]["winners"]
        record = (await table.people[1].read(f"/tables/{table.id}/record")).json()
        assert record["abandoned"] == "Program 0 ran out of time"
        assert meadhall.replay(record).awarded is not None
        assert table.jobs() == [], "no clock waits any more"


async def test_among_three_who_resign_on_time_a_bot_plays_to_the_end(settings: Settings, at_once: None, time: ManualTime) -> None:
    async with clocked(settings, time, per_decision(MINUTE, "resign"), players=3) as table:
        await table.until(lambda: table.room.table.status != "running")
        ends = table.entries("stand_in")
        assert [(entry.seat, entry.data) for entry in ends] == [
            (seat, {"bot": "jarl", "lasts": "end", "why": "time"}) for seat in (0, 1)
        ]
        assert table.room.table.abandon_reason == "everybody left"


async def test_while_a_bot_plays_the_decision_the_owner_waits(settings: Settings, at_once: None, time: ManualTime) -> None:
    async with clocked(settings, time, per_decision(MINUTE)) as table:
        table.room.bots.pause = 30.0  # the bot thinks on
        await time.advance(MINUTE)
        assert 0 in match_of(table.room).stand_ins
        for path, body in (("actions", {"action": BOAST}), ("return", None)):
            answer = await table.people[0].post(f"/tables/{table.id}/{path}", body)
            assert (answer.status_code, answer.json()["reason"]) == (409, "Your time was up. A bot plays this one decision.")
        assert table.room.deadline is None
        assert table.jobs() == []


async def test_actions_in_good_time_do_not_make_the_scheduler_look(settings: Settings, at_once: None, time: ManualTime) -> None:
    """A look costs as much as an action. A message that time is short waits for its own time."""
    async with clocked(settings, time, per_decision(LONG), players=3) as table:
        scheduler, looks = table.hall.hall.scheduler, 0
        start_due_jobs = scheduler._start_due_jobs

        def counted() -> float:
            nonlocal looks
            looks += 1
            return start_due_jobs()

        await settled()
        scheduler._start_due_jobs = counted  # type: ignore[method-assign]
        for _ in range(6):
            actor = match_of(table.room).actor
            assert actor is not None
            await table.act(actor, match_of(table.room).legal()[0].action)
            await settled()
        assert looks == 0
        scheduler.expect(time.now() + timedelta(seconds=10))
        await time.advance(10)
        assert looks > 0


async def test_paused_clocks_have_no_deadline(settings: Settings, at_once: None, time: ManualTime) -> None:
    async with clocked(settings, time, per_decision(MINUTE)) as table:
        table.room.change(lambda draft: draft.add("pause", 0))
        await time.advance(2 * MINUTE)
        assert table.entries("stand_in") == []
        table.room.change(lambda draft: draft.add("resume", 0))
        await time.advance(MINUTE)
        assert [entry.kind for entry in table.entries()] == ["pause", "resume", "stand_in"]


async def test_after_a_restart_the_clock_goes_on_where_it_was(settings: Settings, at_once: None, time: ManualTime) -> None:
    async with clocked(settings, time, per_decision(MINUTE)) as table:
        await time.advance(10)
        id = table.id
    await time.advance(LONG)
    started = time.now()
    async with open_hall(settings, time=time) as hall:
        room = await hall.room(id)
        deadline = room.deadline
        assert deadline == started + COME_BACK + timedelta(seconds=MINUTE - 10)
        await time.advance(COME_BACK.total_seconds() + MINUTE - 10)
        await until(lambda: hall.store.transact(matches.entries_of, id) != [])
        (entry,) = hall.store.transact(matches.entries_of, id)
        assert (entry.kind, entry.at) == ("stand_in", deadline)


@pytest.mark.parametrize("clock", [Clock("decision", 30), Clock("seat", 180, 2)])
async def test_a_decision_begins_when_boards_have_played_the_last_action(
    settings: Settings, at_once: None, time: ManualTime, clock: Clock
) -> None:
    """The same after a restart. A match of an earlier version goes on as it was."""
    async with clocked(settings, time, clock, players=4, game="axes-and-allies") as table:
        await time.advance(5)
        match, id = match_of(table.room), table.id
        assert match.actor is not None
        await table.act(match.actor, match.legal()[0].action)
        match, acted = match_of(table.room), time.now()
        plays = timedelta(seconds=min(6.0, round(BEAT_SECONDS * beats_of(match.view(None)), 3)))
        assert plays > timedelta(seconds=1)
        assert match.actor is not None
        clocks, before = table.room.state.clocks, table.room.deadline
        assert clocks is not None
        seconds = clocks.left[match.actor]
        assert seconds >= clock.seconds - 5
        assert before == acted + plays + timedelta(seconds=seconds)
        assert table.jobs()[0].due_at.replace(tzinfo=UTC) == before
        told = (await table.people[0].read(f"/tables/{id}")).json()["clocks"]
        assert told["left"][match.actor] == seconds
        assert datetime.fromisoformat(told["stopped_until"]) == acted + plays
        guest = table.hall.store.transact(guests.find, min(table.room.table.seats[match.actor].guests))
        assert guest is not None
        assert _left(guest, table.room) == time_left(seconds, slow=False), "in the list of their matches, too"
        await time.advance(1)
        reopened = replayed(table.room.game, table.room.table, table.entries(), clocks.outages)
        assert reopened.clocks == clocks
        old = [replace(entry, data=None) for entry in table.entries()]
        of_earlier = replayed(table.room.game, table.room.table, old, clocks.outages).clocks
        assert of_earlier is not None
        assert of_earlier.deadline == acted + timedelta(seconds=seconds)
    async with open_hall(settings, time=time) as hall:
        room = await hall.room(id)
        assert room.state.clocks is not None
        (downtime,) = room.state.clocks.outages
        assert room.state.clocks.since == acted + plays
        assert room.deadline == downtime[1] + timedelta(seconds=seconds)


async def test_a_bot_plays_a_decision_whose_time_is_up_only_after_the_play(
    settings: Settings, at_once: None, time: ManualTime
) -> None:
    async with clocked(settings, time, per_decision(30), players=4, game="axes-and-allies") as table:
        match = match_of(table.room)
        assert match.actor is not None
        await table.act(match.actor, match.legal()[0].action)
        acted, plays = time.now(), table.entries("action")[0].data
        assert plays is not None
        allowed = min(6.0, plays["plays"] / 1000)
        await time.advance(30 + allowed - 0.1)
        assert table.entries("stand_in") == []
        await time.advance(0.1)
        (entry,) = table.entries("stand_in")
        assert entry.at == acted + timedelta(seconds=30 + allowed)


async def test_a_frozen_hall_lets_no_time_be_up_when_it_goes_on(
    settings: Settings, at_once: None, time: ManualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job of the deadline is done before the hall notes by itself that it was frozen."""
    monkeypatch.setattr(Uptime, "beat_regularly", lambda _uptime: asyncio.Event().wait())
    async with clocked(settings, time, per_decision(MINUTE)) as table:
        await time.freeze(3600)
        assert table.room.state.clocks is not None
        assert table.room.state.clocks.outages != ()
        assert table.room.deadline == time.now() + COME_BACK + timedelta(seconds=MINUTE)
        assert table.entries() == []


async def test_a_rematch_has_the_same_clock(hall: OpenHall) -> None:
    people = [await hall.program(name) for name in ("Ada", "Björn")]
    id = (await people[0].open(game=HOARD, players=2, clock={"kind": "slow", "seconds": 86400}))["id"]
    await people[1].post(f"/tables/{id}/join")
    await people[0].post(f"/tables/{id}/start")
    room = await hall.room(id)
    await people[1].post(f"/tables/{id}/resign")
    (host, _) = [hall.store.transact(guests.find, min(seat.guests)) for seat in room.table.seats]
    assert host is not None
    again = await hall.hall.rematch(room, host)
    assert again.table.clock == room.table.clock == Clock("slow", 86400, 0, "bot_seat")
