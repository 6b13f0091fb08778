"""Two people and a bot who choose at the same time: sealed choices, numbers of actions, clocks, bots, pages and restarts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

import meadhall
from games_for_tests.goofspiel import game as goofspiel
from games_for_tests.goofspiel.rules import UNKNOWN
from meadhall.bots import Hint
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat, View
from meadhall.engine.registry import registered
from meadhall.server.hall import clocks
from meadhall.server.hall.clocks import Clocks
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store.models import Clock, Entry, EntryKind
from meadhall.server.worker import bot_cache, tasks
from server.matches import ask_hint, match_of, stored, undo
from server.people import OpenHall, open_hall, until

pytestmark = pytest.mark.asyncio

GOOFSPIEL = goofspiel.name
START = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)


@pytest_asyncio.fixture
async def hall(settings: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    with registered(goofspiel):
        async with open_hall(settings) as opened:
            yield opened


async def test_two_people_choose_in_any_order_and_neither_sees_the_others_choice(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(GOOFSPIEL)
    path = f"/tables/{room.table.id}"
    assert (await friend.act(room.table.id, 3, 1)).status_code == 200
    page, own, public = [(await person.get(path)).text for person in (host, friend, hall.person("10.0.0.3"))]
    assert "You have chosen. Waiting for " in own
    assert "Bid for the prize of" in page
    assert '<p id="own">4</p>' in own
    assert all(hidden in seen for seen in (page, public) for hidden in ('<p id="bids">0 0 0 0</p>', "has chosen"))
    assert all("bid 4" not in seen.replace('value="3">bid 4', "") for seen in (page, public))
    refused = await friend.act(room.table.id, 2)
    assert (refused.status_code, "You have chosen." in refused.text) == (409, True)
    assert (await host.act(room.table.id, 0, 1)).status_code == 200, "the choice of another doesn't outdate the page"
    assert [(step.n, step.seat, step.action) for step in match_of(room).steps] == [(1, 1, 3), (2, 0, 0)]
    assert match_of(room).state.pile[1] == match_of(room).state.prizes[0]
    assert (await host.act(room.table.id, 1, 2)).status_code == 409, "the number belongs to the round before"


async def test_a_request_that_is_repeated_changes_nothing(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(GOOFSPIEL)
    await friend.act(room.table.id, 3, 1)
    for _ in range(2):
        assert (await host.act(room.table.id, 2, 1)).status_code == 200
    assert len(match_of(room).steps) == 2
    assert (await host.act(room.table.id, 1, 1)).status_code == 409, "another action with the same number"


async def test_a_choice_can_be_taken_back_until_another_has_chosen(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(GOOFSPIEL)
    await friend.act(room.table.id, 3, 1)
    assert (await undo(friend, room)).status_code == 200
    assert (await friend.act(room.table.id, 0, 1)).status_code == 409, "the number was taken back"
    assert (await friend.act(room.table.id, 0, 2)).status_code == 200
    assert (await host.act(room.table.id, 1, 1)).status_code == 409
    assert (await host.act(room.table.id, 1, 2)).status_code == 200
    assert (await undo(friend, room)).status_code == 409


async def test_a_bot_does_not_wait_for_people_and_the_match_survives_a_restart(settings: Settings, at_once: None) -> None:
    with registered(goofspiel):
        async with open_hall(settings) as hall:
            host, friend, room = await hall.three_at(GOOFSPIEL)
            await until(room, lambda: match_of(room).deciders == (0, 1))
            await friend.act(room.table.id, 2)
            table, entries = room.table.id, stored(hall, room)
            assert [(kind, seat) for kind, seat, _ in entries] == [("action", 2), ("action", 1)]
            cookies = [dict(person.http.cookies) for person in (host, friend)]
        async with open_hall(settings) as hall:
            room, people = await hall.room(table), [hall.person(), hall.person()]
            assert match_of(room).deciders == (0,)
            for person, kept in zip(people, cookies, strict=True):
                person.http.cookies.update(kept)
            while not match_of(room).over:
                await until(room, lambda: match_of(room).over or bool({0, 1} & {*match_of(room).deciders}))
                for seat in {0, 1} & set(match_of(room).deciders):
                    await people[seat].act(table, match_of(room).legal(seat)[0].action)
            record = match_of(room).record(legal=True)
            assert meadhall.replay(record).record(legal=True) == record
            assert "sealed" not in record["actions"][0]


async def test_programs_get_their_legal_actions_and_no_sealed_one(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs(GOOFSPIEL)
    assert [len((await program.read(f"/tables/{table}/legal")).json()) for program in (host, friend)] == [4, 4]
    await friend.act(table, 3, 1)
    seen = (await host.read(f"/tables/{table}")).json()["view"]
    assert (seen["actor"], seen["deciders"], seen["state"]["bid"][1]) == (0, [0], UNKNOWN)
    record = (await host.read(f"/tables/{table}/record")).json()
    assert (record["actions"][0]["action"], record["actions"][0]["sealed"]) == (-1, True)
    assert (await friend.read(f"/tables/{table}/legal")).json() == []


# ------------------------------------------------------------------------------------------------------------------- clocks


async def test_when_time_is_up_for_two_seats_a_bot_plays_for_both(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "SECONDS", {kind: {1: 0, **each} for kind, each in clocks.SECONDS.items()})
    clock = {"kind": "decision", "seconds": 1, "time_up": "bot_seat"}
    _host, _friend, table = await hall.two_programs(GOOFSPIEL, clock=clock)
    room = await hall.room(table)
    await until(room, lambda: len(match_of(room).stand_ins) == 2)
    await until(room, lambda: {step.bot for step in match_of(room).steps} == {"jarl"})


class Play:
    """A match whose entries are made at chosen times."""

    def __init__(self, clock: Clock) -> None:
        self.match: Match[Any] = Match(goofspiel, seed=bytes(32), seats=[Seat("Ada"), Seat("Bo"), Seat("Cy")], started=START)
        self.clocks = Clocks.of_start(clock, self.match, START)
        self.count = 0

    def told(self) -> Any:
        return self.clocks.all_running, self.clocks.left

    def act(self, seconds: float, seat: int) -> None:
        action = self.match.legal(seat)[0].action
        self.match.play(action, seat)
        self.follow(seconds, "action", seat, action)

    def undo(self, seconds: float, seat: int) -> None:
        self.match.undo()
        self.follow(seconds, "undo", seat, 1)

    def follow(self, seconds: float, kind: EntryKind, seat: int, value: int) -> None:
        self.count += 1
        entry = Entry(self.count, kind, seat, value, {}, START + timedelta(seconds=seconds))
        self.clocks = self.clocks.after(entry, self.match)


async def test_the_clocks_of_all_pending_seats_run_and_a_choice_stops_only_its_own() -> None:
    play = Play(Clock("seat", 100, 5))
    assert play.told() == ((0, 1, 2), (100, 100, 100))
    play.act(10, 1)
    assert play.told() == ((0, 2), (90, 95, 90))
    play.act(30, 2)
    assert (*play.told(), play.clocks.deadline) == ((0,), (70, 95, 75), START + timedelta(seconds=100))
    play.act(31, 0)
    assert [step.seconds for step in play.match.steps] == [10, 30, 31]
    assert play.told() == ((0, 2, 1), (74, 95, 75))
    assert play.clocks.deadline_of(play.clocks.all_running[1]) == START + timedelta(seconds=31 + 75)


async def test_a_decision_keeps_its_time_while_others_choose_and_take_back() -> None:
    play = Play(Clock("decision", 60))
    play.act(20, 1)
    assert play.told()[1] == (40, 60, 40)
    play.undo(30, 1)
    assert play.told() == ((0, 2, 1), (30, 40, 30))
    play.act(35, 0)
    assert [play.clocks.deadline_of(seat) for seat in range(3)] == [
        None, START + timedelta(seconds=70), START + timedelta(seconds=60),
    ]  # fmt: skip


async def test_a_hint_for_one_seat_does_not_make_a_bot_begin_again(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the bot would act later, and the others would learn of the hint."""
    monkeypatch.setattr(tasks, "hints", lambda view: (Hint(view.legal[0], None, True),))
    loop, choices = asyncio.get_running_loop(), 0

    class Slow:
        name = "karl"

        def choose(self, view: View) -> int:
            nonlocal choices
            choices += 1
            if choices == 1:
                asyncio.run_coroutine_threadsafe(ask_hint(host, found[0]), loop).result()
            return view.legal[0]

    host, found = hall.person(), list[Room]()
    table = await host.open(GOOFSPIEL)
    found.append(room := await hall.room(table))
    monkeypatch.setattr(bot_cache, "bot", lambda game, name: Slow())
    assert (await host.ask(f"/tables/{table}/seats", {"seat": "1", "set": "bot:karl"})).status_code == 200
    assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    await until(room, lambda: bool(room.match and room.match.steps))
    assert choices == 1
    assert [kind for kind, _seat, _value in stored(hall, room)] == ["hint", "action"]
