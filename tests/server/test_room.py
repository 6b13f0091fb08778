"""One table: acting, taking back, conflicts with another process, bots, resigning, restarts."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import threading
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard.rules import BOAST, DRAW, LOOK
from meadhall.bots import Hint, bot
from meadhall.engine.match import Match
from meadhall.engine.view import View
from meadhall.server.errors import DatabaseAway
from meadhall.server.hall import hall as hall_module
from meadhall.server.hall import room as room_module
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store.store import Conflict, Entry, Store, TableRow
from meadhall.server.worker import tasks as mind_module
from meadhall.server.worker.client import InThreads
from server import hoard_on_a_page
from server.people import AXES, HOARD, PATIENCE, OpenHall, Person, open_hall, play_out, stream, until

pytestmark = pytest.mark.asyncio


def thinking(hall: OpenHall) -> mind_module.Mind:
    assert isinstance(hall.hall.thinker, InThreads)
    return hall.hall.thinker.mind


def match_of(room: Room) -> Match:
    assert room.match is not None
    return room.match


async def stored(hall: OpenHall, room: Room) -> list[tuple[str, int, int]]:
    return [(entry.kind, entry.seat, entry.value) for entry in await hall.store.entries(room.table.id)]


async def at_turn(hall: OpenHall, game: str = AXES) -> tuple[Person, Person, Room, int]:
    """A table of two: who is to decide, the other, the room, and the lowest legal action."""
    host, friend, room = await hall.two_at(game)
    match = match_of(room)
    actor, other = (host, friend) if match.actor == 0 else (friend, host)
    return actor, other, room, match.legal()[0].action


# ------------------------------------------------------------------------------------------------------------------- acting


async def test_an_action_is_stored_before_it_is_told(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    actor, _, room, action = await at_turn(hall)
    seat = match_of(room).actor
    seen: list[tuple[int, int]] = []
    append = Store.append

    async def watched(store: Store, table: str, entry: Entry, over: bool, version: int) -> None:
        seen.append((room.version, len(match_of(room).steps)))
        await append(store, table, entry, over, version)
        seen.append((room.version, len(match_of(room).steps)))

    monkeypatch.setattr(Store, "append", watched)
    version = room.version
    assert (await actor.act(room.table.id, action, 1)).status_code == 200
    assert seen == [(version, 0), (version, 0)], "nobody is told before the commit"
    assert room.version > version
    assert await stored(hall, room) == [("action", seat, action)]


async def test_an_action_that_could_not_be_stored_has_not_happened(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    actor, _, room, action = await at_turn(hall)

    async def fail(*_: Any) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "append", fail)
        answer = await actor.act(room.table.id, action, 1)
    assert answer.status_code == 500
    assert "Nothing is lost" in answer.json()["reason"]
    assert "disk full" not in answer.text
    assert match_of(room).steps == []
    assert (await actor.act(room.table.id, action, 1)).status_code == 200


async def test_another_guest_cannot_act_for_a_seat(hall: OpenHall) -> None:
    _, other, room, action = await at_turn(hall)
    answer = await other.act(room.table.id, action)
    assert (answer.status_code, answer.json()["error"]) == (409, "not-your-turn")
    stranger = await hall.person().act(room.table.id, action)
    assert (stranger.status_code, stranger.json()["error"]) == (403, "not-your-seat")
    assert match_of(room).steps == []


async def test_of_two_actions_with_one_number_one_wins_and_the_other_is_stale(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    answers = await asyncio.gather(actor.act(room.table.id, BOAST, 1), actor.act(room.table.id, LOOK, 1))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    (loser,) = [answer for answer in answers if answer.status_code == 409]
    assert loser.json()["error"] == "stale"
    assert len(await stored(hall, room)) == 1


async def test_a_crowd_that_acts_at_once_is_served_one_after_the_other(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    answers = await asyncio.gather(*(actor.act(room.table.id, BOAST) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [422] * 7
    assert len(await stored(hall, room)) == 1


# --------------------------------------------------------------------------------------------- somebody else writes the store


async def test_after_a_conflict_the_action_is_tried_again_on_the_new_state(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    await hall.store.append(room.table.id, Entry(1, "action", 0, BOAST), over=False)
    assert (await actor.act(room.table.id, LOOK)).status_code == 200
    assert await stored(hall, room) == [("action", 0, BOAST), ("action", 0, LOOK)]
    assert [step.action for step in match_of(room).steps] == [BOAST, LOOK]


async def test_after_a_conflict_a_numbered_action_is_stale_and_the_page_shows_the_new_state(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    page = (await actor.get(f"/tables/{room.table.id}")).text
    assert "boasts" not in page
    await hall.store.append(room.table.id, Entry(1, "action", 0, BOAST), over=False)
    with room.hub.watching("") as watcher:
        await watcher.wait(1)
        answer = await actor.post(f"/tables/{room.table.id}/act", {"action": str(LOOK), "n": "1"}, **{"HX-Request": "true"})
        assert answer.status_code == 409
        assert "moved on" in answer.text
        assert "boasts" in answer.text, "not what was rendered before"
        assert await watcher.wait(1), "everybody else is shown it too"


async def test_after_a_conflict_a_wrong_turn_is_refused(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    await hall.store.append(room.table.id, Entry(1, "action", 0, DRAW), over=False)
    answer = await actor.act(room.table.id, BOAST)
    assert (answer.status_code, answer.json()["error"]) == (409, "not-your-turn")
    assert len(await stored(hall, room)) == 1


async def test_who_always_comes_second_is_told_in_the_end(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)

    async def conflict(*_: Any) -> None:
        raise Conflict

    monkeypatch.setattr(Store, "append", conflict)
    answer = await actor.act(room.table.id, BOAST)
    assert (answer.status_code, answer.json()["error"]) == (409, "stale")


async def test_a_match_that_somebody_else_has_finished_is_over_here_too(hall: OpenHall) -> None:
    actor, _, room, legal = await at_turn(hall)
    twin = match_of(room).copy()
    while not twin.over:
        seat, action = twin.actor, twin.legal()[0].action
        assert seat is not None
        twin.play(action)
        await hall.store.append(room.table.id, Entry(len(twin.steps), "action", seat, action), twin.over)
    answer = await actor.act(room.table.id, legal)
    assert (answer.status_code, answer.json()["error"]) == (409, "over")
    assert room.table.status == "over"


# --------------------------------------------------------------------------------------------------------------- taking back


async def undo(person: Person, room: Room, n: int | None = None) -> Any:
    return await person.ask(f"/tables/{room.table.id}/undo", {} if n is None else {"n": str(n)})


async def test_what_revealed_nothing_is_taken_back_and_its_number_never_used_again(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    await actor.act(room.table.id, BOAST, 1)
    assert (await undo(actor, room, 2)).status_code == 200
    assert match_of(room).steps == []
    assert (await actor.act(room.table.id, BOAST, 2)).status_code == 200
    assert [step.n for step in match_of(room).steps] == [2]
    assert await stored(hall, room) == [("action", 0, BOAST), ("undo", 0, 1), ("action", 0, BOAST)]


async def test_an_undo_survives_a_restart(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as before:
        actor, other, room, _ = await at_turn(before, HOARD)
        for _ in range(2):
            await actor.act(room.table.id, BOAST)
            await undo(actor, room)
        await actor.act(room.table.id, LOOK)
        table, record = room.table.id, match_of(room).record(0)
        cookies = [dict(person.http.cookies) for person in (actor, other)]
    async with open_hall(settings) as after:
        again = await after.room(table)
        assert match_of(again).record(0) == record
        people = [after.person(), after.person()]
        for person, kept in zip(people, cookies, strict=True):
            person.http.cookies.update(kept)
        assert [step.n for step in match_of(again).steps] == [3]
        await play_out(again, dict(enumerate(people)))
        complete = match_of(again).record()
        assert [undone["actions"][0]["n"] for undone in complete["undone"]] == [1, 2]
        assert meadhall.replay(complete).result() == match_of(again).result()


async def test_what_revealed_something_cannot_be_taken_back(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    await actor.act(room.table.id, LOOK)
    answer = await undo(actor, room)
    assert (answer.status_code, answer.json()["error"]) == (409, "cannot-undo")
    assert "revealed" in answer.json()["reason"]


async def test_only_ones_own_last_action_can_be_taken_back_and_only_now(hall: OpenHall) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    assert (await undo(actor, room)).json()["error"] == "cannot-undo", "nothing was played"
    await actor.act(room.table.id, BOAST)
    assert (await undo(other, room)).status_code == 403
    assert (await undo(hall.person(), room)).status_code == 403
    assert (await undo(actor, room, 1)).json()["error"] == "stale"


async def test_a_match_that_is_over_cannot_be_taken_back(hall: OpenHall) -> None:
    """Its seed has been told by then."""
    host, friend, room = await hall.two_at(HOARD)
    await play_out(room, {0: host, 1: friend})
    match = match_of(room)
    match.steps[-1].before["reveals"] = match.states["reveals"]  # as if the last action had revealed nothing
    last = (host, friend)[match.steps[-1].seat]
    answer = await undo(last, room)
    assert (answer.status_code, answer.json()["reason"]) == (409, "The match is over.")
    assert match_of(room).over


# ---------------------------------------------------------------------------------------------------------------------- bots


class Broken:
    """A bot that raises."""

    name = "broken"

    def choose(self, view: View) -> int:
        raise RuntimeError(f"out of ideas for {view.viewer}")


class Cheat:
    """A bot that answers what it may not do."""

    name = "cheat"

    def choose(self, view: View) -> int:
        return next(action for action in range(view.game.actions) if action not in view.legal)


class Dreamer:
    """A bot whose answer is no integer at all."""

    name = "dreamer"

    def choose(self, view: View) -> Any:
        return f"victory of {view.viewer}"


@pytest.fixture
def bad_bot(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """``greedy`` is not itself."""
    monkeypatch.setattr(mind_module, "bot", lambda game, name: request.param() if name == "greedy" else bot(game, name))
    return str(request.param.name)


async def bots_and(hall: OpenHall, bots: list[str], game: str = AXES) -> tuple[Any, Room]:
    program = await hall.program()
    table = await program.open(game=game, bots=bots)
    return program, await hall.room(table["id"])


async def test_bots_play_by_themselves_to_the_end(hall: OpenHall) -> None:
    program, room = await bots_and(hall, ["greedy", "random", "greedy"])
    while not match_of(room).over:
        await until(room, lambda: match_of(room).actor in (0, None))
        if not match_of(room).over:
            await program.act(room.table.id, match_of(room).legal()[0].action)
    assert room.table.status == "over"
    record = match_of(room).record()
    assert {action["seat"] for action in record["actions"]} - {0}
    meadhall.replay(record)


class Endless:
    """A bot that thinks for ever."""

    name = "endless"

    def choose(self, view: View) -> int:
        threading.Event().wait()
        return view.legal[0]


@pytest.mark.parametrize("bad_bot", [Endless], indirect=True)
async def test_a_bot_that_thinks_too_long_is_replaced_for_that_decision(
    hall: OpenHall, bad_bot: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(room_module, "_LONGEST", 0.05)
    program, room = await bots_and(hall, ["greedy"], HOARD)
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert match_of(room).steps[-1].seat == 1
    assert "took too long" in caplog.text
    assert len(thinking(hall).kept) == 1, "of random; one that still thinks never comes back"


@pytest.mark.parametrize("bad_bot", [Broken, Cheat, Dreamer], indirect=True)
async def test_a_bot_that_fails_is_replaced_for_that_decision_and_logged(
    hall: OpenHall, bad_bot: str, caplog: pytest.LogCaptureFixture
) -> None:
    program, room = await bots_and(hall, ["greedy"], HOARD)
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert match_of(room).steps[-1].seat == 1
    assert room.table.seats[1].bot == "greedy", "it gets another chance"
    (said, *_) = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert f"table {room.table.id}: bot greedy on seat 1 failed at action 2" in said.getMessage()


async def test_a_bot_whose_name_is_gone_is_replaced(hall: OpenHall) -> None:
    program, room = await bots_and(hall, ["greedy"], HOARD)
    room.table = room.table.replace_seat(replace(room.table.seats[1], bot="retired"))
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert match_of(room).steps[-1].seat == 1


def refuse_bots(monkeypatch: pytest.MonkeyPatch, error: Exception) -> list[Entry]:
    """What the bot on seat 1 plays is not stored five times, then it is; those that were not."""
    refused: list[Entry] = []
    append = Store.append

    async def after_a_while(store: Store, table: str, entry: Entry, over: bool, version: int) -> None:
        if entry.seat == 1 and len(refused) < 5:
            refused.append(entry)
            raise error
        await append(store, table, entry, over, version)

    monkeypatch.setattr(room_module, "_BREATH", 0.0)
    monkeypatch.setattr(Store, "append", after_a_while)
    return refused


async def test_bots_wait_for_a_database_that_is_away(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is no fault of theirs: none decides in another's place."""
    program, room = await bots_and(hall, ["greedy"], HOARD)
    refused = refuse_bots(monkeypatch, DatabaseAway("It doesn't answer."))
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert len(refused) == 5
    assert not caplog.records


async def test_when_even_random_cannot_play_it_is_tried_again(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    program, room = await bots_and(hall, ["random"], HOARD)
    refused = refuse_bots(monkeypatch, OSError("disk full"))
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert len(refused) == 5


async def test_bots_give_people_time_to_see_what_happened_but_never_four_seconds(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random, "uniform", lambda low, high: high)
    _, room = await bots_and(hall, ["greedy"], HOARD)
    room._bot_pause = 0.9
    room.match = match_of(room).copy()
    room.match.play(DRAW)
    (last,) = room.match.steps
    for events, pause in ((0, 1.17), (3, 1.17), (6, 2.34), (60, 3.8)):
        room.match.steps = [replace(last, events=(last.events * 60)[:events])]
        assert room._pause() == pytest.approx(pause)
    room._bot_pause = 3600.0
    assert room._pause() == 3600, "unless the host wants so"


class Timed:
    """A bot that thinks for a while, and of whom there is one for each seat."""

    name = "greedy"
    made = 0
    lasts = 0.3

    def __init__(self) -> None:
        type(self).made += 1
        self.asked = 0

    def choose(self, view: View) -> int:
        self.asked += 1
        time.sleep(self.lasts)
        return view.legal[0]


async def test_what_a_bot_thinks_for_is_part_of_its_pause(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "uniform", lambda low, high: 1.0)
    monkeypatch.setattr(mind_module, "bot", lambda game, name: Timed())
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(seconds)

    monkeypatch.setattr(room_module, "asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": sleep}))
    program, room = await bots_and(hall, ["greedy"], HOARD)
    for pause, least in ((0.6, 0.6), (0.0, Timed.lasts)):
        room._bot_pause = pause
        began = time.monotonic()
        await program.act(room.table.id, match_of(room).legal()[0].action)
        await until(room, lambda: match_of(room).actor in (0, None))
        assert time.monotonic() - began >= least
        assert slept.pop() <= pause - Timed.lasts, "not one after the other"


async def test_a_bot_keeps_what_it_has_thought_until_the_match_is_over(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    minds = thinking(hall).kept
    kept = set()
    monkeypatch.setattr(Timed, "made", 0)
    monkeypatch.setattr(Timed, "lasts", 0.0)
    monkeypatch.setattr(mind_module, "bot", lambda game, name: Timed())
    program, room = await bots_and(hall, ["greedy", "greedy"], HOARD)
    while not match_of(room).over:
        await until(room, lambda: match_of(room).actor in (0, None))
        if not match_of(room).over:
            kept.add(len(minds))
            await program.act(room.table.id, match_of(room).legal()[0].action)
    assert Timed.made == 2
    assert 2 in kept
    assert len(minds) == 0


async def test_a_room_that_is_let_go_takes_its_minds_with_it(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    program, room = await bots_and(hall, ["greedy"], HOARD)
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert len(thinking(hall).kept) == 1
    monkeypatch.setattr(hall_module, "_ROOMS_KEPT", 1)
    monkeypatch.setattr(hall_module, "_IN_USE", 0.0)
    await program.open(game=HOARD, bots=["greedy"])
    assert room not in hall.hall.rooms()
    assert len(thinking(hall).kept) == 0


async def test_of_the_rooms_that_nobody_is_in_the_one_goes_for_which_nobody_came_for_longest(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = [await hall.room(await hall.person().open()) for _ in range(3)]
    await hall.room(first.table.id)
    monkeypatch.setattr(hall_module, "_ROOMS_KEPT", 3)
    fourth = await hall.room(await hall.person().open())
    assert set(hall.hall.rooms()) == {first, second, third, fourth}, "somebody may have come for them just now"
    monkeypatch.setattr(hall_module, "_IN_USE", 0.0)
    fifth = await hall.room(await hall.person().open())
    assert set(hall.hall.rooms()) == {first, fourth, fifth}


async def test_only_so_many_minds_are_kept_those_that_thought_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mind_module, "_BOTS", 2)
    mind = mind_module.Mind()
    view = hoard_on_a_page.game.match(players=2, seed="minds").view(0)
    for table in "abc":
        mind.choose(table, "random", view)
    assert list(mind.kept) == [("b", 0), ("c", 0)]
    kept = mind.kept["c", 0]
    mind.choose("c", "random", view)
    assert mind.kept["c", 0] is kept
    mind.choose("c", "greedy", view)
    assert mind.kept["c", 0] is not kept, "another sits there now"
    mind.forget("c")
    assert list(mind.kept) == [("b", 0)]


async def test_old_tables_with_bots_of_the_library_are_played_on(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, bot_pause=3600.0)) as before:
        table = (await bots_and(before, ["greedy", "random"], AXES))[1].table.id
    async with open_hall(settings) as after:
        again = await after.room(table)
        await until(again, lambda: match_of(again).actor in (0, None))
        assert [seat.bot for seat in again.table.seats] == [None, "greedy", "random"]


async def test_who_takes_back_and_acts_anew_does_not_wait_for_what_the_bot_thought_before(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.Queue[int]()
    loop = asyncio.get_running_loop()

    class Ponderer:
        name = "greedy"

        def choose(self, view: View) -> int:
            loop.call_soon_threadsafe(asked.put_nowait, view.next_number)
            if view.next_number == 2:
                threading.Event().wait()
            return view.legal[0]

    monkeypatch.setattr(mind_module, "bot", lambda game, name: Ponderer())
    program, room = await bots_and(hall, ["greedy"], HOARD)
    await program.act(room.table.id, DRAW)
    assert await asked.get() == 2
    await room._append(lambda match: (match.undo(revealed=True), Entry(room._entries + 1, "undo", 0, 1))[1])
    await program.act(room.table.id, DRAW)
    assert await asked.get() == 3
    await until(room, lambda: match_of(room).actor in (0, None))
    assert [step.seat for step in match_of(room).steps][:2] == [0, 1]


async def test_bots_go_on_after_a_restart(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, bot_pause=3600.0)) as before:
        program, room = await bots_and(before, ["greedy"], HOARD)
        await program.act(room.table.id, DRAW)
        assert match_of(room).actor == 1
        table = room.table.id
    async with open_hall(settings) as after:
        again = await after.room(table)
        await until(again, lambda: match_of(again).actor in (0, None))
        assert match_of(again).steps[-1].seat == 1


async def test_a_bots_answer_to_a_position_that_was_taken_back_is_dropped(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program, room = await bots_and(hall, ["greedy"], HOARD)
    asked, answer = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow:
        name = "slow"

        def choose(self, view: View) -> int:
            loop.call_soon_threadsafe(asked.set)
            asyncio.run_coroutine_threadsafe(answer.wait(), loop).result()
            return view.legal[0]

    monkeypatch.setattr(mind_module, "bot", lambda game, name: Slow())
    await program.act(room.table.id, DRAW)
    await asked.wait()
    await room._append(lambda match: (match.undo(revealed=True), Entry(room._entries + 1, "undo", 0, 1))[1])
    answer.set()
    assert room._bots is not None
    await room._bots
    assert match_of(room).actor == 0
    assert match_of(room).steps == []
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING], "which is no failure"


# -------------------------------------------------------------------------------------------------------------------- hints


class Adviser:
    """What stands for the king's thoughts: it counts them, and waits until it is let go on."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.free = threading.Event()
        self.free.set()

    def __call__(self, view: View) -> tuple[Hint, ...]:
        self.views.append(view)
        assert self.free.wait(PATIENCE)
        return tuple(Hint(action, 0.5 - k / 10, sure=False) for k, action in enumerate(view.legal[:3]))


@pytest.fixture
def adviser(monkeypatch: pytest.MonkeyPatch) -> Adviser:
    adviser = Adviser()
    monkeypatch.setattr(mind_module, "hints", adviser)
    return adviser


async def ask_hint(person: Person, room: Room) -> Any:
    return await person.ask(f"/tables/{room.table.id}/hint")


async def test_a_hint_is_the_kings_best_actions_with_their_chances(hall: OpenHall) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    answer = (await ask_hint(actor, room)).json()
    legal = {action.action: action.text for action in match_of(room).legal()}
    assert 1 <= len(answer["hints"]) <= 3
    for hint in answer["hints"]:
        assert legal[hint["action"]] == hint["text"]
        assert 0 <= hint["chance"] <= 1
        assert not hint["sure"]
    assert answer["hint"].startswith(f"1. {answer['hints'][0]['text']}: ")
    assert "chance that you win" in answer["hint"]
    assert match_of(room).steps == []
    assert (await ask_hint(other, room)).status_code == 409
    assert (await ask_hint(hall.person(), room)).status_code == 403


async def test_a_hint_asked_twice_is_the_same_at_once(hall: OpenHall, adviser: Adviser) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    answers = await asyncio.gather(*(ask_hint(actor, room) for _ in range(4)))
    answers.append(await ask_hint(actor, room))
    assert len({answer.text for answer in answers}) == 1
    assert len(adviser.views) == 1
    assert {kind for kind, _, _ in await stored(hall, room)} == {"hint"}


async def test_a_hint_is_shown_to_who_asked_until_the_next_action(hall: OpenHall, adviser: Adviser) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    path = f"/tables/{room.table.id}"
    assert (await actor.post(f"{path}/hint")).status_code == 303, "a plain form is answered by the table"
    page = (await actor.get(path)).text
    assert page.count('class="button hint-line"') == 3
    assert "What the king would do" in page
    assert 'id="hints"' not in (await other.get(path)).text
    await actor.act(room.table.id, BOAST)
    assert 'id="hints"' not in (await actor.get(path)).text
    answer = await undo(actor, room)
    assert answer.status_code == 200
    assert (await actor.get(path)).text.count('class="button hint-line"') == 3, "it is the same decision again"


async def test_a_hint_is_marked_by_whatever_way_one_came_back_to_where_it_was_asked_for(hall: OpenHall, adviser: Adviser) -> None:
    actor, _, room, first = await at_turn(hall, "axxa")
    seat = match_of(room).actor
    assert seat is not None
    await actor.act(room.table.id, first)
    assert match_of(room).actor == seat, "there is something more to decide in this turn"
    await ask_hint(actor, room)
    await undo(actor, room)
    await actor.act(room.table.id, first)
    _, known = room_module.replayed(room.game, room.table, await hall.store.entries(room.table.id))
    assert known == {(seat, match_of(room).information_set(seat))}, "so it is after a restart"
    await actor.act(room.table.id, match_of(room).legal()[0].action)
    assert [step.hinted for step in match_of(room).steps[:2]] == [False, True]


async def test_while_a_hint_is_thought_of_the_page_says_so_and_stays_usable(hall: OpenHall, adviser: Adviser) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    path = f"/tables/{room.table.id}"
    adviser.free.clear()
    async with stream(actor, f"{path}/stream") as live:
        asking = asyncio.create_task(ask_hint(actor, room))
        while "The king looks at your table" not in await live.frame():
            pass
        assert (await actor.act(room.table.id, BOAST, 1)).status_code == 200
        while 'id="hints"' in await live.frame():
            pass
        again = asyncio.create_task(ask_hint(actor, room))
        while "The king looks at your table" not in await live.frame():
            pass
        assert len(adviser.views) == 1, "one is thought of at a time"
        adviser.free.set()
        while "What the king would do" not in (frame := await live.frame()):
            pass
        assert 'name="n" value="2"' in frame
    assert [(await each).status_code for each in (asking, again)] == [200, 200]
    assert len(adviser.views) == 2


async def test_a_hint_that_fails_is_no_end(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)

    def fail(view: View) -> tuple[Hint, ...]:
        raise RuntimeError(f"nothing comes to mind for {view.viewer}")

    with monkeypatch.context() as patch:
        patch.setattr(mind_module, "hints", fail)
        assert (await ask_hint(actor, room)).status_code == 500
    assert 'id="hints"' not in (await actor.get(f"/tables/{room.table.id}")).text
    assert (await ask_hint(actor, room)).status_code == 200


async def test_a_hint_that_fails_takes_no_later_one_with_it(
    hall: OpenHall, adviser: Adviser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    begun = threading.Event()

    def fail_first(view: View) -> tuple[Hint, ...]:
        begun.set()
        given = adviser(view)
        if len(adviser.views) == 1:
            raise RuntimeError("nothing comes to mind")
        return given

    monkeypatch.setattr(mind_module, "hints", fail_first)
    adviser.free.clear()
    first = asyncio.create_task(ask_hint(actor, room))
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    assert (await actor.act(room.table.id, BOAST, 1)).status_code == 200
    second = asyncio.create_task(ask_hint(actor, room))
    seat = match_of(room).actor
    assert seat is not None
    await until(room, lambda: room.asked_hint(seat) is not None)
    adviser.free.set()
    assert [(await first).status_code, (await second).status_code] == [500, 200]
    assert "What the king would do" in (await actor.get(f"/tables/{room.table.id}")).text


async def test_who_gives_up_the_seat_meanwhile_gets_no_hint_from_it(
    hall: OpenHall, adviser: Adviser, monkeypatch: pytest.MonkeyPatch
) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    save, saving, free = hall.store.save_table, asyncio.Event(), asyncio.Event()

    async def save_slowly(table: TableRow) -> TableRow:
        saving.set()
        await free.wait()
        return await save(table)

    monkeypatch.setattr(hall.store, "save_table", save_slowly)
    resigning = asyncio.create_task(actor.ask(f"/tables/{room.table.id}/resign"))
    await saving.wait()
    asking = asyncio.create_task(ask_hint(actor, room))
    await asyncio.sleep(0.2)
    free.set()
    assert [(await resigning).status_code, (await asking).status_code] == [200, 403]
    assert adviser.views == []
    assert "hint" not in {kind for kind, _, _ in await stored(hall, room)}


async def test_an_action_with_a_hint_is_marked_for_ever(settings: Settings, at_once: None, adviser: Adviser) -> None:
    """Also when the hall dies between the question and the action; and when the action is taken back and another played."""
    async with open_hall(settings) as before:
        actor, other, room, _ = await at_turn(before, HOARD)
        await ask_hint(actor, room)
        table, cookies = room.table.id, dict(actor.http.cookies)
        watcher = dict(other.http.cookies)
    async with open_hall(settings) as after:
        room = await after.room(table)
        actor, other = after.person(), after.person()
        actor.http.cookies.update(cookies)
        other.http.cookies.update(watcher)
        await actor.act(table, BOAST)
        assert [entry.kind for entry in await after.store.entries(table)] == ["hint", "hinted"]
        await undo(actor, room)
        await actor.act(table, LOOK)
        await actor.act(table, DRAW)
        assert [step.hinted for step in match_of(room).steps] == [True, False]
        for person in (actor, other, after.person()):
            assert "with a hint" in (await person.get(f"/tables/{table}")).text
            assert "with a hint" in (await person.get(f"/tables/{table}/replay?step=1")).text
    async with open_hall(settings) as again:
        room = await again.room(table)
        people = [again.person(), again.person()]
        people[0].http.cookies.update(cookies)
        people[1].http.cookies.update(watcher)
        await play_out(room, dict(enumerate(people)))
        record = (await again.person().get(f"/tables/{table}/record")).json()
        assert [action["n"] for action in record["actions"] if action.get("hinted")] == [2]
        assert [undone["actions"][0]["hinted"] for undone in record["undone"]] == [True]
        uploaded = await people[0].upload(json.dumps(record).encode(), Accept="application/json")
        assert uploaded.status_code == 201
        assert "with a hint" in (await people[0].get(f"{uploaded.json()['url']}?step=1")).text


async def test_the_bot_that_takes_the_seat_of_who_had_a_hint_has_had_none(hall: OpenHall, adviser: Adviser) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    await ask_hint(actor, room)
    await actor.ask(f"/tables/{room.table.id}/resign")
    await until(room, lambda: len(match_of(room).steps) > 0)
    assert not match_of(room).steps[0].hinted


async def test_what_another_process_has_done_meanwhile_is_what_the_hint_is_about(hall: OpenHall, adviser: Adviser) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    await hall.store.append(room.table.id, Entry(1, "action", 0, BOAST), over=False)
    await ask_hint(actor, room)
    assert [view.next_number for view in adviser.views] == [2]
    assert await stored(hall, room) == [("action", 0, BOAST), ("hint", 0, 1)]


# ----------------------------------------------------------------------------------------------------------------- resigning


async def test_who_resigns_is_played_on_by_a_jarl(hall: OpenHall) -> None:
    actor, _, room, _ = await at_turn(hall)
    seat = match_of(room).actor
    assert seat is not None
    name = room.table.seats[seat].name
    assert (await actor.ask(f"/tables/{room.table.id}/resign")).status_code == 200
    assert (room.table.seats[seat].kind, room.table.seats[seat].bot, room.table.seats[seat].name) == ("bot", "jarl", name)
    await until(room, lambda: match_of(room).actor != seat)
    assert (await actor.act(room.table.id, 0)).status_code == 403
    record = match_of(room).record()
    assert record["seats"][seat] == {"name": name, "kind": "bot", "bot": "jarl"}


async def test_when_everybody_has_left_the_match_is_given_up(hall: OpenHall) -> None:
    actor, other, room, action = await at_turn(hall)
    await other.ask(f"/tables/{room.table.id}/resign")
    await actor.ask(f"/tables/{room.table.id}/resign")
    assert room.table.status == "abandoned"
    assert room.bot_to_decide() is None
    answer = await actor.act(room.table.id, action)
    assert answer.status_code in (403, 409)
    record = (await actor.get(f"/tables/{room.table.id}/record")).json()
    assert (record["abandoned"], record["result"], record["complete"]) == ("everybody left", None, True)
    assert meadhall.replay(record).commitment == record["commitment"]
    page = (await actor.get(f"/tables/{room.table.id}")).text
    assert "given up" in page
    loaded = await hall.store.table(room.table.id)
    assert loaded is not None
    assert (loaded.status, loaded.abandoned) == ("abandoned", "everybody left")


async def test_nobody_resigns_a_match_that_is_over(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    await play_out(room, {0: host, 1: friend})
    answer = await host.ask(f"/tables/{room.table.id}/resign")
    assert (answer.status_code, answer.json()["reason"]) == (409, "The match is over.")


async def test_a_match_that_is_given_up_while_a_bot_thinks_ends_quietly(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program, room = await bots_and(hall, ["greedy"], HOARD)
    asked, answer = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow:
        name = "slow"

        def choose(self, view: View) -> int:
            loop.call_soon_threadsafe(asked.set)
            asyncio.run_coroutine_threadsafe(answer.wait(), loop).result()
            return view.legal[0]

    monkeypatch.setattr(mind_module, "bot", lambda game, name: Slow())
    await program.act(room.table.id, DRAW)
    await asked.wait()
    assert (await program.post(f"/tables/{room.table.id}/resign")).json()["status"] == "abandoned"
    answer.set()
    assert room._bots is not None
    await room._bots
    assert len(match_of(room).steps) == 1
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


# ------------------------------------------------------------------------------------------------------------------ restarts


async def test_a_match_of_other_rules_is_refused_not_replayed_wrongly(hall: OpenHall, caplog: pytest.LogCaptureFixture) -> None:
    program, room = await bots_and(hall, ["greedy"], HOARD)
    await hall.store.save_table(replace(room.table, rules=2, public=True))
    hall.hall._rooms.clear()
    answer = await program.read(f"/tables/{room.table.id}")
    assert (answer.status_code, answer.json()["error"]) == (410, "other-rules")
    assert "version 2 of the rules of Hoard" in answer.json()["reason"]
    assert (await hall.person().get("/")).status_code == 200, "the hall itself is open all the same"
    await hall.hall.resume(HOARD)
    assert "is not resumed" in caplog.text
